"""Table 1 of the paper beside our runs, with the approximated and the exact maximum."""

from __future__ import annotations

from manypath.papers.evidence import Case, Evidence
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, EXACT, FLOWS, SHEETS
from manypath.papers.gonzalez2012_mptcp.throughput import beside
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable


def _rows(results: Evidence) -> list[tuple[str, ...]]:
    run = set(results.cases())
    return [
        _row(results, number, flow)
        for number, sheet in SHEETS.items()
        if all(Case.of(sheet.experiment, cc=cc) in run for cc in (APPROXIMATED, EXACT))
        for flow in FLOWS
    ]


def _row(results: Evidence, number: int, flow: str) -> tuple[str, ...]:
    ours, sheet = beside(results, number, flow, APPROXIMATED), SHEETS[number]
    payload = results.goodput(sheet.experiment, flow, cc=APPROXIMATED)
    return (
        f"{number}",
        FLOWS[flow],
        f"{sheet.throughput[flow]:.2f}",
        estimate(ours),
        f"{ours.min():.2f} to {ours.max():.2f}",
        estimate(payload),
        estimate(beside(results, number, flow, EXACT)),
    )


TABLE_1 = PaperTable(
    name="Table 1: mean throughput with TCP cross traffic",
    caption="Mbit/s over 85 s from the start, with 95 % intervals. Throughput is whole packets at the sender, as in "
    "the paper, which shows one run of each scenario. Payload is what arrived. The last column is throughput with the "
    "exact maximum in place of the approximation.",
    head=("scenario", "flow", "paper", "here", "single runs", "payload", "exact maximum"),
    rows=_rows,
)
