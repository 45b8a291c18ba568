"""The sensitivity table: effects of settings that a paper does not specify, changed one at a time, in paired runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manypath.papers.evidence import Case, Evidence, Sample
from manypath.papers.paired import holm, p_different
from manypath.papers.runner import Runner
from manypath.papers.switch import Switch
from manypath.stats.looks import SIGNIFICANCE


@dataclass(frozen=True)
class SensitivityRow:
    """One switch at one point.

    Attributes
    ----------
    case : Case
        The point.
    switch : Switch
        The change.
    flow : str
        The flow.
    before, after : array
        Goodput of the flow in each replication without and with the change, Mbit/s.
    significant : bool
        Whether the difference is significant at 5 % with Holm's correction over the table.
    """

    case: Case
    switch: Switch
    flow: str
    before: Sample
    after: Sample
    significant: bool = False

    @property
    def difference(self) -> Sample:
        """Change of the goodput in each replication, Mbit/s."""
        return self.after - self.before


def measure_sensitivity(runner: Runner, evidence: Evidence, switches: tuple[Switch, ...]) -> list[SensitivityRow]:
    """Apply each switch at each point of the paper's sensitivity table and compare the goodput of its flows."""
    cases = [Case.of(name, **factors) for name, factors in runner.paper.sensitivity.points]
    found = evidence.along_with(runner.switched(dict.fromkeys(switches, cases), "sensitivity"))
    rows = list(_rows(runner, found, switches, cases))
    p_values = holm({index: p_different(row.difference) for index, row in enumerate(rows)})
    return [
        SensitivityRow(row.case, row.switch, row.flow, row.before, row.after, p_values[index] < SIGNIFICANCE)
        for index, row in enumerate(rows)
    ]


def _rows(
    runner: Runner, evidence: Evidence, switches: tuple[Switch, ...], cases: list[Case]
) -> Iterator[SensitivityRow]:
    for case in cases:
        for switch in switches:
            if not evidence.changes(switch.name, [case]):
                continue
            for flow in runner.paper.flows:
                after = _goodput(evidence.under(switch.name), case, flow)
                before = _goodput(evidence.under(None), case, flow)[: len(after)]
                yield SensitivityRow(case, switch, flow, before, after)


def _goodput(evidence: Evidence, case: Case, flow: str) -> Sample:
    return evidence.goodput(case.experiment, flow, **dict(case.factors))
