"""Means, differences and stops have one number for each replication, and only replications that have a number."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import manypath as mp
from manypath.campaign import Cell
from manypath.stats import interval
from manypath.stats.compare import paired

Rates = Mapping[str, Sequence[Sequence[float | None]]]
"""For each scenario and replication, the goodput of its flows in Mbit/s."""


def campaign_of(rates: Rates) -> mp.Results:
    """Return results of flows ``f0``, ``f1``, ... with these latencies in seconds and goodputs in Mbit/s."""

    def outcome(row: Sequence[float | None]) -> str:
        flows = {
            f"f{number}": {
                "goodput": 0.0 if value is None else value * 1e6,
                "latency": {"mean": value},
                "streams": [],
                "paths": {},
            }
            for number, value in enumerate(row)
        }
        return json.dumps({"flows": flows, "links": {}, "digest": "00"})

    most = max(map(len, rates.values()))
    return mp.Results(
        [
            (Cell({"cc": cc}, cc, 1, replication), outcome(rows[replication]))
            for replication in range(most)
            for cc, rows in rates.items()
            if replication < len(rows)
        ]
    )


TWO: Rates = {"lia": [[1, 5], [2, 7], [4, 6]], "olia": [[2, 6], [3, 8], [5, 8]]}


def test_rows_of_a_replication_count_once():
    results = campaign_of(TWO)
    found = results.mean("goodput")
    # Of each replication the mean over two scenarios with two flows.
    expected = interval([(1 + 5 + 2 + 6) / 4, (2 + 7 + 3 + 8) / 4, (4 + 6 + 5 + 8) / 4])
    assert found.columns.tolist() == ["mean", "half_width", "n"]
    assert found.to_numpy() == pytest.approx(np.array([[expected.mean, expected.half_width, 3]]))
    flows = results.mean("goodput", by=["flow"]).set_index("flow")
    assert flows["n"].tolist() == [3, 3]
    expected = interval([1.5, 2.5, 4.5])
    assert flows[["mean", "half_width"]].to_numpy()[0] == pytest.approx([expected.mean, expected.half_width])
    controls = results.mean("goodput", by="cc").set_index("cc")
    expected = interval([3, 4.5, 5])
    assert controls[["mean", "half_width"]].to_numpy()[0] == pytest.approx([expected.mean, expected.half_width])


def test_equal_scenarios_do_not_make_an_interval_narrower():
    """Repeating every sample says nothing more about the mean."""
    alone = campaign_of({"lia": TWO["lia"]}).mean("goodput", by=["flow"])
    twice = campaign_of({"lia": TWO["lia"], "the same": TWO["lia"]}).mean("goodput", by=["flow"])
    assert twice.equals(alone)


def test_intervals_of_dependent_rows_keep_their_confidence():
    """Four flows that share the noise of their run: an interval over all 40 rows covers the mean in about 67 %."""
    random = np.random.default_rng(5)
    covered = 0
    for _ in range(75):
        shared = random.normal(5.0, 1.0, 10)
        rows = [[float(level + own) for own in random.normal(0.0, 0.3, 4)] for level in shared]
        found = campaign_of({"lia": rows}).mean("goodput").iloc[0]
        covered += abs(found["mean"] - 5.0) <= found["half_width"]
    # 95 % of 75 has a standard deviation of 1.89. With 67 % the chance of as many would be below 1 in 10,000.
    assert covered > 71.25 - 3 * 1.89


def test_a_replication_without_a_number_does_not_count():
    results = campaign_of({"lia": [[1, 5], [None, 7], [4, 6]]})
    flows = results.mean("latency_mean", by=["flow"]).set_index("flow")
    assert flows["n"].to_dict() == {"f0": 2, "f1": 3}
    assert flows["mean"].to_dict() == {"f0": 2.5, "f1": 6.0}
    # Without `by`, replication 1 would be a mean over other flows than the others.
    (both,) = results.mean("latency_mean").to_dict("records")
    assert (both["mean"], both["n"]) == (4.0, 2)
    (none,) = campaign_of({"lia": [[None], [None]]}).mean("latency_mean", by=["flow"]).to_dict("records")
    assert math.isnan(none["mean"])
    assert math.isnan(none["half_width"])
    assert none["n"] == 0


def test_only_replications_of_all_scenarios_are_averaged():
    """With a precision, scenarios have different numbers of replications; a part has only some of the scenarios."""
    precise = campaign_of({"lia": TWO["lia"], "olia": TWO["olia"][:2]})
    assert precise.mean("goodput", by=["cc"])["n"].tolist() == [3, 3 - 1]
    (row,) = precise.mean("goodput").to_dict("records")
    assert (row["mean"], row["n"]) == ((3.5 + 5.0) / 2, 2)
    whole = campaign_of(TWO).outcomes
    part = mp.Results([(cell, json.dumps(each)) for n, (cell, each) in enumerate(whole) if n in (0, 3, 4)])
    assert part.mean("goodput")["n"].tolist() == [0]
    assert part.mean("goodput", by=["cc"])["n"].tolist() == [2, 1]


def test_a_column_in_by_may_be_named_twice():
    results = campaign_of(TWO)
    assert results.mean("goodput", by=["cc", "cc", "flow"]).equals(results.mean("goodput", by=["cc", "flow"]))
    named = results.compare("goodput", "cc", "lia", by=["flow", "cc", "flow"])
    assert named.equals(results.compare("goodput", "cc", "lia"))
    each = results.mean("goodput", by=["replication", "cc"])
    assert each["mean"].tolist() == [3, 4, 4.5, 5.5, 5, 6.5]
    assert set(each["n"]) == {1}


def test_a_factor_may_have_parts_of_a_scenario_as_values():
    """They have no order."""
    queues = [mp.DropTail(packets=5), mp.CoDel()]

    def make(queue: mp.DropTail | mp.CoDel) -> mp.Scenario:
        network = mp.disjoint(a=mp.Link(rate="5 Mbit/s", delay="1 ms", queue=queue))
        return mp.Scenario(network=network, flows={"f": mp.Tcp(path="a")}, warmup="1 s", measure="1 s")

    results = mp.Campaign(make, {"queue": queues}, replications=2).run(store=None, progress=False)
    means = results.mean("goodput", by=["queue"])
    assert means["queue"].tolist() == queues
    assert means["n"].tolist() == [2, 2]
    assert "queue" in str(results)


def test_a_factor_may_have_none_as_a_value():
    cells = [(Cell({"queue": queue}, str(queue), 1, 0), json.dumps({"wait": 1.0})) for queue in (None, "codel")]
    assert mp.Results(cells).mean("wait", by=["queue"])["n"].tolist() == [1, 1]


def test_differences_are_those_of_the_means_of_replications():
    (row,) = campaign_of(TWO).compare("goodput", "cc", "lia", by=[]).to_dict("records")
    expected = paired([4, 5.5, 6.5], [3, 4.5, 5])
    assert (row["cc"], row["n"]) == ("olia", 3)
    assert row["difference"] == pytest.approx(expected.difference.mean)
    assert row["half_width"] == pytest.approx(expected.difference.half_width)
    assert row["p_value"] == pytest.approx(expected.p_value)


def test_pairs_without_a_number_do_not_count():
    results = campaign_of({"lia": [[1], [None], [4], [5]], "olia": [[2], [3], [5.5], [None]]})
    (row,) = results.compare("latency_mean", "cc", "lia").to_dict("records")
    assert (row["difference"], row["n"]) == (1.25, 2)
    assert row["half_width"] == pytest.approx(interval([1.0, 1.5]).half_width)
    (none,) = campaign_of({"lia": [[None]], "olia": [[1]]}).compare("latency_mean", "cc", "lia").to_dict("records")
    assert none["n"] == 0
    assert math.isnan(none["difference"])
    assert math.isnan(none["p_value"])


def test_a_flow_that_the_baseline_lacks_has_no_difference():
    results = campaign_of({"lia": [[1], [2]], "olia": [[2, 9], [4, 9]]})
    assert results.compare("goodput", "cc", "lia")["flow"].tolist() == ["f0"]


def test_scenarios_with_equal_texts_are_not_mixed():
    cells = [(Cell({"x": x}, json.dumps({"x": x}), 1, 0), json.dumps({"wait": 1.0})) for x in (1, "1")]
    assert [factors["x"] for factors, _ in mp.Results(cells).by_scenario()] == [1, "1"]


@pytest.mark.parametrize("row", [[1.0, None], [None, 1.0]])
def test_a_precision_is_not_reached_without_numbers(row: list[float | None]):
    results = campaign_of({"lia": [row, row, row]})
    assert mp.Precision(metric="latency_mean").width(results) == math.inf
    some = campaign_of({"lia": [[1.0], [None], [1.0]]})
    assert mp.Precision(metric="latency_mean").width(some) == 0.0


def test_a_figure_has_the_means_of_the_table():
    results = campaign_of({"1 Mbit/s": [[1], [None], [3]], "2 Mbit/s": [[2], [2], [2]]})
    curve = mp.figures.lines(results, x="cc", y="latency_mean", color=None).figure.axes[0].lines[0]
    assert np.asarray(curve.get_ydata()).tolist() == [2.0, 2.0]
