"""The three goals of resource pooling as numeric predicates.

The papers judge the goals by comparing the multipath flow with the single-path flow that runs beside it:
1. it gets at least as much in total, 2. it takes no more on the path that both share, 3. it moves load away from the
more congested path, which is the shared one. `At least` and `no more` allow what `about` allows: 10 % of the rival's
rate, or 0.3 Mbit/s if that is more, because equality is what the goals aim at.
"""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check
from manypath.papers.paired import SIGNIFICANCE, estimate, p_greater
from manypath.papers.predicates import Points, about, below, label


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


def _at_most(lower: Points, upper: Points, scale: Points, what: str, over: str) -> Check:
    """Fail where `lower` exceeds `upper` by more than the tolerance of `scale` with 95 % confidence."""
    slack = {
        key: np.asarray(about(float(scale[key].mean())) - (lower[key] - upper[key]), dtype=np.float64) for key in lower
    }
    bad = [key for key in lower if p_greater(-slack[key]) < SIGNIFICANCE]
    worst = min(lower, key=lambda key: float(slack[key].mean()))
    return Check(
        verdict="fails" if bad else "holds",
        measured=f"{what}: {len(lower) - len(bad)} of {len(lower)} points hold, "
        f"closest {estimate(lower[worst])} against {estimate(upper[worst])} Mbit/s at {label(worst)} {over}".rstrip(),
        expected=f"{what}: no more than 10 % or 0.3 Mbit/s above",
        runs=min(len(sample) for sample in lower.values()),
        what=what,
        unit="Mbit/s",
        slack=slack,
        missed=tuple(bad),
    )
