"""Table 1 measured in a current Linux kernel over emulated links, beside the paper and our simulations."""

from __future__ import annotations

from manypath.papers.causes import verify
from manypath.papers.evidence import Case, Evidence
from manypath.papers.gonzalez2012_mptcp.claims import CLAIMS
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, FLOWS, SHEETS
from manypath.papers.gonzalez2012_mptcp.throughput import beside
from manypath.papers.measured import Measurement, evidence, published
from manypath.papers.measured_stacks import NONE
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable


def measurements() -> tuple[Measurement, ...]:
    """Return the published runs."""
    return published("gonzalez2012_mptcp")


def _numbers(results: Evidence) -> list[tuple[str, ...]]:
    """Return a row for each flow of the scenarios that were simulated and measured."""
    run, found = set(results.cases()), {each.case: each for each in measurements()}
    return [
        _row(results, found[case], number, flow)
        for number, sheet in SHEETS.items()
        if (case := Case.of(sheet.experiment, cc=APPROXIMATED)) in run and case in found
        for flow in FLOWS
    ]


def _row(results: Evidence, measurement: Measurement, number: int, flow: str) -> tuple[str, ...]:
    measured = beside(evidence([measurement]), number, flow, APPROXIMATED)
    jitter = results.under("jitter")
    return (
        f"{number}",
        FLOWS[flow],
        f"{SHEETS[number].throughput[flow]:.2f}",
        estimate(beside(results, number, flow, APPROXIMATED)),
        estimate(beside(jitter, number, flow, APPROXIMATED)) if results.changes("jitter", [measurement.case]) else NONE,
        estimate(measured),
        f"{measured.min():.2f} to {measured.max():.2f}",
        f"{len(measured)}",
        f"{measurement.marked}",
        "; ".join(measurement.doubts) or "no doubt",
    )


def _verdicts(results: Evidence) -> list[tuple[str, ...]]:
    """Return a row for each claim that needs only the measured rates."""
    if not set(results.cases()) & {each.case for each in measurements()}:
        return []
    view = evidence(measurements())
    checks = [(claim, verify(claim, view).check) for claim in CLAIMS]
    return [
        (claim.id, claim.place, check.verdict, check.measured) for claim, check in checks if check.verdict != "open"
    ]


BESIDE_THE_KERNEL = PaperTable(
    name="Kernel measurements of table 1",
    caption="Mbit/s over 85 s from the start, whole packets at the sender, with 95 % intervals. In the column kernel, "
    "Linux runs all flows over links emulated in real time. Its congestion control is our BPF program of the paper's "
    "control; the initial window, timeouts and the scheduler are those of the kernel. Its hosts, and those of the "
    "simulation with jitter, delay each packet by up to a packet's time. Marked runs are not reliable.",
    head=(
        "scenario",
        "flow",
        "paper",
        "simulated",
        "with jitter",
        "kernel",
        "single runs",
        "runs",
        "marked",
        "calibration",
    ),
    rows=_numbers,
)

VERDICTS_OF_THE_KERNEL = PaperTable(
    name="Claims decided by the kernel's runs",
    caption="The same predicates with the measured rates. Claims about windows over time, about other controls and "
    "about TCP in place of MPTCP are left out, because these were not measured.",
    head=("claim", "place", "verdict", "measured"),
    rows=_verdicts,
)
