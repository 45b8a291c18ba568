"""Cards: the summaries of papers on the first page. Each page contains its card, from which the first page reads it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from manypath import papers
from manypath.papers import NAMES, STUDIES
from manypath.papers.published import load
from manypath.report.columns import counts_of, full_column, over_settings
from manypath.report.views import PaperView

Card = dict[str, Any]
"""Texts and numbers for the template of the first page."""


def card_of(page: PaperView) -> str:
    """Return the card of a page as JSON text, which the page contains."""
    facts = dict(page.facts)
    card: Card = {
        "name": page.paper.name,
        "title": page.paper.title,
        "tag": page.paper.tag,
        "columns": [{"name": column.name, "counts": column.counts} for column in page.columns],
        "claims": [{"id": claim.id, "verdict": claim.verdict, "says": claim.says} for claim in page.claims],
        "findings": [each.says for each in page.paper.findings],
        "scope": page.scope,
        "preliminary": page.preliminary,
        "missing": page.missing,
        "precision": facts["precision"],
        "replications": facts["replications"],
        "ran": page.ran,
        "took": page.took,
    }
    return json.dumps(card, ensure_ascii=False, sort_keys=True)


def cards_in(folder: Path) -> list[Card]:
    """Return the cards of all pages in a folder, in the order of the papers.

    Papers without a page but with published full results have a card without a file.
    """
    cards: list[Card] = []
    for path in folder.glob("[!.]*.html"):
        try:
            with path.open(encoding="utf-8", errors="replace") as page:
                found = CARD.search(page.read(HEAD))
        except FileNotFoundError:  # another process removed it
            continue
        if found:
            cards.append({**json.loads(unescape(found[1])), "file": path.name})
    cards += _kept({card["name"] for card in cards})
    order = {name: place for place, name in enumerate((*NAMES, *STUDIES))}
    return sorted(cards, key=lambda card: (order.get(card["name"], len(order)), card["file"]))


def _kept(there: set[str]) -> list[Card]:
    """Return the cards of published full results, except those of the papers in `there`."""
    cards: list[Card] = []
    for name in NAMES:
        full = None if name in there else load(name)
        if full is None:
            continue
        paper = papers.load(name)
        verdicts = {number: claim.verdict for number, claim in full.claims.items()}
        columns = full_column(paper, verdicts) | over_settings(full.over)
        cards.append(
            {
                "name": name,
                "title": paper.title,
                "tag": paper.tag,
                "file": "",
                "columns": [{"name": column, "counts": counts_of(found)} for column, found in columns.items()],
                "claims": [
                    {"id": claim.id, "verdict": verdicts[claim.id], "says": claim.says}
                    for claim in paper.claims
                    if claim.id in verdicts
                ],
                "findings": [each.says for each in paper.findings],
                "preliminary": False,
                "missing": "",
            }
        )
    return cards


CARD = re.compile(r'<meta name="card" content="([^"]*)">')
"""Element of a page that contains its card."""

HEAD = 40_000
"""Number of characters at the start of a page that contain its card."""
