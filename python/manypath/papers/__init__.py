"""The papers as checks: the claims of each paper, the values measured here, and the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from manypath.arguments import in_order, text, truth
from manypath.errors import UserError, quoted, remedy

if TYPE_CHECKING:
    from manypath.papers.evaluation import evaluate
    from manypath.papers.paper import Paper

__all__ = ["FIGURES", "NAMES", "STUDIES", "evaluate", "registry"]

NAMES = (
    "dreibholz2010_asymmetric",
    "dreibholz2011_impact",
    "dreibholz2012_testbed",
    "gonzalez2012_mptcp",
    "honda2009_bmc",
)
"""Folders of the papers in `manypath.papers`; the `paper.py` of each defines `PAPER`."""

TAGS: dict[str, str] = dict(zip(("D10", "D11", "D12", "G12", "H09"), NAMES, strict=True))
"""Folders by the tags of the papers, by which all pages name them."""

STUDIES = ("which_mechanism", "failover")
"""Folders of our own studies in `manypath.studies`; the `study.py` of each defines `STUDY`."""

FIGURES = {
    "dreibholz2010_asymmetric": ("4", "5", "6", "7", "8"),
    "dreibholz2011_impact": ("2", "3", "4", "5"),
    "dreibholz2012_testbed": ("3", "4"),
    "gonzalez2012_mptcp": ("2", "3", "4", "5", "6"),
    "honda2009_bmc": ("1.2", "2.1", "3.2", "3.3", "4.1", *(f"5.{number}" for number in range(2, 19))),
    "which_mechanism": ("1",),
    "failover": ("1", "2"),
}
"""Figure numbers of each paper, for shell completion without loading matplotlib.

A test compares them with the papers.
"""


def __getattr__(name: str) -> Any:
    """Load `evaluate` at first use, because names of papers are needed without numpy."""
    if name != "evaluate":
        raise AttributeError(f"module 'manypath.papers' has no attribute {name!r}")
    return import_module("manypath.papers.evaluation").evaluate


def registry() -> dict[str, Paper]:
    """Return the papers by name, followed by our own studies.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.papers.registry()["dreibholz2011_impact"].tag
    'D11'
    """
    return {name: load(name) for name in (*NAMES, *STUDIES)}


def load(name: str) -> Paper:
    """Return a paper or a study by its name.

    Raises
    ------
    UserError
        If there is no such paper or study.
    """
    _check_name(name)
    # Its figures import matplotlib, which `manypath.figures` loads with any settings.
    import_module("manypath.figures")
    if name in STUDIES:
        return import_module(f"manypath.studies.{name}.study").STUDY
    return import_module(f"manypath.papers.{name}.paper").PAPER


def chosen(names: str | Paper | Iterable[str | Paper] | None, *, full: bool = False) -> list[Paper]:
    """Return papers and studies, given as such or by name. By default all papers; with `full` all studies, too.

    Raises
    ------
    UserError
        If a paper does not exist or is given twice.
    """
    given = () if names is None else in_order("names", names)
    truth("full", full)
    several = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    wanted = several or ((*NAMES, *STUDIES) if full else NAMES)
    # Before papers are loaded, which takes a second
    for each in wanted:
        if isinstance(each, str):
            _check_name(each)
    from manypath.papers.paper import Paper

    names_of_all = [each.name if isinstance(each, Paper) else text("names", each, "names of papers") for each in wanted]
    twice = next((name for name, times in Counter(names_of_all).items() if times > 1), None)
    if twice is not None:
        raise UserError(f"paper: {quoted(twice)} is given twice: give each paper once")
    return [each if isinstance(each, Paper) else load(each) for each in wanted]


def _check_name(name: str) -> None:
    known = (*NAMES, *STUDIES)
    if text("paper", name, "the name of a paper") not in known:
        tagged = TAGS.get(name.strip("[]").upper())
        hint = remedy(name, known) if tagged is None else f"did you mean {quoted(tagged)}, the name of this paper?"
        raise UserError(f"paper: {quoted(name)} is no paper: {hint}")
