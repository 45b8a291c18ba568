"""`manypath examples`: the example files and notebooks of the package."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from manypath.cli.frame_files import write
from manypath.errors import UserError, quoted_path
from manypath.outputs import Outputs


def examples(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; it is made if missing.")] = Path("examples"),
) -> None:
    """Write the example scenarios, sweeps, emulations and notebooks to a folder, with schemas for editors."""
    contents = _contents()
    Outputs().folder("FOLDER", folder)
    _refuse_to_overwrite(folder, contents)
    write("FOLDER", {folder / name: text for name, text in contents.items() if not (folder / name).exists()})
    for name in contents:
        typer.echo(folder / name)


def _contents() -> dict[str, str]:
    """Return the text of each file by name: the examples and their schemas."""
    from importlib.resources import files

    from manypath.schema import file_schema

    texts = {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in sorted(files("manypath").joinpath("examples").iterdir(), key=lambda entry: entry.name)
        if entry.is_file()
    }
    kinds = sorted({kind for text in texts.values() for kind in SCHEMA.findall(text)})
    return {
        **{name: SCHEMA.sub(r"#:schema ./\1.schema.json", text) for name, text in texts.items()},
        **{f"{kind}.schema.json": json.dumps(file_schema(kind), indent=2) + "\n" for kind in kinds},
    }


def _refuse_to_overwrite(folder: Path, contents: dict[str, str]) -> None:
    """Refuse the folder if it has a different file with the name of an example."""
    for name, text in contents.items():
        path = folder / name
        try:
            differs = path.exists() and path.read_bytes() != text.encode()
        except OSError:
            differs = True
        if differs:
            raise UserError(
                f"FOLDER: {quoted_path(path)} exists and differs from the example: name another folder, as in "
                "`manypath examples new`"
            )


SCHEMA = re.compile(r"^#:schema \.\./spec/files/(\w+)\.schema\.json", re.MULTILINE)
"""The line with which an example names its schema in the repository."""
