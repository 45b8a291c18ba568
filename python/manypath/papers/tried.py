"""The trials on a claim that does not hold, as numbers for the cards of a report, for tables and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from manypath.papers.causes import Effect, Verified, effects_on, proven, slack_at
from manypath.papers.mean import Mean
from manypath.papers.side_effects import SideEffects
from manypath.papers.verdict import Verdict


@dataclass(frozen=True)
class Trial:
    """One change and its effect on a part of a claim.

    Attributes
    ----------
    changed : str
        Description of the change.
    moved : Mean
        Distance by which the change moves the missed points towards the claim.
    certain : bool
        Whether the move is significant at 5 % with Holm's correction over the trials of the part.
    margin : Mean
        Slack of the missed points with the change; positive on the side of the claim.
    verdict : Verdict
        Verdict on the part with the change.
    breaks : tuple of str
        Ids of the claims that stand without the change and are contradicted with it (`manypath.papers.side_effects`).
    """

    changed: str
    moved: Mean
    certain: bool
    margin: Mean
    verdict: Verdict
    breaks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tried:
    """The trials on one contradicted or undecided part of a claim.

    Attributes
    ----------
    what : str
        Name of the part; empty if the claim has only one.
    unit : str
        Unit of moves and margins.
    margin : Mean
        Slack of the missed points without a change; positive on the side of the claim.
    verdict : Verdict
        Verdict on the part without a change.
    trials : tuple of Trial
        The trials; those with a significant move are first.
    """

    what: str
    unit: str
    margin: Mean
    verdict: Verdict
    trials: tuple[Trial, ...]


def tried_on(item: Verified, broken: SideEffects) -> tuple[Tried, ...]:
    """Return the trials on each part of a claim that does not hold. Parts without trials are skipped.

    `broken` has the claims that each change breaks.
    """
    several = len(item.check.leaves()) > 1
    return tuple(
        Tried(
            what=leaf.what if several else "",
            unit=leaf.unit,
            margin=Mean.of(slack_at(leaf.missed, leaf)),
            verdict=leaf.verdict,
            trials=tuple(_trials(effects, broken)),
        )
        for leaf, effects in effects_on(item)
        if effects
    )


def _trials(effects: list[Effect], broken: SideEffects) -> Iterator[Trial]:
    certain = proven(effects)
    switches = {effect.switch for effect in certain}
    for effect in [*certain, *(effect for effect in effects if effect.switch not in switches)]:
        yield Trial(
            changed=effect.switch.says,
            moved=Mean.of(effect.gain),
            certain=effect.switch in switches,
            margin=Mean.of(effect.slack),
            verdict=effect.verdict,
            breaks=broken.get(effect.switch.says, ()),
        )


def data_of(tried: Tried, written: Callable[[Mean], Any]) -> dict[str, Any]:
    """Return the trials on a part as plain data; `written` converts means."""
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
                **({"breaks": list(trial.breaks)} if trial.breaks else {}),
            }
            for trial in tried.trials
        ],
    }
