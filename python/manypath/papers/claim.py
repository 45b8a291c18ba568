"""One statement of a paper, in our own words, with the numeric check that decides whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from manypath.display import counted
from manypath.papers.history import Entry

if TYPE_CHECKING:
    from manypath.papers.check import Check
    from manypath.papers.evidence import Evidence, Number

Kind = Literal["number", "ordering", "mechanism", "theory", "qualitative"]
"""A number; an ordering or shape; a mechanism visible in window curves; a result of theory; a qualitative criterion."""


@dataclass
class Claim:
    """A statement and its check.

    Attributes
    ----------
    id : str
        `C-<paper>-<number>`.
    place : str
        Place of the statement in the paper.
    says : str
        The statement, in our own words.
    kind : Kind
        Kind of the statement.
    figure : int or str or None
        The figure whose scenarios the check reads.
    predicate : callable
        The check.
    suspects : tuple of str
        Names of the switches that are tried one at a time if the statement does not hold.
    fact : str
        Name of its fact: claims that share their data have the same. By default its own id.
    history : tuple of Entry
        Its changes after results were known, the oldest first.
    explanation : callable or None
        A function of the results that returns a text about the cause; it may read the runs of the suspects.
    """

    id: str
    place: str
    says: str
    kind: Kind
    figure: Number | None
    predicate: Callable[[Evidence], Check]
    suspects: tuple[str, ...] = ()
    fact: str = ""
    history: tuple[Entry, ...] = ()
    explanation: Callable[[Evidence], str] | None = None

    def __post_init__(self) -> None:
        self.fact = self.fact or self.id

    def __call__(self, results: Evidence) -> Check:
        """Check the statement."""
        return self.predicate(results)

    def explain(self, function: Callable[[Evidence], str]) -> Callable[[Evidence], str]:
        """Register the function that returns the cause as text; used as a decorator."""
        self.explanation = function
        return function


def facts_and_sentences(claims: Collection[Claim]) -> str:
    """Return the number of facts and of sentences as text; empty without claims."""
    facts = len({claim.fact for claim in claims})
    return f"{counted(facts, 'fact')}, {counted(len(claims), 'sentence')}" if claims else ""


class Claims:
    """The claims of one paper, sorted by number. A decorator adds claims."""

    def __init__(self) -> None:
        self._by_id: dict[str, Claim] = {}

    def __call__(
        self,
        number: str,
        *,
        place: str,
        says: str,
        kind: Kind,
        figure: Number | None = None,
        suspects: tuple[str, ...] = (),
        fact: str = "",
        history: tuple[Entry, ...] = (),
    ) -> Callable[[Callable[[Evidence], Check]], Claim]:
        """Return the decorator that registers a check."""

        def register(predicate: Callable[[Evidence], Check]) -> Claim:
            if number in self._by_id:
                raise ValueError(f"{number} is registered twice")
            self._by_id[number] = Claim(number, place, says, kind, figure, predicate, suspects, fact, history)
            return self._by_id[number]

        return register

    def all(self) -> list[Claim]:
        """Return the claims in the order of their numbers."""
        return sorted(self._by_id.values(), key=lambda claim: [int(part) for part in claim.id.split("-")[1:]])
