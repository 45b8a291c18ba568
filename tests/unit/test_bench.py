"""The results of the rows agree with independent simulators. Their speed is not tested."""

from __future__ import annotations

import pytest

from manypath.bench import ROWS, names
from manypath.bench.measure import Measured, measure_here
from manypath.bench.training import training
from manypath.errors import UserError
from manypath.papers import registry
from manypath.stats import jain


def measured(row: str) -> Measured:
    """Run a row and return its measurements."""
    found = measure_here(row)
    assert found.packet_hops_per_second > 0
    assert len(found.digest) == 16
    return found


def test_divided_buffers_fill_unequal_paths_as_in_inet():
    """INET: 105.99 Mbit/s, which is 110 Mbit/s without the framing of PPP."""
    (goodput,) = measured("D100+10/split").goodput.values()
    assert goodput == pytest.approx(105.99, abs=0.01)


def test_divided_buffers_fill_equal_paths():
    """Expected: 2 x 100 Mbit/s without headers and the framing of PPP."""
    (goodput,) = measured("D100+100/split").goodput.values()
    assert goodput == pytest.approx(200 * 1452 / 1507, abs=0.01)


@pytest.mark.parametrize(("row", "most_loss"), [("A", 0.0013), ("A/delayed", 0.0015)])
def test_two_flows_share_a_bottleneck_as_in_other_simulators(row: str, most_loss: float):
    """htsim, ns-2 and ns-3: 9.72 to 9.73 Mbit/s in total; 0.11 to 0.12 % of the packets are lost.

    With delayed acknowledgements ns-3 loses half as many, because its windows grow per acknowledgement; here they grow
    with the acknowledged bytes.
    """
    found = measured(row)
    first, second = found.goodput.values()
    assert first + second == pytest.approx(9.725, abs=0.01)
    assert first / second == pytest.approx(1, abs=0.1)
    assert 0.0010 < found.loss_rate < most_loss


@pytest.mark.parametrize("row", ["B/tcp", "B/tcp-delayed"])
def test_independent_flows_fill_their_links_as_in_other_simulators(row: str):
    """htsim, ns-2 and ns-3: 97.18 to 97.31 Mbit/s each; no more than 1460/1500 of the rate can be payload."""
    found = measured(row)
    for goodput in found.goodput.values():
        assert 97.15 < goodput < 100 * 1460 / 1500
    assert found.loss_rate == pytest.approx(0.0004, abs=0.00005)


def test_one_connection_fills_both_paths_except_for_headers_and_options():
    found = measured("B/mptcp-lia")
    (goodput,) = found.goodput.values()
    assert goodput == pytest.approx(2 * 100 * 1440 / 1500, rel=0.003)


def test_many_flows_share_a_red_queue_as_in_other_simulators():
    """htsim, ns-2 and ns-3: 52.8 to 56.5 Mbit/s in all, Jain's index 0.96 to 0.97, loss rate 0.04."""
    found = measured("C")
    rates = list(found.goodput.values())
    assert 52.5 < sum(rates) < 56.5
    assert 0.955 < jain(rates) < 0.98
    assert found.loss_rate == pytest.approx(0.042, abs=0.004)


def test_rows_are_selected_by_name_or_group():
    assert names([]) == list(ROWS)
    assert names(["A"]) == ["A"]
    assert names(["D10", "D10/newreno"]) == ["D10/newreno", "D10/cmt-rpv2"]
    assert names(["B"]) == [row for row in ROWS if row.startswith("B/")]
    with pytest.raises(UserError, match='scenario: "E" is no row of the benchmark'):
        names(["E"])


def test_the_release_build_is_trained_with_every_row_and_every_paper():
    trained = {scenario.but(measure="6000 s").document() for scenario in training()}
    assert {row().but(measure="6000 s").document() for row in ROWS.values()} <= trained
    for paper in registry().values():
        scenarios = (paper.experiments.scenario(case, paper.quick) for case in paper.experiments.cases(paper.quick))
        assert any(scenario.but(measure="6000 s").document() in trained for scenario in scenarios)
