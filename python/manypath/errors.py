"""Exceptions with messages for users, one line for each mistake."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, time
from numbers import Number
from typing import Any, cast

from manypath import _native


class UserError(Exception):
    """An input of the user is invalid.

    The text reads ``field: value is wrong: valid alternative``, one line for each mistake.
    The command line prints it without a traceback and ends with code 2. A notebook shows the text alone, too.
    """

    def __init__(self, text: object = "") -> None:
        # Names and words of the user may have control characters, which a terminal would obey.
        super().__init__("\n".join(visible(line) for line in str(text).split("\n")))

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class OutputError(UserError):
    """An output could not be written completely, for example because the disk is full.

    The target itself was valid, so the command line ends with code 1 instead of 2.
    """


class NetworkError(ConnectionError):
    """The network or the peer failed; the text is one line.

    It is a `ConnectionError` and so an `OSError`, like the errors of Python's sockets.
    """


class StoreWarning(UserWarning):
    """A file of a store is damaged, so that its results are missing; the text is one line with the file and the reason.

    Commands print it on standard error.
    """


class BackendWarning(UserWarning):
    """The environment names a backend of matplotlib that does not exist; figures are drawn without one."""


class Stopped(Exception):
    """The user pressed Ctrl-C; the text states which results are kept and how to continue."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to `word`, or None if none is similar."""
    return _native.nearest(encodable(word), [encodable(name) for name in known])


def remedy(word: str, known: Iterable[str]) -> str:
    """Return the hint for an unknown `word`: the most similar known word, and all known words if they are few."""
    return _native.remedy(encodable(word), [encodable(name) for name in known])


def encodable(text: str) -> str:
    """Return a text without the lone surrogates that stand for invalid bytes of a command line or of a file's name."""
    return text.encode(errors="replace").decode()


def reason_of(error: OSError) -> str:
    """Return the system's reason of an error; libraries give its number, and words of their own."""
    return os.strerror(error.errno) if error.errno else str(error)


def visible(text: str) -> str:
    """Return a text in which escape sequences stand for the characters that a terminal would obey, and not show.

    These are control characters, ends of lines, marks of the direction of text, and halves of surrogate pairs.
    """
    return "".join(map(_escaped, text)) if any(map(_is_obeyed, text)) else text


def _is_obeyed(letter: str) -> bool:
    return letter in MARKS or unicodedata.category(letter) in CONTROLS


def _escaped(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if _is_obeyed(letter) else letter


def quoted(value: object, marks: str = '"') -> str:
    """Return an invalid value for a message: on one line of bounded length, texts between `marks`.

    Within `in_file_form` the value has the form of a file (TOML), else that of Python. Escape sequences stand for
    characters that are not printable. A shortened value keeps its last mark or bracket.
    """
    return _between(marks, value, marks, LINE) if isinstance(value, str) else _shown(value, LINE)


def quoted_path(path: object) -> str:
    """Return the path of a file for a message, not shortened up to the usual limit of systems."""
    return _between('"', str(path), '"', LONGEST_PATH)


@contextmanager
def in_file_form() -> Generator[None]:
    """Show the values of messages in the form of a file: ``true`` and ``2020-01-01``."""
    token = _FILE_FORM.set(True)
    try:
        yield
    finally:
        _FILE_FORM.reset(token)


def _shown(value: object, room: int) -> str:
    """Return a value on one line of about `room` characters."""
    if room < LEAST:
        return "..."
    if isinstance(value, str):
        mark = '"' if _FILE_FORM.get() or "'" in value else "'"
        return _between(mark, value, mark, room)
    inner = room - AROUND
    # Classes derived from these may have another form in Python.
    if type(value) is dict:
        return _table(cast("dict[Any, Any]", value), inner)
    if type(value) is list:
        return f"[{_listed((_shown(item, inner) for item in cast('list[Any]', value)), inner)}]"
    text = _in_file(value) if _FILE_FORM.get() else _in_python(value)
    end = text[-1] if text[-1:] in CLOSING else ""
    line = " ".join(text.removesuffix(end).split()) if len(text) < ENOUGH else text[:-1]
    return _between("", line, end, room)


def _in_file(value: object) -> str:
    if isinstance(value, bool) or value is None:
        # JSON has null.
        return {True: "true", False: "false", None: "null"}[value]
    return value.isoformat() if isinstance(value, date | time) else _in_python(value)


def _in_python(value: object) -> str:
    """Return a value as text in the form of Python; numbers of numpy and of Python look the same."""
    try:
        return str(value) if isinstance(value, Number) else repr(value)
    except ValueError:
        return "a number of thousands of digits"
    # The class of another library or of the user decides what its `repr` raises.
    except Exception:
        return f"an object of {type(value).__name__}"


def _table(table: Mapping[Any, Any], room: int) -> str:
    """Return a table in the form of a file or of Python; its pairs have about `room` characters."""
    if not _FILE_FORM.get():
        return f"{{{_listed(_pairs(table, _shown, ': ', room), room)}}}"
    pairs = _pairs(table, lambda key, most: _between("", str(key), "", most), " = ", room)
    return f"{{ {_listed(pairs, room)} }}" if table else "{}"


def _pairs(table: Mapping[Any, Any], name: Callable[[Any, int], str], between: str, room: int) -> Iterator[str]:
    for key, inner in table.items():
        called = name(key, room // 2)
        yield f"{called}{between}{_shown(inner, room - len(called) - len(between))}"


def _listed(items: Iterable[str], room: int) -> str:
    """Return the first items, separated by commas; dots stand for the others."""
    listed: list[str] = []
    for item in items:
        if listed and sum(len(each) + 2 for each in listed) + len(item) > room:
            return ", ".join([*listed, "..."])
        listed.append(item)
    return ", ".join(listed)


def _between(opening: str, text: str, closing: str, room: int) -> str:
    """Return a text with printable characters between two marks, shortened to `room` characters."""
    room -= len(opening) + len(closing)
    # The beginning suffices, because escape sequences are not shorter than their characters.
    line = "".join(map(_printable, text[: room + 1]))
    return f"{opening}{line if len(line) <= room else f'{line[: room - 3]}...'}{closing}"


def _printable(letter: str) -> str:
    if letter.isprintable():
        return letter
    return BLANKS.get(letter) or (f"\\u{ord(letter):04x}" if ord(letter) < ASTRAL else f"\\U{ord(letter):08x}")


_FILE_FORM: ContextVar[bool] = ContextVar("file_form", default=False)
"""Whether values are shown in the form of a file."""

LINE = 80
"""Largest number of characters of a value in a message."""

LONGEST_PATH = 4096
"""Largest number of characters of a path in a message."""

LEAST = 8
"""Smallest number of characters for which a part of a value is shown."""

AROUND = 9
"""Number of characters of two brackets with blanks, and of dots after a comma."""

ENOUGH = 100 * LINE
"""Number of characters from which a text is not searched for blanks."""

CLOSING = frozenset("\"')]}")
"""Last characters of texts that a shortened text keeps."""

BLANKS = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
"""Usual escape sequences."""

ASTRAL = 0x1_0000
"""The first character with an escape sequence of eight digits."""

MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""The characters that only set the direction of text. Unicode annex 9, section 2."""

CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode categories of control characters, halves of surrogate pairs, and separators of lines and of paragraphs."""
