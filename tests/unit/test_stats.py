"""Statistics against closed forms and tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from manypath.errors import UserError
from manypath.stats import equivalence, interval, jain, paired
from manypath.stats.ratio import ratio_interval


def test_an_interval_of_two_values_has_its_closed_form():
    # Student's t with one degree of freedom is Cauchy: its 97.5 % quantile is tan(0.475 pi).
    found = interval([1.0, 3.0])
    assert found.mean == pytest.approx(2.0)
    assert found.half_width == pytest.approx(math.tan(0.475 * math.pi))
    assert (found.low, found.high) == pytest.approx((2 - found.half_width, 2 + found.half_width))


def test_an_interval_uses_the_quantile_of_the_printed_table():
    # Every table of Student's t gives 2.262 for 9 degrees of freedom and 95 %; 1 to 10 has variance 55/6.
    found = interval(range(1, 11))
    assert found.half_width == pytest.approx(2.262 * math.sqrt(55 / 6) / math.sqrt(10), rel=2e-4)


def test_one_value_has_no_interval():
    found = interval([4.0])
    assert (found.mean, found.n) == (4.0, 1)
    assert math.isnan(found.half_width)


def test_a_sample_without_values_is_refused():
    with pytest.raises(UserError, match="is empty"):
        interval([])


def test_intervals_cover_the_true_mean_with_their_confidence():
    random = np.random.default_rng(1)
    samples = random.normal(loc=7.0, size=(2000, 5))
    covered = sum(found.low <= 7.0 <= found.high for found in map(interval, samples))
    # 95 % of 2000 is 1900, with a standard deviation of 10.
    assert abs(covered - 1900) < 40


def test_pairing_removes_common_variation():
    shared = np.random.default_rng(2).normal(scale=100.0, size=12)
    own = np.random.default_rng(3).normal(scale=0.1, size=12)
    found = paired(shared + 1.0 + own, shared)
    assert found.difference.mean == pytest.approx(1.0, abs=0.2)
    assert found.p_above < 1e-6
    assert found.p_below == pytest.approx(1 - found.p_above)
    assert stats.ttest_ind(shared + 1.0 + own, shared).pvalue > 0.5


@pytest.mark.parametrize("size", [2, 3, 12, 200])
def test_p_values_are_those_of_the_paired_t_test(size: int):
    random = np.random.default_rng(size)
    first, second = random.normal(5.0, size=size), random.normal(5.5, 2.0, size=size)
    assert paired(first, second).p_value == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-12)
    above = stats.ttest_rel(first, second, alternative="greater").pvalue
    assert paired(first, second).p_above == pytest.approx(above, rel=1e-9)


def test_equal_pairs_do_not_differ_and_a_constant_difference_does():
    assert paired([1, 2, 3], [1, 2, 3]).p_value == 1.0
    assert paired([2, 3, 4], [1, 2, 3]).p_value == 0.0


def test_pairs_of_different_length_are_refused():
    with pytest.raises(UserError, match="has 1 values, first has 2"):
        paired([1, 2], [1])


@pytest.mark.parametrize(("size", "other"), [(2, 5), (4, 30), (12, 12)])
def test_equivalence_of_independent_samples_is_decided_by_welchs_tests(size: int, other: int):
    random = np.random.default_rng(size)
    first, second, margin = random.normal(5.0, 3.0, size), random.normal(5.2, 1.0, other), 2.0
    found = equivalence(first, second, margin, paired=False, alpha=0.05)
    interval_of_welch = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx(tuple(interval_of_welch), rel=1e-9)
    above = stats.ttest_ind(first + margin, second, equal_var=False, alternative="greater").pvalue
    below = stats.ttest_ind(first - margin, second, equal_var=False, alternative="less").pvalue
    assert found.p_value == pytest.approx(max(above, below), rel=1e-9)


@pytest.mark.parametrize("size", [3, 10, 100])
def test_the_ends_of_a_ratio_are_the_ratios_that_students_test_just_rejects(size: int):
    random = np.random.default_rng(size)
    second = random.normal(10.0, 0.5, size)
    first = 0.7 * second + random.normal(0.0, 0.3, size)
    low, high = ratio_interval(first, second, alpha=0.05)
    assert low < first.mean() / second.mean() < high
    rejected = stats.ttest_1samp(first - low * second, 0.0, alternative="greater").pvalue
    assert rejected == pytest.approx(0.05, rel=1e-6)
    rejected = stats.ttest_1samp(first - high * second, 0.0, alternative="less").pvalue
    assert rejected == pytest.approx(0.05, rel=1e-6)


def test_jain_is_1_for_equal_shares_and_1_over_n_for_one_owner():
    assert jain([3, 3, 3]) == pytest.approx(1.0)
    assert jain([5, 0, 0, 0]) == pytest.approx(1 / 4)
    # The example of the report: one third of the users share everything equally.
    assert jain([1, 0, 0]) == pytest.approx(1 / 3)
    with pytest.raises(UserError, match="all are 0"):
        jain([0, 0])
