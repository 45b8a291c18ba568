"""A comparison of the approximated maximum with the exact one, run by run with the same random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manypath.papers.evidence import Case, Evidence, Sample
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, EXACT, FLOWS, MPTCP, PATHS, PRINTED, SHEETS
from manypath.papers.gonzalez2012_mptcp.scenarios import SILENCE
from manypath.papers.gonzalez2012_mptcp.seconds import rates
from manypath.papers.gonzalez2012_mptcp.throughput import beside, subflow
from manypath.papers.paired import estimate, holm, p_different
from manypath.papers.paper import PaperTable
from manypath.papers.traces import Trace
from manypath.stats.looks import SIGNIFICANCE


@dataclass(frozen=True)
class Pair:
    """One rate under both controls.

    Attributes
    ----------
    where, what : str
        The scenario, and the flow or subflow.
    approximated, exact : array
        The rate in each replication, Mbit/s.
    """

    where: str
    what: str
    approximated: Sample
    exact: Sample

    @property
    def difference(self) -> Sample:
        """The gain by the exact maximum in each replication, Mbit/s."""
        return self.exact - self.approximated


def pairs(results: Evidence) -> list[Pair]:
    """Return every rate that was run with an approximated and with the exact maximum."""
    run = set(results.cases())
    found: list[Pair] = []
    for number, sheet in SHEETS.items():
        if all(Case.of(sheet.experiment, cc=cc) in run for cc in (APPROXIMATED, EXACT)):
            found += _of_scenario(results, number)
    for cc in (APPROXIMATED, PRINTED):
        if all(Case.of("silence", cc=each) in run for each in (cc, EXACT)):
            found += _of_silence(results, cc)
    return found


def rows(results: Evidence) -> list[tuple[str, ...]]:
    """Return the rows of the table, with Holm's correction over all of them."""
    found = pairs(results)
    p_values = holm({index: p_different(pair.difference) for index, pair in enumerate(found)})
    return [
        (
            pair.where,
            pair.what,
            estimate(pair.approximated),
            estimate(pair.exact),
            estimate(pair.difference),
            "yes" if p_values[index] < SIGNIFICANCE else "no",
        )
        for index, pair in enumerate(found)
    ]


def _of_scenario(results: Evidence, number: int) -> Iterator[Pair]:
    where = f"scenario {number}"
    for flow, name in FLOWS.items():
        yield Pair(where, name, *(beside(results, number, flow, cc) for cc in (APPROXIMATED, EXACT)))
    for path in PATHS:
        both = (subflow(results, number, path, cc) for cc in (APPROXIMATED, EXACT))
        yield Pair(where, f"subflow on {path.upper()}", *both)


def _of_silence(results: Evidence, approximated: str) -> Iterator[Pair]:
    down, up = (int(moment) for moment in SILENCE)
    after = ", timeouts ignored" if approximated == PRINTED else ""
    for path, words, seconds in (
        ("b", "while A is down", slice(down + 5, up)),
        ("b", "when A is back", slice(up, None)),
        ("a", "when A is back", slice(up, None)),
    ):
        both = (
            results.of_traces(lambda trace, path=path, seconds=seconds: _mean(trace, path, seconds), "silence", cc=cc)
            for cc in (approximated, EXACT)
        )
        yield Pair(f"scenario 2, {words}{after}", f"subflow on {path.upper()}", *both)


def _mean(trace: Trace, path: str, seconds: slice) -> float:
    return float(rates(trace, MPTCP, path)[seconds].mean())


MAXIMUM = PaperTable(
    name="Does the approximated maximum matter?",
    caption="Throughput in Mbit/s with the paper's approximated maximum and with the exact maximum, in runs with the "
    "same random numbers. The difference is exact less approximated, with 95 % intervals. Significance is "
    "Holm-corrected over the table. In the last rows link A, whose subflow has the largest w/rtt², is down from 30 to "
    "60 s; the first 5 s of that time are left out. A timeout updates this subflow's contribution; in the paper's "
    "printed form (timeouts ignored) only its acknowledgements do.",
    head=("where", "what", "approximated", "exact", "difference", "significant"),
    rows=rows,
)
