"""Frames and means of a campaign."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import manypath as mp
from manypath.campaign import Cell
from manypath.frames import series_frames, with_none_as_text


def outcome(goodput: float) -> str:
    """Return the engine's outcome of a run in which the flow has `goodput` bit/s."""
    path = {"goodput": goodput, "cwnd": 30_000.0, "srtt": 0.02, "blocked": {"window": 0.25}}
    latency = {"mean": 0.25, "max": None}
    flow = {"goodput": goodput, "timeouts": 3, "latency": latency, "streams": [{"waited": 7}, {"waited": 5}]}
    flows = {"cmt": {**flow, "paths": {"south": path}}}
    links = {"south": {"dropped": 7, "utilisation": 0.5}}
    return json.dumps({"flows": flows, "links": links, "digest": "00", "packet_hops": 10})


GOODPUTS = {"newreno": [4e6, 5e6, 6e6, 4.5e6], "cmt-rpv2": [3e6, 3.5e6, 3.1e6, 2.9e6]}


@pytest.fixture
def results() -> mp.Results:
    return mp.Results(
        [
            (Cell({"cc": cc}, "{}", 1, replication), outcome(goodput))
            for cc, goodputs in GOODPUTS.items()
            for replication, goodput in enumerate(goodputs)
        ]
    )


def test_frames_carry_megabits_bytes_and_seconds(results: mp.Results):
    labels = {"cc": "newreno", "replication": 0}
    first, *_ = results.flows.to_dict("records")
    assert np.isnan(first.pop("latency_max"))
    assert first == {**labels, "flow": "cmt", "goodput": 4.0, "timeouts": 3, "latency_mean": 0.25}
    assert results.streams.to_dict("records")[1] == {**labels, "flow": "cmt", "stream": 1, "waited": 5}
    assert results.paths.to_dict("records")[0] == {
        **labels,
        "flow": "cmt",
        "path": "south",
        "goodput": 4.0,
        "cwnd": 30_000.0,
        "srtt": 0.02,
        "blocked_window": 0.25,
    }
    assert results.links.to_dict("records")[0] == {**labels, "link": "south", "dropped": 7, "utilisation": 0.5}
    assert results.runs.to_dict("records")[0] == {**labels, "digest": "00", "packet_hops": 10}


def test_means_agree_with_scipy(results: mp.Results):
    means = results.mean("goodput", by=["cc", "flow"]).set_index("cc")
    for cc, goodputs in GOODPUTS.items():
        sample = np.array(goodputs) / 1e6
        low, high = stats.t.interval(0.95, len(sample) - 1, loc=sample.mean(), scale=stats.sem(sample))
        assert means.loc[cc, "mean"] == pytest.approx(sample.mean())
        assert means.loc[cc, "half_width"] == pytest.approx((high - low) / 2)
        assert means.loc[cc, "n"] == 4


def test_by_selects_the_groups_of_means(results: mp.Results):
    assert results.mean("cwnd", by=["cc", "flow", "path"])["mean"].tolist() == [30_000.0, 30_000.0]
    assert results.mean("dropped", by=["link"])["n"].tolist() == [4]
    assert results.mean("waited", by=["stream"])["mean"].tolist() == [7.0, 5.0]


def test_there_is_one_value_per_replication(results: mp.Results):
    values = results.values("goodput", flow="cmt", cc="cmt-rpv2")
    assert values.to_dict() == {0: 3.0, 1: 3.5, 2: 3.1, 3: 2.9}


def test_results_are_selected_by_factors(results: mp.Results):
    assert set(results.select(cc="newreno").flows["cc"]) == {"newreno"}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda results: results.mean("godput", by=["cc"]), 'did you mean "goodput"?'),
        (lambda results: results.mean("goodput", by=["ccc"]), 'did you mean "cc"?'),
        (lambda results: results.values("goodput", flow="cmt"), "leaves several rows for a replication"),
        (lambda results: results.values("goodput", cc="cubic"), "no run has cc = cubic"),
        (lambda results: results.select(rate=1), '"rate" is no column'),
        (lambda results: mp.series(results, every="0 s"), "every: 0 s is no interval: give one such as"),
    ],
)
def test_queries_without_data_are_reported(ask, message: str, results: mp.Results):
    with pytest.raises(mp.UserError) as error:
        ask(results)
    assert message in str(error.value)


def test_samples_become_frames_by_kind():
    frames = series_frames(
        {
            "paths.time": np.array([0.1, 0.2]),
            "paths.goodput": np.array([1e6, 2e6]),
            "links.time": np.array([0.1]),
            "links.queue": np.array([4]),
        }
    )
    assert frames["paths"]["goodput"].tolist() == [1.0, 2.0]
    assert frames["links"].columns.tolist() == ["time", "queue"]


def test_none_stays_none_beside_numbers():
    """Without care, pandas makes 10 and None 10.0 and NaN, in rows and in the keys of groups."""
    cells = [(Cell({"cap": cap}, "{}", 1, r), outcome(1e6 * (r + (cap or 2)))) for cap in (10, None) for r in (0, 1)]
    results = mp.Results(cells)
    assert results.flows["cap"].tolist() == [10, 10, None, None]
    assert results.runs["cap"].tolist() == [10, 10, None, None]
    means = results.mean("goodput", by=["cap"])
    assert means[["cap", "mean"]].to_numpy().tolist() == [[10, 10.5], [None, 2.5]]
    assert [type(cap) for cap in means["cap"]] == [int, type(None)]
    (row,) = results.compare("goodput", "cap", baseline=10).to_dict("records")
    assert (row["cap"], row["difference"], row["n"]) == (None, -8.0, 2)
    (row,) = results.compare("goodput", "cap", baseline=None).to_dict("records")
    assert (row["cap"], row["difference"]) == (10, 8.0)
    assert results.values("goodput", cap=None).tolist() == [2.0, 3.0]
    assert len(results.select(cap=None)) == 2
    assert "None" in repr(results)
    assert "nan" not in repr(results)
    with pytest.raises(mp.UserError, match=r"^baseline: 11 is no value of cap: .* \(known: 10, None\)$"):
        results.compare("goodput", "cap", baseline=11)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "3 is no value of rate: known: 2, 4"),
        ("2", '"2" is no value of rate: known: 2, 4'),
        ([2, 4], "[2, 4] is no value of rate: known: 2, 4"),
    ],
)
def test_a_value_that_a_factor_does_not_have_is_named(value: object, said: str):
    wait = mp.Function(lambda rate, **_: {"wait": 1 / rate}, version="1")
    results = mp.Campaign(wait, {"rate": [2, 4]}, replications=2).run(store=None, progress=False)
    with pytest.raises(mp.UserError) as refused:
        results.select(rate=value)
    assert str(refused.value) == f"select: {said}"
    with pytest.raises(mp.UserError) as refused:
        results.compare("wait", "rate", baseline=value, by=())
    assert str(refused.value) == f"baseline: {said}"


def test_none_is_shown_in_tables_and_figures_and_is_no_empty_text():
    wait = mp.Function(lambda cap, **_: {"x": 1.0 if cap is None else 2.0}, version="1")
    results = mp.Campaign(wait, {"cap": [10, None, ""]}, replications=2).run(store=None, progress=False)
    shown = [line.split() for line in repr(results).splitlines()]
    assert ["None", "0", "1"] in shown
    written = with_none_as_text(results.runs, ["cap"]).to_csv(index=False).splitlines()
    assert sorted(written[1:]) == [",0,2.0", ",1,2.0", "10,0,2.0", "10,1,2.0", "None,0,1.0", "None,1,1.0"]
    axes = mp.figures.lines(results, x="cap", y="x").figure.axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "None", ""]
