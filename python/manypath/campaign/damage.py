"""Damaged files of a store: how they are found and reported. Nothing in this module changes a file."""

from __future__ import annotations

import json
import os
import stat
import warnings
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from manypath.errors import StoreWarning, in_file_form, reason_of
from manypath.scenario.mistakes import user_error

Content = TypeVar("Content")


class Damaged(Exception):
    """A file of a store that cannot be used; the text says what is wrong with it, as in ``is a folder``."""


class Unreadable(Damaged):
    """A file that the system does not let this process read. Its content may be undamaged."""


def warned(text: str) -> None:
    """Report a damaged file: a `StoreWarning` in Python, which a command prints on standard error."""
    warnings.warn(text, StoreWarning, stacklevel=2)


def check_regular(path: Path) -> os.stat_result:
    """Return the status of a file; refuse folders, and pipes, whose opening would wait for a writer.

    Raises
    ------
    Damaged
        If it is no regular file, or a link to a missing one.
    FileNotFoundError
        If there is none.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise Damaged("is a link to a missing file") from None
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None
    if stat.S_ISDIR(status.st_mode):
        raise Damaged("is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise Damaged("is no regular file")
    return status


def read_json(path: Path) -> object:
    """Return the content of a JSON file.

    Raises
    ------
    Damaged
        If it is no JSON; `Unreadable` if the system refuses it.
    FileNotFoundError
        If there is none.
    """
    try:
        return json.loads(_bytes(path))
    except RecursionError:
        raise Damaged("has lists or tables that are nested too deeply") from None
    except ValueError:
        raise Damaged("is no JSON") from None


def read_as(adapter: TypeAdapter[Content], path: Path) -> Content:
    """Return the content of a JSON file, strictly of a type.

    Raises
    ------
    Damaged
        If it has another content; the text names the first wrong field.
    FileNotFoundError
        If there is no such file.
    """
    try:
        # In strict mode, only JSON gives dataclasses and tuples.
        return adapter.validate_json(_bytes(path), strict=True)
    except ValidationError as error:
        raise Damaged(f"is damaged: {_first(error, read_json(path))}") from None


def _bytes(path: Path) -> bytes:
    check_regular(path)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None


def reason(error: BaseException) -> str:
    """Return the reason of an error on one line, without the full stop of libraries."""
    if isinstance(error, OSError) and error.errno:
        return reason_of(error)
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _first(error: ValidationError, content: object) -> str:
    with in_file_form():
        return str(user_error(error, content)).splitlines()[0]
