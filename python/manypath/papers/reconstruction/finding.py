"""The finding of a reconstruction as three sentences, generated from its data."""

from __future__ import annotations

from statistics import fmean

from manypath.papers.reconstruction.result import Reconstruction


def finding(result: Reconstruction) -> str:
    """Return three sentences: the changed settings and verdicts, the test on unused claims, the identified settings."""
    return " ".join((_found_settings(result), _tested(result), _identified(result)))


def _found_settings(result: Reconstruction) -> str:
    """Return the first sentence of the finding: the changed settings, and how many claims hold with them."""
    claims, factors = len(result.claims), len(result.factors)
    stated = sum(claim.stated == "holds" for claim in result.claims)
    if not result.found:
        return (
            f"No joint change of {factors} settings gains more credit on the claims of [{result.tag}] than its "
            f"penalty: as the text says, {stated} of {claims} claims hold."
        )
    now = sum(claim.reconstructed == "holds" for claim in result.claims)
    changes = "; ".join(result.factor(name).changed for name in result.found)
    return (
        f"The settings that fit [{result.tag}] best change {len(result.found)} of {factors} settings ({changes}): "
        f"{now} of {claims} claims hold, and {stated} as the text says."
    )


def _tested(result: Reconstruction) -> str:
    untouched = [half.untouched for half in result.halves]
    found, stated, random = (
        round(fmean(getattr(each, name) for each in untouched), 2) for name in ("found", "stated", "random")
    )
    return (
        f"On claims that a fit did not use, its settings score {found:.2f} of 1, those of the text {stated:.2f} and "
        f"random settings {random:.2f}: {_judged(found, stated, random)}."
    )


def _judged(found: float, stated: float, random: float) -> str:
    """Say whether fitted settings predict unused claims better than the text and better than random settings."""
    if found > max(stated, random):
        return "the fit predicts unused claims better than both"
    if found > random:
        return "the fit predicts unused claims no better than the text"
    if found > stated:
        return "the fit predicts unused claims no better than random settings"
    return "the fit predicts unused claims no better than the text or random settings"


def _identified(result: Reconstruction) -> str:
    changed = [factor.changed for factor in result.factors if factor.told == "changed"]
    kept = sum(factor.told == "as stated" for factor in result.factors)
    loose = sum(factor.told == "not told" for factor in result.factors)
    which = f"{len(changed)} changed ({'; '.join(changed)})" if changed else "none changed"
    return (
        f"Of {len(result.factors)} settings, at least 95 % of the bootstrap fits agree on {len(changed) + kept}: "
        f"{which}, {kept} as in the text; {loose} cannot be identified."
    )
