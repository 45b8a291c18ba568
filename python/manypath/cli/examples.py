"""`manypath examples`: the example files and notebooks of the package, as files to run and to change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from manypath.errors import UserError


def examples(
    folder: Annotated[Path, typer.Argument(help="Where to write them; made if it is missing.")] = Path("examples"),
) -> None:
    """Write the example scenarios, sweeps, emulations and notebooks into a folder, with their schemas for editors."""
    contents = _contents()
    _refuse_to_overwrite(folder, contents)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror}): name another folder") from None
    for name in contents:
        typer.echo(folder / name)


def _contents() -> dict[str, str]:
    """The text of each file by its name: the examples, and the schemas that they name."""
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
    """Refuse if a file stands there that is not the example itself."""
    for name, text in contents.items():
        path = folder / name
        try:
            differs = path.exists() and path.read_bytes() != text.encode()
        except OSError:
            differs = True
        if differs:
            raise UserError(
                f"{path}: exists and is not our example: name another folder, as in `manypath examples new`"
            )


SCHEMA = re.compile(r"^#:schema \.\./spec/files/(\w+)\.schema\.json", re.MULTILINE)
"""How an example names its schema in the repository."""
