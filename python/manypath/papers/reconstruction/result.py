"""The result of a reconstruction: one JSON file in the folder of each paper, and its validating reader."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter

from manypath.errors import UserError, quoted
from manypath.outputs import Kind
from manypath.papers import kept, registry
from manypath.papers.consistency import Amount, Count, Whole, malformed, repeated, superfluous, unknown
from manypath.papers.reconstruction.factors import Deviation
from manypath.papers.reconstruction.halves import HalfName
from manypath.papers.verdict import Verdict
from manypath.replacement import replacing

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""A share of fits, or a credit, 0 to 1."""

Told = Literal["changed", "as stated", "not told"]
"""Level of a factor that the claims identify; ``not told`` if they identify neither level."""


@dataclass(frozen=True)
class FactorResult:
    """One factor and its level according to the claims.

    Attributes
    ----------
    name, stated, changed : str
        Name of the factor, and descriptions of its two levels.
    deviation : Deviation
        Relation of the changed level to the text of the paper.
    share : float
        Share of the bootstrap fits in which the factor is changed, 0 to 1.
    told : Told
        `changed` for a share of at least 95 %, `as stated` for at most 5 %.
    """

    name: str
    stated: str
    changed: str
    deviation: Deviation
    share: Share
    told: Told


@dataclass(frozen=True)
class Scores:
    """Mean credits of one set of claims, 0 to 1, without penalties.

    Attributes
    ----------
    stated : float
        Score of the settings of the plain runs.
    found : float
        Score of the reconstructed settings.
    random : float
        Mean score of the settings of the design, in which each factor is changed in half of the settings.
    low, high : float
        Smallest and largest score of the settings of the design.
    """

    stated: Share
    found: Share
    random: Share
    low: Share
    high: Share


@dataclass(frozen=True)
class Half:
    """A fit to one half of the claims and its test on the other half.

    Attributes
    ----------
    name : str
        `A` or `B`.
    claims : tuple of str
        Ids of the claims of this half.
    found : tuple of str
        Names of the factors that the fit changes.
    fitted, untouched : Scores
        Scores on this half and on the other half.
    """

    name: HalfName
    claims: tuple[str, ...]
    found: tuple[str, ...]
    fitted: Scores
    untouched: Scores


@dataclass(frozen=True)
class Transfer:
    """Test of the reconstructed settings of a paper on another paper of its group.

    Attributes
    ----------
    to : str
        Name of the other paper.
    carried : tuple of str
        Names of the changed factors that both papers have.
    scores : Scores
        Scores on the claims of the other paper; `found` is the score of the carried settings.
    """

    to: str
    carried: tuple[str, ...]
    scores: Scores


@dataclass(frozen=True)
class ClaimResult:
    """One claim under the stated and the reconstructed settings.

    Attributes
    ----------
    id : str
        Id of the claim.
    half : str
        `A` or `B`; empty for a claim without a credit, because no run decides it.
    stated, reconstructed : Verdict
        Verdicts under the stated and the reconstructed settings, from equal numbers of runs.
    stated_credit, reconstructed_credit : float or None
        Credits in the fit; None for a claim without a credit.
    needed, needed_seconds : number or None
        Runs of each case that decide a claim that is undecided under the reconstructed settings, and their processor
        time in seconds (`manypath.papers.budget`).
    """

    id: str
    half: HalfName | Literal[""]
    stated: Verdict
    reconstructed: Verdict
    stated_credit: Share | None
    reconstructed_credit: Share | None
    needed: Count | None
    needed_seconds: Amount | None


@dataclass(frozen=True)
class Reconstruction:
    """The result of the reconstruction of one paper.

    Attributes
    ----------
    paper, tag : str
        Name and tag of the paper.
    engine : str
        Version of the engine that computed the runs.
    seed, replications : int
        Whole of all runs, and runs of each case in the fit.
    settings, runs : int
        Number of settings in the fit, and number of their runs.
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
        Other settings that the bootstrap cannot distinguish from the best one, the best first.
    together : tuple
        Groups of factors that the claims cannot distinguish.
    halves : tuple of Half
        The fits to each half.
    transfers : tuple of Transfer
        Tests on the other papers of the group.
    claims : tuple of ClaimResult
        The claims under the stated and the reconstructed settings.
    """

    paper: str
    tag: str
    engine: str
    seed: Whole
    replications: Count
    settings: Count
    runs: Count
    digest: str
    factors: tuple[FactorResult, ...]
    found: tuple[str, ...]
    penalty: Amount
    scores: Scores
    rivals: tuple[tuple[str, ...], ...]
    together: tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...]
    halves: tuple[Half, ...]
    transfers: tuple[Transfer, ...]
    claims: tuple[ClaimResult, ...]

    def claim(self, number: str) -> ClaimResult | None:
        """Return the result of a claim by its id, or None if the file does not contain the claim."""
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
"""Kind of the file, for checks of outputs."""


@cache
def kept_result(paper: str) -> Reconstruction | None:
    """Return the published reconstruction of a paper, by the name of its folder; None if there is none.

    Raises
    ------
    UserError
        If the file exists and is no reconstruction of this paper.
    """
    file = kept.file_of(paper, FILE)
    if not file.is_file():
        return None
    known = registry().get(paper)
    return load(file, paper, None if known is None else [claim.id for claim in known.claims])


def publish(results: Sequence[Reconstruction]) -> None:
    """Write each result into the folder of its paper.

    Raises
    ------
    UserError
        If a file cannot be written.
    """
    for result in results:
        target = kept.file_of(result.paper, FILE)
        with replacing("--publish", target) as begun:
            result.save(begun)


def load(file: Path, paper: str, claims: Collection[str] | None = None) -> Reconstruction:
    """Read a reconstruction of a paper.

    Parameters
    ----------
    file
        The file.
    paper
        Name of the paper.
    claims
        Ids of all claims of the paper, which must be those of the file; None accepts any.

    Raises
    ------
    UserError
        If the file is no reconstruction, is inconsistent, or belongs to another paper.
    """
    found = kept.read(_ADAPTER, file, AGAIN)
    wrong = next(_wrong(found, paper, claims), None)
    if wrong:
        raise UserError(f"{file}: {wrong}: {AGAIN}")
    return found


AGAIN = "write it again with manypath reconstruct --publish"


def _wrong(found: Reconstruction, paper: str, claims: Collection[str] | None) -> Iterator[str]:
    """Describe the inconsistencies in a file: the field, and what is wrong."""
    if found.paper != paper:
        yield f"paper: {quoted(found.paper)} is not {paper}"
    yield from malformed("engine", found.engine, 16)
    yield from malformed("digest", found.digest, 64)
    names = [each.name for each in found.factors]
    ids = [each.id for each in found.claims]
    yield from repeated("factors", names)
    yield from repeated("claims", ids)
    lists = {
        "found": [found.found],
        "rivals": found.rivals,
        "together": found.together,
        "halves.found": [half.found for half in found.halves],
        "transfers.carried": [transfer.carried for transfer in found.transfers],
    }
    for field, each in lists.items():
        yield from unknown(field, (name for group in each for name in group), names, "factor")
    if claims is not None:
        yield from unknown("claims", ids, claims, "claim of the paper")
        yield from (f"claims: {number} is missing" for number in claims if number not in ids)
    for each in found.claims:
        yield from superfluous(f"claims.{each.id}", each.reconstructed, each.needed, each.needed_seconds)
    yield from repeated("found", found.found)
    halves = [half.name for half in found.halves]
    yield from repeated("halves", halves)
    yield from (f"halves: {name} is missing" for name in get_args(HalfName) if name not in halves)
    tested = [number for half in found.halves for number in half.claims]
    yield from repeated("halves.claims", tested)
    yield from unknown("halves.claims", tested, ids, "claim of the file")
