"""Claims of section 4.3, figures 4 to 6: throughput of MPTCP and of the competing TCP connections."""

from __future__ import annotations

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.gonzalez2012_mptcp.claims.register import (
    SCENARIO_1,
    SCENARIO_2,
    SCENARIO_3,
    SETTINGS,
    claim,
)
from manypath.papers.gonzalez2012_mptcp.names import (
    APPROXIMATED,
    FLOWS,
    HALVES,
    MPTCP,
    PATHS,
    RENO,
    SHEETS,
    TCP_A,
    TCP_B,
    TITLES,
)
from manypath.papers.gonzalez2012_mptcp.seconds import of_the_other_subflow, time_ahead, unsteadiness
from manypath.papers.gonzalez2012_mptcp.throughput import beside, single, subflow
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, near
from manypath.papers.words import SIMILAR, SLIGHT

FLAPPING = ("settled", "lia", "red", "queue-half", "queue-double")


@claim(
    "C-001-8",
    place="4.3, figure 4",
    kind="number",
    figure=4,
    suspects=SETTINGS,
    fact=SCENARIO_1,
    says="Scenario 1: MPTCP 3.54, TCP on A 3.13, TCP on B 3.24 Mbit/s over 85 s.",
)
def means_of_scenario_1(results: Evidence) -> Check:
    """Compare the means within 10 %."""
    return means(results, 1)


@claim(
    "C-001-9",
    place="4.3, figure 4",
    kind="ordering",
    figure=4,
    suspects=SETTINGS,
    fact=SCENARIO_1,
    says="Scenario 1: all three connections get similar throughput, MPTCP slightly more than each TCP.",
)
def mptcp_is_slightly_ahead_on_equal_links(results: Evidence) -> Check:
    """Require similar rates, and MPTCP ahead on average."""
    mptcp = beside(results, 1, MPTCP, APPROXIMATED)
    rivals = {FLOWS[flow]: beside(results, 1, flow, APPROXIMATED) for flow in (TCP_A, TCP_B)}
    return all_of(
        near(
            {name: rate / mptcp for name, rate in rivals.items()}, 1.0, within=SIMILAR, what="TCP over MPTCP", unit=""
        ),
        above(dict.fromkeys(rivals, mptcp), rivals, slightly=True, what="MPTCP against TCP"),
    )


@claim(
    "C-001-10",
    place="4.3, figure 4",
    kind="mechanism",
    figure=4,
    suspects=FLAPPING,
    fact=SCENARIO_1,
    says="Scenario 1: the subflows flap somewhat, but MPTCP's long-term rate is stable: when a subflow by chance "
    "exceeds the TCP connection on its link, the rate of the other subflow decreases.",
)
def subflows_compensate_each_other(results: Evidence) -> Check:
    """Require some time with a subflow ahead of TCP, a slower other subflow meanwhile, and steady 20 s rates."""
    experiment, cc = SHEETS[1].experiment, APPROXIMATED
    ahead = results.of_traces(time_ahead, experiment, cc=cc)
    while_ahead, otherwise = (
        results.of_traces(lambda trace, ahead=ahead: of_the_other_subflow(trace, ahead=ahead), experiment, cc=cc)
        for ahead in (True, False)
    )
    return all_of(
        above(ahead, 0.05, what="time with a subflow ahead of TCP", unit="of all"),
        below(ahead, 0.5, what="time with a subflow ahead of TCP", unit="of all"),
        below(while_ahead, otherwise, what="other subflow meanwhile, against other times"),
        below(
            results.of_traces(unsteadiness, experiment, cc=cc),
            0.2,
            what="deviation of MPTCP's rate over 20 s",
            unit="of the mean",
        ),
    )


@claim(
    "C-001-11",
    place="4.3, figure 5",
    kind="number",
    figure=5,
    suspects=SETTINGS,
    fact=SCENARIO_2,
    says="Scenario 2: MPTCP 5.73, TCP on A 6.0, TCP on B 3.19 Mbit/s.",
)
def means_of_scenario_2(results: Evidence) -> Check:
    """Compare the means within 10 %."""
    return means(results, 2)


@claim(
    "C-001-12",
    place="4.3, figure 5",
    kind="ordering",
    figure=5,
    suspects=SETTINGS,
    fact=SCENARIO_2,
    says="Scenario 2: the equal share of 5 Mbit/s each is not reached, because MPTCP keeps traffic on B.",
    history=(
        Revised(
            READ_AGAIN,
            before="more than a tenth of link B for the subflow, and less than nine tenths for TCP",
            after="also more for TCP on A than for TCP on B",
            why="the text says that equal sharing is not reached, which the parts of link B alone do not show",
            verdict="holds",
        ),
    ),
)
def mptcp_keeps_traffic_on_the_worse_link(results: Evidence) -> Check:
    """Require a tenth of link B for the subflow, less than 90 % of it for TCP, and unequal TCP connections."""
    tcp_b = beside(results, 2, TCP_B, APPROXIMATED)
    return all_of(
        above(subflow(results, 2, "b", APPROXIMATED), 0.5, what="subflow on B"),
        below(tcp_b, 4.5, what="TCP on B"),
        above(beside(results, 2, TCP_A, APPROXIMATED), tcp_b, times=1.1, what="TCP on A against TCP on B"),
    )


@claim(
    "C-001-13",
    place="4.3, figure 5",
    kind="qualitative",
    figure=5,
    suspects=SETTINGS,
    fact=SCENARIO_2,
    says="Scenario 2: MPTCP gets at least what a single TCP would get on the better path.",
    history=(
        Revised(
            READ_AGAIN,
            before="also half of link A for a single TCP in place of MPTCP",
            after="the comparison alone",
            why="the text states no rate of that TCP",
            verdict="holds",
        ),
    ),
)
def mptcp_beats_one_tcp_on_the_best_path(results: Evidence) -> Check:
    """Compare with a second TCP connection on A."""
    return above(
        beside(results, 2, MPTCP, APPROXIMATED), single(results, 2, "a"), what="MPTCP against TCP in its place on A"
    )


@claim(
    "C-001-14",
    place="4.3, figure 6",
    kind="number",
    figure=6,
    suspects=SETTINGS,
    fact=SCENARIO_3,
    says="Scenario 3: MPTCP 3.34, TCP on A 3.56, TCP on B 2.87 Mbit/s.",
)
def means_of_scenario_3(results: Evidence) -> Check:
    """Compare the means within 10 %."""
    return means(results, 3)


@claim(
    "C-001-15",
    place="4.3, figure 6",
    kind="ordering",
    figure=6,
    suspects=("jitter", "queue-half", "mptcp-late", "queue-half, mptcp-late", *SETTINGS[3:]),
    fact=SCENARIO_3,
    says="Scenario 3: MPTCP gets about a third of the total capacity; TCP on A gets slightly more, TCP on B slightly "
    "less.",
    history=(
        Revised(
            READ_AGAIN,
            before="about a third; in the mean over runs TCP on A is ahead of MPTCP, and TCP on B behind",
            after="about a third; TCP on A has a rate similar to MPTCP's, TCP on B less than both",
            why="the text shows one run and calls the lead of TCP on A slight; by section 2 MPTCP aims at the rate of "
            "one TCP on the best path, which is A, so that nothing states an order of their means",
            verdict="contradicted",
        ),
        Revised(
            READ_AGAIN,
            before="TCP on A has a rate similar to MPTCP's, TCP on B less than both",
            after="TCP on A is ahead of MPTCP, too, and TCP on B has at most 25 % less",
            why="the text says slightly higher and slightly lower, as readers of the text alone insist",
            verdict="contradicted",
        ),
    ),
)
def mptcp_lies_between_both_tcp_connections(results: Evidence) -> Check:
    """Compare MPTCP with a third within 10 %; require TCP on A slightly above it, and TCP on B slightly below both."""
    rates = {flow: beside(results, 3, flow, APPROXIMATED) for flow in FLOWS}
    third = 1.0 / 3.0
    others = {FLOWS[flow]: rates[flow] for flow in (MPTCP, TCP_A)}
    return all_of(
        near(
            rates[MPTCP] / np.sum(list(rates.values()), axis=0),
            third,
            within=0.1 * third,
            what="MPTCP's part of all",
            unit="",
        ),
        above(rates[TCP_A], rates[MPTCP], what="TCP on A against MPTCP"),
        near(rates[TCP_A] / rates[MPTCP], 1.0, within=SIMILAR, what="TCP on A over MPTCP", unit=""),
        below(dict.fromkeys(others, rates[TCP_B]), others, what="TCP on B, against"),
        near(rates[TCP_B] / rates[MPTCP], 1.0, within=SLIGHT, what="TCP on B over MPTCP", unit=""),
    )


@claim(
    "C-001-16",
    place="4.3, figure 6",
    kind="ordering",
    figure=6,
    suspects=SETTINGS,
    fact=SCENARIO_3,
    says="Scenario 3: MPTCP takes slightly more of the link with the longer delay.",
    history=(
        Revised(
            READ_AGAIN,
            before="the subflow on B is ahead of that on A, and more of the traffic goes over B than with "
            "subflows that do not compensate for round-trip times",
            after="the subflow on B is ahead of that on A",
            why="this is what the sentence says about the figure; the cause that it names is now C-001-22",
            verdict="contradicted",
        ),
        Revised(
            READ_AGAIN,
            before="the subflow on B is ahead of that on A",
            after="ahead by at most a quarter of a link's capacity",
            why="the text says slightly more capacity; by table 1 the lead is at least 9 % of a link",
            verdict="holds",
        ),
    ),
)
def mptcp_takes_more_of_the_longer_path(results: Evidence) -> Check:
    """Require a lead of the subflow on B, of at most a quarter of the capacity of its link."""
    rates = {path: subflow(results, 3, path, APPROXIMATED) for path in PATHS}
    return all_of(
        above(rates["b"], rates["a"], what="subflow on B against A"),
        below(rates["b"] - rates["a"], SLIGHT * SHEETS[3].rates["b"], what="lead of the subflow on B"),
    )


@claim(
    "C-001-22",
    place="4.3, figure 6",
    kind="mechanism",
    figure=6,
    suspects=SETTINGS,
    fact=SCENARIO_3,
    says="Scenario 3: the reason for more traffic on the link with the longer delay is that MPTCP compensates for "
    "round-trip times.",
    history=(
        Revised(
            READ_AGAIN,
            before="part of C-001-16",
            after="the same as a claim of its own",
            why="it is the cause that the sentence names",
            verdict="contradicted",
        ),
    ),
)
def compensation_is_the_reason(results: Evidence) -> Check:
    """Compare the part of the traffic over B with that of subflows without compensation.

    These are uncoupled or have fixed weights: chance and drop-tail buffers may favour B under them, too.
    """
    part = _part_over_b(results, APPROXIMATED)
    others = {TITLES[cc]: _part_over_b(results, cc) for cc in (RENO, HALVES)}
    return above(dict.fromkeys(others, part), others, what="part of MPTCP that goes over B, against", unit="")


@mptcp_lies_between_both_tcp_connections.explain
def order_of_mptcp_and_tcp_is_random(results: Evidence) -> str:
    """Report the number of runs with the paper's order; linked increases aim at a tie on the better path."""
    view = results.under(None)
    mptcp, tcp_a, tcp_b = (beside(view, 3, flow, APPROXIMATED) for flow in (MPTCP, TCP_A, TCP_B))
    alike = np.count_nonzero((tcp_a > mptcp) & (mptcp > tcp_b))
    return (
        "Linked increases aim at the rate of one TCP on the better path, which is A. So the order of MPTCP and TCP on "
        f"A in one run is random. {alike} of {len(mptcp)} runs have the paper's order here."
    )


@means_of_scenario_1.explain
def one_run_of_scenario_1(results: Evidence) -> str:
    """Report the paper's single run beside the range of ours."""
    return one_run(results, 1)


@means_of_scenario_2.explain
def one_run_of_scenario_2(results: Evidence) -> str:
    """Report the paper's single run beside the range of ours."""
    return one_run(results, 2)


@means_of_scenario_3.explain
def one_run_of_scenario_3(results: Evidence) -> str:
    """Report the paper's single run beside the range of ours."""
    return one_run(results, 3)


def _part_over_b(results: Evidence, cc: str) -> Sample:
    """Return the part of MPTCP's throughput over the longer path in scenario 3."""
    return subflow(results, 3, "b", cc) / beside(results, 3, MPTCP, cc)


def means(results: Evidence, number: int) -> Check:
    """Compare the mean throughput of each flow of a scenario with table 1, within 10 %."""
    return all_of(
        *(
            near(
                beside(results, number, flow, APPROXIMATED),
                value,
                within=0.1 * value,
                what=f"scenario {number}, {FLOWS[flow]}",
            )
            for flow, value in SHEETS[number].throughput.items()
        )
    )


def one_run(results: Evidence, number: int) -> str:
    """Return a sentence with the paper's single run and the mean and range of ours."""
    view = results.under(None)
    listed = []
    for flow, value in SHEETS[number].throughput.items():
        rates = beside(view, number, flow, APPROXIMATED)
        listed.append(
            f"{FLOWS[flow]} {value:g}, here {estimate(rates)}, single runs {rates.min():.2f} to {rates.max():.2f}"
        )
    return f"The paper shows one run of scenario {number} (Mbit/s): {'; '.join(listed)}."
