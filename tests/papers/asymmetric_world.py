"""Made-up results that agree with every claim of [D10]. Tests alter parts of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from manypath.papers.dreibholz2010_asymmetric.names import (
    BOTH,
    CMT,
    FIRST,
    NONE,
    OFF,
    PLAIN,
    RECEIVER,
    RIVAL,
    RP,
    SECOND,
    SENDER,
    ideal,
)
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.traces import PathTrace, Trace

Facts = dict[str, float]
"""The results of a case: rates in Mbit/s, counters, and shares of blocked time of the fast path."""


def evidence(cases: Iterable[Case], runs: int = 6, treat: Callable[[Case, Facts], Facts] | None = None) -> Evidence:
    """Return the made-up evidence; `treat` may change the facts of a case."""
    found = {case: facts_of(case) for case in cases}
    return Evidence({case: _runs(case, treat(case, facts) if treat else facts, runs) for case, facts in found.items()})


def facts_of(case: Case) -> Facts:
    """Return the facts of a case that follow from the paper's text."""
    levels: dict[str, Any] = dict(case.factors)
    name = case.experiment
    if name.startswith("figure4"):
        return _figure4(name, levels)
    cc = levels.get("cc", RP if name.startswith(("figure6", "figure8")) else PLAIN)
    if name in _OWN:
        return _OWN[name](levels)
    what = name.partition("-")[2]
    unordered = name.startswith(("figure5", "figure6"))
    return (_UNORDERED if unordered else _ORDERED)[what](cc, levels)


def _figure4(name: str, levels: dict[str, Any]) -> Facts:
    capacity = levels.get("capacity", 100)
    cures = {"figure4-left": (RECEIVER, BOTH), "figure4-right": (SENDER, BOTH)}.get(name, (SENDER, RECEIVER, BOTH))
    if levels.get("split", NONE) in cures:
        return {"rate": ideal(10.0), "held": 0.3, "window": 1.0}
    fall = min(max(capacity - 20, 0) / 80.0, 1.0)
    full = {"figure4-left": "receive_window", "figure4-right": "send_buffer"}.get(name, "receive_window")
    return {"rate": ideal(10.0) * (1 - fall) + 20.0 * fall, "held": 0.3 + 0.6 * fall, full: 0.9, "window": 0.1}


def _rates(cc: str, levels: dict[str, Any]) -> Facts:
    """Figures 5 and 6, left: only both mechanisms together fill the links."""
    rate, split, nr = levels["rate"], levels["split"] == BOTH, levels["nr"]
    unequal = 1.0 - np.sqrt(rate / 100.0)
    part = {(True, True): 1.0, (False, True): 1 - 0.9 * unequal, (False, False): 1 - 1.08 * unequal}
    got = ideal(rate) * part.get((split, nr), max(0.9 - unequal, 0.01))
    if cc == RP and not split:
        got *= 175.0 / 192.0 if rate >= 75.0 else 0.98
    return {"rate": got, "send_buffer": 0.1 if nr else 0.6, "fast": 100.0, "timeouts": 1.0}


def _errors(cc: str, levels: dict[str, Any]) -> Facts:
    """Figures 5 and 6, middle: NR-SACK raises the rate, and with drop reports only retransmissions remain."""
    errors, nr, reports = levels["errors"], levels["nr"], levels["reports"]
    loss = min(errors / 5e-6, 1.0)
    part = {(True, True): 1.0, (True, False): 1 - 0.5 * loss**0.3, (False, True): 1 - 0.7 * loss**0.3}
    got = ideal(errors=errors) * part.get((nr, reports), 1 - 0.98 * loss**0.3)
    cuts = 500.0 * loss * (0.3 if reports else 1.0) + 20.0
    return {"rate": got * (0.93 if cc == RP and levels["split"] == NONE else 1.0), "cuts": cuts}


def _delays(cc: str, levels: dict[str, Any]) -> Facts:
    """Figures 5 and 6, right: the rate falls with the delay, and faster without a mechanism."""
    delay, nr, smart = levels["delay"], levels["nr"], levels["smart"]
    far = delay / 100.0
    part = (1 - 0.3 * far) * (1.0 if nr else 1 - 0.2 * far) * (1.0 if smart else 1 - 0.4 * far)
    got = ideal() * part * (0.98 if cc == RP else 1.0)
    return {"rate": got, "cuts": 10.0 if smart else 40.0, "spurious": 1.0 if smart else 100.0, "timeouts": 3.0}


def _ordered_rates(_cc: str, levels: dict[str, Any]) -> Facts:
    lacking = (levels["rescheduling"] == OFF) + (levels["split"] == NONE)
    unequal = max(1.0 - levels["rate"] / 10.0, 0.0)
    waits = 0.6 if levels["rescheduling"] == OFF else 0.1
    return {
        "rate": ideal(levels["rate"]) * (1 - 0.4 * lacking * unequal),
        "send_buffer": waits,
        "rescheduled": 0.0 if waits > 0.5 else 90.0,
    }


def _ordered_errors(_cc: str, levels: dict[str, Any]) -> Facts:
    loss = min(levels["errors"] / 5e-6, 1.0)
    lost = (0.0 if levels["reports"] else 0.4) + (0.25 if levels["rescheduling"] == OFF else 0.0)
    return {"rate": ideal(errors=levels["errors"]) * (1 - lost * loss**0.3)}


def _ordered_delays(_cc: str, levels: dict[str, Any]) -> Facts:
    far = levels["delay"] / 100.0
    lacking = (levels["rescheduling"] == OFF) + (levels["split"] == NONE)
    got = ideal() * (1 - 0.3 * far) * (1.0 if levels["smart"] else 1 - 0.3 * far)
    return {"rate": got * (1 - 0.2 * lacking * far)}


_UNORDERED = {"rate": _rates, "errors": _errors, "delay": _delays}
_ORDERED = {"rate": _ordered_rates, "errors": _ordered_errors, "delay": _ordered_delays}


def _of_buffers(levels: dict[str, Any]) -> Facts:
    shape = {0.1: 0.4, 1.0: 0.9, 10.0: 1.0}[levels["scale"]]
    return {"rate": ideal() * shape * (1 - 0.3 * levels["delay"] / 100.0)}


_OWN: dict[str, Callable[[dict[str, Any]], Facts]] = {
    "figure5-buffers": _of_buffers,
    "figure5-timeouts": lambda levels: _delays(PLAIN, {**levels, "delay": 100.0, "nr": True}),
    "figure5-standstill": lambda levels: {
        "rate": 60.0 if levels["nr"] else 20.0,
        "still": 0.0 if levels["nr"] else 1.2,
        "timeouts": 30.0,
        "send_buffer": 0.9,
    },
    "figure5-growth": lambda _: {"rate": 150.0, "growth": 1.0, "cut": 1.0},
    "figure6-windows": lambda levels: {"rate": 175.0, "slow": 0.2 if levels["split"] == NONE else 0.01},
    "figure6-dip": lambda levels: {"rate": 100.0, "growth": 1.0 if levels["cc"] == PLAIN else 0.1},
    "figure7-promises": lambda levels: {
        "rate": 40.0,
        "receive_window": 0.8,
        "send_buffer": 0.9 if levels["nr"] == "off" else 0.1,
    },
    "figure7-rivals": lambda levels: {
        "rate": 60.0,
        "rival": 48.0 if levels["shared"] == FIRST else 0.48 * levels["rate"],
    },
    "figure7-buffers": lambda _: {"rate": 30.0},
    "buffers-fast": lambda levels: {"rate": 180.0 * min(0.4 + 0.6 * levels["part"], 1.0)},
    "buffers-timeout": lambda levels: {"rate": 180.0, "first": 0.4 if levels["outage"] and levels["part"] < 1 else 1.0},
}
"""Experiments beyond the plots of the paper."""


def _runs(case: Case, facts: Facts, runs: int) -> Runs:
    noise = np.random.default_rng(zlib.crc32(str(case).encode()))
    each = [{k: v * (1 + 0.004 * noise.standard_normal()) for k, v in facts.items()} for _ in range(runs)]
    traced = case.experiment in {"figure5-standstill", "figure5-growth", "figure6-windows", "figure6-dip"}
    trace = _sawtooth if case.experiment == "figure5-growth" else _trace
    return Runs([_outcome(run) for run in each], [trace(run) for run in each] if traced else [])


def _outcome(facts: Facts) -> dict[str, Any]:
    """Return the facts in the form of an outcome of the engine."""
    blocked = {
        name: facts.get(name, 0.0) for name in ("path", "window", "split_share", "receive_window", "send_buffer")
    }
    first = {"goodput": 50e6 * facts.get("first", 1.0), "outstanding": 0.0, "blocked": blocked, "timeouts": 0}
    held = 125_000 * facts.get("held", 0.3)
    second = {"goodput": 50e6, "outstanding": held, "blocked": blocked, "timeouts": facts.get("timeouts", 0.0)}
    flow = {
        "goodput": facts["rate"] * 1e6,
        "paths": {FIRST: first, SECOND: second},
        "spurious_fast_retransmissions": facts.get("spurious", 0.0),
        "spurious_bursts": facts.get("spurious", 0.0) / 5.0,
        "window_cuts": facts.get("cuts", 0.0),
        "data_packets": 10_000.0,
        "fast_retransmissions": facts.get("fast", 0.0),
        "timeouts": facts.get("timeouts", 0.0),
        "rescheduled_chunks": facts.get("rescheduled", 0.0),
    }
    rival = {"goodput": facts.get("rival", 0.0) * 1e6}
    return {"flows": {CMT: flow, RIVAL: rival}, "measured_seconds": 60.0}


def _trace(facts: Facts) -> Trace:
    """Return windows that grow after the dip, and thresholds that are unequal for a part of the time."""
    time = np.arange(0.0, 40.0, 0.01)
    goodput = np.full(len(time), 50e6)
    sent = np.where((time % 4.0 < facts.get("still", 0.0)) | (time < 0.9), 0.0, 50e6)
    growth = facts.get("growth", 0.5) * 1500.0
    cwnd = np.empty(len(time))
    cwnd[0] = 30_000.0
    for index in range(1, len(time)):
        before = 3_000.0 if index == 3_500 else cwnd[index - 1]
        cwnd[index] = before + growth * 50e6 / 8.0 * 0.01 / before
    uneven = time < facts.get("slow", 0.0) * 40.0
    low = np.where(uneven, 1_500.0, 50_000.0)
    high = np.full(len(time), 50_000.0)
    rest = (goodput, np.full(len(time), 0.1), sent)
    first, second = PathTrace(time, cwnd, high, *rest), PathTrace(time, cwnd, low, *rest)
    return Trace({(CMT, FIRST): first, (CMT, SECOND): second}, {})


def _sawtooth(facts: Facts) -> Trace:
    """Return windows that grow in congestion avoidance and lose a part at 60 packets."""
    time = np.arange(0.0, 60.0, 0.01)
    cwnd, ssthresh = np.full(len(time), 45_000.0), np.full(len(time), 40_000.0)
    for index in range(1, len(time)):
        grown = cwnd[index - 1] + facts["growth"] * 1500.0 * 5e6 / 8.0 * 0.01 / cwnd[index - 1]
        lost = grown > 90_000.0
        cwnd[index] = grown * (1.0 - 0.5 * facts["cut"]) if lost else grown
        ssthresh[index] = cwnd[index] if lost else ssthresh[index - 1]
    rest = (np.full(len(time), 5e6), np.full(len(time), 0.1), np.full(len(time), 5e6))
    path = PathTrace(time, cwnd, ssthresh, *rest)
    return Trace({(CMT, FIRST): path, (CMT, SECOND): path}, {})
