"""Claims with their outcomes as plain data for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manypath.papers.causes import Verified
from manypath.papers.changed import plain_change
from manypath.papers.history import plain_entry
from manypath.papers.mean import Mean
from manypath.papers.open_settings.plain import plain_over
from manypath.papers.paper import Paper
from manypath.papers.published import Published, PublishedClaim
from manypath.papers.reconstruction.result import ClaimResult, kept_result
from manypath.papers.tried import data_of, tried_on

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation


def plain_claim(item: Verified, part: PaperEvaluation, table: Published | None) -> dict[str, Any]:
    """Return a claim of a paper with its outcome and its published outcome, if there is one.

    After runs with a change, it also has the outcome with the change.
    """
    checks = {} if part.profiles is None else part.profiles.of(item.claim)
    changed = _reconstructed(item, part.paper)
    full = None if table is None else table.claims.get(item.claim.id)
    return {
        "id": item.claim.id,
        "paper": part.paper.name,
        "place": item.claim.place,
        "says": item.claim.says,
        "fact": item.claim.fact,
        "history": [plain_entry(entry) for entry in item.claim.history],
        "verdict": item.check.verdict,
        "measured": item.check.measured,
        "expected": item.check.expected,
        "runs": item.check.runs,
        "needed": None if item.check.outlook is None else item.check.outlook.runs,
        "parts": [
            {"verdict": leaf.verdict, "measured": leaf.measured, "expected": leaf.expected, "runs": leaf.runs}
            for leaf in item.check.parts
        ],
        "why": item.check.why,
        "halves": item.halves,
        "causes": [data_of(each, Mean.plain) for each in tried_on(item, part.broken)],
        "over_settings": None if part.over is None else plain_over(part.over, item.claim),
        "profiles": {name: check.verdict for name, check in checks.items()},
        "reconstructed": None if changed is None else changed.reconstructed,
        "reconstructed_needed": None if changed is None else changed.needed,
        "reconstructed_needed_seconds": None if changed is None else changed.needed_seconds,
        "published": None if full is None else _published(full),
        **({} if part.change is None else {"changed": plain_change(part.change.of(item.claim))}),
    }


def _published(claim: PublishedClaim) -> dict[str, Any]:
    return {
        "verdict": claim.verdict,
        "runs": claim.runs,
        "needed": claim.needed,
        "needed_seconds": claim.needed_seconds,
        "why": claim.why,
        "halves": claim.halves,
        "causes": [data_of(each, Mean.plain) for each in claim.causes],
    }


def _reconstructed(item: Verified, paper: Paper) -> ClaimResult | None:
    """Return the result of a claim under the reconstructed settings; None without a published reconstruction."""
    found = kept_result(paper.name) if paper.factors else None
    return None if found is None else found.claim(item.claim.id)
