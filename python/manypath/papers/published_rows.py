"""The rows of published tables in groups: a value that neighbouring rows share is written once.

A group is written as JSON by its `data`. Its rows are lists, in the order of the fields of `CaseRow` and `ChangeRow`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from manypath.papers.evidence import Case, Level
from manypath.papers.mean import Mean


@dataclass(frozen=True)
class PublishedCase:
    """One point of one experiment.

    Attributes
    ----------
    case : Case
        The point.
    runs : int
        Number of runs in the means, which is the replications of the precision. Runs added for undecided claims are
        excluded, because their number depends on the results.
    digest : str
        Hash of the digests of these runs, in order.
    first : tuple of (int, str) or None
        Number and hash of the runs that quick precision has in common; None if it runs another scenario.
    goodput : mapping
        Mean goodput of each flow by name, Mbit/s.
    """

    case: Case
    runs: int
    digest: str
    first: tuple[int, str] | None
    goodput: Mapping[str, Mean]


@dataclass(frozen=True)
class PublishedChange:
    """The effect of a change of one unspecified setting at one point.

    Attributes
    ----------
    case : Case
        The point.
    changed : str
        Description of the change.
    flow : str
        The flow.
    before, difference : Mean
        Goodput of the flow without the change, and the paired difference with it, Mbit/s.
    significant : bool
        Whether the difference is significant at 5 % with Holm's correction over the paper.
    """

    case: Case
    changed: str
    flow: str
    before: Mean
    difference: Mean
    significant: bool


class CaseRow(NamedTuple):
    """A case in its group: the levels of its factors, its two digests, and the mean goodput of each flow in Mbit/s."""

    levels: tuple[Level, ...]
    digest: str
    first: str | None
    goodput: tuple[Mean, ...]


@dataclass(frozen=True)
class CaseGroup:
    """Cases of one experiment with the same factors, flows and numbers of runs."""

    experiment: str
    factors: tuple[str, ...]
    flows: tuple[str, ...]
    runs: int
    first: int | None
    rows: tuple[CaseRow, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.levels) != len(self.factors) or len(row.goodput) != len(self.flows):
                raise ValueError(f"each row needs {len(self.factors)} levels and {len(self.flows)} flows")

    def cases(self) -> Iterator[PublishedCase]:
        """Return the cases of the group."""
        for row in self.rows:
            yield PublishedCase(
                case=Case(self.experiment, tuple(zip(self.factors, row.levels, strict=True))),
                runs=self.runs,
                digest=row.digest,
                first=None if self.first is None or row.first is None else (self.first, row.first),
                goodput=dict(zip(self.flows, row.goodput, strict=True)),
            )

    def data(self) -> dict[str, Any]:
        """Return the group as plain data for JSON."""
        return {
            "experiment": self.experiment,
            "factors": self.factors,
            "flows": self.flows,
            "runs": self.runs,
            "first": self.first,
            "rows": [[row.levels, row.digest, row.first, _rounded(row.goodput)] for row in self.rows],
        }


class ChangeRow(NamedTuple):
    """A change in its group: its description, and for each flow the difference in Mbit/s and its significance."""

    changed: str
    differences: tuple[Mean, ...]
    significant: tuple[bool, ...]


@dataclass(frozen=True)
class ChangeGroup:
    """Changes at one point: flows with their goodput before a change in Mbit/s, and a row for each change."""

    experiment: str
    factors: tuple[tuple[str, Level], ...]
    flows: tuple[str, ...]
    before: tuple[Mean, ...]
    rows: tuple[ChangeRow, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if not len(self.flows) == len(self.before) == len(row.differences) == len(row.significant):
                raise ValueError(f"each row needs the differences of {len(self.flows)} flows")

    def changes(self) -> Iterator[PublishedChange]:
        """Return the changes of the group: flow by flow for each change."""
        case = Case(self.experiment, self.factors)
        for row in self.rows:
            effects = zip(self.flows, self.before, row.differences, row.significant, strict=True)
            for flow, before, difference, significant in effects:
                yield PublishedChange(case, row.changed, flow, before, difference, significant)

    def data(self) -> dict[str, Any]:
        """Return the group as plain data for JSON."""
        return {
            "experiment": self.experiment,
            "factors": self.factors,
            "flows": self.flows,
            "before": _rounded(self.before),
            "rows": [[row.changed, _rounded(row.differences), row.significant] for row in self.rows],
        }


def grouped_cases(cases: Iterable[PublishedCase]) -> Iterator[CaseGroup]:
    """Return groups of neighbouring cases with the same experiment, factors, flows and numbers of runs."""

    def shared(case: PublishedCase) -> tuple[str, tuple[str, ...], tuple[str, ...], int, int | None]:
        factors = tuple(name for name, _ in case.case.factors)
        return case.case.experiment, factors, tuple(case.goodput), case.runs, case.first[0] if case.first else None

    for (experiment, factors, flows, runs, first), members in groupby(cases, shared):
        rows = tuple(
            CaseRow(
                levels=tuple(level for _, level in each.case.factors),
                digest=each.digest,
                first=each.first[1] if each.first else None,
                goodput=tuple(each.goodput.values()),
            )
            for each in members
        )
        yield CaseGroup(experiment, factors, flows, runs, first, rows)


def grouped_changes(changes: Iterable[PublishedChange]) -> Iterator[ChangeGroup]:
    """Return groups of neighbouring changes at the same point, if they have the same flows with the same goodput."""
    by_change = groupby(changes, lambda each: (each.case, each.changed))
    rows = [(case, changed, tuple(effects)) for (case, changed), effects in by_change]

    def shared(row: tuple[Case, str, tuple[PublishedChange, ...]]) -> tuple[Case, tuple[str, ...], tuple[Mean, ...]]:
        return row[0], tuple(each.flow for each in row[2]), tuple(each.before for each in row[2])

    for (case, flows, before), members in groupby(rows, shared):
        found = tuple(
            ChangeRow(changed, tuple(each.difference for each in effects), tuple(each.significant for each in effects))
            for _, changed, effects in members
        )
        yield ChangeGroup(case.experiment, case.factors, flows, before, found)


def _rounded(means: Iterable[Mean]) -> list[list[float | None]]:
    return [mean.rounded() for mean in means]
