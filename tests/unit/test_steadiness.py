"""The end of a warm-up (MSER-5), and equivalence tests of treatments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import manypath as mp
from manypath.errors import UserError
from manypath.stats import equivalence, mser5


def test_a_step_is_truncated_at_its_end():
    series = np.concatenate([np.full(20, 10.0), np.tile([1.0, -1.0], 90)])
    assert mser5(series) == 20


def test_the_truncation_minimises_the_standard_error():
    random = np.random.default_rng(4)
    series = 5 * np.exp(-np.arange(300) / 25) + random.normal(size=300)
    batches = series.reshape(60, 5).mean(axis=1)
    # White (1997): the half-width of the remaining series without its constant factor, except for the last batches.
    errors = [np.var(batches[cut:]) / (60 - cut) for cut in range(55)]
    assert mser5(series) == 5 * int(np.argmin(errors))
    assert 20 <= 5 * int(np.argmin(errors)) <= 120


def test_a_steady_series_loses_little_on_average():
    random = np.random.default_rng(5)
    cuts = [mser5(random.normal(size=500)) for _ in range(200)]
    expected = [cut for cut in cuts if cut is not None]
    assert len(expected) > 180
    assert np.median(expected) < 50


def test_a_series_that_drifts_to_its_end_has_no_warmup():
    assert mser5(np.arange(400.0) ** 2) is None


@pytest.mark.parametrize(("longer", "expected"), [(5, 95), (0, None)])
def test_a_truncation_at_half_of_the_series_is_no_answer(longer: int, expected: int | None):
    steps = np.concatenate([np.full(100 - longer, 10.0), np.tile([1.0, -1.0], 50 + longer)])[:200]
    assert mser5(steps) == expected


@pytest.mark.parametrize(
    ("series", "said"), [([1.0] * 49, "has 49 values"), ([math.nan] * 60, "infinite values or NaN")]
)
def test_an_invalid_series_is_refused(series: list[float], said: str):
    with pytest.raises(UserError, match=said):
        mser5(series)


def test_a_warmup_is_checked_with_runs_of_the_scenario():
    """A flow that begins at 10 s of 40 s needs a warm-up of 10 s."""
    link = mp.Link(rate="2 Mbit/s", delay="5 ms")
    early, late = mp.Sctp(paths=["south"], start="0 s"), mp.Sctp(paths=["north"], start="10 s")
    network = mp.disjoint(south=link, north=link)

    def make(warmup: str) -> mp.Scenario:
        return mp.Scenario(network=network, flows={"early": early, "late": late}, warmup=warmup, measure="38 s")

    results = mp.Campaign(make, {"warmup": ["2 s", "12 s"]}, replications=2).run(store=None, progress=False)
    found = mp.check_warmup(results, replications=2).set_index(["warmup", "flow"])
    assert found["configured"].tolist() == [2, 2, 12, 12]
    assert found["enough"].tolist() == [True, False, True, True]
    suggested = {flow: float(found["suggested"].loc["2 s", flow]) for flow in ("early", "late")}
    assert 10 <= suggested["late"] <= 12
    assert suggested["early"] <= 2


def test_two_one_sided_tests_have_their_closed_form():
    differences = np.array([0.2, -0.1, 0.4, 0.1, -0.2, 0.2])
    base = np.arange(6.0)
    found = equivalence(base + differences, base, margin=0.5)
    error = differences.std(ddof=1) / math.sqrt(6)
    assert found.p_value == pytest.approx(stats.t.sf((0.5 - 0.1) / error, 5))
    # Tables of Student's t have 2.015 for five degrees of freedom and 90 %.
    assert (found.low, found.high) == pytest.approx((0.1 - 2.015 * error, 0.1 + 2.015 * error), rel=1e-3)
    assert found.holds
    assert not equivalence(base + differences, base, margin=0.2).holds


def test_equivalence_follows_from_the_interval():
    random = np.random.default_rng(6)
    for margin in (0.2, 0.5, 1.0):
        for _ in range(50):
            a, b = random.normal(0.2, 1, 20), random.normal(0, 2, 30)
            for found in (equivalence(a, b, margin, paired=False), equivalence(a, b[:20], margin)):
                assert found.holds == (-margin < found.low and found.high < margin)


def test_at_the_margin_equivalence_is_found_with_probability_alpha():
    random = np.random.default_rng(7)
    found = sum(equivalence(random.normal(1.0, 0.5, 30), np.zeros(30), margin=1.0).holds for _ in range(1000))
    # 5 % of 1000 is 50, with a standard deviation of 7.
    assert abs(found - 50) < 28


def test_treatments_without_variance_are_equivalent_or_different():
    assert equivalence([2, 3, 4], [1, 2, 3], margin=1.5).holds
    assert not equivalence([2, 3, 4], [1, 2, 3], margin=0.5).holds
    assert "equivalent within ±1.5: 1 to 1" in str(equivalence([2, 2], [1, 1], margin=1.5, paired=False))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1, 2], 0), "margin: 0 is not a number above 0: give one"),
        (([1], [1], 1), "first: has 1 values: give 2 or more"),
        (([1, 2], [1, 2, 3], 1), "second: has 3 values, first has 2"),
    ],
)
def test_untestable_samples_are_refused(arguments, message: str):
    with pytest.raises(UserError, match=message):
        equivalence(*arguments)
