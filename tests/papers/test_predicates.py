"""The five predicates on made-up samples with known verdicts."""

import numpy as np
import pytest
from scipy import stats

from manypath.papers.check import Check, all_of
from manypath.papers.goals import no_harm
from manypath.papers.predicates import above, below, crosses, near, rises_with
from manypath.papers.verdict import Hypotheses, Line


@pytest.fixture
def noise():
    return np.random.default_rng(7)


def around(noise, mean, spread=0.1, runs=10):
    return mean + spread * noise.standard_normal(runs)


def test_about_means_ten_per_cent():
    assert near(np.full(5, 7.69), 7.0).holds
    assert near(np.full(5, 7.71), 7.0).contradicted
    assert near(np.full(5, 0.109), 0.1).holds
    assert near(np.full(5, 0.111), 0.1).contradicted


def test_near_holds_if_the_whole_interval_is_within_the_tolerance():
    assert near(np.array([6.9, 7.0, 7.1]), 7.0).holds
    assert near(np.array([6.0, 7.0, 8.0]), 7.0).undecided
    assert near(np.array([6.2, 7.2, 8.4]), 7.0).undecided
    assert near(np.array([8.9, 9.0, 9.1]), 7.0).contradicted


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_mean_slack_is_the_tested_distance_from_the_tolerance(side):
    """With a spread larger than the tolerance single runs are on both sides of the expected value."""
    check = near(7.0 + side * np.array([-1.5, 0.2, 1.9, 0.4]), 7.0, within=0.5)
    assert check.undecided
    (slack,) = check.slack.values()
    assert slack.mean() == pytest.approx(check.hypotheses.required[""].distance)
    assert slack.mean() == pytest.approx(0.25)


def test_a_computed_number_needs_no_runs():
    assert near(7.5, 7.0).holds
    assert near(7.8, 7.0).contradicted
    assert all_of(near(7.5, 7.0), above(np.array([1.0, 1.1, 1.2]), 0.0)).runs == 3


def test_near_requires_every_point_and_names_the_worst():
    points = {2: np.full(5, 4.7), 8: np.full(5, 3.7)}
    check = near(points, 4.74)
    assert check.contradicted
    assert check.missed == (8,)
    assert "1 of 2 points hold, 1 contradicted" in check.measured
    assert "at 8" in check.measured


def test_a_difference_within_the_noise_is_not_above(noise):
    common = around(noise, 5.0, spread=1.0)
    assert above(around(noise, 5.0), around(noise, 5.02)).undecided
    # Paired samples: a small shift is significant in spite of large common noise.
    assert above(common + 0.1 + around(noise, 0.0, spread=0.01), common).holds


def test_above_with_a_factor_requires_the_multiple(noise):
    assert above(around(noise, 1.2), around(noise, 1.0), times=1.1, what="x").runs == 10
    assert above(np.full(6, 1.05), np.full(6, 1.0), times=1.1).contradicted
    assert above(np.full(6, 1.15), np.full(6, 1.0), times=1.1).holds


def test_several_points_are_corrected_for_contradiction_and_not_for_holding():
    # One-sided p = 0.03.
    sample = np.array([0.4, 0.0, 0.35, 0.3, 0.0])
    three = {1: sample, 2: sample, 3: sample}
    assert above(sample, 0.0).holds
    assert above(three, 0.0).holds
    assert below(sample, 0.0).contradicted
    assert below(three, 0.0).undecided
    assert below({1: 10.0 + sample, 2: sample, 3: sample}, 0.0).missed == (1,)


def test_a_conjunction_has_the_verdict_of_its_named_worst_part():
    sample = np.array([0.4, 0.0, 0.35, 0.3, 0.0])
    holds, undecided = above(sample, 0.0, what="first"), above(sample, 0.2, what="second")
    against = below(10.0 + sample, 0.0, what="third")
    withheld = Check("open", "nothing", "something", 0)
    assert all_of(holds, holds).holds
    assert all_of(holds, undecided).undecided
    assert "second" in all_of(holds, undecided).measured.split("[undecided]")[0].split(";")[1]
    assert all_of(holds, undecided, against).contradicted
    assert all_of(holds, withheld).verdict == "open"
    assert all_of(undecided, withheld).undecided
    assert all_of(against, withheld).contradicted


def test_parts_that_may_contradict_are_corrected_too():
    sample = np.array([0.4, 0.0, 0.35, 0.3, 0.0])
    part = below(sample, 0.0)
    assert all_of(part).contradicted
    both = all_of(part, above(sample, 0.0))
    assert both.undecided
    assert both.outlook is not None
    assert both.outlook.towards == "contradicted"
    assert all_of(both, above(sample, 0.0)).parts[0].undecided
    # Holm's correction is a step-down: beside a clearly contradicted part this part is contradicted, too.
    assert all_of(below(10.0 + sample, 0.0), part).parts[1].contradicted


CLOSE = np.array([0.5, 0.1, 0.45, 0.4, 0.1])
"""A sample with p = 0.012: significant after correction for 3 or 4 tests, and not for 5 or 6."""


def test_a_part_says_that_its_contradiction_is_not_significant_after_correction():
    part = below({1: -1.0 - CLOSE, 2: CLOSE, 3: -1.0 - CLOSE}, 0.0, what="this")
    assert part.contradicted
    assert "correction" not in part.measured
    both = all_of(part, above(CLOSE, 0.0, what="that"))
    assert both.undecided
    assert [check.verdict for check in both.parts] == ["undecided", "holds"]
    assert both.measured == (
        f"{part.measured} (the contradiction is not significant after correction for 2 parts) [undecided]; "
        f"{both.parts[1].measured}"
    )
    assert "1 contradicted" in part.measured
    assert "correction" not in both.parts[1].measured


def test_a_part_that_is_undecided_by_itself_or_stays_contradicted_needs_no_reason():
    undecided, against = above(CLOSE, 0.3), below(10.0 + CLOSE, 0.0)
    both = all_of(undecided, against)
    assert [check.verdict for check in both.parts] == ["undecided", "contradicted"]
    assert "correction" not in both.measured


def test_the_count_of_points_has_the_correction_of_the_verdict():
    """With `slightly` the average is one more test, so the point with p = 0.012 is not contradicted."""
    points = {1: -CLOSE, **dict.fromkeys((2, 3, 4), 9.0 + CLOSE)}
    assert "3 of 4 points hold, 1 contradicted, " in above(points, 0.0).measured
    check = above(points, 0.0, slightly=True)
    assert check.holds
    assert "3 of 4 points hold, closest" in check.measured


def test_slightly_averages_the_points_and_forbids_a_reversal():
    sample = np.array([0.4, 0.0, 0.35, 0.3, 0.0])
    assert above({1: sample, 2: sample, 3: sample}, 0.0, slightly=True).holds
    reversed_point = {1: np.linspace(1.0, 1.1, 5), 2: np.linspace(-0.2, -0.1, 5)}
    check = above(reversed_point, 0.0, slightly=True)
    assert check.contradicted
    assert check.missed == (2,)
    assert above({1: sample - 0.2, 2: sample - 0.2}, 0.0, slightly=True).undecided
    assert above({1: sample - 0.5, 2: sample - 0.5}, 0.0, slightly=True).contradicted


def test_below_mirrors_above(noise):
    low, high = around(noise, 1.0), around(noise, 2.0)
    assert below(low, high).holds
    assert below(high, low).contradicted
    assert below({"a": low}, 1.5).holds
    assert below(low, high).expected.startswith("<")


def test_a_rise_may_not_decrease(noise):
    assert rises_with({1.0: around(noise, 1.0), 2.0: around(noise, 2.0), 3.0: around(noise, 3.0)}).holds
    turning = rises_with({1.0: around(noise, 1.0), 2.0: around(noise, 4.0), 3.0: around(noise, 3.0)})
    assert turning.contradicted
    assert turning.missed == ((2.0, 3.0),)
    assert rises_with({1.0: around(noise, 3.0), 2.0: around(noise, 1.0)}, falls=True).holds
    assert rises_with({1.0: around(noise, 3.0), 2.0: around(noise, 2.0), 3.0: around(noise, 1.0)}, falls=True).holds
    recovering = rises_with({1.0: around(noise, 3.0), 2.0: around(noise, 0.5), 3.0: around(noise, 1.0)}, falls=True)
    assert recovering.missed == ((2.0, 3.0),)
    assert rises_with({1.0: around(noise, 1.0), 2.0: around(noise, 1.0)}).undecided
    assert rises_with({1.0: around(noise, 3.0), 2.0: around(noise, 1.0)}).contradicted


def test_a_crossing_is_at_the_intersection_of_the_means(noise):
    first = {float(x): around(noise, 10.0 - x, spread=0.01) for x in range(0, 11, 2)}
    second = {float(x): around(noise, float(x), spread=0.01) for x in range(0, 11, 2)}
    assert crosses(first, second, between=(4.5, 5.5)).holds
    assert crosses(first, second, between=(5.0, 5.5)).undecided
    assert crosses(first, second, between=(6.0, 7.0)).missed == ("low",)
    assert crosses(first, second, between=(3.0, 4.0)).missed == ("high",)
    assert crosses(second, first, between=(4.5, 5.5)).contradicted


def test_the_slack_of_a_crossing_is_the_difference_of_the_curves():
    first = {float(x): np.array([10.0 - x, 8.0 - x]) for x in range(0, 11, 2)}
    second = {float(x): np.full(2, float(x)) for x in range(0, 11, 2)}
    # The runs cross at 5 and 4 Mbit/s.
    slack = crosses(first, second, between=(4.5, 6.0), unit="Mbit/s").slack
    assert slack["lowest"] == pytest.approx([10.0, 8.0])
    assert slack["low"] == pytest.approx([1.0, -1.0])
    assert slack["high"] == pytest.approx([2.0, 4.0])


def test_a_single_run_has_no_verdict():
    one, two = np.array([1.0]), np.array([2.0])
    checks = [
        above(two, one),
        below(two, one),
        above({1: two, 2: two}, one, slightly=True),
        near(one, 1.0),
        near(one, 9.0),
        rises_with({1.0: one, 2.0: two}),
        crosses({1.0: two, 2.0: one}, {1.0: one, 2.0: two}, between=(1.4, 1.6)),
        no_harm({1: one}, {1: two}, who="x"),
    ]
    assert {check.verdict for check in checks} == {"undecided"}
    assert {check.outlook for check in checks} == {None}
    assert "±" not in checks[0].measured


def test_a_missing_number_in_one_run_has_no_verdict():
    gap = np.array([1.0, np.nan, 1.0])
    assert [above(gap, 0.0).verdict, below(gap, 0.0).verdict, near(gap, 1.0).verdict] == ["undecided"] * 3


def test_equal_runs_are_decided_by_their_value():
    assert above(np.full(2, 1.0), 0.9).holds
    assert above(np.full(2, 1.0), 1.1).contradicted
    on_the_line = above(np.full(2, 1.0), 1.0)
    assert on_the_line.undecided
    assert str(on_the_line.outlook).startswith("no number of runs decides it")
    assert "in each run" in on_the_line.measured


def test_the_tolerance_of_the_goals_is_a_share_of_the_competing_rate(noise):
    rival = around(noise, 0.5, spread=0.01)
    assert no_harm({1: rival + 0.03}, {1: rival}, who="x").holds
    assert no_harm({1: rival + 0.08}, {1: rival}, who="x").contradicted


@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("effect", [0.2, 0.5, 1.0])
def test_the_estimated_number_of_runs_has_a_power_of_80_percent(runs, effect):
    needed = Line(0.5, 0.5, effect, 1.0, runs).runs_to_decide()
    assert needed is not None
    if needed > runs + 1:
        critical = stats.t.isf(0.05, needed - 1)
        power = stats.nct.sf(critical, needed - 1, effect * np.sqrt(needed))
        assert 0.8 <= power <= 0.86
    assert Line(0.5, 0.5, 0.0, 1.0, runs).runs_to_decide() is None
    assert Line(0.5, 0.5, 1e-4, 1.0, runs).runs_to_decide() is None


def power_of(runs, effect, significance):
    """Return the power of a one-sided t-test."""
    return stats.nct.sf(stats.t.isf(significance, runs - 1), runs - 1, effect * np.sqrt(runs))


@pytest.mark.parametrize(("lines", "parts"), [(1, 4), (4, 1), (3, 2), (4, 6)])
def test_the_estimate_for_a_contradiction_has_the_correction_over_points_and_parts(lines, parts):
    against = Line(0.9, 0.1, -0.5, 1.0, 5)
    unknown = {number: Line(0.1, 0.9, 0.5, 1.0, 5) for number in range(1, lines)}
    outlook = Hypotheses({0: against, **unknown}).outlook(parts)
    assert outlook is not None
    assert outlook.towards == "contradicted"
    assert outlook.runs is not None
    assert 0.8 <= power_of(outlook.runs, 0.5, 0.05 / (lines * parts)) <= 0.82


def test_the_estimate_of_a_part_counts_the_other_parts():
    sample = np.array([-0.9, 0.6, -0.8, 0.7, -0.6])
    alone = above(sample, 0.0)
    part = all_of(alone, *(above(CLOSE, 0.0) for _ in range(3))).parts[0]
    effect = -sample.mean() / sample.std(ddof=1)
    for check, significance in ((alone, 0.05), (part, 0.05 / 4)):
        assert check.outlook is not None
        assert check.outlook.towards == "contradicted"
        assert check.outlook.runs is not None
        assert 0.8 <= power_of(check.outlook.runs, effect, significance) <= 0.82


def test_a_conjunction_needs_the_runs_of_its_slowest_part():
    fast, slow = above(CLOSE, 0.2), above(CLOSE, 0.29)
    assert fast.outlook is not None
    assert slow.outlook is not None
    assert fast.outlook.towards == slow.outlook.towards == "holds"
    assert (fast.outlook.runs or 0) < (slow.outlook.runs or 0)
    for parts in ((fast, slow), (slow, fast)):
        assert all_of(*parts).outlook == slow.outlook
    never = above(np.full(5, 1.0), 1.0)
    whole = all_of(fast, never, slow)
    assert whole.outlook is not None
    assert whole.outlook.runs is None


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_reverse_test_of_near_without_a_tolerance_is_the_two_sided_t_test(side):
    sample = side * np.array([-1.5, 0.2, 1.9, 0.4])
    check = near(7.0 + sample, 7.0, within=1e-9)
    (line,) = check.hypotheses.required.values()
    assert line.reverse == pytest.approx(stats.ttest_1samp(sample, 0.0).pvalue)
