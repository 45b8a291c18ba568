"""Files of results in the folder of a paper or study, which are part of the package."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

import manypath
from manypath.errors import UserError
from manypath.outputs import Kind, Outputs
from manypath.papers import NAMES
from manypath.scenario.mistakes import user_error

Content = TypeVar("Content")


def file_of(name: str, file: str) -> Path:
    """Return the path of a file of a paper or study. The file need not exist."""
    folder = "papers" if name in NAMES else "studies"
    return Path(manypath.__file__).parent / folder / name / file


def check_targets(names: Iterable[str], file: str, kind: Kind) -> None:
    """Check that a file of each named paper can be written.

    Raises
    ------
    UserError
        If the package is not in a source tree, or a file cannot be written.
    """
    package = Path(manypath.__file__).resolve().parent
    if not (package.parents[1] / "pyproject.toml").is_file():
        raise UserError(f"--publish: {package} is no source tree: published results are part of the package's sources")
    outputs = Outputs()
    for name in names:
        outputs.file("--publish", file_of(name, file), kind)


def read(adapter: TypeAdapter[Content], file: Path, again: str) -> Content:
    """Read a JSON file with content of a type.

    Parameters
    ----------
    adapter
        The type.
    file
        The file.
    again
        Remedy in the error message: how to write the file again.

    Raises
    ------
    UserError
        If the file cannot be read or has other content. The message is one line with the first wrong field.
    """
    try:
        state = file.stat()
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror}): {again}") from None
    return _read(adapter, file, again, (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns))


@lru_cache(maxsize=32)
def _read(adapter: TypeAdapter[Any], file: Path, again: str, _: tuple[int, ...]) -> Any:
    """Read a file in a state. A report reads the files of all papers for each of its pages."""
    try:
        said = json.loads(file.read_bytes())
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror}): {again}") from None
    except ValueError as error:
        raise UserError(f"{file}: is no JSON ({error}): {again}") from None
    except RecursionError:
        raise UserError(f"{file}: lists or tables are nested too deeply: {again}") from None
    try:
        return adapter.validate_python(said)
    except ValidationError as error:
        first = str(user_error(error, said)).splitlines()[0]
        raise UserError(f"{file}: {first}: {again}") from None
