"""A paper: its description, the setup of its runs, its experiments, figures and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from manypath.papers.claim import Claim
from manypath.papers.evidence import MissingCase
from manypath.papers.experiment import Experiments, Precision
from manypath.papers.findings import Finding
from manypath.papers.open_settings.setting import OpenSetting
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
        Value in the paper, in its units; empty if the paper gives none.
    ours : str
        Value of our runs.
    source : str
        Source of our value if the paper gives none.
    """

    what: str
    paper: str
    ours: str
    source: str = ""

    @classmethod
    def of_repetitions(cls, paper: str, quick: Precision, full: Precision) -> Setting:
        """Return the row with the number of runs of each case."""
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
        Caption, in our own words.
    experiments : tuple of str
        The experiments that it reads.
    draw : callable
        Function that draws it.
    """

    number: Number
    name: str
    caption: str
    experiments: tuple[str, ...]
    draw: Callable[[Evidence], Picture]


class Figures:
    """The figures of one paper. A decorator adds figures."""

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
    """Goodput of one flow in the runs of another simulator, Mbit/s.

    Attributes
    ----------
    mean, low, high : float
        Mean, minimum and maximum over the runs.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PaperTable:
    """An additional table, computed from the runs.

    Attributes
    ----------
    name : str
        Heading on its page.
    caption : str
        Caption.
    head : tuple of str
        Names of its columns.
    rows : callable
        Function that returns its rows as text; empty if its experiments were not run.
    """

    name: str
    caption: str
    head: tuple[str, ...]
    rows: Callable[[Evidence], list[tuple[str, ...]]]


@dataclass(frozen=True)
class ReferencePoint:
    """Goodput measured elsewhere, for comparison.

    Attributes
    ----------
    experiment : str
        The experiment that ran the same setup here.
    factors : mapping
        Its factors.
    goodput : mapping
        Goodput by the name of the flow.
    """

    experiment: str
    factors: Mapping[str, float | int | str]
    goodput: Mapping[str, Spread]


@dataclass(frozen=True)
class Sensitivity:
    """The sensitivity table: settings that a paper does not specify, changed one at a time.

    Attributes
    ----------
    switches : tuple
        The changes of settings.
    points : tuple
        The points that are run, as (experiment, factors).
    quick : tuple of str
        Names of the switches that are run with quick precision, too.
    """

    switches: tuple[Switch, ...]
    points: tuple[tuple[str, Mapping[str, float | int | str]], ...]
    quick: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper as checks, or a study of our own, which has no tag, no citation and no claims.

    Attributes
    ----------
    name : str
        Name of its folder.
    tag : str
        Its tag in REFERENCES.md; empty for a study.
    title, citation : str
        Its title, and its full citation.
    summary : str
        Results of the paper and of its reproduction, in one paragraph.
    setup : tuple
        Parameters of the paper and of our runs.
    quick, full : Precision
        Precisions of the reproduction.
    mutated : Precision
        Precision of the mutation matrix.
    experiments, figures, claims, tables
        Its experiments, figures, claims and additional tables.
    units : mapping
        Units of the factors of its experiments that have one.
    switches : mapping
        Switches by name, for the search for causes.
    mutations : tuple
        Wrong implementations that claims must detect.
    factors : tuple
        Factors of a reconstruction; empty if there is no reconstruction.
    reconstructed : Precision or None
        Precision of each setting of a reconstruction.
    open_settings : tuple
        What the text leaves open, with the plausible values; empty if claims have no verdict over them.
    findings : tuple
        What stands and what does not: two sentences that can be quoted, bound to published verdicts.
    sensitivity : Sensitivity
        Runs of the sensitivity table.
    reference_points : tuple
        Goodput of another simulator.
    reference : str
        Source of these points, in one sentence.
    flows : tuple of str
        Flows of the sensitivity table.
    legend : str
        Explanation of the lines of its figures, in one sentence.
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
    tables: tuple[PaperTable, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    switches: Mapping[str, Switch] = field(default_factory=dict)
    mutations: tuple[Mutation, ...] = ()
    factors: tuple[Factor, ...] = ()
    reconstructed: Precision | None = None
    open_settings: tuple[OpenSetting, ...] = ()
    findings: tuple[Finding, ...] = ()
    sensitivity: Sensitivity = field(default_factory=lambda: Sensitivity((), ()))
    reference_points: tuple[ReferencePoint, ...] = ()
    reference: str = ""
    flows: tuple[str, ...] = ("cmt", "single")
    legend: str = ""

    def filled_tables(self, evidence: Evidence) -> list[tuple[PaperTable, list[tuple[str, ...]]]]:
        """Return the tables whose cases were run, each with its rows."""
        filled: list[tuple[PaperTable, list[tuple[str, ...]]]] = []
        for table in self.tables:
            try:
                rows = table.rows(evidence)
            except MissingCase:
                continue  # The paper is still being run, or only one figure of it.
            if rows:
                filled.append((table, rows))
        return filled

    def precision(self, *, full: bool) -> Precision:
        """Return the full or the quick precision."""
        return self.full if full else self.quick
