"""The three goals of resource pooling as numeric predicates.

The papers compare the multipath flow with a concurrent single-path flow:
1. the multipath flow gets at least as much in total, 2. it takes no more on the path that both share, 3. it moves load
away from the more congested path, which is the shared one. `At least` and `no more` have a tolerance of 10 % of the
rate of the single-path flow, because the goals aim at equality. A goal holds if it is shown at every point (each at
5 %). It is contradicted if the opposite is shown at some point (Holm's correction over the points).
"""

from __future__ import annotations

from manypath.papers.check import Check, decided
from manypath.papers.paired import estimate
from manypath.papers.predicates import ABOUT, Points, below, label, points_decided
from manypath.papers.verdict import Hypotheses, beyond


def no_worse_off(multipath: Points, rival: Points, *, who: str, over: str = "") -> Check:
    """Check goal 1: the multipath flow gets at least as much as the concurrent single-path flow.

    Parameters
    ----------
    multipath, rival
        Rates of the multipath and the single-path flow at each point, Mbit/s.
    who, over
        Texts of the table: name of the multipath flow, and text after the level of a point.
    """
    return _at_most(rival, multipath, rival, f"goal 1, {who}: rival's rate against the multipath flow's", over)


def no_harm(on_shared: Points, rival: Points, *, who: str, over: str = "") -> Check:
    """Check goal 2: on the shared path the multipath flow takes no more than the single-path flow."""
    return _at_most(on_shared, rival, rival, f"goal 2, {who}: rate on the shared path against the rival's", over)


def moves_away(on_shared: Points, uncoupled: Points, *, who: str, over: str = "") -> Check:
    """Check goal 3: the rate of the flow on the shared path is below that of a flow with uncoupled control."""
    return below(on_shared, uncoupled, what=f"goal 3, {who}: rate on the shared path against plain CMT's", over=over)


def _at_most(lower: Points, upper: Points, rival: Points, what: str, over: str) -> Check:
    """Hold if `lower` is shown to exceed `upper` by less than 10 % of the rival's rate in the same run, at every point.

    Contradicted if `lower` is shown to exceed `upper` by more at some point.
    """
    slack = {key: ABOUT * rival[key] - (lower[key] - upper[key]) for key in lower}
    hypotheses = Hypotheses({key: beyond(gains) for key, gains in slack.items()})
    worst = min(lower, key=lambda key: float(slack[key].mean()))
    return decided(
        hypotheses,
        measured=f"{what}: {points_decided(hypotheses)}, "
        f"closest {estimate(lower[worst])} against {estimate(upper[worst])} Mbit/s at {label(worst)} {over}".rstrip(),
        expected=f"{what}: higher by at most 10 % of the rival's rate (95 %)",
        runs=min(len(sample) for sample in lower.values()),
        what=what,
        unit="Mbit/s",
        slack=slack,
    )
