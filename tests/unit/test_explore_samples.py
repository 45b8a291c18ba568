"""What the explorer makes of samples: moving averages, intervals of sweeps, and marks of events."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy.stats import t

import manypath as mp
from manypath.explore import charts, moves
from manypath.explore.charts.sweep import Swept
from manypath.explore.charts.theme import SMOOTHED, smooth
from short_state import small


def test_a_moving_average_has_the_time_of_its_middle():
    # A step at the middle of the run: as much of the rise is before it as after it.
    width = 5
    step = np.repeat([0.0, 1.0], SMOOTHED * width // 2)
    smoothed = smooth(step)
    assert len(smoothed) == len(step)
    rise = smoothed[(smoothed > 0) & (smoothed < 1)]
    assert rise == pytest.approx(np.arange(1, width) / width)
    assert smoothed[len(step) // 2 - 1 : len(step) // 2 + 1] == pytest.approx([2 / width, 3 / width])


def test_a_sweep_draws_means_with_intervals_from_two_runs_on():
    samples = {"f": {"1": [2.0], "2": [2.0, 4.0], "3": [1.0, 2.0, 6.0]}}
    option = charts.sweep(Swept("rate", True, ("1", "2", "3")), samples, charts.LIGHT)
    means, intervals = (each["data"] for each in option["series"])
    assert means == [2.0, 3.0, 3.0]
    assert [at for at, _, _ in intervals] == [1, 2]
    for at, low, high in intervals:
        runs = samples["f"][option["xAxis"]["data"][at]]
        half = t.ppf(0.975, len(runs) - 1) * np.std(runs, ddof=1) / np.sqrt(len(runs))
        assert (low, high) == pytest.approx((np.mean(runs) - half, np.mean(runs) + half), rel=1e-3)


def test_the_runs_of_a_point_of_a_sweep_are_replications_of_its_scenario():
    studies = pytest.importorskip("manypath.explore.studies", reason="the extra explore is not installed")
    state = small().but(seed=3)
    found = [studies._rates(state, number, threading.Event()) for number in range(3)]
    assert found == [dict(mp.run(state.scenario, 3, replication=number).goodput) for number in range(3)]
    assert len({rates["multipath"] for rates in found}) == 3


def test_only_events_of_senders_are_marks():
    lost = {"name": "link:packet_lost", "flow": "f", "path": "p"}
    lines = [{**lost, "host": host, "time": time} for time, host in enumerate(("source", "sink", "source"))]
    assert [mark.time for mark in moves.gathered(lines, within=0.5)] == [0.0, 2.0]
