"""Tables of our own: convergence of weights, BMC and other controls, RTT bias, slow start, errors of the thesis."""

from __future__ import annotations

import numpy as np

from manypath.papers.evidence import Evidence
from manypath.papers.honda2009_bmc.measures import curves, over_mean_tcp, rates, time_until, wandering, weight
from manypath.papers.honda2009_bmc.names import BUNDLE, CONTROLS, IDEAL, TCP, TITLES
from manypath.papers.honda2009_bmc.proportion import EIGHT, TEN
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable


def _controls(evidence: Evidence) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for cc in _run(evidence, "shared-controls"):
        limited = evidence.goodput("figure3.1-controls", BUNDLE, cc=cc)
        limited_tcp = evidence.goodput("figure3.1-controls", f"{TCP}1", cc=cc)
        pooled = evidence.goodput("figure4.1", BUNDLE, cc=cc)
        rest = [evidence.goodput("figure4.1", f"{TCP}-{path}", cc=cc) for path in (EIGHT, TEN)]
        own = evidence.goodput("private-controls", BUNDLE, cc=cc)
        own_tcp = evidence.goodput("private-controls", TCP, cc=cc)
        rows.append(
            (
                TITLES[cc],
                estimate(over_mean_tcp(evidence, "shared-controls", BUNDLE, cc=cc)),
                estimate(limited),
                estimate(limited / limited_tcp),
                estimate(pooled),
                " and ".join(estimate(each) for each in rest),
                estimate(own),
                estimate(own_tcp),
            )
        )
    return rows


COMPARISON = PaperTable(
    name="BMC beside other controls",
    caption="A bundle of two subflows, with 95 % intervals; rates in Mbit/s of payload. One bottleneck: 20 Mbit/s with "
    "three TCP flows. Figure 3.1: 4 and 12 Mbit/s in front of 30 Mbit/s that a TCP flow shares. Figure 4.1: 8 and 10 "
    "Mbit/s with a TCP flow each. Own path: 4 Mbit/s without other flows, 10 Mbit/s with a TCP flow.",
    head=(
        "control",
        "one bottleneck: bundle over TCP",
        "figure 3.1: bundle",
        "over TCP",
        "figure 4.1: bundle",
        "TCP on 8 and on 10",
        "own path: bundle",
        "TCP",
    ),
    rows=_controls,
)


def _bias(evidence: Evidence) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for cc in _run(evidence, "rtt"):
        for longer in evidence.levels("rtt", "longer"):
            near, far = (evidence.goodput("rtt", f"{TCP}{n}", cc=cc, longer=longer) for n in (1, 2))
            paths = [evidence.goodput_on("rtt", BUNDLE, f"path{n}", cc=cc, longer=longer) for n in (1, 2)]
            total = paths[0] + paths[1]
            rows.append(
                (
                    TITLES[cc],
                    f"{longer:g}",
                    *(estimate(each) for each in (*paths, near, far)),
                    estimate(2.0 * total / (near + far)),
                )
            )
    return rows


BIAS = PaperTable(
    name="Different round-trip times",
    caption="One bottleneck of 20 Mbit/s. The bundle has a near subflow (round-trip time 48 ms) and a far one with an "
    "additional delay in each direction. A near and a far TCP flow compete. Mbit/s of payload, 95 % intervals.",
    head=(
        "control",
        "additional delay, ms",
        "near subflow",
        "far subflow",
        "near TCP",
        "far TCP",
        "bundle over mean TCP",
    ),
    rows=_bias,
)


def _slow_start(evidence: Evidence) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for subflows in evidence.levels("slow-start", "subflows"):
        bundle = evidence.goodput("slow-start", BUNDLE, subflows=int(subflows))
        young = evidence.goodput("slow-start", f"{TCP}1", subflows=int(subflows))
        old = evidence.of_outcomes(
            lambda outcome: float(np.delete(rates(outcome, TCP), 0).mean()), "slow-start", subflows=int(subflows)
        )
        rows.append((f"{subflows:g}", *(estimate(each) for each in (bundle, young, old, bundle / young))))
    return rows


SLOW_START = PaperTable(
    name="Slow start",
    caption="The first 5 s of BMC and of a young TCP flow that starts at the same time, on 60 Mbit/s with four old TCP "
    "flows. Weights do not affect slow start. Mbit/s of payload, 95 % intervals.",
    head=("subflows", "bundle", "young TCP", "mean of the old TCP", "bundle over young TCP"),
    rows=_slow_start,
)


def _course(evidence: Evidence) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for interval in evidence.levels("figure4.1-managed", "interval"):
        for gain in evidence.levels("figure4.1-managed", "gain"):
            found = curves(evidence, "figure4.1-managed", interval=interval, gain=gain)
            later = [weight(trace, EIGHT) for trace in found]
            bundle = evidence.goodput("figure4.1-managed", BUNDLE, interval=interval, gain=gain)
            rows.append(
                (
                    f"{interval:g}",
                    f"{gain:g}",
                    estimate(np.array([time_until(trace, EIGHT, *IDEAL) for trace in found])),
                    estimate(np.array([curve[len(curve) // 2 :].mean() for curve in later])),
                    estimate(np.array([wandering(trace, EIGHT) for trace in found])),
                    estimate(bundle),
                )
            )
    return rows


COURSES = PaperTable(
    name="Convergence of weights",
    caption="Figure 4.1 with an initial weight of 9/10 on the slower link, over 600 s: the first time at which this "
    "weight is between 0.25 and 0.42, its mean and its standard deviation in the second half, and the bundle's total "
    "rate.",
    head=("J, s", "K", "settled after, s", "mean weight", "deviation", "bundle, Mbit/s"),
    rows=_course,
)


ERRORS = PaperTable(
    name="Errors of the thesis",
    caption="Printed statements, and the correct ones from the thesis's own formulas or figures.",
    head=("place", "printed", "right"),
    rows=lambda _: [
        ("2.1", "one loss reduces the rate of N subflows from T to (N - 1)T + T/2", "from N·T"),
        ("equation 2.4", "the sum begins at n = 0", "at n = 1"),
        ("3.2", "doubling J doubles the speed of convergence", "its time"),
        ("4.1", "T_wr of 3/4 and 3/5 with weights of 1/2", "16/3 and 20/3; the conclusion remains correct"),
        (
            "4.1",
            "equal T_wr maximises throughput",
            "D = 1/3 and D = 1/2 both give 6 Mbit/s; the maximum is 6.04 at D = 0.416",
        ),
        ("5.1", "seven weights", "eight: figure 5.5 shows 3/5"),
        (
            "5.2, figure 5.16",
            "weights of 3, 4, 5 and 5 eighteenths",
            "3, 4, 5 and 6, as in the caption; they add up to 1",
        ),
        (
            "5.1, figure 5.11",
            "nearly equal loss-event rates with 1, 2 and 4 flows",
            "a rate in proportion to 1/W² grows sixteenfold from 1 to 4",
        ),
    ],
)


def _run(evidence: Evidence, experiment: str) -> list[str]:
    """Return the controls that were run, in the order of the comparison."""
    found = {case["cc"] for case in evidence.cases() if case.experiment == experiment}
    return [cc for cc in CONTROLS if cc in found]


TABLES = (COMPARISON, COURSES, BIAS, SLOW_START, ERRORS)
"""All tables, in the order of the page."""
