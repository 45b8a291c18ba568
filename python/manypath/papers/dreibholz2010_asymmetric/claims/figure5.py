"""Claims of section VI-B, figure 5: unordered transfer by plain CMT over rate, errors or delay of the second path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from manypath.papers.check import Check, all_of
from manypath.papers.dreibholz2010_asymmetric.claims.register import along, claim, counted, lossy, rate, rates
from manypath.papers.dreibholz2010_asymmetric.claims.suspects import DAMAGE, QUEUES
from manypath.papers.dreibholz2010_asymmetric.names import (
    ALMOST_NOTHING,
    ASYMMETRIC,
    BOTH,
    LONG,
    NONE,
    SACK_PATHS,
    ideal,
)
from manypath.papers.evidence import Evidence, Level, Sample
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.paired import estimate
from manypath.papers.predicates import above, below, near, rises_with
from manypath.papers.words import SIGNIFICANTLY

RATE, ERRORS, DELAY, BUFFERS = "figure5-rate", "figure5-errors", "figure5-delay", "figure5-buffers"
TIMEOUTS = "figure5-timeouts"
SPLITS = (NONE, BOTH)
SETTINGS = ("renegable", "sack-now-off", "mixed-messages")
SACKS = ("sack-first", "sack-smallest", "sack-round-robin")
RARE = "window-60, sack-round-robin"
READ_AS_A_TENTH = (
    Revised(
        READ_AGAIN,
        "less than 5 % of the rate of both links",
        "less than 10 %",
        "the words describe a plot whose axis reaches the rate of both links, and about has 10 %; the limit of 5 % had "
        "no reason",
        "contradicted",
    ),
)


@claim(
    "C-002-9",
    place="VI-B, figure 5 left",
    kind="number",
    figure=5,
    suspects=QUEUES,
    says="With neither buffer splitting nor NR-SACK, the rate falls to almost zero on highly asymmetric links, such as "
    "1 Mbit/s.",
    history=READ_AS_A_TENTH,
)
def rate_without_both_falls_to_zero(results: Evidence) -> Check:
    """Require that the rate rises with the second link's, and is below 10 % of both links' rate at 1 Mbit/s."""
    curve = along(results, RATE, "rate", split=NONE, nr=False)
    return all_of(
        rises_with(curve, what="neither mechanism", over="Mbit/s"),
        below(curve[1.0], ALMOST_NOTHING * ideal(1.0), what="neither mechanism, 1 Mbit/s"),
    )


@claim(
    "C-002-10",
    place="VI-B, figure 5 left",
    kind="ordering",
    figure=5,
    suspects=("fifo-100, window-wraps", *QUEUES),
    says="NR-SACK alone improves the rate on asymmetric links only somewhat.",
)
def nr_sack_alone_helps_somewhat(results: Evidence) -> Check:
    """Require a gain on average over unequal rates, and less than 90 % of both mechanisms' rate up to 10 Mbit/s."""
    unequal = results.levels(RATE, "rate", lambda rate: rate < 100.0)
    thin = [level for level in unequal if level <= ASYMMETRIC]
    alone = along(results, RATE, "rate", split=NONE, nr=True)
    neither = along(results, RATE, "rate", split=NONE, nr=False)
    together = along(results, RATE, "rate", split=BOTH, nr=True)
    return all_of(
        above(
            {level: alone[level] for level in unequal},
            neither,
            slightly=True,
            what="NR-SACK alone against neither",
            over="Mbit/s",
        ),
        below(
            {level: alone[level] for level in thin},
            together,
            times=0.9,
            what="NR-SACK alone against both",
            over="Mbit/s",
        ),
    )


@claim(
    "C-002-11",
    place="VI-B, figure 5 left",
    kind="ordering",
    figure=5,
    suspects=(*QUEUES, *SETTINGS),
    says="Buffer splitting alone gives a lower rate than neither mechanism.",
)
def splitting_alone_is_worse(results: Evidence) -> Check:
    """Require less on average over unequal rates, and more nowhere: at 1 Mbit/s both rates are almost zero."""
    neither = along(results, RATE, "rate", split=NONE, nr=False)
    alone = along(results, RATE, "rate", split=BOTH, nr=False)
    return below(
        {level: sample for level, sample in alone.items() if level < 100.0},
        neither,
        slightly=True,
        what="splitting alone against neither",
        over="Mbit/s",
    )


@claim(
    "C-002-12",
    place="VI-B, figure 5 left",
    kind="number",
    figure=5,
    suspects=(*QUEUES, *SETTINGS),
    says="With both mechanisms the rate grows linearly with the second link's: 106 Mbit/s at 10, around 192 at 100.",
)
def both_fill_the_links(results: Evidence) -> Check:
    """Compare with the payload rate of both links at every rate."""
    curve = along(results, RATE, "rate", split=BOTH, nr=True)
    return near(curve, {level: ideal(level) for level in curve}, what="both mechanisms", over="Mbit/s")


@claim(
    "C-002-13",
    place="VI-B, figure 5 middle",
    kind="number",
    figure=5,
    suspects=("rto-2s", "clean-way-back", "profile-rfc9260", "burst-max"),
    says="Without NR-SACK and drop reports, a bit error rate of 5e-6 leaves a rate of almost zero.",
    history=READ_AS_A_TENTH,
)
def errors_leave_almost_no_rate(results: Evidence) -> Check:
    """Require less than 10 % of both links' rate, with and without splitting."""
    left = rates(results, ERRORS, {"split": SPLITS}, nr=False, reports=False, errors=5e-6)
    return below(left, ALMOST_NOTHING * ideal(errors=5e-6), what="neither mechanism, 5e-6, split")


@errors_leave_almost_no_rate.explain
def each_timeout_stops_the_flow(results: Evidence) -> str:
    """Report the number of timeouts; each stops the flow for at least a second."""
    view = results.under(None)
    levels: dict[str, Level] = {"nr": False, "reports": False, "errors": 5e-6}
    timeouts = {split: counted(view, "timeouts", ERRORS, split=split, **levels) for split in SPLITS}
    listed = ", ".join(f"{estimate(sample)} with split {split}" for split, sample in timeouts.items())
    return (
        "A lost fast retransmission blocks the send buffer, and so both paths, until the retransmission timer expires "
        f"after at least 1 s. Timeouts: {listed}. The flow sends only between two of them."
    )


@claim(
    "C-002-14",
    place="VI-B, figure 5 middle",
    kind="ordering",
    figure=5,
    suspects=(*QUEUES, *SETTINGS),
    says="NR-SACK improves the rate under errors significantly.",
)
def nr_sack_helps_under_errors(results: Evidence) -> Check:
    """Require 10 % more at each bit error rate from 1e-6, with and without splitting."""
    over = {"split": SPLITS, "errors": lossy(results, ERRORS)}
    return above(
        rates(results, ERRORS, over, nr=True, reports=False),
        rates(results, ERRORS, over, nr=False, reports=False),
        times=SIGNIFICANTLY,
        what="NR-SACK against none",
    )


@claim(
    "C-002-15",
    place="VI-B, figure 5 middle",
    kind="ordering",
    figure=5,
    suspects=(*QUEUES, *SETTINGS),
    says="With NR-SACK, the rate under errors is independent of buffer splitting.",
)
def splitting_does_not_matter_under_errors(results: Evidence) -> Check:
    """Require that splitting changes no rate under errors by more than the tolerance of `about`."""
    return _split_or_not(results, reports=False)


@claim(
    "C-002-16",
    place="VI-B, figure 5 middle",
    kind="ordering",
    figure=5,
    suspects=DAMAGE,
    says="Drop reports improve the rate further; the only remaining cost is the retransmission of damaged packets.",
)
def drop_reports_leave_only_retransmissions(results: Evidence) -> Check:
    """Require more than without reports, and the full rate of undamaged packets."""
    errors = results.levels(ERRORS, "errors")
    gains = {"split": SPLITS, "errors": lossy(results, ERRORS)}
    return all_of(
        above(
            rates(results, ERRORS, gains, nr=True, reports=True),
            rates(results, ERRORS, gains, nr=True, reports=False),
            what="drop reports against none",
        ),
        near(
            rates(results, ERRORS, {"split": SPLITS, "errors": errors}, nr=True, reports=True),
            {(split, level): ideal(errors=level) for split in SPLITS for level in errors},
            what="NR-SACK and drop reports",
        ),
    )


@claim(
    "C-002-17",
    place="VI-B, figure 5 middle",
    kind="ordering",
    figure=5,
    suspects=DAMAGE,
    says="NR-SACK together with drop reports is best under errors; buffer splitting makes no difference there.",
)
def nr_sack_and_reports_are_best(results: Evidence) -> Check:
    """Compare with the other three combinations at each bit error rate from 1e-6, and with and without splitting."""
    over = {"split": SPLITS, "errors": lossy(results, ERRORS)}
    best = rates(results, ERRORS, over, nr=True, reports=True)
    others = {(nr, reports): rates(results, ERRORS, over, nr=nr, reports=reports) for nr, reports in _LESS}
    return all_of(
        above(
            {(*key, *levels): best[levels] for key, sweep in others.items() for levels in sweep},
            {(*key, *levels): sample for key, sweep in others.items() for levels, sample in sweep.items()},
            what="both against (NR-SACK, reports)",
        ),
        _split_or_not(results, reports=True),
    )


@claim(
    "C-002-18",
    place="VI-B, figure 5 right",
    kind="ordering",
    figure=5,
    suspects=SACKS,
    says="Over all delays, NR-SACK with smart fast retransmission is best, with or without buffer splitting.",
)
def nr_sack_and_smart_are_best(results: Evidence) -> Check:
    """Require more than each other combination on average, less nowhere, and no influence of splitting."""
    delays = results.levels(DELAY, "delay", lambda delay: delay > 1.0)
    over = {"split": SPLITS, "delay": delays}
    best = rates(results, DELAY, over, nr=True, smart=True)
    return all_of(
        *(
            above(
                best,
                rates(results, DELAY, over, nr=nr, smart=smart),
                slightly=True,
                what=f"both against NR-SACK {_word(nr)}, smart {_word(smart)}",
            )
            for nr, smart in _LESS
        ),
        _alike(
            along(results, DELAY, "delay", split=BOTH, nr=True, smart=True),
            along(results, DELAY, "delay", split=NONE, nr=True, smart=True),
            what="both, split over unsplit",
            over="ms",
        ),
    )


@claim(
    "C-002-19",
    place="VI-B, figure 5 right",
    kind="ordering",
    figure=5,
    suspects=(RARE, *SACKS),
    says="Without smart fast retransmission, the rate is significantly lower at higher delays.",
)
def without_smart_it_is_lower(results: Evidence) -> Check:
    """Require 10 % less at each delay from 50 ms, with NR-SACK, with and without splitting."""
    over = {"split": SPLITS, "delay": _long(results)}
    return below(
        rates(results, DELAY, over, nr=True, smart=False),
        rates(results, DELAY, over, nr=True, smart=True),
        times=1.0 / SIGNIFICANTLY,
        what="smart fast retransmission off against on",
    )


@nr_sack_and_smart_are_best.explain
@without_smart_it_is_lower.explain
def timeouts_are_rare(results: Evidence) -> str:
    """Report the number of timeouts in the paper's window, and the gain of smart fast retransmission there."""
    return " ".join(_of_timeouts(results.under(None), words, path) for path, words in SACK_PATHS.items())


@claim(
    "C-002-33",
    place="VI-B, figure 5 right",
    kind="ordering",
    figure=5,
    suspects=("burst-max", "sack-every-1", *QUEUES),
    says="Delay alone lowers the rate, and requires larger buffers.",
    history=(
        Revised(
            READ_AGAIN,
            "names the growth of windows as the cause; the same check",
            "says only what the check tests",
            "C-002-42 tests the cause",
            "holds",
        ),
    ),
)
def delay_costs_rate_and_buffers(results: Evidence) -> Check:
    """Require a fall over the delay with ten times the buffers, and 10 % less with a tenth of the buffers."""
    delays = results.levels(BUFFERS, "delay", lambda delay: delay >= LONG)
    return all_of(
        rises_with(
            {delay: rate(results, BUFFERS, scale=10.0, delay=delay) for delay in results.levels(BUFFERS, "delay")},
            falls=True,
            what="ten times the buffers",
            over="ms",
        ),
        below(
            {delay: rate(results, BUFFERS, scale=0.1, delay=delay) for delay in delays},
            {delay: rate(results, BUFFERS, scale=1.0, delay=delay) for delay in delays},
            times=1.0 / SIGNIFICANTLY,
            what="a tenth of the buffers against the paper's",
            over="ms",
        ),
    )


@claim(
    "C-002-34",
    place="III-C, figure 5 right",
    kind="mechanism",
    figure=5,
    suspects=(RARE, *SACKS),
    says="The cause of the lower rate without smart fast retransmission: chunks that a timeout moved look like gaps on "
    "their new path, which triggers bursts of spurious fast retransmissions and reduces the window.",
)
def moved_chunks_look_like_gaps(results: Evidence) -> Check:
    """From 50 ms, require twice the spurious fast retransmissions, more bursts of them, and more window reductions."""
    over = {"split": SPLITS, "delay": _long(results)}
    counters = {
        "spurious_fast_retransmissions": ("spurious fast retransmissions", 2.0),
        "spurious_bursts": ("bursts of them", 1.0),
        "window_cuts": ("window reductions", 1.0),
    }
    return all_of(
        *(
            above(
                _counted(results, counter, over, smart=False),
                _counted(results, counter, over, smart=True),
                times=times,
                slightly=True,
                what=f"{words}, smart fast retransmission off against on",
                unit="",
            )
            for counter, (words, times) in counters.items()
        )
    )


moved_chunks_look_like_gaps.explain(timeouts_are_rare)


_LESS = ((False, False), (False, True), (True, False))
"""The combinations of two mechanisms that lack one or both."""


def _of_timeouts(results: Evidence, words: str, path: str) -> str:
    """Compare smart fast retransmission on and off at 100 ms in the paper's window, with SACKs on this path."""
    smart, plain = (rate(results, TIMEOUTS, smart=each, sack_path=path) for each in (True, False))
    timeouts, spurious = (
        counted(results, counter, TIMEOUTS, smart=False, sack_path=path)
        for counter in ("timeouts", "spurious_fast_retransmissions")
    )
    return (
        f"In 60 s at 100 ms, SACKs on the {words}: {estimate(timeouts)} timeouts, {estimate(spurious)} spurious fast "
        f"retransmissions without smart fast retransmission. It adds {estimate(smart - plain)} of {estimate(smart)} "
        "Mbit/s."
    )


def _word(used: bool) -> str:
    return "on" if used else "off"


def _long(results: Evidence) -> list[float]:
    return results.levels(DELAY, "delay", lambda delay: delay >= LONG)


def _alike(one: dict[float, Sample], other: dict[float, Sample], *, what: str, over: str = "") -> Check:
    """Require that rates differ by less than the tolerance of `about`, run by run."""
    return near({level: one[level] / other[level] for level in one}, 1.0, what=what, unit="", over=over)


def _split_or_not(results: Evidence, *, reports: bool) -> Check:
    """Compare the rates under errors with and without splitting."""
    split, unsplit = (along(results, ERRORS, "errors", split=each, nr=True, reports=reports) for each in (BOTH, NONE))
    faulty = {level: sample for level, sample in split.items() if level > 0.0}
    return _alike(faulty, unsplit, what="split over unsplit")


def _counted(
    results: Evidence, counter: str, over: Mapping[str, Iterable[Level]], *, smart: bool
) -> dict[tuple[Level, ...], Sample]:
    """Return a counter of the flow at every combination of the factors in `over`, with NR-SACK."""
    return {
        levels: counted(results, counter, DELAY, nr=True, smart=smart, **dict(zip(over, levels, strict=True)))
        for levels in product(*over.values())
    }
