"""Made-up results that agree with every claim of [H09]. Tests alter parts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

import numpy as np

from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.honda2009_bmc.names import (
    AIMD,
    BMC,
    BUNDLE,
    BUNDLES,
    EQUAL,
    PACKET,
    PAYLOAD,
    TCP,
    value,
    weights_of,
)
from manypath.papers.honda2009_bmc.proportion import EIGHT, PRIVATE, SHARED, TEN
from manypath.papers.honda2009_bmc.scenarios import DECREASES
from manypath.papers.traces import PathTrace, Trace

Rates = dict[str, float]
"""Goodput of each flow, Mbit/s."""

Treat = Callable[[Case, Rates, int], Rates]
"""A function that changes the rates of a replication."""

Bend = Callable[[Case, Trace], Trace]
"""A function that changes the curves of a case."""

WEIGHTS = {number: weights_of(weights) for number, weights in {**EQUAL, **BUNDLES}.items()}
"""The weights of the weighted flows, by figure."""

SWINGS = 0.12
"""Relative deviation of single runs with few flows, alternately up and down."""


def evidence(
    cases: Iterable[Case],
    runs: int = 4,
    treat: Treat | None = None,
    bend: Bend | None = None,
    losses: float = 1.0,
    lossy: str = AIMD,
    timeouts: float = 1.0,
) -> Evidence:
    """Return the made-up evidence.

    `treat` may change rates, `bend` curves, `losses` scales those of many flows, flows of the kind `lossy` have more
    of them, and `timeouts` scales the part of timeouts among them.
    """
    count = partial(_outcome, losses=losses, lossy=lossy, timeouts=timeouts)
    return Evidence({case: _runs(case, runs, treat, bend, count) for case in cases})


def rates_of(case: Case, run: int = 0) -> Rates:
    """Return the rates of a case that follow from the text of the thesis."""
    levels: dict[str, Any] = dict(case.factors)
    number = case.experiment.removeprefix("figure")
    if number in WEIGHTS:
        return _against_tcp(WEIGHTS[number], levels["flows"], run)
    if case.experiment == "sack-for-one-kind":
        return _against_tcp((levels["weight"],), levels["flows"], run, excess=0.0 if levels["kind"] == AIMD else 0.2)
    models: dict[str, Callable[..., Rates]] = {
        "figure1.2": lambda subflows, rivals: _beside(60.0, float(subflows), rivals),
        "figure2.1": lambda **_: {AIMD: 8.0},
        "sawtooths": lambda: {BUNDLE: 24.0},
        "sawtooth-decrease": lambda **_: {AIMD: 8.0},
        "given-loss": lambda: {"tcp": 6.2, "4-5": 3.1, "8-13": 4.65},
        "formula": lambda loss, delay: {TCP: np.sqrt(1.5 / loss) * 8e-3 / (2e-3 * delay)},
        "flowshares": lambda shares: _beside(60.0, float(shares), 4),
        "figure3.1": _limited,
        "figure3.1-managed": lambda **_: {BUNDLE: 14.0, f"{TCP}1": 14.0},
        "figure3.1-controls": lambda **_: {BUNDLE: 14.0, f"{TCP}1": 14.0},
        "figure4.1": _uncoupled_or_managed,
        "figure4.1-weights": _pooled,
        "figure4.1-managed": lambda **_: {BUNDLE: 6.0, f"{TCP}-{EIGHT}": 6.0, f"{TCP}-{TEN}": 6.0},
        "figure4.1-first": lambda **_: {BUNDLE: 6.0, f"{TCP}-{EIGHT}": 6.0, f"{TCP}-{TEN}": 6.0},
        "private": lambda **_: {f"{AIMD}-{PRIVATE}": 4.0, f"{AIMD}-{SHARED}": 4.0, TCP: 6.0},
        "private-controls": lambda **_: {BUNDLE: 8.0, TCP: 6.0},
        "shared-controls": lambda **_: _beside(20.0, 1.0, 3),
        "rtt": lambda **_: _beside(20.0, 1.0, 2),
        "slow-start": lambda **_: _beside(60.0, 1.0, 5),
    }
    return models[case.experiment](**levels)


def _uncoupled_or_managed(cc: str) -> Rates:
    eight, bundle, ten = (6.0, 6.0, 6.0) if cc == BMC else (4.0, 9.0, 5.0)
    return _scaled({f"{TCP}-{EIGHT}": eight, BUNDLE: bundle, f"{TCP}-{TEN}": ten})


def _scaled(rates: Rates) -> Rates:
    return {name: rate * PAYLOAD for name, rate in rates.items()}


def _beside(rate: float, shares: float, rivals: int) -> Rates:
    each = PAYLOAD * rate / (shares + rivals)
    return {BUNDLE: shares * each, **{f"{TCP}{number}": each for number in range(1, rivals + 1)}}


def _limited(weights: str) -> Rates:
    first, second, tcp = (4.0, 26.0 / 3.0, 52.0 / 3.0) if weights == "1/2+1/2" else (3.75, 11.25, 15.0)
    return _scaled({f"{AIMD}1": first, f"{AIMD}2": second, f"{TCP}1": tcp})


def _pooled(weights: str) -> Rates:
    rates: Rates = {}
    for path, capacity, weight in zip((EIGHT, TEN), (8.0, 10.0), weights_of(weights), strict=True):
        rates[f"{TCP}-{path}"] = capacity / (1.0 + value(weight))
        rates[f"{AIMD}-{path}"] = capacity - rates[f"{TCP}-{path}"]
    return _scaled(rates)


def _against_tcp(weights: tuple[str, ...], flows: int, run: int, excess: float = 0.2) -> Rates:
    """Return D times TCP's rate for weighted flows, and an excess with 64; one point is 25 % higher."""
    above = 1.0 + excess * flows / 64.0
    if weights == ("2/3", "1/3") and flows == 4:
        above = 1.25 + (0.02 if run % 2 else -0.02)
    elif len(weights) == 1 and flows <= 4:
        above = 1.0 + (SWINGS if run % 2 else -SWINGS)
    numbers = [value(weight) for weight in weights]
    aimd = {f"{AIMD}{n}": above * numbers[(n - 1) % len(numbers)] for n in range(1, flows + 1)}
    return {**aimd, **{f"{TCP}{n}": 1.0 for n in range(1, flows + 1)}}


def _runs(
    case: Case, runs: int, treat: Treat | None, bend: Bend | None, count: Callable[[Case, Rates], dict[str, Any]]
) -> Runs:
    outcomes: list[dict[str, Any]] = []
    for run in range(runs):
        rates = rates_of(case, run)
        rates = rates if treat is None else treat(case, rates, run)
        tremble = 1.0 + 0.004 * np.sin(run)
        outcomes.append(count(case, {name: rate * tremble for name, rate in rates.items()}))
    trace = _trace(case)
    if trace is None:
        return Runs(outcomes)
    bent = trace if bend is None else bend(case, trace)
    if bent is trace:
        return Runs(outcomes, [_usual(case, run) for run in range(runs)])
    return Runs(outcomes, [_slightly_varied(bent, run) for run in range(runs)])


def _outcome(case: Case, rates: Rates, losses: float, lossy: str, timeouts: float) -> dict[str, Any]:
    """Return rates and losses in the form of an outcome of the engine: 100,000 packets per flow."""
    flows = dict(case.factors).get("flows", 1)
    rate = {1: 0.0013, 2: 0.00131, 4: 0.00157}.get(int(flows), losses * 0.0003 * int(flows))
    events = round(100_000 * rate)
    by_timeout = round(timeouts * events * int(flows) / 128)
    many = {"window_cuts": events - by_timeout, "timeouts": by_timeout, "data_packets": 100_000}
    fewer = {**many, "window_cuts": (events - by_timeout) // 2}
    goodput = 0.5e6 * rates.get(BUNDLE, 0.0)
    paths = {f"path{n}": {"goodput": goodput, "lost_packets": events // 2} for n in (1, 2)}
    return {
        "flows": {
            name: {"goodput": rate * 1e6, **(many if name.startswith(lossy) else fewer), "paths": paths}
            for name, rate in rates.items()
        }
    }


@cache
def _trace(case: Case) -> Trace | None:
    levels: dict[str, Any] = dict(case.factors)
    if case.experiment in {"figure2.1", "sawtooth-decrease"}:
        decrease = levels.get("decrease", "1/2")
        weight = levels["weight"] if decrease == "1/2" else DECREASES[decrease]
        return Trace({(AIMD, "alone"): sawtooth(value(weight), 0.043, 53.0, value(decrease))}, {})
    if case.experiment == "sawtooths":
        paths = {"10": (0.0223, 30.0), "20": (0.0431, 53.0), "40": (0.0829, 101.0)}
        return Trace({(BUNDLE, name): sawtooth(1.0, rtt, peak) for name, (rtt, peak) in paths.items()}, {})
    if case.experiment == "figure3.1-managed":
        return weights(("path1", "path2"), [(0.0, 0.5), (20.0, 0.5 - 0.25 * levels["gain"])])
    if case.experiment == "figure4.1-first":
        start, then = (0.5, 0.25) if levels["start"] == "1:1" else (0.25, 0.4375)
        return weights((EIGHT, TEN), [(0.0, start), (120.0, then)])
    if case.experiment == "figure4.1-managed":
        settled = 3.0 * levels["interval"] / levels["gain"]
        around = [(settled + 20.0 * turn, 0.33 + 0.05 * levels["gain"] * (-1) ** turn) for turn in range(30)]
        return weights((EIGHT, TEN), [(0.0, 0.9), *around])
    return None


def sawtooth(weight: float, rtt: float, peak: float, decrease: float = 0.5) -> PathTrace:
    """Return a window that grows as that of a weighted flow, is cut at the peak, and pauses for a round-trip time."""
    time = np.arange(0.0, 300.0, 0.01)
    least = peak * (1.0 - decrease)
    increase = 3.0 * decrease / (2.0 - decrease) * weight**2
    cwnd, ssthresh = np.empty(len(time)), np.full(len(time), least)
    now, paused = least, 0.0
    for index in range(len(time)):
        cwnd[index] = now
        if paused > 0.0:
            paused -= 0.01
        elif now >= peak:
            now, paused = least, rtt
        else:
            now += increase * 0.01 / rtt
    bytes_ = cwnd * PACKET
    rate = bytes_ * 8.0 / rtt
    return PathTrace(time, bytes_, ssthresh * PACKET, rate, np.full(len(time), rtt), rate)


def weights(paths: tuple[str, str], course: list[tuple[float, float]]) -> Trace:
    """Return a trace in which the weight of the first path takes values from given times on."""
    time = np.arange(0.0, 600.0)
    first = np.array([max(step for step in course if step[0] <= now)[1] for now in time])
    flat = np.ones(len(time))
    path = PathTrace(time, flat, flat, flat, flat, flat)
    return Trace(
        {(BUNDLE, name): path for name in paths}, {}, {(BUNDLE, paths[0]): first, (BUNDLE, paths[1]): 1.0 - first}
    )


def _slightly_varied(trace: Trace, run: int) -> Trace:
    """Return slightly different curves for each run, so that runs have a variance."""
    size = 1.0 + 1e-6 * run
    found = {key: PathTrace(*(size * getattr(path, name) for name in FIELDS)) for key, path in trace.paths.items()}
    return Trace(found, {}, {key: curve * size for key, curve in trace.weights.items()})


@cache
def _usual(case: Case, run: int) -> Trace:
    """Return the curves of a run of a case, unless a test changes them."""
    trace = _trace(case)
    assert trace is not None
    return _slightly_varied(trace, run)


FIELDS = ("time", "cwnd", "ssthresh", "goodput", "srtt", "throughput")
