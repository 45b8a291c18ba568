"""Quantities computed from the runs of this thesis: ratios, loss-event rates, sawtooths, weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manypath.papers.evidence import Case, Evidence, Level, Sample
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, BUNDLES, EQUAL, PACKET, TCP, value, weights_of
from manypath.papers.traces import PathTrace, Trace
from manypath.rows import Outcome

CAPACITY = 60.0
"""Rate of the bottleneck of figure 5.1, Mbit/s."""


Where = Callable[[float], bool]
"""A condition on the number of flows."""

TOGETHER = 3.0
"""Time at which all subflows of a bundle have joined and share the weights, s."""

LEAST = 0.021
"""Weights up to this value may be at the minimum, 1/50."""


def flows_of(outcome: Outcome, kind: str) -> list[Mapping[str, Any]]:
    """Return the results of the flows whose names begin with `kind`."""
    return [flow for name, flow in outcome["flows"].items() if name.startswith(kind)]


def rates(outcome: Outcome, kind: str) -> NDArray[np.float64]:
    """Return the payload rates of the flows whose names begin with `kind`, Mbit/s."""
    return np.array([flow["goodput"] for flow in flows_of(outcome, kind)]) / 1e6


def ratio(outcome: Outcome) -> float:
    """Return the mean rate of the weighted flows over that of the standard flows."""
    return float(rates(outcome, AIMD).mean() / rates(outcome, TCP).mean())


def loss_event_rate(outcome: Outcome, kind: str = AIMD) -> float:
    """Return the loss events of a kind of flows, in per cent of their packets."""
    flows = flows_of(outcome, kind)
    events = sum(flow["window_cuts"] + flow["timeouts"] for flow in flows)
    return 100.0 * events / sum(flow["data_packets"] for flow in flows)


def lost_packets(outcome: Outcome) -> float:
    """Return the lost packets of the weighted flows, in per cent of their packets."""
    flows = flows_of(outcome, AIMD)
    lost = sum(path["lost_packets"] for flow in flows for path in flow["paths"].values())
    return 100.0 * lost / sum(flow["data_packets"] for flow in flows)


def timeout_share(outcome: Outcome, kind: str = AIMD) -> float:
    """Return the part of the loss events of a kind of flows that were timeouts."""
    flows = flows_of(outcome, kind)
    timeouts = sum(flow["timeouts"] for flow in flows)
    return timeouts / max(1, timeouts + sum(flow["window_cuts"] for flow in flows))


def over_flows(
    results: Evidence, number: str, measure: Callable[[Outcome], float], where: Where | None = None
) -> dict[float, Sample]:
    """Return a measure of the runs of a figure of chapter 5, for each number of flows."""
    return results.sweep_of(measure, f"figure{number}", "flows", where)


def mean_over_weights(
    results: Evidence, measure: Callable[[Outcome], float], where: Where | None = None
) -> dict[float, Sample]:
    """Return a measure of the runs with equal weights for each number of flows, mean over the weights."""
    each = [over_flows(results, number, measure, where) for number in EQUAL]
    return {flows: np.mean([found[flows] for found in each], axis=0) for flows in each[0]}


def ratios(results: Evidence, number: str, where: Where | None = None) -> dict[float, Sample]:
    """Return the ratio of a figure of chapter 5 for each number of flows."""
    return over_flows(results, number, ratio, where)


def of_equal_weights(results: Evidence, where: Where | None = None) -> dict[tuple[str, float], Sample]:
    """Return the ratio of figure 5.10 at each point, divided by the weight."""
    return {
        (weight, flows): sample / value(weight)
        for number, weight in EQUAL.items()
        for flows, sample in ratios(results, number, where).items()
    }


def of_bundles(
    results: Evidence, chosen: dict[str, str] = BUNDLES, where: Where | None = None
) -> dict[tuple[str, float], Sample]:
    """Return the ratio of figure 5.18 at each point, multiplied by the flows of a bundle: 1 is one TCP."""
    return {
        (bundle, flows): sample * len(weights_of(bundle))
        for number, bundle in chosen.items()
        for flows, sample in ratios(results, number, where).items()
    }


def of_classes(results: Evidence) -> dict[tuple[str, str, float], Sample]:
    """Return the ratio of each class of weights of a bundle to TCP, divided by the weight, by class, bundle, flows."""
    return {
        (weight, bundle, flows): sample
        for number, bundle in BUNDLES.items()
        for weight in dict.fromkeys(weights_of(bundle))
        for flows, sample in over_flows(results, number, partial(_class_ratio, bundle=bundle, weight=weight)).items()
    }


def _class_ratio(outcome: Outcome, bundle: str, weight: str) -> float:
    """Return the mean rate of the flows with a weight over that of the standard flows, divided by the weight."""
    own = [rate for rate, each in zip(rates(outcome, AIMD), cycle(weights_of(bundle)), strict=False) if each == weight]
    return float(np.mean(own) / rates(outcome, TCP).mean() / value(weight))


def over_mean_tcp(results: Evidence, experiment: str, flow: str, **factors: Level) -> Sample:
    """Return the rate of a flow over the mean rate of the competing standard flows."""
    return results.of_outcomes(
        lambda outcome: outcome["flows"][flow]["goodput"] / 1e6 / rates(outcome, TCP).mean(), experiment, **factors
    )


def settled(path: PathTrace, warmup: float = 20.0) -> PathTrace:
    """Return the samples after the transient."""
    return path.part(path.time >= warmup)


def peaks(path: PathTrace) -> NDArray[np.float64]:
    """Return the windows before the reductions after the transient, packets."""
    found = settled(path)
    return found.cwnd[found.cuts() - 1] / PACKET


def epoch(path: PathTrace) -> float:
    """Return the mean time between reductions, in round-trip times."""
    found = settled(path)
    return float(np.diff(found.time[found.cuts()]).mean() / found.srtt.mean())


def growth(path: PathTrace) -> float:
    """Return the growth of a window without reductions and recoveries, packets per round-trip time."""
    found, grows = _growing(path)
    gained = np.diff(found.cwnd)[grows] / PACKET
    round_trips = np.diff(found.time)[grows] / found.srtt[1:][grows]
    return float(gained.sum() / round_trips.sum())


def rise(path: PathTrace) -> float:
    """Return the growth of a window without reductions and recoveries, packets per second."""
    found, grows = _growing(path)
    return float(np.diff(found.cwnd)[grows].sum() / PACKET / np.diff(found.time)[grows].sum())


def drop_of_the_sum(trace: Trace, flow: str) -> float:
    """Return the mean drop of the total rate by a reduction, as a part of the rate of its path."""
    paths = [settled(path) for (name, _), path in trace.paths.items() if name == flow]
    sums = np.sum([path.cwnd / path.srtt for path in paths], axis=0)
    parts = [
        (sums[cut - 1] - sums[cut]) / (path.cwnd[cut - 1] / path.srtt[cut - 1]) for path in paths for cut in path.cuts()
    ]
    return float(np.mean(parts))


def weight(trace: Trace, path: str) -> NDArray[np.float64]:
    """Return the weight of a path of the bundle over time, while all subflows are joined."""
    return trace.weights[BUNDLE, path][_together(trace)]


def course(trace: Trace, path: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of a path after the common start: times in s, and weights, NaN until it has joined."""
    later = _times(trace) >= TOGETHER
    return _times(trace)[later], trace.weights[BUNDLE, path][later]


def steps(trace: Trace) -> Iterator[tuple[float, float]]:
    """Iterate over the changes of BMC's weights: the weight of the lowered path before, and its decrease.

    Steps to the minimum weight are left out.
    """
    weights = np.array([weight(trace, path) for flow, path in trace.weights if flow == BUNDLE])
    for at in np.flatnonzero(np.any(np.diff(weights, axis=1) != 0.0, axis=0)):
        lowered = int(np.argmin(weights[:, at + 1] - weights[:, at]))
        before, after = float(weights[lowered, at]), float(weights[lowered, at + 1])
        if after > LEAST:
            yield before, before - after


def first_change(trace: Trace, path: str) -> float:
    """Return the first change of a path's weight; 0 if there was none."""
    changes = np.diff(weight(trace, path))
    moved = np.flatnonzero(changes)
    return float(changes[moved[0]]) if len(moved) else 0.0


def time_until(trace: Trace, path: str, low: float, high: float) -> float:
    """Return the first time at which the weight of a path is between two values, s.

    If the weight never is, this is the end of the run; NaN without weights.
    """
    curve, times = weight(trace, path), _times(trace)[_together(trace)]
    if not len(times):
        return np.nan
    inside = np.flatnonzero((curve >= low) & (curve <= high))
    return float(times[inside[0]] if len(inside) else times[-1])


def farthest_sum(trace: Trace) -> float:
    """Return the sum of the weights of the bundle that is farthest from 1."""
    weights = [found for (flow, _), found in trace.weights.items() if flow == BUNDLE]
    sums = np.sum(weights, axis=0)[_together(trace)]
    return float(sums[np.argmax(np.abs(sums - 1.0))]) if len(sums) else np.nan


def wandering(trace: Trace, path: str) -> float:
    """Return the standard deviation of a weight over time in the second half of a run."""
    curve = weight(trace, path)
    return float(curve[len(curve) // 2 :].std())


def _growing(path: PathTrace) -> tuple[PathTrace, NDArray[np.bool_]]:
    """Return the samples after the transient, and the steps between them without reductions and recoveries."""
    found = settled(path)
    return found, (found.cwnd[1:] > found.ssthresh[1:]) & (found.cwnd[1:] >= found.cwnd[:-1])


def _times(trace: Trace) -> NDArray[np.float64]:
    return next(iter(trace.paths.values())).time


def _together(trace: Trace) -> NDArray[np.bool_]:
    """Return which samples lie after the common start and have a weight for every subflow of the bundle.

    A subflow whose first packets are lost joins seconds later; it has no weight until then.
    """
    joined = [~np.isnan(weights) for (flow, _), weights in trace.weights.items() if flow == BUNDLE]
    return (_times(trace) >= TOGETHER) & np.logical_and.reduce(joined)


def curves(results: Evidence, experiment: str, **factors: Level) -> list[Trace]:
    """Return the traces of a case, one for each sampled run."""
    return list(results.curves(Case.of(experiment, **factors)))
