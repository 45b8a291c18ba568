"""The three goals of resource pooling as numeric predicates.

The papers compare the multipath flow with a concurrent single-path flow:
1. the multipath flow gets at least as much in total, 2. it takes no more on the path that both share, 3. it balances
congestion, the loss rate, over its paths. `At least` and `no more` have the tolerance of `almost equal`
(`manypath.papers.words`), relative to the rate of the single-path flow, because the goals aim at equality, and [D11]
section VI-B.2 calls them fulfilled where rates are almost equal. A goal holds if it is shown at every point (each at
5 %). It is contradicted if the opposite is shown at some point (Holm's correction over the points).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from manypath.papers.check import Check, decided
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.paired import estimate
from manypath.papers.predicates import Points, below, label, points_decided
from manypath.papers.verdict import Hypotheses, beyond
from manypath.papers.words import SIMILAR
from manypath.rows import Outcome


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


def balances(shared: Points, uncoupled: Points, *, who: str, over: str = "") -> Check:
    """Check goal 3: the loss rates of the paths of the flow differ less than with uncoupled control.

    Parameters
    ----------
    shared, uncoupled
        Logarithm of the loss rate on the shared path over that on the others (`log_ratio_of_losses`), at each point.
    who, over
        As in `no_worse_off`.
    """
    return below(
        {key: np.abs(sample) for key, sample in shared.items()},
        {key: np.abs(uncoupled[key]) for key in shared},
        what=f"goal 3, {who}: size of the logarithm of the ratio of loss rates, against plain CMT's",
        unit="",
        over=over,
    )


def balance(
    results: Evidence,
    experiment: str,
    factor: str,
    where: Callable[[float], bool] | None = None,
    *,
    flow: str,
    shared: str,
    cc: str,
) -> dict[float, Sample]:
    """Return what goal 3 compares (`log_ratio_of_losses`) at each level of a factor, under a congestion control."""
    measure = partial(log_ratio_of_losses, flow=flow, shared=shared)
    return results.sweep_of(measure, experiment, factor, where, cc=cc)


def log_ratio_of_losses(outcome: Outcome, flow: str, shared: str) -> float:
    """Return the logarithm of the loss rate of a flow on the shared path over its mean loss rate on its other paths.

    Half a packet is added to each count of losses, so that a path without losses has a rate, too.
    """
    rates = {
        name: (path["lost_packets"] + 0.5) / (path["data_packets"] + 1.0)
        for name, path in outcome["flows"][flow]["paths"].items()
    }
    others = [rate for name, rate in rates.items() if name != shared]
    return float(np.log(rates[shared] / np.mean(others)))


def _at_most(lower: Points, upper: Points, rival: Points, what: str, over: str) -> Check:
    """Hold if at every point `lower` is shown to exceed `upper` by less than `SIMILAR` of the rival's rate in that run.

    Contradicted if `lower` is shown to exceed `upper` by more at some point.
    """
    slack = {key: SIMILAR * rival[key] - (lower[key] - upper[key]) for key in lower}
    hypotheses = Hypotheses({key: beyond(gains) for key, gains in slack.items()})
    worst = min(lower, key=lambda key: float(slack[key].mean()))
    return decided(
        hypotheses,
        measured=f"{what}: {points_decided(hypotheses)}, "
        f"closest {estimate(lower[worst])} against {estimate(upper[worst])} Mbit/s at {label(worst)} {over}".rstrip(),
        expected=f"{what}: higher by at most {SIMILAR:.0%} of the rival's rate (95 %)",
        runs=min(len(sample) for sample in lower.values()),
        what=what,
        unit="Mbit/s",
        slack=slack,
    )
