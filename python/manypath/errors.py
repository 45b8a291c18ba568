"""What can go wrong by the user's hand, each said in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Something the user gave cannot be used.

    The text reads ``field: value is wrong: what would be right``, one line per mistake.
    The command line prints it without a traceback and ends with code 2.
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


FEW = 8
"""So many names are read at a glance."""

MANY = 50
"""More names than this are not listed."""
