"""What a reconstruction found, as data: one JSON file in the folder of each paper, and its checked reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from manypath.errors import UserError
from manypath.outputs import Kind, writing
from manypath.papers import kept
from manypath.papers.reconstruction.factors import Deviation
from manypath.papers.reconstruction.halves import HalfName
from manypath.papers.verdict import Verdict

Told = Literal["changed", "as stated", "not told"]
"""What the claims tell about a factor: that it was changed, that it was not, or neither."""


@dataclass(frozen=True)
class FactorResult:
    """One factor and what the claims tell about it.

    Attributes
    ----------
    name, stated, changed : str
        Its name, and its two levels in words.
    deviation : Deviation
        How the changed level relates to the text of the paper.
    share : float
        Part of the bootstrap fits in which it is changed, 0 to 1.
    told : Told
        `changed` from a share of 95 %, `as stated` up to 5 %.
    """

    name: str
    stated: str
    changed: str
    deviation: Deviation
    share: float
    told: Told


@dataclass(frozen=True)
class Scores:
    """Mean credits of one set of claims, 0 to 1, without penalties.

    Attributes
    ----------
    stated : float
        With the settings of the plain column.
    found : float
        With the settings that were found.
    random : float
        Mean over the settings of the design, in which each factor is changed in half of the settings.
    low, high : float
        Smallest and largest of these.
    """

    stated: float
    found: float
    random: float
    low: float
    high: float


@dataclass(frozen=True)
class Half:
    """A fit on one half of the claims and its test on the other one.

    Attributes
    ----------
    name : str
        `A` or `B`.
    claims : tuple of str
        Ids of the claims that it was fitted to.
    found : tuple of str
        Names of the factors that the fit changes.
    fitted, untouched : Scores
        Scores on this half and on the other one.
    """

    name: HalfName
    claims: tuple[str, ...]
    found: tuple[str, ...]
    fitted: Scores
    untouched: Scores


@dataclass(frozen=True)
class Transfer:
    """The settings found on this paper, tested on another one of the same group.

    Attributes
    ----------
    to : str
        Name of the other paper.
    carried : tuple of str
        Names of the changed factors that both papers have.
    scores : Scores
        Scores on the claims of the other paper; `found` has the carried settings.
    """

    to: str
    carried: tuple[str, ...]
    scores: Scores


@dataclass(frozen=True)
class ClaimResult:
    """One claim in both columns.

    Attributes
    ----------
    id : str
        Its number.
    half : str
        `A` or `B`; empty for a claim without a score, because no run decides it.
    stated, reconstructed : Verdict
        The verdict as the text says and as reconstructed, from as many runs.
    stated_credit, reconstructed_credit : float or None
        The credits in the fit; None for a claim without a score.
    """

    id: str
    half: HalfName | Literal[""]
    stated: Verdict
    reconstructed: Verdict
    stated_credit: float | None
    reconstructed_credit: float | None


@dataclass(frozen=True)
class Reconstruction:
    """What a reconstruction of one paper found.

    Attributes
    ----------
    paper, tag : str
        Name and tag of the paper.
    engine : str
        Version of the engine that made the runs.
    seed, replications : int
        Seed of all runs, and runs of each case in the fit.
    settings, runs : int
        How many settings were run for the fit, and how many runs this took.
    digest : str
        SHA-256 over the digests of all runs of the fit.
    factors : tuple of FactorResult
        The factors, in the order of the paper.
    found : tuple of str
        Names of the factors that the fit to all claims changes.
    penalty : float
        Penalty of these changes.
    scores : Scores
        Scores on all claims.
    rivals : tuple
        Other settings that were run and that the bootstrap cannot tell from the one found, the best first.
    together : tuple
        Groups of factors that the claims cannot tell apart.
    halves : tuple of Half
        The fits to each half.
    transfers : tuple of Transfer
        Tests on the other papers of the group.
    claims : tuple of ClaimResult
        The claims in both columns.
    """

    paper: str
    tag: str
    engine: str
    seed: int
    replications: int
    settings: int
    runs: int
    digest: str
    factors: tuple[FactorResult, ...]
    found: tuple[str, ...]
    penalty: float
    scores: Scores
    rivals: tuple[tuple[str, ...], ...]
    together: tuple[tuple[str, ...], ...]
    halves: tuple[Half, ...]
    transfers: tuple[Transfer, ...]
    claims: tuple[ClaimResult, ...]

    def claim(self, number: str) -> ClaimResult | None:
        """Return both verdicts on a claim, or None if the reconstruction did not know it."""
        return next((each for each in self.claims if each.id == number), None)

    def factor(self, name: str) -> FactorResult:
        """Return a factor by its name."""
        return next(each for each in self.factors if each.name == name)

    def save(self, target: Path) -> None:
        """Write the file."""
        target.write_bytes(_ADAPTER.dump_json(self, indent=1) + b"\n")


_ADAPTER = TypeAdapter(Reconstruction)

FILE = "reconstruction.json"
"""Name of the file in the folder of a paper."""

KIND = Kind("a reconstruction", lambda head, _: head.startswith(b'{\n "paper": '))
"""The file, for checks of outputs."""


@cache
def kept_result(paper: str) -> Reconstruction | None:
    """Return the reconstruction that is kept beside a paper, by the name of its folder; None if there is none.

    Raises
    ------
    UserError
        If the file is there and is no reconstruction of this paper.
    """
    file = kept.file_of(paper, FILE)
    return load(file, paper) if file.is_file() else None


def publish(results: Sequence[Reconstruction]) -> None:
    """Write each result beside its paper.

    Raises
    ------
    UserError
        If a file cannot be written.
    """
    for result in results:
        target = kept.file_of(result.paper, FILE)
        with writing("--publish", target):
            result.save(target)


def load(file: Path, paper: str) -> Reconstruction:
    """Read a reconstruction of a paper.

    Raises
    ------
    UserError
        If the file is no reconstruction, contradicts itself, or belongs to another paper.
    """
    found = kept.read(_ADAPTER, file, AGAIN)
    wrong = _wrong(found, paper)
    if wrong:
        raise UserError(f"{file}: {wrong}: {AGAIN}")
    return found


AGAIN = "write it again with manypath reconstruct --publish"


def _wrong(found: Reconstruction, paper: str) -> str | None:
    """Say what contradicts itself in a file."""
    if found.paper != paper:
        return f"paper: {found.paper} is not {paper}"
    names = [each.name for each in found.factors]
    ids = [each.id for each in found.claims]
    if len(set(names)) < len(names):
        return "factors: a name stands there twice"
    if len(set(ids)) < len(ids):
        return "claims: an id stands there twice"
    lists = [found.found, *found.rivals, *found.together, *(half.found for half in found.halves)]
    unknown = sorted({name for each in lists for name in each} - set(names))
    if unknown:
        return f"{unknown[0]}: no such factor"
    every = [found.scores, *(scores for half in found.halves for scores in (half.fitted, half.untouched))]
    for scores in (*every, *(transfer.scores for transfer in found.transfers)):
        if not all(0.0 <= value <= 1.0 for value in (scores.stated, scores.found, scores.random)):
            return "scores: a mean credit lies outside 0 to 1"
    return None
