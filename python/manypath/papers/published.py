"""Published results: what full precision gave for each paper, in a small table that travels with the package.

A table is the file `published.json` in the folder of its paper or study. `manypath papers NAME --full --publish` writes
it (`manypath.papers.publishing`). It holds means, intervals, verdicts, causes, sensitivity and digests; no raw runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, TypeAdapter

from manypath.papers import kept
from manypath.papers.evidence import Case
from manypath.papers.mean import Mean
from manypath.papers.tried import Tried
from manypath.papers.verdict import Verdict
from manypath.papers.verdict_matrix import VerdictMatrix

if TYPE_CHECKING:
    from manypath.papers.paper import Paper

FORMAT = 2
"""Version of the tables. A table of another version is refused."""

FILE = "published.json"
"""Name of a table, in the folder of its paper."""


@dataclass(frozen=True)
class PublishedCase:
    """One point of one experiment.

    Attributes
    ----------
    case : Case
        The point.
    runs : int
        Runs behind the means: the replications of the precision. Runs that were added for undecided claims do not
        count, because their number depends on what was measured.
    digest : str
        Hash of the digests of these runs, in order.
    first : tuple of (int, str) or None
        Number and hash of the first runs, as many as the quick precision has, where it runs the same scenario.
    goodput : mapping
        Mean of each flow by name, Mbit/s.
    """

    case: Case
    runs: int
    digest: str
    first: tuple[int, str] | None
    goodput: Mapping[str, Mean]


@dataclass(frozen=True)
class PublishedPart:
    """One part of a claim of several parts.

    Attributes
    ----------
    what : str
        Its name.
    verdict : Verdict
        Its verdict.
    measured, expected : str
        What was measured, and what had to be.
    runs : int
        Replications behind the smallest sample.
    """

    what: str
    verdict: Verdict
    measured: str
    expected: str
    runs: int


@dataclass(frozen=True)
class PublishedClaim:
    """What became of one claim.

    Attributes
    ----------
    id : str
        Of the claim.
    verdict : Verdict
        Its verdict.
    measured, expected : str
        What was measured with 95 % intervals, and what had to be for the claim to hold.
    runs : int
        Replications behind the smallest sample, those included that were added while it was undecided.
    needed : int or None
        Estimated runs of each case that decide it, where it is undecided and a number of runs decides it.
    needed_seconds : float or None
        Estimated processor time of these runs beyond those there are, in seconds.
    why : str
        The cause where it does not hold; else empty.
    explanation : str
        What the claim's own explanation says; empty where it has none, or nothing is to be explained.
    parts : tuple of PublishedPart
        Its parts, where there are several.
    causes : tuple of Tried
        What was tried on each part that does not hold.
    """

    id: str
    verdict: Verdict
    measured: str
    expected: str
    runs: int
    needed: int | None
    needed_seconds: float | None
    why: str
    explanation: str
    parts: tuple[PublishedPart, ...]
    causes: tuple[Tried, ...]


@dataclass(frozen=True)
class PublishedChange:
    """One thing that the paper leaves open, changed at one point.

    Attributes
    ----------
    case : Case
        The point.
    changed : str
        What was changed, in words.
    flow : str
        Whose goodput.
    before, difference : Mean
        Goodput without the change, and what the change adds to it run by run, Mbit/s.
    significant : bool
        Whether the difference is shown at 95 %, corrected by Holm over the paper.
    """

    case: Case
    changed: str
    flow: str
    before: Mean
    difference: Mean
    significant: bool


@dataclass(frozen=True)
class Published:
    """The published results of one paper or study.

    Attributes
    ----------
    paper : str
        Name of its folder.
    precision : str
        Name of the precision.
    replications, most : int
        Runs of each case, and the most that undecided claims get.
    warmup, measure : str
        Transient and measurement window of experiments that have none of their own.
    seed : int
        Seed of all runs.
    engine : str
        Version of the engine that ran them.
    runs : int
        Different runs, those for causes, profiles and mutations included.
    cpu_seconds : float
        Processor time of these runs.
    digest : str
        Hash of the digests of all plain runs, those included that were added for undecided claims.
    cases : mapping
        The points by case.
    claims : mapping
        The claims by id.
    sensitivity : tuple of PublishedChange
        How much the open settings matter.
    profiles : mapping
        Verdicts by claim id and accounting profile; empty where they were not run.
    matrix : VerdictMatrix or None
        The mutation matrix; None where it was not run.
    """

    paper: str
    precision: str
    replications: int
    most: int
    warmup: str
    measure: str
    seed: int
    engine: str
    runs: int
    cpu_seconds: float
    digest: str
    cases: Mapping[Case, PublishedCase]
    claims: Mapping[str, PublishedClaim]
    sensitivity: tuple[PublishedChange, ...]
    profiles: Mapping[str, Mapping[str, Verdict]]
    matrix: VerdictMatrix | None


def file_of(name: str) -> Path:
    """Return the file of the published results of a paper or study, be it there or not."""
    return kept.file_of(name, FILE)


def load(name: str) -> Published | None:
    """Return the published results of a paper or study by its name; None where there are none.

    Raises
    ------
    UserError
        If the file is no table of this version.
    """
    file = file_of(name)
    return read(file) if file.is_file() else None


def is_of(published: Published, paper: Paper) -> bool:
    """Tell whether published results are of the claims that a paper has now."""
    return set(published.claims) == {claim.id for claim in paper.claims}


def read(file: Path) -> Published:
    """Read published results.

    Raises
    ------
    UserError
        If the file is no table of this version.
    """
    table = kept.read(_TABLE, file, "delete it and publish the paper again")
    precision = table.precision
    return Published(
        paper=table.paper,
        precision=precision.name,
        replications=precision.replications,
        most=precision.most,
        warmup=precision.warmup,
        measure=precision.measure,
        seed=table.seed,
        engine=table.engine,
        runs=table.runs,
        cpu_seconds=table.cpu_seconds,
        digest=table.digest,
        cases={case.case: case for case in table.cases},
        claims={claim.id: claim for claim in table.claims},
        sensitivity=table.sensitivity,
        profiles=table.profiles,
        matrix=None if table.mutations is None else _matrix(table.mutations),
    )


def _with_case(row: Any) -> Any:
    """Put experiment and factors of a row together as its case."""
    if not isinstance(row, dict) or not isinstance(row.get("factors"), dict) or "experiment" not in row:
        return row
    rest = {name: value for name, value in row.items() if name not in {"experiment", "factors"}}
    return {"case": {"experiment": row["experiment"], "factors": sorted(row["factors"].items())}, **rest}


def _matrix(said: _Mutations) -> VerdictMatrix:
    verdicts: dict[tuple[str, str], Verdict] = {
        (number, name): verdict for number, each in said.verdicts.items() for name, verdict in each.items()
    }
    return VerdictMatrix(said.names, said.plain, verdicts)


def _readable(version: int) -> int:
    if version != FORMAT:
        raise ValueError(f"version {version} is unknown: this package reads version {FORMAT}")
    return version


@dataclass(frozen=True)
class _Precision:
    name: str
    replications: int
    most: int
    warmup: str
    measure: str


@dataclass(frozen=True)
class _Mutations:
    names: tuple[str, ...]
    plain: dict[str, Verdict]
    verdicts: dict[str, dict[str, Verdict]]


@dataclass(frozen=True)
class _Table:
    """The content of a file; `published` stands first, so that another version is told before its fields."""

    published: Annotated[int, AfterValidator(_readable)]
    paper: str
    engine: str
    seed: int
    precision: _Precision
    runs: int
    cpu_seconds: float
    digest: str
    claims: tuple[PublishedClaim, ...]
    cases: tuple[Annotated[PublishedCase, BeforeValidator(_with_case)], ...]
    sensitivity: tuple[Annotated[PublishedChange, BeforeValidator(_with_case)], ...]
    profiles: dict[str, dict[str, Verdict]]
    mutations: _Mutations | None


_TABLE = TypeAdapter(_Table)
