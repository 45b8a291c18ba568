"""Series over time of a campaign's runs, as frames keyed by its factors."""

from __future__ import annotations

import json

import pytest

import manypath as mp
from manypath import _native
from manypath.campaign import Cell
from manypath.figures.course import interval_for


def test_samples_equal_those_of_a_single_run_and_have_its_factors(scenario):
    campaign = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"]}, replications=2, seed=7)
    results = campaign.run(store=None, progress=False)
    frames = mp.series(results, "500 ms", replications=2)
    assert set(frames) == {"flows", "streams", "paths", "links"}
    paths = frames["paths"]
    assert list(paths.columns[:5]) == ["cc", "replication", "time", "flow", "path"]
    assert {"cwnd", "ssthresh", "srtt", "goodput"} <= set(paths.columns)
    part = paths[(paths.cc == "cmt-rpv2") & (paths.replication == 1)].drop(columns=["cc", "replication"])
    alone = mp.run(scenario(cc="cmt-rpv2"), seed=7, replication=1, series="500 ms").series["paths"]
    assert part.reset_index(drop=True).equals(alone)
    assert set(frames["links"].columns) == {"cc", "replication", "time", "link", "queue"}


def test_changes_of_a_campaign_equal_those_of_a_single_run(scenario):
    results = mp.Campaign(scenario, {"cc": ["cmt-rpv2"]}, replications=1, seed=7).run(store=None, progress=False)
    frames = mp.series(results, "event")
    alone = mp.run(scenario(cc="cmt-rpv2"), seed=7, series="event").series
    assert set(frames) == set(alone) == {"paths", "arrivals", "links"}
    for kind, frame in frames.items():
        assert frame.drop(columns=["cc", "replication"]).equals(alone[kind])


def test_only_the_first_replication_is_sampled_by_default(scenario):
    results = mp.Campaign(scenario, {"cc": ["newreno"]}, replications=3).run(store=None, progress=False)
    assert set(mp.series(results, "1 s")["flows"].replication) == {0}


def test_only_simulations_can_be_sampled():
    results = mp.Results([(Cell({}, "{}", 1, 0), json.dumps({"flows": {}}))])
    with pytest.raises(mp.UserError, match="only simulations can be sampled"):
        mp.series(results)


@pytest.mark.parametrize(("every", "message"), [("0 s", "is no interval"), ("fast", "is no time")])
def test_a_wrong_interval_is_reported(every: str, message: str):
    with pytest.raises(mp.UserError, match=f"every: .*{message}"):
        mp.series(mp.Results([]), every)


@pytest.mark.parametrize("every", ["1 ns", "5 ns"])
def test_samples_that_exceed_the_memory_are_refused_with_a_suitable_interval(scenario, every: str):
    with pytest.raises(mp.UserError, match=rf"series: {every} cannot be used: give .* or more: \d+ samples of"):
        mp.run(scenario(), series=every)
    results = mp.Campaign(scenario, {"cc": ["newreno", "lia"]}, replications=2).run(store=None, progress=False)
    with pytest.raises(mp.UserError, match=rf"series: {every} cannot be used: .* for each run$"):
        mp.series(results, every, replications=2)


def test_changes_stop_before_they_fill_the_memory(scenario):
    document = scenario().document()
    with pytest.raises(_native.SeriesError, match='`series` is "event", expected an interval such as "100 ms"'):
        _native.run(document, 1, 0, json.dumps({"changes": True, "memory": 100_000}))


def test_an_interval_longer_than_the_run_is_refused_and_one_as_long_gives_its_end(
    scenario, monkeypatch: pytest.MonkeyPatch
):
    run = scenario()
    duration = f"{run.warmup + run.measure} ns"
    results = mp.Campaign(run, replications=1).run(store=None, progress=False)
    for frames in (mp.run(run, series=duration).series, mp.series(results, duration)):
        assert list(frames["links"]["time"].unique()) == [0, 3]
    monkeypatch.setattr(_native, "run", lambda *_: pytest.fail("a run has begun"))
    for longer in ("100 h", f"{run.warmup + run.measure + 1} ns"):
        message = f"^series: {longer} is longer than the run of 3 s: give a shorter interval$"
        with pytest.raises(mp.UserError, match=message):
            mp.run(run, series=longer)
        with pytest.raises(mp.UserError, match=message):
            mp.series(results, longer)


def test_the_drawing_of_a_very_short_run_has_its_beginning_and_its_end():
    network = mp.disjoint(a=mp.Link(rate="1 Mbit/s", delay="1 ms"))
    flow = mp.Tcp(path="a", start="0 s")
    short = mp.Scenario(network=network, flows={"f": flow}, warmup="0 s", measure="20 us")
    assert list(mp.run(short, series=interval_for(short)).series["links"]["time"].unique()) == [0, 20e-6]
