"""What was tried on a claim that does not hold, as numbers: for the cards of a report, for tables and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from manypath.papers.causes import Effect, Verified, effects_on, proven, slack_at
from manypath.papers.mean import Mean
from manypath.papers.verdict import Verdict


@dataclass(frozen=True)
class Trial:
    """One thing changed, and what becomes of a part of a claim.

    Attributes
    ----------
    changed : str
        What was changed, in words.
    moved : Mean
        How far that moves the missed points towards the claim.
    certain : bool
        Whether that is shown at 95 %, corrected by Holm over the trials of the part.
    margin : Mean
        How far the missed points then are on the side that the claim needs.
    verdict : Verdict
        What becomes of the part.
    """

    changed: str
    moved: Mean
    certain: bool
    margin: Mean
    verdict: Verdict


@dataclass(frozen=True)
class Tried:
    """The trials on one part that is contradicted or undecided.

    Attributes
    ----------
    what : str
        Name of the part; empty where the claim has no other.
    unit : str
        Unit of moves and margins.
    margin : Mean
        How far the missed points are on the side that the claim needs, as the paper describes the scenario.
    verdict : Verdict
        The verdict on the part.
    trials : tuple of Trial
        The trials, those first that move it for certain.
    """

    what: str
    unit: str
    margin: Mean
    verdict: Verdict
    trials: tuple[Trial, ...]


def tried_on(item: Verified) -> tuple[Tried, ...]:
    """Return what was tried on each part of a claim that does not hold; nothing where nothing was tried."""
    several = len(item.check.leaves()) > 1
    return tuple(
        Tried(
            what=leaf.what if several else "",
            unit=leaf.unit,
            margin=Mean.of(slack_at(leaf.missed, leaf)),
            verdict=leaf.verdict,
            trials=tuple(_trials(effects)),
        )
        for leaf, effects in effects_on(item)
        if effects
    )


def _trials(effects: list[Effect]) -> Iterator[Trial]:
    certain = proven(effects)
    switches = {effect.switch for effect in certain}
    for effect in [*certain, *(effect for effect in effects if effect.switch not in switches)]:
        yield Trial(
            changed=effect.switch.says,
            moved=Mean.of(effect.gain),
            certain=effect.switch in switches,
            margin=Mean.of(effect.slack),
            verdict=effect.verdict,
        )


def data_of(tried: Tried, written: Callable[[Mean], Any]) -> dict[str, Any]:
    """Return the trials on a part as plain data, with means as `written` writes them."""
    return {
        "what": tried.what,
        "unit": tried.unit,
        "margin": written(tried.margin),
        "verdict": tried.verdict,
        "trials": [
            {
                "changed": trial.changed,
                "moved": written(trial.moved),
                "certain": trial.certain,
                "margin": written(trial.margin),
                "verdict": trial.verdict,
            }
            for trial in tried.trials
        ],
    }
