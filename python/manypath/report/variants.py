"""Tables of verdicts under accounting profiles and under wrong implementations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from manypath import _native
from manypath.papers.published import Published
from manypath.papers.verdict import Verdict
from manypath.papers.verdict_matrix import VerdictMatrix

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation


@dataclass(frozen=True)
class MatrixView:
    """The mutation matrix: heads (name, description), rows (claim, verdict, marks), claims that prove nothing.

    `is_full` is whether the matrix is from the full results.
    """

    heads: list[tuple[str, str]]
    rows: list[tuple[str, Verdict, list[str]]]
    unmoved: list[str]
    is_full: bool


@dataclass(frozen=True)
class ProfilesView:
    """Claims under each accounting profile: heads (name, description), rows (claim, verdicts, whether they differ).

    `is_full` is whether the verdicts are from the full results.
    """

    heads: list[tuple[str, str]]
    rows: list[tuple[str, list[Verdict], bool]]
    dependent: list[str]
    is_full: bool


def profiles_of(part: PaperEvaluation, full: Published | None) -> ProfilesView | None:
    """Return the local verdicts under each profile, or else those of the full results; None without either."""
    found = part.profiles
    if found is not None:
        checked: dict[str, Mapping[str, Verdict]] = {
            claim.id: {name: check.verdict for name, check in found.of(claim).items()} for claim in found.claims
        }
        return _profiles(checked, is_full=False)
    return None if full is None or not full.profiles else _profiles(full.profiles, is_full=True)


def _profiles(checked: Mapping[str, Mapping[str, Verdict]], *, is_full: bool) -> ProfilesView:
    meaning = dict(_native.profiles())
    names = list(dict.fromkeys(name for verdicts in checked.values() for name in verdicts))
    rows: list[tuple[str, list[Verdict], bool]] = [
        (number, [verdicts[name] for name in names], len(set(verdicts.values())) > 1)
        for number, verdicts in checked.items()
    ]
    dependent = [number for number, _, differ in rows if differ]
    return ProfilesView([(name, meaning.get(name, "")) for name in names], rows, dependent, is_full)


def matrix_of(part: PaperEvaluation, full: Published | None) -> MatrixView | None:
    """Return the local mutation matrix, or else that of the full results; None without either."""
    says = {each.name: each.says for each in part.paper.mutations}
    if part.matrix is not None:
        return _matrix(part.matrix.by_name, says, is_full=False)
    return None if full is None or full.matrix is None else _matrix(full.matrix, says, is_full=True)


def _matrix(matrix: VerdictMatrix, says: Mapping[str, str], *, is_full: bool) -> MatrixView:
    rows: list[tuple[str, Verdict, list[str]]] = [
        (claim, before, [mark or "" for mark in matrix.marks(claim)]) for claim, before in matrix.plain.items()
    ]
    return MatrixView([(name, says.get(name, "")) for name in matrix.mutations], rows, matrix.unmoved(), is_full)
