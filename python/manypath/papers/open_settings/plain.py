"""Claims over open settings as plain data for JSON, and as rows of tables."""

from __future__ import annotations

from typing import Any

from manypath.papers.claim import Claim
from manypath.papers.open_settings.deciding import Deciding
from manypath.papers.open_settings.experiment import OverSettings
from manypath.papers.open_settings.kept import shown

HEAD = ("claim", "plain setting", "all settings", "holds in", "contradicted in", "undecided in", "decided by")
"""Names of the columns of a table."""


def plain_over(found: OverSettings, claim: Claim) -> dict[str, Any]:
    """Return a claim over all settings as plain data."""
    item = found.of(claim)
    return {
        "verdict": item.verdict,
        "plausible": found.plausible,
        "tested": len(item.tests),
        "holds": item.count("holds"),
        "contradicted": item.count("contradicted"),
        "undecided": item.count("undecided"),
        "strongest": shown(found, item, item.strongest),
        "weakest": shown(found, item, item.weakest),
        "deciding": [
            {"setting": each.setting, "value": each.says, "moved": each.moved.plain(), "unit": each.unit}
            for each in item.deciding
        ],
    }


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
