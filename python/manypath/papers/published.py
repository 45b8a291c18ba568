"""Published results: what full precision gave for each paper, in a small table that travels with the package.

A table is the file `published.json` in the folder of its paper or study. `manypath papers NAME --full --publish` writes
it (`manypath.papers.publishing`). It holds means, intervals, verdicts and digests; no raw runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import manypath
from manypath.errors import UserError, quoted
from manypath.papers import NAMES
from manypath.papers.evidence import Case
from manypath.papers.verdict import VERDICTS, Verdict

FORMAT = 1
"""Version of the tables. A table of another version is refused."""

FILE = "published.json"
"""Name of a table, in the folder of its paper."""


@dataclass(frozen=True)
class Mean:
    """Mean goodput of one flow in the runs of a case.

    Attributes
    ----------
    mean : float
        Mbit/s.
    half_width : float or None
        Half width of the 95 % Student-t interval of the mean, Mbit/s; 0 for equal runs, None for a single run.
    """

    mean: float
    half_width: float | None


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
        Mean of each flow by name.
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
    verdict : Verdict
        Its verdict.
    measured, expected : str
        What was measured, and what had to be.
    runs : int
        Replications behind the smallest sample.
    """

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
    parts : tuple of PublishedPart
        Its parts, where there are several.
    """

    id: str
    verdict: Verdict
    measured: str
    expected: str
    runs: int
    needed: int | None
    needed_seconds: float | None
    why: str
    parts: tuple[PublishedPart, ...]


@dataclass(frozen=True)
class PublishedMatrix:
    """The mutation matrix.

    Attributes
    ----------
    mutations : tuple of str
        Names of the wrong implementations.
    plain : mapping
        Verdict of each claim without a mutation, at the precision of the matrix.
    verdicts : mapping
        Verdicts by (claim id, mutation); missing where the mutation changes nothing that the claim reads.
    """

    mutations: tuple[str, ...]
    plain: Mapping[str, Verdict]
    verdicts: Mapping[tuple[str, str], Verdict]


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
    profiles : mapping
        Verdicts by claim id and accounting profile; empty where they were not run.
    matrix : PublishedMatrix or None
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
    profiles: Mapping[str, Mapping[str, Verdict]]
    matrix: PublishedMatrix | None


def file_of(name: str) -> Path:
    """Return the file of the published results of a paper or study, be it there or not."""
    folder = "papers" if name in NAMES else "studies"
    return Path(manypath.__file__).parent / folder / name / FILE


def load(name: str) -> Published | None:
    """Return the published results of a paper or study by its name; None where there are none.

    Raises
    ------
    UserError
        If the file is no table of this version.
    """
    file = file_of(name)
    return read(file) if file.is_file() else None


def read(file: Path) -> Published:
    """Read published results.

    Raises
    ------
    UserError
        If the file is no table of this version.
    """
    try:
        said = json.loads(file.read_bytes())
        version = said["published"]
        if version != FORMAT:
            raise UserError(f"published: {file} has version {quoted(version)}: this package reads version {FORMAT}")
        return _published(said)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UserError(
            f"published: {file} is no table of results ({type(error).__name__}: {error}): publish the paper again"
        ) from None


def _published(said: Mapping[str, Any]) -> Published:
    precision = said["precision"]
    cases = [_case(one) for one in said["cases"]]
    claims = [_claim(one) for one in said["claims"]]
    return Published(
        paper=said["paper"],
        precision=precision["name"],
        replications=precision["replications"],
        most=precision["most"],
        warmup=precision["warmup"],
        measure=precision["measure"],
        seed=said["seed"],
        engine=said["engine"],
        runs=said["runs"],
        cpu_seconds=said["cpu_seconds"],
        digest=said["digest"],
        cases={one.case: one for one in cases},
        claims={one.id: one for one in claims},
        profiles={number: _verdicts(each) for number, each in said["profiles"].items()},
        matrix=None if said["mutations"] is None else _matrix(said["mutations"]),
    )


def _case(one: Mapping[str, Any]) -> PublishedCase:
    first = one["first"]
    return PublishedCase(
        case=Case.of(one["experiment"], **one["factors"]),
        runs=one["runs"],
        digest=one["digest"],
        first=None if first is None else (int(first[0]), str(first[1])),
        goodput={flow: Mean(float(mean), half) for flow, (mean, half) in one["goodput"].items()},
    )


def _claim(one: Mapping[str, Any]) -> PublishedClaim:
    parts = (
        PublishedPart(_verdict(part["verdict"]), part["measured"], part["expected"], part["runs"])
        for part in one["parts"]
    )
    return PublishedClaim(
        id=one["id"],
        verdict=_verdict(one["verdict"]),
        measured=one["measured"],
        expected=one["expected"],
        runs=one["runs"],
        needed=one["needed"],
        needed_seconds=one["needed_seconds"],
        why=one["why"],
        parts=tuple(parts),
    )


def _matrix(said: Mapping[str, Any]) -> PublishedMatrix:
    return PublishedMatrix(
        mutations=tuple(said["names"]),
        plain=_verdicts(said["plain"]),
        verdicts={
            (number, mutation): verdict
            for number, each in said["verdicts"].items()
            for mutation, verdict in _verdicts(each).items()
        },
    )


def _verdicts(said: Mapping[str, str]) -> dict[str, Verdict]:
    return {name: _verdict(word) for name, word in said.items()}


def _verdict(word: str) -> Verdict:
    for verdict in VERDICTS:
        if word == verdict:
            return verdict
    raise ValueError(f'"{word}" is no verdict')
