"""Quantities with units in text form."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

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
        (RATE, "-5 ms", 'write "5 Mbit/s"'),
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
        (RATE, "1" * 10_000 + " Mbit/s", "is no rate: write a number and a unit"),
        (RATE, "5\nMbit", '"5 Mbit" is no rate'),
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
        (SIZE, "100 packets", 'counts packets: for packets of 1500 bytes write "150 kB"'),
    ],
)
def test_a_wrong_quantity_is_reported_with_the_valid_form(dimension: Dimension, written: object, remedy: str):
    with pytest.raises(QuantityError) as error:
        dimension.parse(written)
    assert remedy in str(error.value)
    assert "\n" not in str(error.value)


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
