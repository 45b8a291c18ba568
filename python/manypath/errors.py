"""Exceptions with messages for users, one line for each mistake."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number

from manypath import _native


class UserError(Exception):
    """An input of the user is invalid.

    The text reads ``field: value is wrong: valid alternative``, one line for each mistake.
    The command line prints it without a traceback and ends with code 2. A notebook shows the text alone, too.
    """

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


class Stopped(Exception):
    """The user pressed Ctrl-C; the text states which results are kept and how to continue."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to `word`, or None if none is similar."""
    return _native.nearest(_encodable(word), [_encodable(name) for name in known])


def remedy(word: str, known: Iterable[str]) -> str:
    """Return the hint for an unknown `word`: the most similar known word, and all known words if they are few."""
    return _native.remedy(_encodable(word), [_encodable(name) for name in known])


def _encodable(text: str) -> str:
    """Return a text without the lone surrogates that stand for invalid bytes of a command line or of a file's name."""
    return text.encode(errors="replace").decode()


def quoted(value: object, marks: str = '"') -> str:
    """Return an invalid value for a message: on one line of bounded length, texts between `marks`."""
    text = f"{marks}{value}{marks}" if isinstance(value, str) else _shown(value)
    line = " ".join(text.split())
    return line if len(line) <= LINE else f"{line[: LINE - 3]}..."


def _shown(value: object) -> str:
    """Return a value as text; numbers of numpy and of Python look the same."""
    try:
        return str(value) if isinstance(value, Number) else repr(value)
    except ValueError:
        return "a number of thousands of digits"


LINE = 80
"""Largest number of characters of a value in a message."""
