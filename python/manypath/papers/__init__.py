"""The papers as checks: the claims of each paper, the values measured here, and the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from manypath.arguments import text
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
    """Return the papers by name, followed by our own studies."""
    papers = {name: import_module(f"manypath.papers.{name}.paper").PAPER for name in NAMES}
    studies = {name: import_module(f"manypath.studies.{name}.study").STUDY for name in STUDIES}
    return {**papers, **studies}


def chosen(names: str | Paper | Iterable[str | Paper] | None, *, full: bool = False) -> list[Paper]:
    """Return papers and studies, given as such or by name. By default all papers; with `full` all studies, too.

    Raises
    ------
    UserError
        If a paper does not exist or is given twice.
    """
    from manypath.papers.paper import Paper

    default = (*NAMES, *STUDIES) if full else NAMES
    given = () if names is None else names
    several = [given] if isinstance(given, str | Paper) or not isinstance(given, Iterable) else list(given)
    wanted = several or default
    known = {} if all(isinstance(each, Paper) for each in wanted) else registry()
    found = [each if isinstance(each, Paper) else _named(each, known) for each in wanted]
    twice = next((name for name, times in Counter(each.name for each in found).items() if times > 1), None)
    if twice is not None:
        raise UserError(f"paper: {quoted(twice)} is given twice: give each paper once")
    return found


def _named(name: str, papers: Mapping[str, Paper]) -> Paper:
    if text("names", name, "names of papers") not in papers:
        raise UserError(f'paper: "{name}" is no paper: {remedy(name, papers)}')
    return papers[name]
