"""A campaign with a precision makes as many replications as its intervals need, with unchanged results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import wraps

import numpy as np
import pytest

import manypath as mp
from manypath.campaign import Cell
from manypath.campaign.executors import LocalExecutor
from manypath.campaign.progress import Silent
from manypath.stats import interval


def noisy(spread: float, seed: int) -> dict[str, float]:
    """Return a measurement of 1 with a normal error."""
    return {"goodput": 1 + spread * float(np.random.default_rng(seed).normal())}


RUNNER = mp.Function(noisy, version="1")


def widths(results: mp.Results, spread: float) -> list[float]:
    """Return half-width / mean after 2, 3, ... replications."""
    values = results.values("goodput", spread=spread).to_numpy()
    found = [interval(values[:count]) for count in range(2, len(values) + 1)]
    return [each.half_width / each.mean for each in found]


def counts(results: mp.Results) -> dict[float, int]:
    rows = results.runs
    return {spread: int((rows["spread"] == spread).sum()) for spread in rows["spread"].unique()}


def test_every_scenario_gets_as_many_replications_as_it_needs():
    precision = mp.Precision(within="4 %", minimum=5)
    campaign = mp.Campaign(RUNNER, {"spread": [0.0, 0.05, 0.2]}, precision=precision)
    results = campaign.run(store=None, progress=False)
    found = counts(results)
    assert found[0.0] == 5
    assert 5 < found[0.05] < found[0.2]
    for spread, count in found.items():
        assert count in precision.counts()
        width = widths(results, spread)
        assert width[-1] <= 0.04
        earlier = [n for n in precision.counts() if n < count]
        assert all(width[n - 2] > 0.04 for n in earlier), "the first look with a narrow interval ends the replications"


def test_the_replications_are_those_of_a_fixed_number(scenario):
    factors = {"cc": ["newreno", "cmt-rpv2"], "north": ["1 Mbit/s"]}
    precise = mp.Campaign(scenario, factors, precision=mp.Precision(within="3 %", minimum=3, maximum=12))
    found = precise.run(store=None, progress=False).runs
    fixed = mp.Campaign(scenario, factors, replications=12).run(store=None, progress=False).runs
    both = found.merge(fixed, on=["cc", "north", "replication"])
    assert len(both) == len(found) > 6
    assert (both["digest_x"] == both["digest_y"]).all()


def test_batches_and_workers_do_not_change_the_number_of_replications():
    def run(workers: int, seconds: float) -> dict[float, int]:
        campaign = mp.Campaign(RUNNER, {"spread": [0.1, 0.15, 0.3]}, precision="5 %")
        return counts(campaign.run(store=None, progress=False, executor=LocalExecutor(workers, seconds)))

    assert run(1, 5.0) == run(3, 0.001)


def test_parts_of_a_campaign_stop_at_the_same_number_as_the_whole():
    campaign = mp.Campaign(RUNNER, {"spread": [0.05, 0.1, 0.2]}, precision="5 %")
    whole = counts(campaign.run(store=None, progress=False))
    parts = [counts(campaign.run(store=None, progress=False, shard=part)) for part in ("1/2", "2/2")]
    assert parts[0] | parts[1] == whole
    assert not parts[0].keys() & parts[1].keys()


def test_a_stopped_campaign_continues_from_stored_runs(tmp_path):
    wide = mp.Campaign(RUNNER, {"spread": [0.2]}, precision="20 %")
    narrow = mp.Campaign(RUNNER, {"spread": [0.2]}, precision="5 %")
    first = counts(wide.run(store=tmp_path, progress=False))[0.2]
    calls: list[int] = []

    # The function has the same name, and so the same version.
    @wraps(noisy)
    def watched(spread: float, seed: int) -> dict[str, float]:
        calls.append(seed)
        return noisy(spread, seed)

    runner = mp.Function(watched, version="1")
    assert runner.version == RUNNER.version
    again = mp.Campaign(runner, {"spread": [0.2]}, precision="5 %").run(store=tmp_path, progress=False)
    assert len(calls) == len(again) - first
    assert counts(again) == counts(narrow.run(store=None, progress=False))


def test_wide_intervals_at_the_maximum_number_of_runs_are_reported(capsys):
    precision = mp.Precision(within="1 %", minimum=3, maximum=7)
    results = mp.Campaign(RUNNER, {"spread": [0.0, 1.0]}, precision=precision).run(store=None)
    assert counts(results) == {0.0: 3, 1.0: 7}
    assert "1 of 2 scenarios do not reach 1 % with 7 replications" in capsys.readouterr().err


def test_a_mean_of_zero_needs_an_absolute_width():
    def around_zero(seed: int) -> dict[str, float]:
        return {"difference": float(np.random.default_rng(seed).normal())}

    runner = mp.Function(around_zero, version="1")
    relative = mp.Precision(metric="difference", maximum=40)
    absolute = mp.Precision(metric="difference", maximum=400, absolute=0.5)
    assert len(mp.Campaign(runner, precision=relative).run(store=None, progress=False)) == 40
    results = mp.Campaign(runner, precision=absolute).run(store=None, progress=False)
    assert len(results) < 40
    assert interval(results.values("difference")).half_width <= 0.5


def simulated(goodputs: dict[str, float]) -> tuple[Cell, str]:
    flows = {name: {"goodput": goodput, "streams": [], "paths": {}} for name, goodput in goodputs.items()}
    return Cell({}, "{}", 1, 0), json.dumps({"flows": flows, "links": {"south": {"dropped": 3}}})


def test_every_flow_must_be_precise_unless_some_are_selected():
    runs = mp.Results([simulated({"cmt": 1e6, "single": 4e6}), simulated({"cmt": 1e6, "single": 5e6})])
    # Two values 4 and 5: mean 4.5, deviation 1/sqrt 2, Student's t 12.706.
    assert mp.Precision().width(runs) == pytest.approx(12.706 * 0.5 / 4.5, rel=1e-3)
    assert mp.Precision(of={"flow": "cmt"}).width(runs) == 0
    assert mp.Precision(metric="dropped", of={"link": "south"}).width(runs) == 0


def test_the_current_width_is_shown():
    states: list[str] = []

    class Watching(Silent):
        def state(self, text: str) -> None:
            states.append(text)

    campaign = mp.Campaign(RUNNER, {"spread": [0.0, 0.1]}, precision="5 %")
    campaign.run(store=None, progress=Watching())
    assert "1 of 2 scenarios within 5 %" in states[0]
    assert "2 of 2 scenarios within 5 %" in states[-1]
    assert all(text.startswith("widest interval ±") for text in states)


def test_intervals_of_a_stopped_campaign_nearly_keep_their_confidence():
    """The bias is small with the default rule: at least 92 % instead of 95 %."""
    precision = mp.Precision(within="5 %", maximum=200)
    random = np.random.default_rng(1)
    # 92 % of 1000 has a standard deviation of 0.9 %.
    assert coverage(precision, lambda: random.normal(1.0, 0.1, 200), 1.0, 1000) > 0.92 - 2 * 0.009


def coverage(precision: mp.Precision, draw: Callable[[], np.ndarray], mean: float, campaigns: int) -> float:
    """Return the share of campaigns of drawn replications whose interval covers the mean after the stop."""
    covered = 0
    for _ in range(campaigns):
        values = draw()
        looks = (interval(values[:count]) for count in precision.counts())
        found = next(look for look in looks if precision.reached(look.half_width / look.mean))
        covered += found.low <= mean <= found.high
    return covered / campaigns


@pytest.mark.parametrize(("minimum", "documented"), [(10, 0.40), (20, 0.60), (30, 0.75), (60, 0.88)])
def test_rare_runs_spoil_intervals_as_documented(minimum: int, documented: float):
    """5 % of the runs have half the goodput, and ten replications often have none of them."""
    precision = mp.Precision(within="2 %", minimum=minimum)
    random = np.random.default_rng(minimum)

    def draw() -> np.ndarray:
        return random.normal(1.0, 0.005, 1000) * np.where(random.random(1000) < 0.05, 0.5, 1.0)

    # The standard deviation of a share of 1000 campaigns is at most 1.6 %.
    assert coverage(precision, draw, 0.975, 1000) == pytest.approx(documented, abs=3 * 0.016)


def test_a_fixed_number_of_replications_has_the_same_limit():
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        found = interval(random.normal(1.0, 0.005, 10) * np.where(random.random(10) < 0.05, 0.5, 1.0))
        covered += found.low <= 0.975 <= found.high
    assert covered == pytest.approx(410, abs=3 * 16)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mp.Campaign(RUNNER, precision="2"), '"2" is no share of the mean: write "2 %"'),
        (lambda: mp.Campaign(RUNNER, precision="-2 %"), '"-2 %" is no share of the mean'),
        (lambda: mp.Precision(within="nan %"), '"nan %" is no share of the mean'),
        (lambda: mp.Precision(minimum=1), "minimum: 1 is too small: give 2 or more"),
        (lambda: mp.Precision(minimum=9, maximum=8), "maximum: 8 is below minimum 9"),
        (lambda: mp.Precision(metrics="goodput"), 'metrics: unknown key: did you mean "metric"?'),
        (lambda: mp.Campaign(RUNNER, replications=5, precision="2 %"), "replications: not valid with precision"),
        (
            lambda: mp.Campaign(RUNNER, {"spread": [0.1]}, precision=mp.Precision(metric="godput")).run(
                store=None, progress=False
            ),
            'did you mean "goodput"?',
        ),
    ],
)
def test_an_invalid_precision_is_refused(make, message: str):
    with pytest.raises(mp.UserError) as error:
        make()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_looks_are_at_fixed_counts():
    assert mp.Precision(minimum=10, maximum=40).counts() == [10, 13, 17, 22, 28, 35, 40]
    assert mp.Precision(minimum=2, maximum=2).counts() == [2]
    assert math.isinf(mp.Precision().width(mp.Results([simulated({"a": 1e6}), simulated({"a": -1e6})])))
