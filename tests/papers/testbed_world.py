"""Made-up results that agree with every claim of [D12]. Tests alter parts of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2012_testbed.names import CMT, NORTH, PAYLOAD, SINGLE
from manypath.papers.evidence import Case, Evidence, Runs

Rates = dict[str, float]
"""Goodput of both flows, Mbit/s."""

Treat = Callable[[Case, Rates], Rates]


def evidence(cases: Iterable[Case], runs: int = 8, treat: Treat | None = None) -> Evidence:
    """Return the made-up evidence; `treat` may change the rates of a case."""
    return Evidence({case: _runs(case, runs, treat) for case in cases})


def rates_of(case: Case) -> Rates:
    """Return the rates of a case that follow from the paper's text."""
    levels: dict[str, Any] = dict(case.factors)
    models: dict[str, Callable[..., Rates]] = {
        "figure3": _bottleneck,
        "figure3-paths": lambda paths: _bottleneck(PLAIN, 9.0, paths),
        "figure3-far": lambda cc: _bottleneck(cc, 9.0, probe=0.06),
        "figure3-blocking": lambda cc: _bottleneck(cc, 9.0, probe=0.1),
        "figure4": _disjoint,
        "figure4-similar": partial(_disjoint, south=2.5),
        "figure4-rival": _disjoint,
        "figure4-without-north": lambda south: dict.fromkeys((CMT, SINGLE), PAYLOAD * south / 2.0),
        "figure4-queues": lambda south, **_: _disjoint(RPV2, south),
    }
    return models[case.experiment](**levels)


def _bottleneck(cc: str, rate: float, paths: int = 2, probe: float = 0.48) -> Rates:
    total = PAYLOAD * rate
    cmt = total * paths / (paths + 1) if cc == PLAIN else (total + probe * rate / 9.0) / 2.0
    return {CMT: cmt, SINGLE: total - cmt}


def _disjoint(cc: str, south: float) -> Rates:
    """Return the rates over disjoint paths. Coupling moves bandwidth of path south to the competing flow."""
    half, north = PAYLOAD * south / 2.0, PAYLOAD * NORTH
    moved = {
        PLAIN: 0.0,
        RPV1: north * south / 6.5,
        RPV2: north * min(south / 8.0, 0.9),
        MPTCP: north * min(south / 12.0, 0.9),
    }[cc]
    return {CMT: north + half - moved, SINGLE: half + moved}


def _runs(case: Case, runs: int, treat: Treat | None) -> Runs:
    rates = rates_of(case) if treat is None else treat(case, rates_of(case))
    noise = np.random.default_rng(zlib.crc32(str(case).encode()))
    return Runs(
        [_outcome({k: v * (1 + 0.004 * noise.standard_normal()) for k, v in rates.items()}) for _ in range(runs)]
    )


def _outcome(rates: Rates) -> dict[str, Any]:
    """Return the rates in the form of an outcome of the engine."""
    paths = {name: {"srtt": 0.025, "cwnd": 1600.0 * packets} for packets, name in enumerate(("path1", "path2"), 1)}
    return {"flows": {name: {"goodput": rate * 1e6, "paths": paths} for name, rate in rates.items()}}
