"""The three goals of resource pooling as numeric predicates.

The papers judge the goals by comparing the multipath flow with the single-path flow that runs beside it:
1. it gets at least as much in total, 2. it takes no more on the path that both share, 3. it moves load away from the
more congested path, which is the shared one. `At least` and `no more` allow what `about` allows, 10 % of the rival's
rate, because equality is what the goals aim at. Each goal holds when it is shown at every point (each at 5 %), and is
contradicted when at some point the opposite is shown (Holm's correction over the points).
"""

from __future__ import annotations

from manypath.papers.check import Check, decided
from manypath.papers.paired import estimate
from manypath.papers.predicates import ABOUT, Points, below, label, points_decided
from manypath.papers.verdict import Hypotheses, beyond


def no_worse_off(multipath: Points, rival: Points, *, who: str, over: str = "") -> Check:
    """Check goal 1: the multipath flow gets at least what the single-path flow beside it gets.

    Parameters
    ----------
    multipath, rival
        Rates of both flows at each point, Mbit/s.
    who, over
        Words for the table: whose goal, and what follows the level of a point.
    """
    return _at_most(rival, multipath, rival, f"goal 1, {who}: rival's rate against the multipath flow's", over)


def no_harm(on_shared: Points, rival: Points, *, who: str, over: str = "") -> Check:
    """Check goal 2: on the shared path the multipath flow takes no more than the single-path flow."""
    return _at_most(on_shared, rival, rival, f"goal 2, {who}: rate on the shared path against the rival's", over)


def moves_away(on_shared: Points, uncoupled: Points, *, who: str, over: str = "") -> Check:
    """Check goal 3: the flow takes less of the shared path than uncoupled control takes there."""
    return below(on_shared, uncoupled, what=f"goal 3, {who}: rate on the shared path against plain CMT's", over=over)


def _at_most(lower: Points, upper: Points, rival: Points, what: str, over: str) -> Check:
    """Hold where `lower` is shown to exceed `upper` by less than 10 % of the rival's rate in the same run.

    Contradicted when at some point it is shown to exceed it by more.
    """
    slack = {key: ABOUT * rival[key] - (lower[key] - upper[key]) for key in lower}
    hypotheses = Hypotheses({key: beyond(gains) for key, gains in slack.items()})
    worst = min(lower, key=lambda key: float(slack[key].mean()))
    return decided(
        hypotheses,
        measured=f"{what}: {points_decided(hypotheses)}, "
        f"closest {estimate(lower[worst])} against {estimate(upper[worst])} Mbit/s at {label(worst)} {over}".rstrip(),
        expected=f"{what}: no more than 10 % of the rival's rate above (95 %)",
        runs=min(len(sample) for sample in lower.values()),
        what=what,
        unit="Mbit/s",
        slack=slack,
    )
