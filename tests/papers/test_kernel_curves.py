"""The analysis of curves of [G12] (slopes between cuts, bends, the faster flow) on curves with known results."""

import kernel_world as world
import numpy as np
import pytest

from manypath.papers.gonzalez2012_mptcp.growth import (
    bends,
    climbs,
    growth_over_formula,
    linked_increase,
    slope_per_round_trip,
    slope_per_second,
)
from manypath.papers.gonzalez2012_mptcp.names import MPTCP, RIVALS, SEGMENT
from manypath.papers.gonzalez2012_mptcp.seconds import gain, of_the_other_subflow, rates, swings, time_ahead, time_left
from manypath.papers.traces import PathTrace, Trace

STEP = 0.05


def sawtooth(slope, *, length=60.0, cuts=(10.0, 35.0), start=30.0, rtt=0.1):
    """Return a window that grows by `slope` packets/s, and is halved at the cuts."""
    time = np.arange(0.0, length, STEP)
    cwnd, ssthresh = np.empty(len(time)), np.empty(len(time))
    now, threshold = start, 1e6
    for index, moment in enumerate(time):
        if any(abs(moment - cut) < STEP / 2.0 for cut in cuts):
            now = threshold = now / 2.0
        cwnd[index], ssthresh[index] = now * SEGMENT, threshold * SEGMENT
        now += slope * STEP
    rate = np.full(len(time), 400.0 * SEGMENT * 8.0)
    return PathTrace(time, cwnd, ssthresh, rate, np.full(len(time), rtt), rate)


def test_slopes_are_those_of_the_curve():
    path = sawtooth(1.25)
    assert slope_per_second(path) == pytest.approx(1.25)
    assert slope_per_round_trip(path) == pytest.approx(0.125)


def test_slow_start_and_recovery_do_not_count_as_growth():
    path = sawtooth(1.25)
    starts = [path.time[chosen.start] for chosen in climbs(path)]
    ends = [path.time[chosen.stop - 1] for chosen in climbs(path)]
    assert starts == pytest.approx([11.0, 36.0])
    assert ends == pytest.approx([35.0 - STEP, 60.0 - STEP])
    assert np.isnan(slope_per_second(sawtooth(1.25, cuts=())))


def test_slow_start_after_a_timeout_does_not_count_as_growth():
    path = sawtooth(1.25)
    path.ssthresh[path.time >= 36.0] = 1e9
    assert [path.time[chosen.start] for chosen in climbs(path)] == pytest.approx([11.0])


def test_the_increase_equals_that_of_the_paper():
    first, second = sawtooth(0.0, cuts=(), start=30.0, rtt=0.025), sawtooth(0.0, cuts=(), start=10.0, rtt=0.05)
    # 30 packets at 25 ms and 10 at 50 ms: RFC 6356's alpha is 48/49, over 40 packets of all windows.
    assert linked_increase([first, second]) == pytest.approx(48.0 / 49.0 / 40.0)


def test_only_growth_by_the_formula_is_recognised():
    subflows = [world._alone(3, "lia").paths[MPTCP, path] for path in ("a", "b")]
    assert growth_over_formula(subflows[0], subflows) == pytest.approx(1.0, abs=0.01)
    reno = [world._alone(3, "newreno").paths[MPTCP, path] for path in ("a", "b")]
    assert growth_over_formula(reno[0], reno) > 1.5


def test_a_bend_is_the_ratio_of_slopes_around_a_cut():
    cut, other = sawtooth(1.0, cuts=(5.0, 30.0)), sawtooth(1.0, cuts=(5.0,))
    late = other.time > 30.0
    other.cwnd[late] += 0.5 * SEGMENT * (other.time[late] - 30.0)
    # The first cut affects both subflows, so that only the second one counts.
    assert bends(cut, other) == pytest.approx([1.5])


def test_cuts_close_to_other_cuts_are_omitted():
    assert len(bends(sawtooth(1.0, cuts=(10.0, 30.0)), sawtooth(1.0, cuts=(5.0, 31.0)))) == 1
    assert len(bends(sawtooth(1.0, cuts=(30.0, 30.5)), sawtooth(1.0, cuts=(5.0,)))) == 0
    assert len(bends(sawtooth(1.0, cuts=(59.5,)), sawtooth(1.0, cuts=(5.0,)))) == 0


def flows(first, second, *, tcp=2.0):
    """Return curves of two subflows per second and of TCP at a constant rate, Mbit/s."""
    time = np.arange(0.0, len(first) + STEP / 2.0, STEP)
    found = {}
    for path, values in (("a", first), ("b", second)):
        for flow, each in ((MPTCP, np.array(values, float)), (RIVALS[path], np.full(len(values), tcp))):
            throughput = np.concatenate([[0.0], np.repeat(each * 1e6, round(1.0 / STEP))])
            rest = np.ones(len(time))
            found[flow, path] = PathTrace(time, rest, rest, throughput, rest, throughput)
    return Trace(found, {})


def test_rates_are_means_of_whole_seconds():
    trace = flows([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert rates(trace, MPTCP, "a").tolist() == pytest.approx([1.0, 2.0, 3.0])
    trace.paths[MPTCP, "a"].throughput[1:11] = 3e6
    assert rates(trace, MPTCP, "a").tolist() == pytest.approx([2.0, 2.0, 3.0])


def test_the_leader_is_reported_after_the_first_results():
    trace = flows([9.0] * 5 + [3.0, 3.0, 1.0, 1.0], [9.0] * 5 + [0.5, 0.5, 1.5, 1.5])
    assert time_ahead(trace) == pytest.approx(0.25)
    assert of_the_other_subflow(trace, ahead=True) == pytest.approx(0.5)
    assert of_the_other_subflow(trace, ahead=False) == pytest.approx((1.5 + 1.5 + 3.0 + 3.0 + 1.0 + 1.0) / 6.0)


def test_a_path_is_abandoned_below_a_tenth_and_a_swing_needs_both_sides():
    trace = flows([1.0] * 5 + [1.9, 1.9, 1.0, 0.1, 1.9], [1.0] * 5 + [0.1, 0.1, 1.0, 1.9, 0.1])
    assert time_left(trace) == pytest.approx(0.8)
    assert swings(trace) == 2.0
    assert swings(flows([1.0] * 5 + [1.9, 1.0, 1.9], [1.0] * 5 + [0.1, 1.0, 0.1])) == 0.0


def test_a_gain_is_taken_around_its_moment():
    values = [1.0] * 20 + [3.0] * 20
    assert gain(flows(values, [1.0] * 40), "a", 20.0) == pytest.approx(2.0)
