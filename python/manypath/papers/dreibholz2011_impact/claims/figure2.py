"""Claims of section VI-A, figure 2: similar paths, all disjoint (left) or all over one bottleneck (right)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import COUPLED, MPTCP, PLAIN, RPV1, RPV2, TITLES
from manypath.papers.dreibholz2011_impact.claims.register import claim, goals_of_the_text
from manypath.papers.dreibholz2011_impact.claims.suspects import SETTINGS, UNCOUPLED
from manypath.papers.dreibholz2011_impact.names import CMT, PAYLOAD, SINGLE, UNIT
from manypath.papers.dreibholz2011_impact.printed import EIGHT_NINTHS, ONE_NINTH
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.goals import balance, balances, no_harm, no_worse_off
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.predicates import above, below, near, rises_with
from manypath.papers.words import SIGNIFICANTLY, SIMILAR, SLIGHT
from manypath.rows import Outcome

LEFT, RIGHT = "figure2-left", "figure2-right"


@claim(
    "C-000-4",
    place="VI-A, figure 2 left",
    kind="number",
    figure=2,
    suspects=SETTINGS,
    says="Disjoint paths, plain CMT: the rate of the first path is halved between the two flows, for every number of "
    "paths.",
    history=(
        Revised(
            READ_AGAIN,
            "half of a path for the single-path flow, and n - 1/2 paths for the CMT flow",
            "half of the first path for each flow",
            "the sentence is about the shared path; 10 % of n - 1/2 paths is more than half of one",
            "contradicted",
        ),
    ),
)
def plain_cmt_halves_the_shared_path(results: Evidence) -> Check:
    """Compare both flows on the first path with half of it."""
    half = 10.0 * PAYLOAD / 2.0
    cmt = results.sweep_on(LEFT, "paths", CMT, "path1", cc=PLAIN)
    return all_of(
        near(results.sweep(LEFT, "paths", SINGLE, cc=PLAIN), half, what="non-CMT", over="paths"),
        near(cmt, half, what="CMT on the shared path", over="paths"),
    )


@claim(
    "C-000-5",
    place="VI-A, figure 2 left",
    kind="ordering",
    figure=2,
    says="Disjoint paths, two or more: each coupled control leaves the single-path flow more than plain CMT does.",
)
def coupled_controls_leave_more_bandwidth(results: Evidence) -> Check:
    """Compare the single-path flow's rate under each coupled control with that under plain CMT."""
    plain = results.sweep(LEFT, "paths", SINGLE, lambda n: n >= 2, cc=PLAIN)
    return above(
        {(cc, n): sample for cc in COUPLED for n, sample in _single(results, LEFT, cc, 2, 8).items()},
        {(cc, n): plain[n] for cc in COUPLED for n in plain},
        what="non-CMT",
        over="paths",
    )


@claim(
    "C-000-6",
    place="VI-A, figure 2 left",
    kind="ordering",
    figure=2,
    suspects=UNCOUPLED,
    says="Disjoint paths, 2 to 4 of them: MPTCP-like is slightly more aggressive than both versions of CMT/RP, so the "
    "single-path flow gets more under CMT/RP.",
    history=(
        Revised(
            READ_AGAIN,
            "more for the single-path flow under CMT/RP, on average over these numbers of paths",
            "more, by at most 25 %",
            "the text says slightly, for which all papers have 25 %",
            "contradicted",
        ),
    ),
)
def mptcp_like_is_slightly_more_aggressive(results: Evidence) -> Check:
    """Compare the single-path flow's rate under CMT/RP with that under MPTCP-like control."""
    mptcp = _single(results, LEFT, MPTCP, 2, 4)
    return all_of(
        *(check for cc in (RPV1, RPV2) for check in _slightly_less(mptcp, _single(results, LEFT, cc, 2, 4), cc))
    )


@claim(
    "C-000-7",
    place="VI-A, figure 2 right",
    kind="number",
    figure=2,
    says="One bottleneck, 8 paths, plain CMT: the CMT flow takes about 8/9 of 10 Mbit/s, the single-path flow gets "
    "only about 1 Mbit/s of payload.",
)
def plain_cmt_takes_eight_ninths(results: Evidence) -> Check:
    """Compare both flows with 8/9 and 1/9 of the link within 10 %: the printed 1 is the ninth, 1.05, rounded."""
    return all_of(
        EIGHT_NINTHS.check(results, what="CMT"),
        ONE_NINTH.check(results, what="non-CMT"),
    )


@claim(
    "C-000-8",
    place="VI-A, figure 2 right",
    kind="ordering",
    figure=2,
    suspects=SETTINGS,
    says="One bottleneck, up to 4 paths: with each coupled control the rates of both flows differ very little.",
)
def coupled_controls_share_a_bottleneck_evenly(results: Evidence) -> Check:
    """Compare the difference of the flows with the tolerance of `almost equal`."""
    return near(
        {(cc, n): sample for cc in COUPLED for n, sample in _imbalance(results, cc, 2, 4).items()},
        0.0,
        within=SIMILAR,
        what="(CMT - non-CMT) / fair share",
        unit="",
        over="paths",
    )


@claim(
    "C-000-9",
    place="VI-A, figure 2 right",
    kind="ordering",
    figure=2,
    suspects=("sack-every-1", "profile-paper", "mptcp-2012"),
    says="One bottleneck, more than 4 paths: the CMT flow's lead grows with their number.",
    history=(
        Revised(
            READ_AGAIN,
            "says that it grows because each path keeps a window of at least one segment; the same check",
            "says that it grows",
            "the cause is a claim of its own, C-000-42",
            "holds",
        ),
    ),
)
def lead_grows_with_many_paths(results: Evidence) -> Check:
    """Check that the difference rises from 4 to 8 paths, and that the CMT flow is ahead at 8."""
    rises = [
        rises_with(
            _imbalance(results, cc, 4, 8), what=f"{TITLES[cc]}, (CMT - non-CMT) / fair share", unit="", over="paths"
        )
        for cc in COUPLED
    ]
    ahead = above(
        {cc: results.goodput(RIGHT, CMT, cc=cc, paths=8) for cc in COUPLED},
        {cc: results.goodput(RIGHT, SINGLE, cc=cc, paths=8) for cc in COUPLED},
        what="CMT against non-CMT, 8 paths",
    )
    return all_of(*rises, ahead)


@claim(
    "C-000-42",
    place="VI-A, figure 2 right",
    kind="mechanism",
    figure=2,
    suspects=SETTINGS,
    says="One bottleneck, 8 paths: the CMT flow leads by the traffic of the smallest windows, one segment for each "
    "path.",
    history=(Added(READ_AGAIN, "open; leads were known, and a full queue makes this traffic about 1 Mbit/s"),),
)
def the_lead_is_the_traffic_of_smallest_windows(results: Evidence) -> Check:
    """Compare the lead with one segment for each path and round-trip time, under each coupled control."""
    leads = {cc: results.of_outcomes(_lead_in_smallest_windows, RIGHT, cc=cc, paths=8) for cc in COUPLED}
    what = "CMT - non-CMT, divided by the traffic of a segment on each path"
    return near(leads, 1.0, within=SLIGHT, what=what, unit="")


@claim(
    "C-000-10",
    place="VI-A, figure 2 right",
    kind="ordering",
    figure=2,
    says="One bottleneck, 8 paths: under each coupled control the single-path flow gets significantly more than under "
    "plain CMT.",
)
def single_path_flow_gains_with_eight_paths(results: Evidence) -> Check:
    """Require at least 10 % more."""
    plain = results.goodput(RIGHT, SINGLE, cc=PLAIN, paths=8)
    return above(
        {cc: results.goodput(RIGHT, SINGLE, cc=cc, paths=8) for cc in COUPLED},
        dict.fromkeys(COUPLED, plain),
        times=SIGNIFICANTLY,
        what="non-CMT",
    )


@claim(
    "C-000-11",
    place="VI-A, summary",
    kind="qualitative",
    figure=2,
    suspects=UNCOUPLED,
    says="On similar paths (up to 4 here, where the paper calls the difference very small) the three coupled controls "
    "fulfil the three goals, and MPTCP-like is slightly more aggressive than CMT/RP.",
    history=(
        goals_of_the_text("contradicted"),
        Revised(
            READ_AGAIN,
            "the order of aggressiveness over both plots",
            "the order over disjoint paths, and a difference of at most 25 %",
            "the text says slightly, for which all papers have 25 %, and finds it with 2 to 4 disjoint paths",
            "contradicted",
        ),
    ),
)
def coupled_controls_meet_the_goals(results: Evidence) -> Check:
    """Check the goals in both plots of the figure, and the order of aggressiveness over disjoint paths."""
    checks: list[Check] = []
    plain = _balance(results, PLAIN)
    mptcp = _single(results, LEFT, MPTCP, 2, 4)
    for cc in COUPLED:
        left, right = _single(results, LEFT, cc, 2, 4), _single(results, RIGHT, cc, 2, 4)
        both = _both(left, right)
        totals = _both(_cmt(results, LEFT, cc, 2, 4), _cmt(results, RIGHT, cc, 2, 4))
        shared = _both(_on_shared(results, cc), _cmt(results, RIGHT, cc, 2, 4))
        checks.append(no_worse_off(totals, both, who=TITLES[cc], over="paths"))
        checks.append(no_harm(shared, both, who=TITLES[cc], over="paths"))
        checks.append(balances(_balance(results, cc), plain, who=TITLES[cc], over="paths"))
        if cc != MPTCP:
            checks.extend(_slightly_less(mptcp, left, cc))
    return all_of(*checks)


@claim(
    "C-000-43",
    place="VI-A, summary",
    kind="qualitative",
    figure=2,
    suspects=SETTINGS,
    says="The three coupled controls significantly improve the fairness of a multipath flow over one bottleneck.",
    history=(Added(READ_AGAIN, "it holds; 8 paths were known from C-000-10"),),
)
def coupled_controls_improve_fairness(results: Evidence) -> Check:
    """Require at least 10 % more for the single-path flow than under plain CMT, with each number of paths."""
    plain = _single(results, RIGHT, PLAIN, 2, 8)
    return above(
        {(TITLES[cc], n): sample for cc in COUPLED for n, sample in _single(results, RIGHT, cc, 2, 8).items()},
        {(TITLES[cc], n): sample for cc in COUPLED for n, sample in plain.items()},
        times=SIGNIFICANTLY,
        what="non-CMT, coupled against plain CMT",
        over="paths",
    )


def _slightly_less(mptcp: dict[Any, Sample], beside: dict[Any, Sample], cc: str) -> tuple[Check, Check]:
    """Require less for the single-path flow under MPTCP-like than under a version of CMT/RP, but not much less."""
    what = f"non-CMT, MPTCP-like against {TITLES[cc]}"
    over = np.mean([mptcp[point] / beside[point] for point in mptcp], axis=0)
    return (
        below(mptcp, beside, slightly=True, what=what, over="paths"),
        near(over, 1.0, within=SLIGHT, what=f"{what}, mean ratio", unit=""),
    )


def _lead_in_smallest_windows(outcome: Outcome) -> float:
    """Return the lead of the multipath flow, divided by the rate of a window of one segment on each of its paths."""
    flows = outcome["flows"]
    least = sum(8.0 * UNIT / path["srtt"] for path in flows[CMT]["paths"].values())
    return float((flows[CMT]["goodput"] - flows[SINGLE]["goodput"]) / least)


def _single(results: Evidence, side: str, cc: str, low: int, high: int) -> dict[float, Sample]:
    """Return the single-path flow's rate for each number of paths in a range, Mbit/s."""
    return results.sweep(side, "paths", SINGLE, lambda n: low <= n <= high, cc=cc)


def _cmt(results: Evidence, side: str, cc: str, low: int, high: int) -> dict[float, Sample]:
    """Return the multipath flow's rate for each number of paths in a range, Mbit/s."""
    return results.sweep(side, "paths", CMT, lambda n: low <= n <= high, cc=cc)


def _imbalance(results: Evidence, cc: str, low: int, high: int) -> dict[float, Sample]:
    """Return the difference of both flows over one bottleneck, as a part of the fair share."""
    cmt, single = _cmt(results, RIGHT, cc, low, high), _single(results, RIGHT, cc, low, high)
    return {n: (cmt[n] - single[n]) / ((cmt[n] + single[n]) / 2.0) for n in cmt}


def _on_shared(results: Evidence, cc: str) -> dict[float, Sample]:
    """Return the multipath flow's rate on the shared path, with 2 to 4 disjoint paths, Mbit/s."""
    return results.sweep_on(LEFT, "paths", CMT, "path1", lambda n: 2 <= n <= 4, cc=cc)


def _balance(results: Evidence, cc: str) -> dict[float, Sample]:
    """Return the logarithm of the ratio of the loss rates on the shared path and the others, 2 to 4 disjoint paths."""
    return balance(results, LEFT, "paths", lambda n: 2 <= n <= 4, flow=CMT, shared="path1", cc=cc)


def _both(left: dict[Any, Sample], right: dict[Any, Sample]) -> dict[Any, Sample]:
    """Join the points of both plots of the figure."""
    disjoint = {key if isinstance(key, tuple) else ("disjoint", key): sample for key, sample in left.items()}
    return {**disjoint, **{("bottleneck", key): sample for key, sample in right.items()}}
