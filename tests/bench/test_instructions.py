"""The engine does not become slower unnoticed: its instructions for a data packet are those that are recorded.

The speed of the machine has no influence. Counts depend on the compiler. CARGO_INCREMENTAL=1 makes them 6 to 11 %
higher.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from counting import SECONDS, TESTED, compiler, instructions_per_packet, recorded

from lists import cases

MARGIN = 0.02
"""Share by which a count may differ."""


# The gate counts D100 instead of D10, and the TCP of Multipath TCP.
@pytest.mark.parametrize("row", cases(SECONDS, long=lambda row: row in ("D10/newreno", "B/tcp")))
def test_a_data_packet_takes_the_recorded_number_of_instructions(row: str, tmp_path: Path):
    known_compiler, known = recorded()
    if compiler() != known_compiler:
        pytest.skip(f"the counts are of {known_compiler}")
    count = instructions_per_packet(TESTED, row, tmp_path)
    change = count / known[row] - 1
    advice = "find the cause" if change > 0 else "record the gain"
    assert abs(change) <= MARGIN, (
        f"{row}: {count:,.0f} instructions for a data packet, {change:+.1%} of the recorded {known[row]:,}: {advice} "
        "(`make instructions` records new counts)"
    )


def test_every_row_is_recorded():
    assert recorded()[1].keys() == SECONDS.keys()
