"""A paper: what it is, how its runs are set up, and everything of it that can be run, drawn and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from manypath.papers.claim import Claim
from manypath.papers.experiment import Experiments, Precision
from manypath.papers.reconstruction.factors import Factor
from manypath.papers.switch import Mutation, Switch

if TYPE_CHECKING:
    from manypath.figures import Picture
    from manypath.papers.evidence import Evidence, Number


@dataclass(frozen=True)
class Setting:
    """One row of the setup table.

    Attributes
    ----------
    what : str
        The parameter.
    paper : str
        What the paper gives, in its units; empty where it is silent.
    ours : str
        What is used here.
    source : str
        Where ours comes from when the paper is silent.
    """

    what: str
    paper: str
    ours: str
    source: str = ""

    @classmethod
    def of_repetitions(cls, paper: str, quick: Precision, full: Precision) -> Setting:
        """Return the row that says how often each case is run."""
        more = "" if full.most <= full.replications else f", up to {full.most} where a claim is undecided"
        return cls("repetitions", paper, f"{quick.replications} quick; {full.replications} full{more}")


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, drawn from our runs.

    Attributes
    ----------
    number : int or str
        Number in the paper.
    name : str
        Name of the file, without its ending.
    caption : str
        What it shows, in our own words.
    experiments : tuple of str
        The experiments that it reads.
    draw : callable
        Draws it.
    """

    number: Number
    name: str
    caption: str
    experiments: tuple[str, ...]
    draw: Callable[[Evidence], Picture]


class Figures:
    """The figures of one paper, filled by a decorator."""

    def __init__(self) -> None:
        self._figures: list[Figure] = []

    def __call__(
        self, number: Number, name: str, *, caption: str, experiments: tuple[str, ...]
    ) -> Callable[[Callable[[Evidence], Picture]], Callable[[Evidence], Picture]]:
        """Return the decorator that registers a drawing function."""

        def register(draw: Callable[[Evidence], Picture]) -> Callable[[Evidence], Picture]:
            self._figures.append(Figure(number, name, caption, experiments, draw))
            return draw

        return register

    def all(self) -> list[Figure]:
        """Return the figures in the order of their definition."""
        return list(self._figures)


@dataclass(frozen=True)
class Spread:
    """Goodput of one flow in some runs of another simulator, Mbit/s.

    Attributes
    ----------
    mean, low, high : float
        Their mean, the smallest and the largest.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Table:
    """A table of our own, made from the runs.

    Attributes
    ----------
    name : str
        What it is called on its page.
    caption : str
        What it shows.
    head : tuple of str
        Its columns.
    rows : callable
        Makes its rows from the runs, as text; none where nothing of it was run.
    """

    name: str
    caption: str
    head: tuple[str, ...]
    rows: Callable[[Evidence], list[tuple[str, ...]]]


@dataclass(frozen=True)
class Point:
    """Goodput measured elsewhere, for comparison.

    Attributes
    ----------
    experiment : str
        The experiment that ran the same setup here.
    factors : mapping
        Its factors.
    goodput : mapping
        What each flow got, by the flow's name.
    """

    experiment: str
    factors: Mapping[str, float | int | str]
    goodput: Mapping[str, Spread]


@dataclass(frozen=True)
class Sensitivity:
    """Where the settings that a paper leaves open are thrown one at a time.

    Attributes
    ----------
    switches : tuple
        The settings.
    points : tuple
        The points as (experiment, factors).
    quick : tuple of str
        Names of the switches that quick precision runs too.
    """

    switches: tuple[Switch, ...]
    points: tuple[tuple[str, Mapping[str, float | int | str]], ...]
    quick: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper as checks, or a study of our own: that one has neither tag nor citation, and no claims.

    Attributes
    ----------
    name : str
        Name of its folder.
    tag : str
        Its tag in REFERENCES.md; empty for a study.
    title, citation : str
        How it is cited.
    summary : str
        What it shows and what is done with it here, in one paragraph.
    setup : tuple
        Its parameters beside ours.
    quick, full : Precision
        How finely it is reproduced.
    mutated : Precision
        How finely the mutation matrix is run.
    experiments, figures, claims, tables
        What can be run, drawn, checked and tabulated.
    switches : mapping
        What may be thrown to find a cause.
    mutations : tuple
        Wrong implementations that claims must notice.
    factors : tuple
        What a reconstruction varies jointly; without factors there is none.
    reconstructed : Precision or None
        How finely each setting of a reconstruction is run.
    sensitivity : Sensitivity
        What is run to see how much the open settings matter.
    reference_points : tuple
        Numbers of another simulator.
    reference : str
        Where they come from, in one sentence.
    flows : tuple of str
        The flows that figures and comparisons show.
    legend : str
        How the lines of its figures are to be read, in one sentence.
    """

    name: str
    tag: str
    title: str
    citation: str
    summary: str
    setup: tuple[Setting, ...]
    quick: Precision
    full: Precision
    mutated: Precision
    experiments: Experiments
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...] = ()
    switches: Mapping[str, Switch] = field(default_factory=dict)
    mutations: tuple[Mutation, ...] = ()
    factors: tuple[Factor, ...] = ()
    reconstructed: Precision | None = None
    sensitivity: Sensitivity = field(default_factory=lambda: Sensitivity((), ()))
    reference_points: tuple[Point, ...] = ()
    reference: str = ""
    flows: tuple[str, ...] = ("cmt", "single")
    legend: str = ""

    def filled_tables(self, evidence: Evidence) -> list[tuple[Table, list[tuple[str, ...]]]]:
        """Return the tables of what was run, each with its rows."""
        filled = [(table, table.rows(evidence)) for table in self.tables]
        return [(table, rows) for table, rows in filled if rows]

    def precision(self, *, full: bool) -> Precision:
        """Return the full or the quick precision."""
        return self.full if full else self.quick
