"""The three goals of resource pooling as numeric predicates.

The papers judge the goals by comparing the multipath flow with the single-path flow that runs beside it:
1. it gets at least as much in total, 2. it takes no more on the path that both share, 3. it moves load away from the
more congested path, which is the shared one. `At least` and `no more` allow what `about` allows: 10 % of the rival's
rate, or 0.3 Mbit/s if that is more, because equality is what the goals aim at.
"""

from __future__ import annotations

from manypath.papers.check import Check
from manypath.papers.paired import estimate, half_width
from manypath.papers.predicates import Points, about, below


def no_worse_off(multipath: Points, rival: Points) -> Check:
    """Check goal 1: the multipath flow gets at least what the single-path flow beside it gets."""
    return _at_most(rival, multipath, rival, "goal 1, total of the rival against the multipath flow")


def no_harm(on_shared: Points, rival: Points) -> Check:
    """Check goal 2: on the shared path the multipath flow takes no more than the single-path flow."""
    return _at_most(on_shared, rival, rival, "goal 2, multipath flow on the shared path against the rival")


def moves_away(on_shared: Points, uncoupled_on_shared: Points) -> Check:
    """Check goal 3: the flow takes less of the shared path than uncoupled control takes there."""
    return below(on_shared, uncoupled_on_shared, what="goal 3, on the shared path against plain CMT")


def _at_most(lower: Points, upper: Points, scale: Points, what: str) -> Check:
    """Hold where `lower` exceeds `upper` by no more than the tolerance of `scale`, up to the interval of the mean."""
    excess = {key: float((lower[key] - upper[key]).mean()) - about(float(scale[key].mean())) for key in lower}
    noise = {key: half_width(lower[key] - upper[key]) for key in lower}
    bad = [key for key in lower if excess[key] > 0.0 and not excess[key] <= noise[key]]
    worst = max(lower, key=lambda key: excess[key])
    place = "" if len(lower) == 1 else f" at {_label(worst)}"
    return Check(
        verdict="fails" if bad else "holds",
        measured=f"{what}: {len(lower) - len(bad)} of {len(lower)} points hold, "
        f"closest {estimate(lower[worst])} against {estimate(upper[worst])} Mbit/s{place}",
        expected=f"{what}: no more, within 10 % or 0.3 Mbit/s",
        runs=min(len(sample) for sample in lower.values()),
    )


def _label(key: object) -> str:
    if isinstance(key, tuple):
        return ", ".join(_label(part) for part in key)
    return f"{key:g}" if isinstance(key, float) else str(key)
