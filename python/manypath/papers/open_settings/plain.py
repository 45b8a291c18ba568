"""Claims over open settings as plain data for JSON, and as rows of tables."""

from __future__ import annotations

from typing import Any

from manypath.papers.claim import Claim
from manypath.papers.mean import Mean
from manypath.papers.open_settings.deciding import Deciding
from manypath.papers.open_settings.experiment import OverSettings
from manypath.papers.open_settings.kept import claim_data

HEAD = ("claim", "plain setting", "all settings", "holds in", "contradicted in", "undecided in", "decided by")
"""Names of the columns of a table."""


def plain_over(found: OverSettings, claim: Claim) -> dict[str, Any]:
    """Return a claim over all settings as plain data."""
    counts = {"plausible": found.plausible, "tested": len(found.of(claim).tests)}
    return counts | claim_data(found, found.of(claim), Mean.plain)


def rows_of(found: OverSettings) -> list[list[str]]:
    """Return a row of `HEAD` for each claim."""
    return [
        [
            item.claim.id,
            item.plain.verdict,
            item.verdict,
            *(str(item.count(verdict)) for verdict in ("holds", "contradicted", "undecided")),
            "; ".join(map(_told, item.deciding)) if item.verdict in NEED_REASONS else "",
        ]
        for item in found.claims
    ]


def _told(deciding: Deciding) -> str:
    return f"{deciding.says} ({deciding.moved.signed()} {deciding.unit}".rstrip() + ")"


NEED_REASONS = ("depends", "undecided")
"""Verdicts for which the deciding values are named."""
