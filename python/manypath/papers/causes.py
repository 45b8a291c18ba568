"""Finds why a claim fails: each suspected switch is thrown alone, and what it changes is tested run by run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence, MissingCase, Sample
from manypath.papers.paired import SIGNIFICANCE, estimate, holm, p_greater
from manypath.papers.runner import Switched
from manypath.papers.switch import Switch


@dataclass(frozen=True)
class Verified:
    """A claim and what became of it.

    Attributes
    ----------
    claim : Claim
        The statement.
    check : Check
        Its outcome, with the cause if it does not hold.
    read : frozenset
        The cases that decided it.
    trials : mapping
        For each suspected switch, the outcome with that one thing changed.
    """

    claim: Claim
    check: Check
    read: frozenset[Case]
    trials: Mapping[Switch, Check] = field(default_factory=dict)


@dataclass(frozen=True)
class Effect:
    """What a switch does to a part of a claim that fails.

    Attributes
    ----------
    switch : Switch
        The one thing changed.
    gain : array
        In each replication, how far it moves the missed points towards the claim.
    holds : bool
        Whether the part holds then.
    slack : array
        In each replication, how far the missed points are on the side that the part needs then.
    """

    switch: Switch
    gain: Sample
    holds: bool
    slack: Sample


def verify(claim: Claim, evidence: Evidence) -> Verified:
    """Check a claim and note what it read; a claim without its cases is open."""
    view = evidence.under(evidence.switch)
    try:
        check = claim(view)
    except MissingCase as missing:
        check = Check("open", "not run", "", 0, why=f"needs {missing}, which this precision does not run")
    return Verified(claim, check, frozenset(view.read))


def find_causes(
    verified: list[Verified],
    evidence: Evidence,
    switches: Mapping[str, Switch],
    trial: Callable[[Mapping[Switch, set[Case]]], Switched],
    changes: Callable[[Switch, Case], bool],
    *,
    exhaustive: bool,
    trial_cases: int,
) -> tuple[list[Verified], Evidence]:
    """Try the suspects of every claim that fails, and word the causes; return the evidence with these trials.

    Parameters
    ----------
    verified, evidence
        The claims as they stand, and the runs behind them.
    switches
        What claims may suspect, by name.
    trial
        Runs cases with switches thrown.
    changes
        Tells whether a switch changes anything about a case: what it leaves alone needs no runs.
    exhaustive : bool
        Try every suspect of a claim; else stop when each part that fails has a cause.
    trial_cases : int
        How many cases may be run in all; claims that read few come first.
    """
    left = trial_cases
    for turn in range(max((len(item.claim.suspects) for item in verified), default=0)):
        asked: dict[str, Switch] = {}
        requests: dict[Switch, set[Case]] = {}
        for item in sorted(verified, key=lambda item: len(item.read)):
            if turn >= len(item.claim.suspects) or _is_done(item, exhaustive=exhaustive):
                continue
            switch = switches[item.claim.suspects[turn]]
            more = {case for case in item.read - requests.get(switch, set()) if changes(switch, case)}
            if len(more) <= left:
                left -= len(more)
                asked[item.claim.id] = switch
                requests.setdefault(switch, set()).update(more)
        evidence = evidence.along_with(trial(requests))
        verified = [
            _tried(item, evidence, asked[item.claim.id]) if item.claim.id in asked else item for item in verified
        ]
    return [_worded(item, evidence) for item in verified], evidence


def _tried(item: Verified, evidence: Evidence, switch: Switch) -> Verified:
    """Return the claim with the outcome of one more trial, if the switch changes anything that it reads."""
    if not evidence.changes(switch.name, item.read):
        return item
    return replace(item, trials={**item.trials, switch: verify(item.claim, evidence.under(switch.name)).check})


def _is_done(item: Verified, *, exhaustive: bool) -> bool:
    """Tell whether no more trials are wanted: nothing fails, or each part that fails has a change that cures it."""
    if item.check.verdict != "fails" or exhaustive:
        return item.check.verdict != "fails"
    return all(
        any(effect.holds and p_greater(effect.gain) < SIGNIFICANCE for effect in effects)
        for _, effects in effects_on(item)
    )


def effects_on(item: Verified) -> list[tuple[Check, list[Effect]]]:
    """Return for each part that fails what each trial does to it."""
    found: list[tuple[Check, list[Effect]]] = []
    for index, leaf in enumerate(item.check.leaves()):
        if not leaf.holds:
            after = [(switch, trial.leaves()[index]) for switch, trial in item.trials.items()]
            found.append((leaf, [_effect(leaf, switch, each) for switch, each in after]))
    return found


def _worded(item: Verified, evidence: Evidence) -> Verified:
    """Return the claim with its causes in words."""
    if item.check.verdict != "fails":
        return item
    sentences = [] if item.claim.explanation is None else [item.claim.explanation(evidence)]
    several = len(item.check.leaves()) > 1
    sentences += [
        (f"{leaf.what}: " if several else "") + _distance(leaf) + _cause(leaf, effects)
        for leaf, effects in effects_on(item)
    ]
    return replace(item, check=item.check.because(" ".join(sentences)))


def _effect(before: Check, switch: Switch, after: Check) -> Effect:
    """Compare the missed points with and without a switch, replication by replication."""
    gains = [after.slack[key] - before.slack[key][: len(after.slack[key])] for key in before.missed]
    return Effect(switch, np.mean(gains, axis=0), after.holds, slack_at(before.missed, after))


def slack_at(points: tuple[Any, ...], check: Check) -> Sample:
    """Return for each replication how far some points of a part are on the side that it needs, on average."""
    return np.mean([check.slack[point] for point in points], axis=0)


def _distance(leaf: Check) -> str:
    """Say so where the missed points are too close to call with these runs; nothing else."""
    slack = slack_at(leaf.missed, leaf)
    if p_greater(-slack) < SIGNIFICANCE:
        return ""
    margin = f"{estimate(slack)} {leaf.unit}".rstrip()
    return f"too close to call with {leaf.runs} runs (margin {margin}); "


def _cause(leaf: Check, effects: list[Effect]) -> str:
    """Say which changes move a part towards the claim for certain, and whether far enough."""
    if not effects:
        return "nothing else was tried."
    p_values = holm({index: p_greater(effect.gain) for index, effect in enumerate(effects)})
    proven = [effect for index, effect in enumerate(effects) if p_values[index] < SIGNIFICANCE]
    proven.sort(key=lambda effect: -float(effect.gain.mean()))
    cures = [effect for effect in proven if effect.holds]
    told = cures or proven or effects
    list_of = "; ".join(f"{effect.switch.says} ({_moved(effect, leaf.unit)})" for effect in told)
    if cures:
        return f"holds with this changed: {list_of}."
    if proven:
        return f"comes nearer, though not near enough, with this changed: {list_of}."
    return f"none of these changes moves it towards the claim for certain: {list_of}."


def _moved(effect: Effect, unit: str) -> str:
    gain = estimate(effect.gain)
    return f"{'' if gain.startswith('-') else '+'}{gain} {unit}".rstrip()
