"""Claims about the testbed, figures 3(b) and 4(b): measured runs beside simulations with the same seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz import ALL, COUPLED, PLAIN, TITLES
from manypath.papers.dreibholz2012_testbed.claims import figure3, figure4
from manypath.papers.dreibholz2012_testbed.claims.register import claim, not_measured
from manypath.papers.dreibholz2012_testbed.measured import measured, simulated
from manypath.papers.dreibholz2012_testbed.names import CMT, SINGLE
from manypath.papers.dreibholz2012_testbed.printed import AHEAD
from manypath.papers.evidence import Evidence
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.predicates import above, below, near
from manypath.papers.words import SIMILAR, SLIGHT

UP_TO_SLIGHT = Revised(
    READ_AGAIN,
    "the order of the mean rates over the rates of the bottleneck",
    "the order, and mean rates that differ by at most 25 %",
    "the text says slightly, for which all papers have 25 %",
    "holds",
)
"""The change of both claims about a testbed that is slightly less aggressive."""


@claim(
    "C-004-3",
    place="IV-A, figure 3(b)",
    kind="ordering",
    figure=3,
    says="In the measurement, plain CMT takes slightly less and the single-path flow slightly more than in the "
    "simulation, presumably because burst mitigation and CMT fast recovery are implemented differently.",
    history=(UP_TO_SLIGHT,),
)
def the_testbed_is_slightly_less_aggressive_under_plain_cmt(_results: Evidence) -> Check:
    """Compare both flows over usrsctp with simulations that have the same seeds, on average over the rates."""
    return _less_aggressive_than_simulated((PLAIN,))


@claim(
    "C-004-6",
    place="IV-A, figure 3(b)",
    kind="ordering",
    figure=3,
    says="In the measurement, coupled CMT, too, is slightly less aggressive than in the simulation and leaves more to "
    "the single-path flow.",
    history=(UP_TO_SLIGHT,),
)
def the_testbed_is_slightly_less_aggressive_under_coupling(_results: Evidence) -> Check:
    """Compare both flows over usrsctp with simulations that have the same seeds, on average over the rates."""
    return _less_aggressive_than_simulated(COUPLED)


@claim(
    "C-004-15",
    place="I, IV-A and IV-B, figures 3(b) and 4(b)",
    kind="number",
    figure=4,
    says="The measurement validates the simulation: their rates are similar in both scenarios, and differ slightly in "
    "the bottleneck scenario.",
    history=(
        Revised(
            READ_AGAIN,
            "nine claims about the simulation hold for the measured runs, with the printed numbers of the simulation",
            "measured and simulated rates differ by at most 15 %",
            "section I validates the simulation model “by comparing the results of simulations and testbed "
            "experiments”",
            "contradicted",
        ),
        Revised(
            READ_AGAIN,
            "measured and simulated rates differ by at most 15 %",
            "by at most 25 % in figure 3, and by at most 15 % in figure 4",
            "section IV-A calls measured rates slightly lower than simulated ones, for which all papers have 25 %; "
            "section IV-B has no such sentence",
            "undecided",
        ),
    ),
)
def the_measurement_validates_the_simulation(_results: Evidence) -> Check:
    """Compare each measured rate with that of simulations with the same seeds."""
    runs, simulations = measured(), simulated()
    if not runs.levels(figure3.FIGURE, "rate") or not runs.levels(figure4.FIGURE, "south"):
        return not_measured("measured and simulated rates of figures 3 and 4 alike")
    checks: list[Check] = []
    for experiment, factor, within in ((figure3.FIGURE, "rate", SLIGHT), (figure4.FIGURE, "south", SIMILAR)):
        over = {
            (TITLES[cc], name, level): runs.goodput(experiment, flow, cc=cc, **{factor: level})
            / simulations.goodput(experiment, flow, cc=cc, **{factor: level})
            for cc in ALL
            for level in simulations.levels(experiment, factor)
            for flow, name in ((CMT, "CMT"), (SINGLE, "non-CMT"))
        }
        what = f"{experiment}, measured over simulated rate"
        checks.append(near(over, 1.0, within=within, what=what, unit="", over="Mbit/s"))
    return all_of(*checks)


@claim(
    "C-004-19",
    place="IV-A and IV-B, figures 3(b) and 4(b)",
    kind="ordering",
    figure=4,
    says="The measurement shows what the simulation shows: plain CMT takes twice the rate, coupled controls share the "
    "bottleneck, CMT/RPv1 is not useful with dissimilar paths, the other controls are, and with a fast south the "
    "single-path flow gets more than the CMT flow.",
    history=(
        Added(
            READ_AGAIN,
            "it holds; of C-004-15 as it was, only the printed distance of C-004-8 and the crossing of C-004-10 failed",
        ),
        Revised(
            READ_AGAIN,
            "coupled controls share the bottleneck as in C-004-4, with a lead of the CMT flow",
            "without this lead",
            "the text says that the testbed is less aggressive, which leaves more to the single-path flow",
            "undecided",
        ),
    ),
)
def the_testbed_confirms_the_orderings(_results: Evidence) -> Check:
    """Check the claims in `CONFIRMED` with the measured runs of usrsctp. Each result names its claim by number.

    Runs are paired by their seeds, so each claim is checked with equally many runs of the cases that it reads.
    """
    runs = measured()
    if not runs.levels(figure3.FIGURE, "rate") or not runs.levels(figure4.FIGURE, "south"):
        return not_measured("every ordering of figures 3(a) and 4(a)")
    return all_of(*(part for name, check in CONFIRMED.items() for part in _named(name, _paired(check, runs))))


def _less_aggressive_than_simulated(controls: tuple[str, ...]) -> Check:
    """Require the CMT flow slightly below and the single-path flow slightly above its simulation, by each control."""
    runs, simulations = measured(), simulated()
    if not simulations.levels(figure3.FIGURE, "rate"):
        return not_measured("the CMT flow below the simulated one, the single-path flow above it")
    checks: list[Check] = []
    for cc in controls:
        for test, flow, words in ((below, CMT, "CMT"), (above, SINGLE, "non-CMT")):
            what = f"{TITLES[cc]}, {words}: usrsctp against simulated"
            by_usrsctp = runs.sweep(figure3.FIGURE, "rate", flow, cc=cc)
            expected = simulations.sweep(figure3.FIGURE, "rate", flow, cc=cc)
            over = np.mean([by_usrsctp[rate] / expected[rate] for rate in expected], axis=0)
            checks.append(test(by_usrsctp, expected, slightly=True, what=what, over=figure3.OVER))
            checks.append(near(over, 1.0, within=SLIGHT, what=f"{what}, mean ratio over the rates", unit=""))
    return all_of(*checks)


def _paired(check: Callable[[Evidence], Check], runs: Evidence) -> Check:
    """Check a claim with the smallest number of runs of the cases that it reads, for all of them."""
    single = runs.first(1)
    check(single)
    return check(runs.first(runs.fewest(single.read)))


def _named(name: str, check: Check) -> list[Check]:
    """Return the parts of a check, each with the number of its claim in front."""
    return [
        replace(
            leaf,
            what=f"{name}, {leaf.what}",
            measured=f"{name}, {leaf.measured}",
            expected=f"{name}, {leaf.expected}",
        )
        for leaf in check.leaves()
    ]


def _overtaken(results: Evidence) -> Check:
    """Require a lead of the single-path flow above the crossings of C-004-12 and -13."""
    return all_of(
        *(
            below(
                np.mean(list(figure4.leads(results, cc, figure4.beyond(cc)).values()), axis=0),
                0.0,
                what=f"{TITLES[cc]}, CMT - non-CMT above {AHEAD[cc]:g} Mbit/s",
            )
            for cc in figure4.SUITED
        )
    )


def _about_twice(results: Evidence) -> Check:
    """Require about twice the rate of the single-path flow: `slightly` less aggressive than in simulation (C-004-3)."""
    cmt, single = (results.sweep(figure3.FIGURE, "rate", flow, cc=PLAIN) for flow in (CMT, SINGLE))
    found = {rate: cmt[rate] / single[rate] for rate in cmt}
    return near(found, 2.0, within=2.0 * SLIGHT, what="CMT : non-CMT", unit="", over=figure3.OVER)


CONFIRMED: dict[str, Callable[[Evidence], Check]] = {
    "C-004-2": _about_twice,
    "C-004-4": figure3.little_difference,
    "C-004-9": figure4.bounds_reject_only_rpv1,
    "C-004-11": figure4.rpv2_and_mptcp_like_keep_the_bounds,
    "C-004-12 and -13": _overtaken,
}
"""Claims that are checked with simulations and with measurements: they read only the runs of figures 3 and 4."""
