"""The claims of evaluated papers as pandas frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from manypath.papers.mean import Mean

if TYPE_CHECKING:
    import pandas as pd

    from manypath.papers.changed import ChangedClaim, ChangedPart, ChangedPoint
    from manypath.papers.paper_evaluation import PaperEvaluation


def verdicts_frame(parts: Iterable[PaperEvaluation]) -> pd.DataFrame:
    """Return a frame with a row for each claim. With changes, claims with another verdict are the first of a paper."""
    import pandas as pd

    return pd.DataFrame([row for part in parts for row in _verdicts(part)])


def estimates_frame(parts: Iterable[PaperEvaluation]) -> pd.DataFrame:
    """Return a frame with a row for each point of each claim, without and with the changes."""
    import pandas as pd

    rows = [
        {"paper": paper.paper.name, "claim": each.claim.id, "part": part.before.what, **_estimate(part, point)}
        for paper in parts
        if paper.change is not None
        for each in paper.change.ordered
        for part in each.parts
        for point in part.points
    ]
    return pd.DataFrame(rows, columns=ESTIMATES)


def _verdicts(part: PaperEvaluation) -> Iterator[dict[str, Any]]:
    if part.change is None:
        for item in part.claims:
            check = item.check
            row = {"verdict": check.verdict, "measured": check.measured, "expected": check.expected}
            yield {"paper": part.paper.name, "claim": item.claim.id, **row, "says": item.claim.says}
    else:
        for each in part.change.ordered:
            yield {"paper": part.paper.name, "claim": each.claim.id, **_both(each), "says": each.claim.says}


def _both(each: ChangedClaim) -> dict[str, Any]:
    return {
        "verdict": each.before.verdict,
        "changed_verdict": each.after.verdict,
        "measured": each.before.measured,
        "changed_measured": each.after.measured,
        "expected": each.before.expected,
        "reached": each.reached,
    }


def _estimate(part: ChangedPart, point: ChangedPoint) -> dict[str, Any]:
    return {
        "point": point.place,
        **_columns("value", point.before),
        **_columns("changed", point.after),
        **_columns("moved", point.moved),
        "printed": point.printed,
        "low": point.low,
        "high": point.high,
        "unit": part.before.unit,
    }


def _columns(name: str, mean: Mean) -> dict[str, float | None]:
    return {name: mean.mean, f"{name}_half_width": mean.half_width}


ESTIMATES = [
    *("paper", "claim", "part", "point"),
    *("value", "value_half_width", "changed", "changed_half_width", "moved", "moved_half_width"),
    *("printed", "low", "high", "unit"),
]
"""Columns of the frame of estimates."""
