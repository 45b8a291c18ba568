"""Published results: the results of each paper with full precision, in a small table that is part of the package.

A table is the file `published.json` in the folder of its paper or study. `manypath papers NAME --full --publish` writes
it (`manypath.papers.publishing`). It contains means, intervals, verdicts, causes, sensitivity and digests, but no runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, TypeAdapter

from manypath.errors import UserError, quoted
from manypath.papers import kept
from manypath.papers.check import joined_expected, joined_measured
from manypath.papers.consistency import Amount, Count, Whole, malformed, repeated, superfluous, unknown
from manypath.papers.evidence import Case
from manypath.papers.open_settings.kept import KeptOver
from manypath.papers.published_rows import CaseGroup, ChangeGroup, PublishedCase, PublishedChange
from manypath.papers.tried import Tried
from manypath.papers.verdict import Verdict
from manypath.papers.verdict_matrix import VerdictMatrix

if TYPE_CHECKING:
    from manypath.papers.paper import Paper

FORMAT = 3
"""Version of the tables. Tables of other versions are refused."""

FILE = "published.json"
"""Name of a table, in the folder of its paper."""


@dataclass(frozen=True)
class PublishedPart:
    """One part of a claim of several parts.

    Attributes
    ----------
    what : str
        Name of the part.
    verdict : Verdict
        Verdict on the part.
    measured, expected : str
        Measured and required values, as text.
    runs : int
        Replications in the smallest sample.
    """

    what: str
    verdict: Verdict
    measured: str
    expected: str
    runs: int


@dataclass(frozen=True)
class PublishedClaim:
    """The published outcome of one claim.

    Attributes
    ----------
    id : str
        Id of the claim.
    verdict : Verdict
        Verdict on the claim.
    measured, expected : str
        Measured values with 95 % intervals, and the values that the claim requires, as text. The file has null for a
        claim of several parts, because they are joined from the parts.
    runs : int
        Replications in the smallest sample, including those added while the claim was undecided.
    needed : int or None
        Estimated number of runs of each case that decide an undecided claim; None if there is no such number.
    needed_seconds : float or None
        Estimated processor time of the missing ones of these runs, in seconds; 0 if only runs of a measurement with
        real stacks are missing.
    why : str
        The cause if the claim does not hold; else empty.
    explanation : str
        Text of the claim's own explanation; empty if the claim has none or holds.
    parts : tuple of PublishedPart
        Parts of the claim; empty if it has only one.
    causes : tuple of Tried
        Trials on each part that does not hold.
    halves : tuple of Verdict or None
        Verdicts in both halves of windows with two regimes; None if the claim averages over none.
    """

    id: str
    verdict: Verdict
    measured: str
    expected: str
    runs: Whole
    needed: Count | None
    needed_seconds: Amount | None
    why: str
    explanation: str
    parts: tuple[PublishedPart, ...]
    causes: tuple[Tried, ...]
    halves: tuple[Verdict, Verdict] | None = None


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
        Runs of each case, and the largest number for undecided claims.
    warmup, measure : str
        Transient and measurement window of experiments without their own.
    seed : int
        Whole of all runs.
    engine : str
        Version of the engine that computed the runs.
    runs : int
        Number of different runs, including those for causes, profiles and mutations.
    cpu_seconds : float
        Processor time of these runs, in seconds.
    digest : str
        Hash of the digests of all plain runs, including those added for undecided claims.
    cases : mapping
        The points by case.
    claims : mapping
        The claims by id.
    sensitivity : tuple of PublishedChange
        Rows of the sensitivity table.
    profiles : mapping
        Verdicts by claim id and accounting profile; empty if the profiles were not run.
    matrix : VerdictMatrix or None
        The mutation matrix; None if it was not run.
    over : KeptOver or None
        The claims over what the text leaves open; None for papers without open settings.
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
    over: KeptOver | None


def file_of(name: str) -> Path:
    """Return the path of the published results of a paper or study. The file need not exist."""
    return kept.file_of(name, FILE)


def load(name: str) -> Published | None:
    """Return the published results of a paper or study by its name; None if there are none.

    Raises
    ------
    UserError
        If the file is no table of this version, is inconsistent, or belongs to another paper.
    """
    file = file_of(name)
    if not file.is_file():
        return None
    found = read(file)
    if found.paper != name:
        raise UserError(f"{file}: paper: {quoted(found.paper)} is not {name}: {AGAIN}")
    return found


def is_of(published: Published, paper: Paper) -> bool:
    """Return whether published results have the same claims as a paper."""
    return set(published.claims) == {claim.id for claim in paper.claims}


def read(file: Path) -> Published:
    """Read published results.

    Raises
    ------
    UserError
        If the file is no table of this version, or is inconsistent.
    """
    table = kept.read(_TABLE, file, AGAIN)
    wrong = next(_wrong(table), None)
    if wrong:
        raise UserError(f"{file}: {wrong}: {AGAIN}")
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
        cases={case.case: case for group in table.cases for case in group.cases()},
        claims={claim.id: claim for claim in table.claims},
        sensitivity=tuple(change for group in table.sensitivity for change in group.changes()),
        profiles=table.profiles,
        matrix=None if table.mutations is None else _matrix(table.mutations),
        over=table.over,
    )


AGAIN = "delete it and publish the paper again"


def _wrong(table: _Table) -> Iterator[str]:
    """Describe the inconsistencies in a table: the field, and what is wrong."""
    yield from malformed("engine", table.engine, 16)
    yield from malformed("digest", table.digest, 16)
    yield from repeated("claims", [each.id for each in table.claims])
    for each in table.claims:
        yield from superfluous(f"claims.{each.id}", each.verdict, each.needed, each.needed_seconds)
    if table.over is not None:
        yield from unknown("over.claims", table.over.claims, {each.id for each in table.claims}, "claim of the table")
        for number, claim in table.over.claims.items():
            counted = claim.holds + claim.contradicted + claim.undecided
            if counted > table.over.tested:
                yield f"over.claims.{number}: {counted} verdicts, but {table.over.tested} settings were tested"


def _with_texts(claim: Any) -> Any:
    """Add the texts of a claim of several parts, which the file does not repeat. Other data are returned unchanged."""
    match claim:
        case {"measured": None, "expected": None, "parts": [_, *_] as parts}:
            try:
                measured = joined_measured((part["measured"], part["verdict"]) for part in parts)
                return {**claim, "measured": measured, "expected": joined_expected(part["expected"] for part in parts)}
            except (KeyError, TypeError):
                return claim  # The type of the parts reports their mistake.
        case _:
            return claim


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
    replications: Count
    most: Whole
    warmup: str
    measure: str


@dataclass(frozen=True)
class _Mutations:
    names: tuple[str, ...]
    plain: dict[str, Verdict]
    verdicts: dict[str, dict[str, Verdict]]


@dataclass(frozen=True)
class _Table:
    """The content of a file. `published` is the first field, so a wrong version is reported before other errors."""

    published: Annotated[int, AfterValidator(_readable)]
    paper: str
    engine: str
    seed: Whole
    precision: _Precision
    runs: Whole
    cpu_seconds: Amount
    digest: str
    claims: tuple[Annotated[PublishedClaim, BeforeValidator(_with_texts)], ...]
    cases: tuple[CaseGroup, ...]
    sensitivity: tuple[ChangeGroup, ...]
    profiles: dict[str, dict[str, Verdict]]
    mutations: _Mutations | None
    over: KeptOver | None = None


_TABLE = TypeAdapter(_Table)
