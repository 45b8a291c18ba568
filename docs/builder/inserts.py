"""Inserts tables of reference into pages, from the sources that define their rows.

A line `<!-- insert: NAME -->` stands for a table in `TABLES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from manypath.measurements import COUNTERS
from manypath.papers import NAMES, load, published, windows
from manypath.papers.claim import facts_and_sentences
from manypath.papers.findings import Finding
from manypath.papers.paper import Paper
from manypath.papers.verdict import tally
from socket_options import options

INSERT = re.compile(r"^<!-- insert: (?P<name>.*) -->$", re.MULTILINE)
"""The place of a table."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Insert the tables of a page."""

    def table(place: re.Match[str]) -> str:
        if place["name"] not in TABLES:
            raise ValueError(f"{page.file.src_uri}: there is no table {place['name']}: {', '.join(TABLES)}")
        return TABLES[place["name"]]()

    return INSERT.sub(table, markdown)


def counters(kind: str, head: str, prefix: str) -> str:
    """Return the table of counters of a kind. Its page states their unit."""
    rows = ((f"`{prefix}{name}`", meaning.rstrip(".")) for name, meaning in COUNTERS[kind].items())
    return written(head, "meaning", rows=rows)


def socket_options() -> str:
    """Return the table of socket options."""
    return written("option", "use", "note", rows=((f"`{name}`", use, note) for name, use, note in options()))


def papers() -> str:
    """Return the verdicts on each paper with full precision, and the processor time of these runs."""

    def row(name: str) -> tuple[str, ...]:
        paper, found = load(name), published.load(name)
        if found is None:
            return f"[{paper.tag}]", facts_and_sentences(paper.claims), "not published", "", ""
        verdicts = tally(claim.verdict for claim in found.claims.values())
        return (
            f"[{paper.tag}]",
            facts_and_sentences(paper.claims),
            verdicts,
            f"{found.runs:,}",
            f"{found.cpu_seconds / 60.0:.0f}",
        )

    heads = ("paper", "statements", "verdicts in the plain setting", "runs", "processor time, min")
    return written(*heads, rows=map(row, NAMES))


def regimes() -> str:
    """Return the number of cases with two regimes for each paper, and the verdicts in both halves of their windows."""

    def row(name: str) -> tuple[str, ...]:
        paper, found, checked = load(name), published.load(name), windows.load(name)
        claims = () if found is None else found.claims.values()
        halves = [(claim.id, claim.verdict, claim.halves) for claim in claims if claim.halves is not None]
        agree = [number for number, verdict, both in halves if set(both) == {verdict}]
        others = [f"{number} ({both[0]}, {both[1]})" for number, verdict, both in halves if set(both) != {verdict}]
        cases = 0 if checked is None else sum(each.cases for each in checked.full.values())
        changing = windows.changing_cases(paper)
        return f"[{paper.tag}]", f"{cases:,}", str(len(changing)), ", ".join(agree) or "–", ", ".join(others) or "–"

    heads = ("paper", "cases", "change", "same verdict in both halves", "undecided (first half, second half)")
    return written(*heads, rows=map(row, NAMES))


def findings() -> str:
    """Return the findings of each paper, with the claims that they rest on."""

    def row(paper: Paper, finding: Finding) -> tuple[str, ...]:
        return f"[{paper.tag}]", finding.says, ", ".join(finding.verdicts)

    rows = [row(paper, finding) for paper in map(load, NAMES) for finding in paper.findings]
    return written("paper", "finding", "claims", rows=rows)


def written(*heads: str, rows: Any) -> str:
    """Return a table in Markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


TABLES: Mapping[str, Callable[[], str]] = {
    "counters of flows": partial(counters, "flows", "column", ""),
    "counters of paths": partial(counters, "paths", "column", ""),
    "limits of paths": partial(counters, "limits", "column", "blocked_"),
    "limits in events": partial(counters, "limits", "field", ""),
    "papers": papers,
    "findings": findings,
    "regimes": regimes,
    "socket options": socket_options,
}
"""The tables by name."""
