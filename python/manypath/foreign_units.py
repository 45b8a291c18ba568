"""Sizes of usual units that quantities are not written in, such as MB/s for a rate: messages convert them exactly.

A unit with two usual readings, such as "mb/s" (bits or bytes), has no size.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction


def rate_of(unit: str) -> Fraction | None:
    """Return the size of a unit of rates in bit/s; None if it is unknown or has two readings."""
    return _found(unit, RATES, RATE_WORDS)


def size_of(unit: str) -> Fraction | None:
    """Return the size of a unit of data in bytes; None if it is unknown or has two readings."""
    return _found(unit, SIZES, SIZE_WORDS)


def time_of(unit: str) -> Fraction | None:
    """Return the size of a unit of times in nanoseconds; None if it is unknown or has two readings."""
    return _found(unit, {}, TIME_WORDS) if unit not in LARGE_TIMES else None


def is_known(unit: str) -> bool:
    """Whether a unit of any dimension is spelled like this, in upper or lower case. It is then no spelling mistake."""
    return unit.casefold() in SPELLINGS


def _found(unit: str, spelled: Mapping[str, Fraction], words: Mapping[str, Fraction]) -> Fraction | None:
    return spelled.get(unit) or words.get(unit.casefold())


DECIMAL = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
LONG = {"kilo": 10**3, "mega": 10**6, "giga": 10**9, "tera": 10**12}
PREFIXES = {"": 1, "K": 10**3, **DECIMAL, **BINARY}
"""Prefixes by their symbols. Many people write a large K for 1000."""

BITS = {"bit": 1, "bits": 1, "byte": 8, "bytes": 8, "octet": 8, "octets": 8}
"""Bits of a word, which has one reading in upper and in lower case."""

SECONDS = ("/s", "ps", "/sec", "/second", "persecond")
"""The endings of rates, without blanks."""

RATES = {
    **{f"{p}b{end}": Fraction(size) for p, size in PREFIXES.items() for end in SECONDS if p not in ("k", "K")},
    **{f"{p}B{end}": Fraction(8 * size) for p, size in PREFIXES.items() for end in SECONDS},
}
"""Rates with the symbols b and B. "kb/s" and "Kb/s" are missing, because many people write them for kB/s."""

RATE_WORDS = {
    **{
        f"{p}{word}{end}".casefold(): Fraction(bits * size)
        for p, size in {**PREFIXES, **LONG}.items()
        for word, bits in BITS.items()
        # "10 Mbit" for a rate can only lack its "/s".
        for end in (*SECONDS, *([""] if bits == 1 else []))
    },
    **{f"{p}bps".casefold(): Fraction(size) for p, size in DECIMAL.items()},
    **{p.casefold(): Fraction(size) for p, size in DECIMAL.items()},
}
"""Rates in lower case: with words, the "mbps" of most programs, and the "10M" of iperf."""

SIZES = {
    **{f"{p}B": Fraction(size) for p, size in PREFIXES.items()},
    **{f"{p}b".casefold(): Fraction(size) for p, size in {**DECIMAL, **BINARY}.items() if p not in ("k", "Ki")},
}
"""Sizes with the symbol B, or "mb" as many programs write MB. "kb" and "Mb" are missing, because b may mean bits."""

SIZE_WORDS = {
    **{
        f"{p}{word}".casefold(): Fraction(bits * size, 8)
        for p, size in {**PREFIXES, **LONG}.items()
        for word, bits in BITS.items()
    },
    **{p.casefold(): Fraction(size) for p, size in {**DECIMAL, **BINARY}.items()},
}
"""Sizes in lower case: with words, and prefixes alone."""

SPANS = {
    1: ("ns", "nsec", "nsecs", "nanosecond", "nanoseconds"),
    10**3: ("us", "\u03bcs", "usec", "usecs", "microsecond", "microseconds"),
    10**6: ("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"),
    10**9: ("s", "sec", "secs", "second", "seconds"),
    60 * 10**9: ("min", "mins", "minute", "minutes"),
    3600 * 10**9: ("h", "hr", "hrs", "hour", "hours"),
    24 * 3600 * 10**9: ("d", "day", "days"),
    7 * 24 * 3600 * 10**9: ("week", "weeks"),
    365 * 24 * 3600 * 10**9: ("year", "years"),
}

TIME_WORDS = {word: Fraction(size) for size, words in SPANS.items() for word in words}
"""Times in lower case. Upper case is a usual mistake."""

LARGE_TIMES = frozenset({"Ms"})
"""Symbols that have another meaning than in lower case."""

SPELLINGS = {unit.casefold() for units in (RATES, RATE_WORDS, SIZES, SIZE_WORDS, TIME_WORDS) for unit in units}
"""All units in lower case."""
