"""Finds why a claim is contradicted: each suspected switch is thrown alone, and what it changes is tested run by run.

A claim that is undecided has no cause yet: it is told how many runs decide it, and what moves it. A switch cures a part
of a claim only if that part then holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence, MissingCase, Sample
from manypath.papers.mean import Mean
from manypath.papers.paired import estimate, holm, p_greater
from manypath.papers.runner import Switched
from manypath.papers.switch import Switch
from manypath.papers.verdict import FEWEST, Verdict
from manypath.stats.looks import SIGNIFICANCE


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
    explanation : str
        What the claim's own explanation says; empty where it has none, or nothing is to be explained.
    unfinished : bool
        Whether full precision tries more.
    """

    claim: Claim
    check: Check
    read: frozenset[Case]
    trials: Mapping[Switch, Check] = field(default_factory=dict)
    explanation: str = ""
    unfinished: bool = False


@dataclass(frozen=True)
class Effect:
    """What a switch does to a part of a claim that does not hold.

    Attributes
    ----------
    switch : Switch
        The one thing changed.
    gain : array
        In each replication, how far it moves the missed points towards the claim.
    verdict : Verdict
        What becomes of the part then.
    slack : array
        In each replication, how far the missed points are on the side that the part needs then.
    """

    switch: Switch
    gain: Sample
    verdict: Verdict
    slack: Sample

    @property
    def holds(self) -> bool:
        """Whether the part holds then."""
        return self.verdict == "holds"


UNPROVEN: tuple[Verdict, ...] = ("contradicted", "undecided")
"""Verdicts on claims whose suspects are tried."""


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
    """Try the suspects of every claim that is contradicted or undecided, and word what was found.

    Returns the claims, and the evidence with these trials.

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
        Try every suspect of a claim; else stop when each part that is contradicted has a cause, and leave parts that
        are undecided alone.
    trial_cases : int
        How many cases may be run in all; the trials that need few come first.
    """
    left = trial_cases
    unfinished = {item.claim.id for item in verified if item.claim.suspects and not exhaustive and _has_undecided(item)}
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


def untried(item: Verified) -> Verified:
    """Return a claim on which nothing is tried, with the number of runs that decides each undecided part in words."""
    if item.check.verdict not in UNPROVEN:
        return item
    sentences = [_of_part(item, leaf, _movement(leaf, [])) for leaf in item.check.leaves() if leaf.undecided]
    return replace(item, check=item.check.because(" ".join(sentences)))


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
    """Tell whether no more trials are wanted: what is contradicted has a cure."""
    if item.check.verdict not in UNPROVEN or exhaustive:
        return item.check.verdict not in UNPROVEN
    return all(
        leaf.undecided or any(effect.holds and p_greater(effect.gain) < SIGNIFICANCE for effect in effects)
        for leaf, effects in effects_on(item)
    )


def _has_undecided(item: Verified) -> bool:
    """Tell whether some part of a claim is undecided."""
    return any(leaf.undecided for leaf in item.check.leaves())


def effects_on(item: Verified) -> list[tuple[Check, list[Effect]]]:
    """Return for each part that is contradicted or undecided what each trial does to it."""
    found: list[tuple[Check, list[Effect]]] = []
    for index, leaf in enumerate(item.check.leaves()):
        if leaf.verdict in UNPROVEN:
            after = [(switch, trial.leaves()[index]) for switch, trial in item.trials.items()]
            found.append((leaf, [_effect(leaf, switch, each) for switch, each in after]))
    return found


def _worded(item: Verified, evidence: Evidence, *, unfinished: bool) -> Verified:
    """Return the claim with its causes in words, and whether full precision tries more."""
    if item.check.verdict not in UNPROVEN:
        return item
    explanation = "" if item.claim.explanation is None else item.claim.explanation(evidence)
    sentences = [explanation] if explanation else []
    sentences += [
        _of_part(item, leaf, (_movement if leaf.undecided else _cause)(leaf, effects))
        for leaf, effects in effects_on(item)
    ]
    sentences += ["More is tried with --full."] if unfinished else []
    check = item.check.because(" ".join(sentences))
    return replace(item, check=check, explanation=explanation, unfinished=unfinished)


def _of_part(item: Verified, leaf: Check, sentence: str) -> str:
    """Return a sentence about a part, with its name where there are several."""
    return f"{leaf.what}: {sentence}" if len(item.check.leaves()) > 1 else sentence


def _effect(before: Check, switch: Switch, after: Check) -> Effect:
    """Compare the missed points with and without a switch, replication by replication."""
    gains = [after.slack[key] - before.slack[key][: len(after.slack[key])] for key in before.missed]
    return Effect(switch, np.mean(gains, axis=0), after.verdict, slack_at(before.missed, after))


def slack_at(points: tuple[Any, ...], check: Check) -> Sample:
    """Return for each replication how far some points of a part are on the side that it needs, on average."""
    return np.mean([check.slack[point] for point in points], axis=0)


def _movement(leaf: Check, effects: list[Effect]) -> str:
    """Say how many runs decide an undecided part, and which changes move it for certain: these are no causes."""
    margin = f"{estimate(slack_at(leaf.missed, leaf))} {leaf.unit}".rstrip()
    said = f"undecided with {leaf.runs} runs (margin {margin})"
    if leaf.runs < FEWEST:
        said = "a single run decides nothing"
    elif leaf.outlook is not None:
        said += f"; {leaf.outlook}"
    moving = proven(effects)
    return said + (f"; what moves it towards the claim: {_list_of(moving, leaf.unit)}." if moving else ".")


def _cause(leaf: Check, effects: list[Effect]) -> str:
    """Say which changes move a contradicted part towards the claim for certain, and whether far enough."""
    if not effects:
        return "nothing was tried."
    moving = proven(effects)
    cures = [effect for effect in moving if effect.holds]
    nearer = [effect for effect in moving if effect.verdict == "undecided"]
    if cures:
        return f"holds with this changed: {_list_of(cures, leaf.unit)}."
    if nearer:
        return f"comes nearer, and is undecided, with this changed: {_list_of(nearer, leaf.unit)}."
    if moving:
        return f"comes nearer, though not near enough, with this changed: {_list_of(moving, leaf.unit)}."
    return f"none of these changes moves it towards the claim for certain: {_list_of(effects, leaf.unit)}."


def proven(effects: list[Effect]) -> list[Effect]:
    """Return what moves a part towards the claim for certain (Holm's correction over the trials), the most first."""
    p_values = holm({index: p_greater(effect.gain) for index, effect in enumerate(effects)})
    certain = [effect for index, effect in enumerate(effects) if p_values[index] < SIGNIFICANCE]
    return sorted(certain, key=lambda effect: -float(effect.gain.mean()))


def _list_of(effects: list[Effect], unit: str) -> str:
    return "; ".join(f"{effect.switch.says} ({_moved(effect, unit)})" for effect in effects)


def _moved(effect: Effect, unit: str) -> str:
    """Write how far a switch moves the missed points of a part towards the claim."""
    return f"{Mean.of(effect.gain).signed()} {unit}".rstrip()
