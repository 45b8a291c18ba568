"""Recorded links: conversion of Mahimahi's traces to the engine's text."""

from __future__ import annotations

import operator
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from manypath.errors import quoted, quoted_path


def compact(trace: Any) -> Any:
    """Return the text of a trace for the engine: gaps between opportunities in milliseconds, ``"5 0*2 20"``.

    Parameters
    ----------
    trace
        The name of a file with a millisecond on each line, a list of milliseconds, or a text of gaps.

    Raises
    ------
    ValueError
        If the file cannot be read, or is no trace.
    """
    if isinstance(trace, str) and COMPACT.fullmatch(trace):
        _check(*_size(trace), quoted(trace))
        return trace
    if isinstance(trace, str | Path):
        return _gaps(_read(Path(trace)), str(trace))
    if isinstance(trace, Sequence) and not isinstance(trace, bytes):
        return _gaps([_millisecond(value, f"number {place}") for place, value in enumerate(trace, 1)], "it")
    if trace is None:
        return None
    raise ValueError(f"{quoted(trace)} is no trace: name a file, or give the milliseconds in a list")


def mean_rate(text: str, overhead: int) -> int:
    """Return the mean rate of a busy link in bit/s, framing included, as the engine computes it."""
    opportunities, last = _size(text)
    return 8 * (PACKET + overhead) * opportunities * 1000 // max(last, 1)


def beside(folder: Path, fields: Any, is_trace: bool = False) -> Any:
    """Return the tables of a file with names of traces relative to its `folder` replaced by paths."""
    if isinstance(fields, dict):
        return {key: beside(folder, value, str(key).rpartition(".")[2] == "trace") for key, value in fields.items()}
    if isinstance(fields, list):
        return [beside(folder, value, is_trace) for value in fields]
    if is_trace and isinstance(fields, str) and not COMPACT.fullmatch(fields):
        return str(folder / fields)
    return fields


def _read(path: Path) -> list[int]:
    if "\0" in str(path):
        raise ValueError(f"{quoted_path(path)} has a NUL character: leave it out")
    try:
        if path.is_fifo():
            raise ValueError(f"{quoted_path(path)} is a pipe: name a file, which can be read again")
        # A device has no size, so the content is limited instead.
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"{quoted_path(path)} has more than {MOST_BYTES // 10**6} MB: cut it")
        lines = content.removeprefix(BOM_UTF8).decode("ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no ASCII text"
        raise ValueError(
            f"{quoted_path(path)} cannot be read ({why}): name a file with a millisecond on each line"
        ) from None
    written = ((number, line.strip()) for number, line in enumerate(lines, 1))
    # A million function calls would take longer than all other work, so the common form of a line is read here.
    return [
        int(line) if line.isdigit() and len(line) < SURE_DIGITS else _millisecond(line, f"{path}, line {number}")
        for number, line in written
        if line
    ]


def _millisecond(value: Any, place: str) -> int:
    """Return the millisecond on a line or in a list."""
    number = value
    if isinstance(value, str) and value.isascii() and value.isdigit():
        # Python refuses to convert thousands of digits.
        number = int(value) if len(value) <= MOST_DIGITS else LIMIT
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{place}: {quoted(value)} is no whole number of milliseconds: write one on each line")
    if not 0 <= number < LIMIT:
        shown = quoted(value, marks="")
        raise ValueError(f"{place}: {shown} ms is not within 49 days: count from the beginning of the trace")
    return number


def _gaps(millis: list[int], name: str) -> str:
    _check(len(millis), millis[-1] if millis else 0, name)
    if any(map(operator.lt, islice(millis, 1, None), millis)):
        number, later = next(
            (number, later) for number, (earlier, later) in enumerate(pairwise(millis), 2) if later < earlier
        )
        raise ValueError(f"{name}: opportunity {number} at {later} ms is before the previous one: sort them")
    runs, previous, count = [], None, 0
    for gap in map(operator.sub, millis, [0, *millis]):
        if gap == previous:
            count += 1
            continue
        runs.append((previous, count))
        previous, count = gap, 1
    runs.append((previous, count))
    return " ".join([str(gap) if count == 1 else f"{gap}*{count}" for gap, count in runs[1:]])


def _check(opportunities: int, last: int, name: str) -> None:
    """Refuse too many opportunities and too long traces, with the limits of the engine."""
    if opportunities > MOST:
        raise ValueError(f"{name} has {opportunities} opportunities: give {MOST} or less")
    if last == 0:
        raise ValueError(f"{name} has no opportunity after 0 ms and cannot repeat: give one at 1 ms or later")
    if last >= LIMIT:
        raise ValueError(f"{name} lasts {last} ms, which is not within 49 days: cut it")


# A link calls this several times for each trace.
@lru_cache(maxsize=8)
def _size(text: str) -> tuple[int, int]:
    """Return the number of opportunities of a text, and the millisecond of the last one."""
    words = text.split()
    single = [int(word) for word in words if "*" not in word]
    runs = [word.split("*") for word in words if "*" in word]
    opportunities = len(single) + sum(int(count) for _, count in runs)
    return opportunities, sum(single) + sum(int(gap) * int(count) for gap, count in runs)


COMPACT = re.compile(r"\s*+\d{1,10}+(?:\*\d{1,7}+)?+(?:\s++\d{1,10}+(?:\*\d{1,7}+)?+)*+\s*+", re.ASCII)
"""The text of gaps of a trace."""

PACKET = 1500
"""Bytes of an opportunity, without framing."""

MOST = 1_000_000
"""Largest number of opportunities of a trace."""

MOST_BYTES = 16_000_000
"""Largest file, bytes."""

LIMIT = 2**32
"""Exclusive upper limit of milliseconds."""

SURE_DIGITS = 10
"""Numbers with fewer digits are below the limit."""

MOST_DIGITS = 1000
"""Largest number of digits, including leading zeros."""
