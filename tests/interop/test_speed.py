"""The benchmark against usrsctp, with the shortest measurements."""

from __future__ import annotations

from pathlib import Path

import pytest
from speed import bulk, flood, handshakes, idle
from speed.page import MARKS, tables
from speed.program import OURS, USRSCTP, Contestant, FailedError
from speed.results import Results, ratio

pytestmark = [pytest.mark.interop, pytest.mark.long]

BOTH = pytest.mark.parametrize("contestant", [OURS, USRSCTP], ids=lambda contestant: contestant.name)


@BOTH
@pytest.mark.parametrize("cell", [bulk.Cell(1, 1400, udp=True), bulk.Cell(2, 1400, udp=False)], ids=str)
def test_a_transfer_has_whole_messages_and_cpu_time_of_both_ends(contestant: Contestant, cell: bulk.Cell):
    result = bulk.measure(cell, contestant, 0.3)
    assert result["bytes"] > 0
    assert result["bytes"] % cell.size == 0
    assert result["goodput"] == pytest.approx(result["bytes"] * 8e-6 / result["seconds"])
    assert all(seconds > 0 for seconds in result["cpu_seconds"].values())


@BOTH
def test_several_endpoints_open_associations_concurrently(contestant: Contestant):
    result = handshakes.measure(8, contestant, 0.3)
    assert result["associations"] >= 8


@BOTH
@pytest.mark.parametrize("side", idle.SIDES)
def test_an_endpoint_has_many_associations_with_others(contestant: Contestant, side: str):
    assert idle.measure(side, 100, contestant)["each"] > 0


def test_a_flood_reaches_the_receiver_of_a_transfer():
    result = flood.measure(OURS, 1.0)
    assert result["packets_per_second"] > 1000
    # On a busy machine the flood causes losses of the transfer, and their repair can take longer than this test
    assert result["goodput"]["before"] > 0
    assert min(result["memory"].values()) > 1 << 20


def test_a_failing_program_reports_its_error():
    with pytest.raises(FailedError, match='--buffer: is "3"'):
        bulk.measure(bulk.Cell(1, 1400, udp=True), Contestant("manypath", 3), 0.3)


def test_ratios_compare_measurements_of_the_same_round():
    rounds = [{"a": {"x": 2.0}, "b": {"x": 1.0}}, {"a": {"x": 8.0}, "b": {"x": 1.0}}, {"a": {"x": 5.0}}]
    found = ratio(rounds, "a", "b", "x")
    assert found is not None
    assert found[0] == pytest.approx(4)
    assert found[1] < 4 < found[2]


def test_tables_replace_those_of_a_page(tmp_path: Path):
    results = Results.new({"rounds": 1, "seconds": 1.0}, usrsctp="0")
    results.add("bulk", "one path", 0, "manypath", {"goodput": 3000.0, "cpu_per_gb": 1.0})
    results.add("bulk", "one path", 0, "usrsctp", {"goodput": 1000.0, "cpu_per_gb": 2.0})
    results.add("bulk", "one path", 0, "usrsctp, 256 KiB", {"failed": "it stalls"})
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin: make bench-net -->\nold\n<!-- end: make bench-net -->\nafter\n")
    MARKS.update(page, tables(results))
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| one path | 3,000 | 1.00 | 1,000 | 2.00 | not possible | not possible | 3.00 | – |" in text
