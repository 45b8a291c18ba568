"""What can go wrong by the user's hand, each said in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from numbers import Number


class UserError(Exception):
    """Something the user gave cannot be used.

    The text reads ``field: value is wrong: what would be right``, one line per mistake.
    The command line prints it without a traceback and ends with code 2.
    """


class OutputError(UserError):
    """An output could not be written to its end, as on a full disk.

    The target itself was right, so the command line ends with code 1 instead of 2.
    """


class NetworkError(ConnectionError):
    """The network, or the other end of a connection, did not do what was asked; the text is one line.

    It is a `ConnectionError` and so an `OSError`, as those of Python's own sockets are.
    """


class Stopped(Exception):
    """The user pressed Ctrl-C; the text says what is kept and how to go on."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to `word`, or None if nothing is near."""
    by_folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.5)
    return by_folded[close[0]] if close else None


def remedy(word: str, known: Iterable[str]) -> str:
    """What to write instead of an unknown `word`: the nearest known one, and all of them if they are few."""
    names = list(known)
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    everything = f"known: {', '.join(names[:MANY])}{more}"
    close = nearest(word, names)
    if close is None:
        return everything
    return f'did you mean "{close}"?' + (f" ({everything})" if len(names) <= FEW else "")


def quoted(value: object, marks: str = '"') -> str:
    """A wrong value as a message shows it: texts between marks, everything in one line of bounded length."""
    text = f"{marks}{value}{marks}" if isinstance(value, str) else _shown(value)
    line = " ".join(text.split())
    return line if len(line) <= LINE else f"{line[: LINE - 3]}..."


def _shown(value: object) -> str:
    """A value by its plain text; numpy's numbers and Python's are shown alike."""
    try:
        return str(value) if isinstance(value, Number) else repr(value)
    except ValueError:
        return "a number of thousands of digits"


LINE = 80
"""Characters of a value that a message shows."""

FEW = 8
"""So many names are read at a glance."""

MANY = 50
"""More names than this are not listed."""
