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
        Try every suspect of a claim; else stop when each part that fails has a cause. A part that is too close to call
        has none to be found with these runs, and is left alone.
    trial_cases : int
        How many cases may be run in all; the trials that need few come first.
    """
    left = trial_cases
    unfinished = {item.claim.id for item in verified if item.claim.suspects and not exhaustive and _is_close(item)}
    for turn in range(max((len(item.claim.suspects) for item in verified), default=0)):
        asked: dict[str, Switch] = {}
        requests: dict[Switch, set[Case]] = {}
        for item, switch, cases in _next_trials(verified, turn, switches, changes, exhaustive=exhaustive):
            more = cases - requests.get(switch, set())
            if len(more) <= left:
                left -= len(more)
                asked[item.claim.id] = switch
                requests.setdefault(switch, set()).update(more)
            else:
                unfinished.add(item.claim.id)
        evidence = evidence.along_with(trial(requests))
        verified = [
            _tried(item, evidence, asked[item.claim.id]) if item.claim.id in asked else item for item in verified
        ]
    return [_worded(item, evidence, unfinished=item.claim.id in unfinished) for item in verified], evidence


def _next_trials(
    verified: list[Verified],
    turn: int,
    switches: Mapping[str, Switch],
    changes: Callable[[Switch, Case], bool],
    *,
    exhaustive: bool,
) -> list[tuple[Verified, Switch, set[Case]]]:
    """Return the claims that want another trial, with their next suspect and the cases that it changes."""
    found: list[tuple[Verified, Switch, set[Case]]] = []
    for item in verified:
        if turn < len(item.claim.suspects) and not _is_done(item, exhaustive=exhaustive):
            switch = switches[item.claim.suspects[turn]]
            found.append((item, switch, {case for case in item.read if changes(switch, case)}))
    return sorted(found, key=lambda trial: len(trial[2]))


def _tried(item: Verified, evidence: Evidence, switch: Switch) -> Verified:
    """Return the claim with the outcome of one more trial, if the switch changes anything that it reads."""
    if not evidence.changes(switch.name, item.read):
        return item
    return replace(item, trials={**item.trials, switch: verify(item.claim, evidence.under(switch.name)).check})


def _is_done(item: Verified, *, exhaustive: bool) -> bool:
    """Tell whether no more trials are wanted: what fails is too close to call, or a change cures it."""
    if item.check.verdict != "fails" or exhaustive:
        return item.check.verdict != "fails"
    return all(
        _too_close(leaf) or any(effect.holds and p_greater(effect.gain) < SIGNIFICANCE for effect in effects)
        for leaf, effects in effects_on(item)
    )


def _is_close(item: Verified) -> bool:
    """Tell whether some part of a claim that fails is too close to call."""
    return item.check.verdict == "fails" and any(_too_close(leaf) for leaf, _ in effects_on(item))


def _too_close(leaf: Check) -> bool:
    """Tell whether these runs do not show on which side of what it takes the missed points are."""
    slack = slack_at(leaf.missed, leaf)
    return bool(np.ptp(slack) > 0.0) and not p_greater(-slack) < SIGNIFICANCE


def effects_on(item: Verified) -> list[tuple[Check, list[Effect]]]:
    """Return for each part that fails what each trial does to it."""
    found: list[tuple[Check, list[Effect]]] = []
    for index, leaf in enumerate(item.check.leaves()):
        if not leaf.holds:
            after = [(switch, trial.leaves()[index]) for switch, trial in item.trials.items()]
            found.append((leaf, [_effect(leaf, switch, each) for switch, each in after]))
    return found


def _worded(item: Verified, evidence: Evidence, *, unfinished: bool) -> Verified:
    """Return the claim with its causes in words, and whether full precision tries more."""
    if item.check.verdict != "fails":
        return item
    sentences = [] if item.claim.explanation is None else [item.claim.explanation(evidence)]
    several = len(item.check.leaves()) > 1
    sentences += [
        (f"{leaf.what}: " if several else "") + _distance(leaf) + _cause(leaf, effects)
        for leaf, effects in effects_on(item)
    ]
    sentences += ["More is tried with --full."] if unfinished else []
    return replace(item, check=item.check.because(" ".join(sentences)))


def _effect(before: Check, switch: Switch, after: Check) -> Effect:
    """Compare the missed points with and without a switch, replication by replication."""
    gains = [after.slack[key] - before.slack[key][: len(after.slack[key])] for key in before.missed]
    return Effect(switch, np.mean(gains, axis=0), after.holds, slack_at(before.missed, after))


def slack_at(points: tuple[Any, ...], check: Check) -> Sample:
    """Return for each replication how far some points of a part are on the side that it needs, on average."""
    return np.mean([check.slack[point] for point in points], axis=0)


def _distance(leaf: Check) -> str:
    """Say so where the missed points are too close to call with these runs, or do not differ; nothing else."""
    slack = slack_at(leaf.missed, leaf)
    if not np.any(slack):
        return "no run differs; "
    if not _too_close(leaf):
        return ""
    margin = f"{estimate(slack)} {leaf.unit}".rstrip()
    return f"too close to call with {leaf.runs} runs (margin {margin}); "


def _cause(leaf: Check, effects: list[Effect]) -> str:
    """Say which changes move a part towards the claim for certain, and whether far enough."""
    if not effects:
        return "more runs decide it." if _too_close(leaf) else "nothing was tried."
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
