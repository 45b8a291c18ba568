"""Exceptions with messages for users, one line for each mistake."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from numbers import Number


class UserError(Exception):
    """An input of the user is invalid.

    The text reads ``field: value is wrong: valid alternative``, one line for each mistake.
    The command line prints it without a traceback and ends with code 2.
    """


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
    by_folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.5)
    return by_folded[close[0]] if close else None


def remedy(word: str, known: Iterable[str]) -> str:
    """Return the hint for an unknown `word`: the most similar known word, and all known words if they are few."""
    names = list(known)
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    everything = f"known: {', '.join(names[:MANY])}{more}"
    close = nearest(word, names)
    if close is None:
        return everything
    return f'did you mean "{close}"?' + (f" ({everything})" if len(names) <= FEW else "")


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

FEW = 8
"""Up to this number of names, a hint with a similar name also lists all names."""

MANY = 50
"""Largest number of names in a list."""
