"""The three goals of resource pooling, each with its numbers. RFC 6356 section 2."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from manypath.explore.fair import UNCOUPLED, Fair
from manypath.explore.moves import Answer
from manypath.explore.pooling import demand
from manypath.explore.state import State

Light = Literal["holds", "does not hold", "does not apply"]
"""Whether a goal is reached."""


@dataclass(frozen=True)
class Goal:
    """One goal of resource pooling.

    Attributes
    ----------
    name : str
        The goal in a few words.
    light : str
        Whether the run reached it.
    numbers : str
        The compared rates, or why the goal does not apply.
    rule : str
        The condition; empty if the goal does not apply.
    """

    name: str
    light: Light
    numbers: str
    rule: str = ""


def goals(state: State, answer: Answer, shares: Fair) -> list[Goal]:
    """Return the goals of the first multipath flow with their lights."""
    flow = state.multipath
    if flow is None:
        return [_inapplicable(name, "no flow uses several paths") for name in NAMES]
    ended = float(answer.result.flows["closed_at"][flow])
    if not math.isnan(ended):
        why = f"{flow} ended at {ended:.4g} s, and the goals compare flows that send during the whole measurement"
        return [_inapplicable(name, why) for name in NAMES]
    return [_throughput(flow, answer, shares), *_on_shared_links(state, flow, answer, shares)]


class _Shared(NamedTuple):
    """Paths of the multipath flow over one bottleneck of another flow, with rates in Mbit/s."""

    paths: tuple[str, ...]
    own: float
    """Goodput of the multipath flow over these paths."""
    path: str
    """The one on which a single-path flow gets most."""
    alone: float
    """Goodput of a single-path flow there, instead of the multipath flow."""

    @property
    def place(self) -> str:
        return " and ".join(self.paths)


def _throughput(flow: str, answer: Answer, shares: Fair) -> Goal:
    total = float(answer.result.goodput[flow])
    path, best = max(shares.best_path.items(), key=lambda item: item[1])
    return Goal(
        NAMES[0],
        _light(total >= (1 - MARGIN) * best),
        f"{total:.2f} Mbit/s of {flow} in total, {best:.2f} Mbit/s as a single-path flow on {path}",
        "The multipath flow gets at least as much as a single-path flow on its best path.",
    )


def _on_shared_links(state: State, flow: str, answer: Answer, shares: Fair) -> list[Goal]:
    """Return the second and the third goal."""
    found: list[_Shared] = []
    for paths in dict.fromkeys(_paths_over_bottlenecks(state)):
        own = sum(float(answer.result.paths["goodput"][flow, path]) for path in paths)
        best = max(paths, key=lambda path: shares.best_path[path])
        found.append(_Shared(paths, own, best, shares.best_path[best]))
    if not found:
        return [_inapplicable(name, f"no other flow shares a bottleneck with {flow}") for name in NAMES[1:]]
    return [_no_harm(flow, found), _balance(state, flow, answer, shares, found)]


def _no_harm(flow: str, found: list[_Shared]) -> Goal:
    worst = max(found, key=lambda shared: shared.own - (1 + MARGIN) * shared.alone)
    return Goal(
        NAMES[1],
        _light(worst.own <= (1 + MARGIN) * worst.alone),
        f"{worst.own:.2f} Mbit/s of {flow} on {worst.place}, {worst.alone:.2f} Mbit/s as a single-path flow on "
        f"{worst.path}",
        "On a link that others share, the multipath flow takes no more than a single-path flow instead of it.",
    )


def _balance(state: State, flow: str, answer: Answer, shares: Fair, found: list[_Shared]) -> Goal:
    congested = min(found, key=lambda shared: shared.alone)
    others = {path: rate for path, rate in shares.best_path.items() if path not in congested.paths}
    if not others:
        return _inapplicable(NAMES[2], "all paths share one bottleneck, so that no load can move away from it")
    path, best = max(others.items(), key=lambda item: item[1])
    if best <= (1 + MARGIN) * congested.alone:
        alike = f"{congested.alone:.2f} Mbit/s on {congested.path}, {best:.2f} Mbit/s on {path}"
        return _inapplicable(NAMES[2], f"no path is less congested: a single-path flow gets {alike}")
    limit = demand(state.scenario.flows[flow].app)
    if limit is not None and float(answer.result.goodput[flow]) >= (1 - MARGIN) * limit:
        return _inapplicable(NAMES[2], f"{flow} gets all that its application sends, {limit:.2f} Mbit/s")
    without = sum(shares.uncoupled[each] for each in congested.paths)
    return Goal(
        NAMES[2],
        _light(congested.own < (1 - MARGIN) * without),
        f"{congested.own:.2f} Mbit/s of {flow} on {congested.place}, {without:.2f} Mbit/s with the uncoupled control "
        f"{UNCOUPLED}",
        "The multipath flow moves load away from the most congested path, compared with an uncoupled control.",
    )


def _paths_over_bottlenecks(state: State) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the multipath flow that cross a slowest link of another flow's path."""
    network, flows = state.scenario.network, state.scenario.flows
    own = flows[str(state.multipath)].paths
    for theirs in dict.fromkeys(path for name in flows if name != state.multipath for path in flows[name].paths):
        for link in network.paths[theirs].forward:
            paths = tuple(path for path in own if link in network.paths[path].forward)
            if paths and network.links[link].rate == network.bottleneck_rate(theirs):
                yield paths


def _inapplicable(name: str, why: str) -> Goal:
    return Goal(name, "does not apply", why)


def _light(reached: bool) -> Light:
    return "holds" if reached else "does not hold"


NAMES = ("1 · improve throughput", "2 · do no harm", "3 · balance congestion")
"""The goals in a few words."""

MARGIN = 0.1
"""Relative difference of rates that counts: the first two goals may be missed by this much, the third is reached only
if the load is lower by this much."""
