"""Quantities with units in text form."""

from __future__ import annotations

import copy
import pickle
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manypath.quantity import RATE, SIZE, SPAN, Dimension, QuantityError


@pytest.mark.parametrize(
    ("dimension", "written", "base_units"),
    [
        (RATE, "10 Mbit/s", 10_000_000),
        (RATE, "0.25 Mbit/s", 250_000),
        (RATE, "250kbit/s", 250_000),
        (RATE, "1 Gbit/s", 1_000_000_000),
        (RATE, "64 bit/s", 64),
        (RATE, RATE.of(5_000_000), 5_000_000),
        (RATE, 0.0, 0),
        (SPAN, "1 ms", 1_000_000),
        (SPAN, "20 s", 20_000_000_000),
        (SPAN, "2 min", 120_000_000_000),
        (SPAN, "10 us", 10_000),
        (SPAN, "0.1 us", 100),
        (SPAN, "5 ns", 5),
        (SPAN, 0, 0),
        (SPAN, "0", 0),
        (SPAN, np.int64(0), 0),
        (SPAN, "0e999999999 s", 0),
        (SIZE, "1 MB", 1_000_000),
        (SIZE, "64 KiB", 65_536),
        (SIZE, "500 B", 500),
        (SIZE, "1e3 B", 1000),
    ],
)
def test_a_quantity_is_read_exactly(dimension: Dimension, written: object, base_units: int):
    assert dimension.parse(written) == base_units


@pytest.mark.parametrize(
    ("dimension", "written", "remedy"),
    [
        (RATE, "10 Mbps", 'write "10 Mbit/s"'),
        (RATE, "10 MBit/s", 'write "10 Mbit/s"'),
        (RATE, "10", 'has no unit: write "10 Mbit/s"'),
        (RATE, "fast", 'write a number and a unit, such as "10 Mbit/s"'),
        (RATE, "٣ Mbit/s", 'write a number and a unit, such as "10 Mbit/s"'),
        (RATE, "-5 ms", 'write a rate such as "10 Mbit/s"'),
        (RATE, "5 ms", "units: bit/s, kbit/s, Mbit/s, Gbit/s"),
        (RATE, True, 'write "10 Mbit/s"'),
        (RATE, None, 'write "10 Mbit/s"'),
        (RATE, "-5 Mbit/s", "is negative"),
        (RATE, -5, "is negative"),
        (RATE, 5, '5 has no unit: write "5 Mbit/s" (units: bit/s, kbit/s, Mbit/s, Gbit/s)'),
        (RATE, 5e6, 'has no unit: write "5 Mbit/s"'),
        (RATE, np.float64(2.5), 'has no unit: write "2.5 Mbit/s"'),
        (RATE, np.int64(10_000_000), 'has no unit: write "10 Mbit/s"'),
        (RATE, SPAN.of(20_000_000), '20 ms is no rate: write "10 Mbit/s"'),
        (RATE, "1e300 Mbit/s", 'is too large: write at most "9223372036 Gbit/s"'),
        (RATE, "1e999999999 Mbit/s", "is too large: write at most"),
        (RATE, "1e-999999999 Mbit/s", "is no multiple of 1 bit/s"),
        (RATE, "166 pkt/s", 'counts packets: for packets of 1500 bytes write "1992 kbit/s"'),
        (RATE, "1" * 10_000 + " Mbit/s", '1..." is too large: write at most "9223372036 Gbit/s"'),
        (RATE, "1" * 10_000, "is too large: write at most"),
        (RATE, "-" + "1" * 10_000 + " Mbit/s", "is negative"),
        (RATE, "1." + "1" * 10_000 + " Mbit/s", '1..." has 10009 characters, more than 100: write a rate such as'),
        (RATE, "0" * 10_000 + "1 Mbit/s", "has 10008 characters, more than 100"),
        (RATE, "x" * 10_000, 'x..." is no rate: write a number and a unit'),
        (RATE, 10**400, '0... is too large: write at most "9223372036 Gbit/s"'),
        (RATE, 10**4_000, "is too large: write at most"),
        (RATE, float("inf"), "inf is too large"),
        (RATE, float("-inf"), "-inf is negative"),
        (RATE, True, 'True is no rate: write "10 Mbit/s"'),
        (RATE, "5\0 Mbit/s", '"5\\u0000 Mbit/s" is no rate, "\\u0000 Mbit/s" is none of its units'),
        (RATE, "5 Mbit/s\u202e", '"5 Mbit/s\\u202e" is no rate, "Mbit/s\\u202e" is none of its units'),
        (RATE, "5\nMbit", '"5\\nMbit" is no rate'),
        (SPAN, "20 sec", 'write "20 s"'),
        (SPAN, "0.5 ns", "is no multiple of 1 ns"),
        (SPAN, 0.05, 'has no unit: write "50 ms"'),
        (SPAN, 20, 'has no unit: write "20 ms"'),
        (SPAN, 2_000_000_000, 'has no unit: write "2 s"'),
        (SPAN, "1e999", 'has no unit: write "20 ms"'),
        (SPAN, float("nan"), "is no time"),
        (SPAN, "10000000000 h", 'is too large: write at most "9223372036 s"'),
        (SIZE, "5 mb", 'write "5 MB"'),
        (SIZE, 1452, 'has no unit: write "1452 B"'),
        (SIZE, "5 Mb", 'write a size such as "500 kB"'),
        (RATE, "10 mb/s", 'write a rate such as "10 Mbit/s"'),
        (RATE, "-3 pkt/s", 'counts packets: write a rate such as "10 Mbit/s"'),
        (SPAN, "5 kB", 'write a time such as "20 ms"'),
        (SPAN, "3 Ms", 'write a time such as "20 ms"'),
        (SPAN, "2 fortnights", 'write a time such as "20 ms"'),
        (SIZE, "100 packets", 'counts packets: for packets of 1500 bytes write "150 kB"'),
    ],
)
def test_a_wrong_quantity_is_reported_with_the_valid_form(dimension: Dimension, written: object, remedy: str):
    with pytest.raises(QuantityError) as error:
        dimension.parse(written)
    assert remedy in str(error.value)
    assert "\n" not in str(error.value)


PREFIXES = {
    "": 1,
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "kilo": 10**3,
    "mega": 10**6,
    "giga": 10**9,
}
BITS = {"bit": 1, "bits": 1, "b": 1, "byte": 8, "bytes": 8, "B": 8}
RATES = {
    prefix + word + end: size * bits
    for (prefix, size), (word, bits), end in product(PREFIXES.items(), BITS.items(), ("/s", "ps", "/sec"))
}
SIZES = {prefix + word: size * bits for (prefix, size), (word, bits) in product(PREFIXES.items(), BITS.items())}
TIMES = {"sec": 10**9, "Seconds": 10**9, "msec": 10**6, "\u03bcs": 10**3, "hour": 36 * 10**11, "day": 864 * 10**11}
UNITS = [
    *((RATE, unit, size) for unit, size in RATES.items()),
    *((SIZE, unit, size / 8) for unit, size in SIZES.items()),
    *((SPAN, unit, size) for unit, size in TIMES.items()),
]
"""Units as people write them: their dimension, and their size in its base unit."""


@settings(max_examples=500)
@given(st.sampled_from(UNITS), st.sampled_from([1, 8, 20, 250, 1000, 0.25, 1.5]))
def test_a_suggestion_means_the_same_quantity(written: tuple[Dimension, str, float], number: float):
    dimension, unit, size = written
    suggested = suggestion(dimension, f"{number} {unit}")
    assert suggested is None or dimension.parse(suggested) == number * size


@given(st.sampled_from([RATE, SIZE, SPAN]), st.text("kKMGTmnuµibBtyesc/phr ", min_size=1, max_size=9))
def test_a_corrected_spelling_never_changes_the_prefix(dimension: Dimension, unit: str):
    suggested = suggestion(dimension, f"7 {unit}") if unit.strip() else None
    if suggested is not None and suggested.startswith("7 "):
        assert suggested[2].casefold() == unit.strip()[0].casefold() or unit.strip()[0] in "\u03bcµ"


@pytest.mark.parametrize(
    ("dimension", "written", "suggested"),
    [
        (RATE, "20 MB/s", "160 Mbit/s"),
        (RATE, "20 kB/s", "160 kbit/s"),
        (RATE, "1 GB/s", "8 Gbit/s"),
        (RATE, "1 MiB/s", "8388608 bit/s"),
        (RATE, "1 Tbit/s", "1000 Gbit/s"),
        (RATE, "10 Mbit", "10 Mbit/s"),
        (RATE, "10M", "10 Mbit/s"),
        (SIZE, "1000 TB", "1000000 GB"),
        (SIZE, "9 Mbit", "1125 kB"),
        (SPAN, "1 year", "31536000 s"),
        (SPAN, "2 minutes", "2 min"),
    ],
)
def test_another_unit_is_converted(dimension: Dimension, written: str, suggested: str):
    assert suggestion(dimension, written) == suggested


def suggestion(dimension: Dimension, written: str) -> str | None:
    """Return the quantity that a message suggests instead of a text."""
    try:
        dimension.parse(written)
    except QuantityError as error:
        found = re.search(r'write "([^"]+)"', str(error))
        return found[1] if found else None
    return None


def test_a_quantity_is_shown_in_its_shortest_exact_form():
    assert RATE.show(250_000) == "250 kbit/s"
    assert RATE.show(1_500_000) == "1.5 Mbit/s"
    assert SPAN.show(20_000_000_000) == "20 s"
    assert SPAN.show(1_000_000_001) == "1000000001 ns"
    assert SIZE.show(0) == "0 B"
    assert SIZE.show(1452) == "1452 B"
    assert SIZE.show(1500) == "1.5 kB"


def test_a_copied_quantity_keeps_its_dimension():
    rate = RATE.parse("5 Mbit/s")
    for copied in (copy.deepcopy(rate), pickle.loads(pickle.dumps(rate))):  # noqa: S301 - a pickle that the test made
        assert (copied, copied.dimension) == (rate, RATE)
    assert type(2 * rate) is int
