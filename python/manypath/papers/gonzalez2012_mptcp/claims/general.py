"""Claims of table 1 and of sections 4.1, 4.3 and 5 about all scenarios."""

from __future__ import annotations

from manypath.papers.check import Check, all_of
from manypath.papers.evidence import Evidence
from manypath.papers.gonzalez2012_mptcp.claims.register import ALL_SCENARIOS, SETTINGS, claim
from manypath.papers.gonzalez2012_mptcp.claims.sharing import means, one_run
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, MPTCP, PATHS, RIVALS, SHEETS, TCP_A, TCP_B
from manypath.papers.gonzalez2012_mptcp.seconds import offered
from manypath.papers.gonzalez2012_mptcp.throughput import beside, links, single, subflow
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.predicates import above, below
from manypath.papers.words import SLIGHT


@claim(
    "C-001-17",
    place="4.3, table 1",
    kind="number",
    suspects=SETTINGS,
    fact=ALL_SCENARIOS,
    says="The nine means of table 1, which are those of C-001-8, C-001-11 and C-001-14.",
)
def the_nine_means_of_table_1(results: Evidence) -> Check:
    """Compare all means within 10 %."""
    return all_of(*(means(results, number) for number in SHEETS))


@the_nine_means_of_table_1.explain
def one_run_of_each_scenario(results: Evidence) -> str:
    """Report the paper's single runs beside the range of ours."""
    return " ".join(one_run(results, number) for number in SHEETS)


@claim(
    "C-001-18",
    place="4.3",
    kind="ordering",
    suspects=SETTINGS,
    fact=ALL_SCENARIOS,
    says="In no scenario does a subflow get more than the single TCP connection on its link.",
)
def no_subflow_exceeds_the_tcp_beside_it(results: Evidence) -> Check:
    """Compare both on each link of each scenario."""
    return below(
        {(number, path): subflow(results, number, path, APPROXIMATED) for number, path in links()},
        {(number, path): beside(results, number, RIVALS[path], APPROXIMATED) for number, path in links()},
        what="subflow against TCP on its link",
        over="(scenario, link)",
    )


@claim(
    "C-001-19",
    place="4.1",
    kind="mechanism",
    suspects=("settled", "ack-every-1", "queue-half", "queue-double"),
    says="The instantaneous throughput at the senders may slightly exceed the rate of the bottleneck.",
    history=(
        Revised(
            READ_AGAIN,
            before="it exceeds the rate of each link in each scenario",
            after="of some link",
            why="the text says that it can",
            verdict="holds",
        ),
    ),
)
def senders_exceed_the_bottleneck_slightly(results: Evidence) -> Check:
    """Require that the largest rate in one second exceeds the rate of some link, and of none by a quarter."""
    peaks = {
        (number, path): results.of_traces(
            lambda trace, path=path, number=number: float(offered(trace, path).max()) / SHEETS[number].rates[path],
            SHEETS[number].experiment,
            cc=APPROXIMATED,
        )
        for number, path in links()
    }
    what, over = "largest rate in one second over the rate of the link", "(scenario, link)"
    highest = max(peaks, key=lambda link: float(peaks[link].mean()))
    return all_of(
        above({highest: peaks[highest]}, 1.0, what=what, unit="", over=over),
        below(peaks, 1.0 + SLIGHT, what=what, unit="", over=over),
    )


@claim(
    "C-001-20",
    place="4.3 and 5",
    kind="qualitative",
    suspects=SETTINGS,
    fact=ALL_SCENARIOS,
    says="In all scenarios MPTCP gets at least what a single TCP would get on the better path, and takes no more of a "
    "link than a single TCP would. Perfect sharing is not always reached.",
)
def two_goals_are_met_and_perfect_pooling_is_not(results: Evidence) -> Check:
    """Compare with a TCP in place of each subflow, and require unequal shares in scenario 2, by 10 % or more."""
    others = {(number, path): single(results, number, path) for number, path in links()}
    best = {number: max((others[number, path] for path in PATHS), key=lambda rate: rate.mean()) for number in SHEETS}
    return all_of(
        above(
            {number: beside(results, number, MPTCP, APPROXIMATED) for number in SHEETS},
            best,
            what="MPTCP against TCP in its place on the better path",
            over="(scenario)",
        ),
        below(
            {(number, path): subflow(results, number, path, APPROXIMATED) for number, path in links()},
            others,
            what="subflow against TCP in its place",
            over="(scenario, link)",
        ),
        above(
            beside(results, 2, TCP_A, APPROXIMATED),
            beside(results, 2, TCP_B, APPROXIMATED),
            times=1.1,
            what="scenario 2, TCP on A against TCP on B",
        ),
    )
