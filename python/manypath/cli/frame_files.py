"""Files with the frames of a campaign's results: one for each kind of frame that has rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.measurements import MEASUREMENTS
from manypath.outputs import writing

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


def write(field: str, frame: pd.DataFrame, file: Path) -> None:
    """Write a frame as CSV, or as Parquet if the name of the file ends so; `field` is the option for messages."""
    with writing(field, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".parquet":
            frame.to_parquet(file, index=False)
        else:
            frame.to_csv(file, index=False)
