"""Recorded links: reading the traces of Mahimahi, and the text that the engine reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from manypath.errors import quoted


def compact(trace: Any) -> Any:
    """Return the text of a trace for the engine: gaps between opportunities in milliseconds, ``"5 0*2 20"``.

    Parameters
    ----------
    trace
        The name of a file with a millisecond on each line, the milliseconds themselves, or such a text already.

    Raises
    ------
    ValueError
        If the file cannot be read or is no trace.
    """
    if isinstance(trace, str) and COMPACT.fullmatch(trace):
        return trace
    if isinstance(trace, str | Path):
        return _gaps(_read(Path(trace)), str(trace))
    if isinstance(trace, Sequence) and not isinstance(trace, bytes):
        return _gaps([_millisecond(value, f"number {place}") for place, value in enumerate(trace, 1)], "it")
    if trace is None:
        return None
    raise ValueError(f"{quoted(trace)} is no trace: name a file, or give the milliseconds in a list")


def mean_rate(text: str, overhead: int) -> int:
    """Return the mean rate of a busy link in bit/s, framing included, as the engine counts it."""
    opportunities, last = 0, 0
    for gap, count in _runs(text):
        opportunities += count
        last += gap * count
    return 8 * (PACKET + overhead) * opportunities * 1000 // max(last, 1)


def beside(folder: Path, fields: Any, is_trace: bool = False) -> Any:
    """Return the tables of a file in which relative names of traces count from its `folder`."""
    if isinstance(fields, dict):
        return {key: beside(folder, value, str(key).rpartition(".")[2] == "trace") for key, value in fields.items()}
    if isinstance(fields, list):
        return [beside(folder, value, is_trace) for value in fields]
    if is_trace and isinstance(fields, str) and not COMPACT.fullmatch(fields):
        return str(folder / fields)
    return fields


def _read(path: Path) -> list[int]:
    try:
        with path.open("rb") as file:
            # A device has no size and may have no end.
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f'"{path}" has more than {MOST_BYTES // 10**6} MB: cut it')
        lines = content.decode("ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ValueError(f'"{path}" cannot be read ({why}): name a file with a millisecond on each line') from None
    written = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return [_millisecond(line, f"{path}, line {number}") for number, line in written if line]


def _millisecond(value: Any, place: str) -> int:
    """The instant on a line, or at a place of a list."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole or (isinstance(value, str) and value.isascii() and value.isdigit()):
        if 0 <= int(value) < LIMIT:
            return int(value)
        raise ValueError(f"{place}: {value} ms is not within 49 days: count from the beginning of the trace")
    raise ValueError(f'{place}: "{value}" is no whole number of milliseconds: write one on each line')


def _gaps(millis: list[int], name: str) -> str:
    if len(millis) > MOST:
        raise ValueError(f"{name} has {len(millis)} opportunities: give {MOST} or less")
    if not millis or millis[-1] == 0:
        raise ValueError(f"{name} has no opportunity after 0 ms, so that it cannot repeat: give one at 1 ms or later")
    for number, (earlier, later) in enumerate(pairwise(millis), 2):
        if later < earlier:
            raise ValueError(f"{name}: opportunity {number} at {later} ms is before the one ahead of it: sort them")
    gaps = (later - earlier for earlier, later in pairwise([0, *millis]))
    return " ".join(_run(gap, sum(1 for _ in same)) for gap, same in groupby(gaps))


def _run(gap: int, count: int) -> str:
    return str(gap) if count == 1 else f"{gap}*{count}"


def _runs(text: str) -> Iterable[tuple[int, int]]:
    for word in text.split():
        gap, _, count = word.partition("*")
        yield int(gap), int(count or 1)


COMPACT = re.compile(r"\s*\d{1,10}(?:\*\d{1,7})?(?:\s+\d{1,10}(?:\*\d{1,7})?)*\s*", re.ASCII)
"""The text of a trace."""

PACKET = 1500
"""Bytes that an opportunity lets pass, framing excluded."""

MOST = 1_000_000
"""Opportunities of a trace at most."""

MOST_BYTES = 16_000_000
"""Bytes of a file at most."""

LIMIT = 2**32
"""Milliseconds stay below this."""
