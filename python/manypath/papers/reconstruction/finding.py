"""The finding of a reconstruction as three sentences, generated from its data."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from manypath.papers.reconstruction.result import Reconstruction, Scores


def finding(result: Reconstruction) -> str:
    """Return three sentences: the best settings, their scores on unused claims, and the identified settings."""
    return " ".join((_found(result), _tested(result), _told(result)))


def _found(result: Reconstruction) -> str:
    scores = result.scores
    held = sum(claim.stated == "holds" for claim in result.claims)
    if not result.found:
        return (
            f"No joint change of {len(result.factors)} settings gains more credit on [{result.tag}] than its penalty: "
            f"as stated, {held} of {len(result.claims)} claims hold, and the mean credit is {_scores(scores)}."
        )
    now = sum(claim.reconstructed == "holds" for claim in result.claims)
    changes = _list(result.factor(name).changed for name in result.found)
    return (
        f"The runs are nearest to [{result.tag}] with {changes}: {now} of {len(result.claims)} claims hold instead of "
        f"{held}, and the mean credit is {_scores(scores)}."
    )


def _tested(result: Reconstruction) -> str:
    untouched = [half.untouched for half in result.halves]
    found, stated, random = (fmean(getattr(each, name) for each in untouched) for name in ("found", "stated", "random"))
    fitted = fmean(half.fitted.found for half in result.halves)
    said = (
        f"Settings fitted to one half of the claims reach {fitted:.2f} on this half and {found:.2f} on the other half, "
        f"where the settings as stated reach {stated:.2f} and random ones {random:.2f}"
    )
    carried = [
        f"{transfer.scores.found:.2f} instead of {transfer.scores.stated:.2f} in {transfer.to}"
        for transfer in result.transfers
        if transfer.carried
    ]
    return f"{said}; applied to other papers the settings reach {_list(carried)}." if carried else f"{said}."


def _told(result: Reconstruction) -> str:
    changed = [factor.changed for factor in result.factors if factor.told == "changed"]
    kept = [factor.stated for factor in result.factors if factor.told == "as stated"]
    loose = [factor.name for factor in result.factors if factor.told == "not told"]
    fits = "at least 95 % of the bootstrap fits"
    known = (*changed, *kept)
    said = f"Identified in {fits}: {_list(known)}" if known else f"No setting is identified in {fits}"
    if not loose:
        return f"{said}."
    grouped = {name for group in result.together for name in group}
    alone = [name for name in loose if name not in grouped]
    groups = [f"{_list(group)} (only together)" for group in result.together]
    return f"{said}; not identified: {_list((*groups, *alone))}."


def _scores(scores: Scores) -> str:
    return (
        f"{scores.found:.2f} of 1 (as stated {scores.stated:.2f}, random settings {scores.random:.2f}, "
        f"{scores.low:.2f} to {scores.high:.2f})"
    )


def _list(items: Iterable[str]) -> str:
    """Join items: `a`, `a and b`, `a, b and c`."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last
