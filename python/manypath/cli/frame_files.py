"""Files with the frames of a campaign's results: one for each kind of frame that has rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.measurements import MEASUREMENTS
from manypath.outputs import writing
from manypath.replacement import replacing

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign import Results

KINDS = tuple(MEASUREMENTS)
"""Frames that are written: all of them."""


def filled(results: Results) -> Iterator[tuple[str, pd.DataFrame]]:
    """Iterate over the frames that have rows, with their kinds."""
    for kind in KINDS:
        frame: pd.DataFrame = getattr(results, kind)
        if not frame.empty:
            yield kind, frame


def write(field: str, contents: Mapping[Path, pd.DataFrame | str]) -> None:
    """Write frames and texts into files, either all of them or none; `field` is the option for messages.

    A frame is written as CSV, or as Parquet if the name of its file ends so.

    Raises
    ------
    OutputError
        If a file cannot be written completely. Earlier files are kept.
    """
    with ExitStack() as files:
        for file, content in contents.items():
            with writing(field, file):
                begun = files.enter_context(replacing(field, file, makes_folder=True))
                _write(content, begun, is_parquet=file.suffix == ".parquet")


def _write(content: pd.DataFrame | str, target: Path, *, is_parquet: bool) -> None:
    if isinstance(content, str):
        target.write_text(content, encoding="utf-8")
    elif is_parquet:
        # By an own file, which is closed if the disk is full.
        with target.open("wb") as file:
            content.to_parquet(file, index=False)
    else:
        content.to_csv(target, index=False)
