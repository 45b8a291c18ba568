"""The five predicates on made-up samples, of which some must pass and some must not."""

import numpy as np
import pytest

from manypath.papers.predicates import above, below, crosses, near, rises_with


@pytest.fixture
def noise():
    return np.random.default_rng(7)


def around(noise, mean, spread=0.1, runs=10):
    return mean + spread * noise.standard_normal(runs)


def test_about_means_ten_per_cent_or_three_tenths():
    assert near(np.full(5, 7.69), 7.0).holds
    assert not near(np.full(5, 7.71), 7.0).holds
    assert near(np.full(5, 1.29), 1.0).holds
    assert not near(np.full(5, 1.31), 1.0).holds


def test_near_needs_every_point_and_names_the_worst():
    points = {2: np.full(5, 4.7), 8: np.full(5, 3.7)}
    check = near(points, 4.74)
    assert not check.holds
    assert "1 of 2 points hold" in check.measured
    assert "at 8" in check.measured


def test_a_difference_within_the_noise_is_not_above(noise):
    common = around(noise, 5.0, spread=1.0)
    assert not above(around(noise, 5.0), around(noise, 5.02)).holds
    # Paired: a small shift on top of large common noise is seen.
    assert above(common + 0.1 + around(noise, 0.0, spread=0.01), common).holds


def test_above_wants_the_factor(noise):
    assert above(around(noise, 1.2), around(noise, 1.0), times=1.1, what="x").runs == 10
    assert not above(np.full(6, 1.05), np.full(6, 1.0), times=1.1).holds
    assert above(np.full(6, 1.15), np.full(6, 1.0), times=1.1).holds


def test_many_points_are_corrected():
    # p = 0.03 passes alone, and fails as one of three.
    sample = np.array([0.4, 0.0, 0.35, 0.3, 0.0])
    alone = above(sample, 0.0)
    assert alone.holds
    assert not above({1: sample, 2: sample, 3: sample}, 0.0).holds


def test_slightly_pools_the_points_but_forbids_a_reversal():
    sample = np.array([0.4, 0.0, 0.35, 0.3, 0.0])
    assert above({1: sample, 2: sample, 3: sample}, 0.0, slightly=True).holds
    reversed_point = {1: np.linspace(1.0, 1.1, 5), 2: np.linspace(-0.2, -0.1, 5)}
    assert not above(reversed_point, 0.0, slightly=True).holds


def test_below_mirrors_above(noise):
    low, high = around(noise, 1.0), around(noise, 2.0)
    assert below(low, high).holds
    assert not below(high, low).holds
    assert below({"a": low}, 1.5).holds
    assert below(low, high).expected.startswith("<")


def test_a_rise_may_not_turn_back(noise):
    assert rises_with({1.0: around(noise, 1.0), 2.0: around(noise, 2.0), 3.0: around(noise, 3.0)}).holds
    assert not rises_with({1.0: around(noise, 1.0), 2.0: around(noise, 4.0), 3.0: around(noise, 3.0)}).holds
    assert rises_with({1.0: around(noise, 3.0), 2.0: around(noise, 1.0)}, falls=True).holds
    assert not rises_with({1.0: around(noise, 1.0), 2.0: around(noise, 1.0)}).holds


def test_a_crossing_lies_where_the_means_meet(noise):
    first = {float(x): around(noise, 10.0 - x, spread=0.01) for x in range(0, 11, 2)}
    second = {float(x): around(noise, float(x), spread=0.01) for x in range(0, 11, 2)}
    assert crosses(first, second, between=(4.5, 5.5)).holds
    assert not crosses(first, second, between=(6.0, 7.0)).holds
    assert not crosses(second, first, between=(4.5, 5.5)).holds


def test_the_slack_of_a_crossing_is_its_way_into_the_interval():
    first = {float(x): np.array([10.0 - x, 8.0 - x, 99.0]) for x in range(0, 11, 2)}
    second = {float(x): np.full(3, float(x)) for x in range(0, 11, 2)}
    # The runs cross at 5 and 4 Mbit/s; the third does not, and counts as crossing at the end.
    slack = crosses(first, second, between=(4.5, 6.0), unit="Mbit/s").slack["crossing"]
    assert slack == pytest.approx([0.5, -0.5, -4.0])


def test_one_run_is_compared_without_an_interval():
    check = above(np.array([2.0]), np.array([1.0]))
    assert check.holds
    assert check.runs == 1
    assert "±" not in check.measured
