"""Window curves with known cuts and known growth."""

import numpy as np
import pytest

from manypath.papers.traces import PathTrace, Trace

STEP = 0.1


def trace(cwnd, ssthresh, goodput=8e5):
    time = np.arange(len(cwnd), dtype=np.float64) * STEP
    rate, srtt = np.full(len(cwnd), goodput), np.full(len(cwnd), 0.1)
    return PathTrace(time, np.array(cwnd, float), np.array(ssthresh, float), rate, srtt, rate)


def test_a_loss_is_a_cut_and_burst_mitigation_is_not():
    losses = trace([9000, 4500, 4500, 6000, 3000], [90000, 4500, 4500, 4500, 3000])
    assert losses.cuts().tolist() == [1, 4]
    mitigated = trace([9000, 7000, 8000, 7500], [4500, 4500, 4500, 4500])
    assert mitigated.cuts().tolist() == []


def test_a_second_cut_to_the_same_floor_counts():
    floor = trace([9000, 1500, 3000, 1500], [9000, 1500, 1500, 1500])
    assert floor.cuts().tolist() == [1, 3]


def test_only_fast_retransmissions_have_a_depth():
    # The second cut is a timeout: one unit, while the threshold is half of the window.
    curve = trace([10000, 4000, 8000, 1500], [90000, 4000, 4000, 4000 + 1])
    assert curve.fast_cut_depths().tolist() == [pytest.approx(0.6)]


def test_growth_is_measured_per_delivered_window():
    # 0.8 Mbit/s for 0.1 s are 10,000 bytes: one window of 10,000 in each step, which gains 150 bytes.
    cwnd = 10_000 + 150 * np.arange(5)
    grown = trace(cwnd, np.full(5, 5000.0), goodput=8e5)
    windows = sum(10_000 / cwnd[:-1])
    assert grown.growth_per_window() == pytest.approx(600 / windows)
    assert grown.growth_per_window(above_threshold=True) == pytest.approx(600 / windows)
    assert np.isnan(trace(cwnd, np.full(5, 90_000.0)).growth_per_window(above_threshold=True))


def test_the_first_slow_start_is_omitted():
    curve = trace([3000, 90000, 45000, 46500], [500000, 500000, 45000, 45000])
    assert curve.settled().cwnd.tolist() == [45000, 46500]
    assert len(trace([1, 2, 3], [9, 9, 9]).settled().cwnd) == 0


def test_the_queue_before_a_cut_is_found_by_its_time():
    curve = trace([3000, 6000, 9000, 4500, 4500], [9e9, 9e9, 9e9, 4500, 4500])
    run = Trace({("cmt", "north"): curve}, {"north": np.array([0.0, 100.0, 50.0, 20.0, 10.0])})
    assert run.fullest_queue_before_cuts("cmt", "north", "north", lookback=0.25).tolist() == [100.0]
    assert run.fullest_queue_before_cuts("cmt", "north", "north", lookback=0.15).tolist() == [50.0]
