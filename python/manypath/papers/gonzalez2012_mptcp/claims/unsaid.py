"""Claims for sentences that had none: equal controls, signalling, full links, balance, and parallel connections."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manypath.papers.check import Check
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.gonzalez2012_mptcp.claims.register import ALL_SCENARIOS, SCENARIO_1, SCENARIO_2, SETTINGS, claim
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, EXACT, FLOWS, MPTCP, RENO, SHEETS, TCP_A, TCP_B
from manypath.papers.gonzalez2012_mptcp.throughput import beside, subflow, throughput
from manypath.papers.history import READ_AGAIN, Added
from manypath.papers.predicates import ABOUT, above, near


@claim(
    "C-001-23",
    place="3",
    kind="mechanism",
    suspects=("ack-every-1", "queue-half", "jitter", "min-rto-1s"),
    says="One shared value that approximates the maximum is enough: the control is that of the formula.",
    history=(
        Added(
            READ_AGAIN,
            "it holds; the table that compares both maxima was known, with differences below their intervals",
        ),
    ),
)
def the_approximated_maximum_is_enough(results: Evidence) -> Check:
    """Compare the throughput of every flow with that under the exact maximum, within 10 % of the printed mean."""
    what = "difference from the throughput with the exact maximum"
    return _alike(results, lambda number, flow: beside(results, number, flow, EXACT), what)


@claim(
    "C-001-24",
    place="3",
    kind="mechanism",
    suspects=SETTINGS,
    says="The signalling of MPTCP, which the implementation lacks, has no influence with greedy sources.",
    history=(Added(READ_AGAIN, "it holds; 20 more bytes of options are 1.4 % of a packet"),),
)
def signalling_has_no_influence(results: Evidence) -> Check:
    """Compare the throughput with and without 20 bytes of signalling in each segment, as in C-001-23."""
    what = "difference from the throughput with signalling"
    return _alike(results, lambda number, flow: throughput(results, "signalling", flow, scenario=number), what)


@claim(
    "C-001-25",
    place="4.3, table 1",
    kind="number",
    suspects=SETTINGS,
    fact=ALL_SCENARIOS,
    says="The sums of table 1 are 9.91, 14.92 and 9.77 Mbit/s, nearly the rates of the links.",
    history=(Added(READ_AGAIN, "it holds; drop-tail buffers of a bandwidth-delay product keep the links busy"),),
)
def the_links_are_full(results: Evidence) -> Check:
    """Compare the sums with those of the paper, within 3 %: the paper's sums are 97.7 to 99.5 % of the links."""
    sums = {number: _sum(results, number) for number in SHEETS}
    printed = {number: sum(sheet.throughput.values()) for number, sheet in SHEETS.items()}
    lowest = min(printed.values())
    return near(sums, printed, within=0.03 * lowest, what="sum of all three flows", over="(scenario)")


@claim(
    "C-001-26",
    place="1 and 5",
    kind="qualitative",
    figure=5,
    suspects=SETTINGS,
    fact=SCENARIO_2,
    says="Third goal: MPTCP moves traffic away from the more congested link.",
    history=(
        Added(
            READ_AGAIN,
            "it holds; by the formula the windows are as the inverse of the loss rates, and those of uncoupled "
            "subflows as the inverse of their square roots",
        ),
    ),
)
def traffic_moves_away_from_the_congested_link(results: Evidence) -> Check:
    """Compare the part over A, the link with more capacity for each flow, with that of uncoupled subflows."""
    part, uncoupled = (_part_over_a(results, cc) for cc in (APPROXIMATED, RENO))
    return above(part, uncoupled, what="part of MPTCP that goes over A, against uncoupled subflows", unit="")


@claim(
    "C-001-27",
    place="5",
    kind="qualitative",
    figure=4,
    suspects=("jitter", "queue-half", "queue-double", "settled"),
    fact=SCENARIO_1,
    says="Several TCP connections in parallel, without coupling, would be unfair.",
    history=(Added(READ_AGAIN, "it holds; two uncoupled subflows get about two times the rate of one TCP"),),
)
def parallel_connections_are_unfair(results: Evidence) -> Check:
    """Require that two uncoupled subflows together get more than each TCP, and more than linked ones."""
    parallel = beside(results, 1, MPTCP, RENO)
    others = {FLOWS[flow]: beside(results, 1, flow, RENO) for flow in (TCP_A, TCP_B)}
    others["MPTCP with linked increases"] = beside(results, 1, MPTCP, APPROXIMATED)
    return above(dict.fromkeys(others, parallel), others, what="two uncoupled subflows, against")


def _alike(results: Evidence, other: Callable[[int, str], Sample], what: str) -> Check:
    """Require that no flow of any scenario differs from another sample by 10 % of its printed mean."""
    printed = {(number, flow): rate for number, sheet in SHEETS.items() for flow, rate in sheet.throughput.items()}
    differences = {
        (number, FLOWS[flow]): (beside(results, number, flow, APPROXIMATED) - other(number, flow)) / rate
        for (number, flow), rate in printed.items()
    }
    return near(differences, 0.0, within=ABOUT, what=what, unit="of the printed mean", over="(scenario, flow)")


def _sum(results: Evidence, number: int) -> Sample:
    return np.sum([beside(results, number, flow, APPROXIMATED) for flow in FLOWS], axis=0)


def _part_over_a(results: Evidence, cc: str) -> Sample:
    """Return the part of MPTCP's throughput over the faster link of scenario 2."""
    return subflow(results, 2, "a", cc) / beside(results, 2, MPTCP, cc)
