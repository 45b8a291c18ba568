"""Searches for the causes of contradicted claims: applies each suspected switch alone and tests its effect.

A switch is one change of a scenario. The test is paired: it compares each replication with the one of the same number
under the change. A change is a cause of a part of a claim only if the part holds with it. An undecided claim has no
cause. Instead, its text gives the estimated number of runs that decide it, and the changes that move it towards the
claim.
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
    """A claim with its outcome.

    Attributes
    ----------
    claim : Claim
        The statement.
    check : Check
        Its outcome, with the cause if it does not hold.
    read : frozenset
        The cases that the check read.
    averaged : frozenset
        Those from which it read more than window curves.
    trials : mapping
        The outcome with each suspected switch applied alone.
    explanation : str
        Text of the claim's own explanation; empty if the claim has none or holds.
    unfinished : str
        Text about suspects that were not tried; empty if there are none.
    unsteady : str
        Why a run gives no verdict (`manypath.papers.guard`, `manypath.papers.regimes`); empty if it does.
    halves : tuple of Verdict or None
        Its verdicts in both halves of windows with two regimes; None if it averages over none.
    """

    claim: Claim
    check: Check
    read: frozenset[Case]
    trials: Mapping[Switch, Check] = field(default_factory=dict)
    explanation: str = ""
    unfinished: str = ""
    unsteady: str = ""
    averaged: frozenset[Case] = frozenset()
    halves: tuple[Verdict, Verdict] | None = None

    @property
    def unproven(self) -> bool:
        """Whether causes are searched for: the claim is contradicted or undecided by its runs."""
        return self.check.verdict in UNPROVEN and not self.unsteady


@dataclass(frozen=True)
class Effect:
    """The effect of a switch on a part of a claim that does not hold.

    Attributes
    ----------
    switch : Switch
        The switch, applied alone.
    gain : array
        For each replication, the mean distance by which the switch moves the missed points towards the claim.
    verdict : Verdict
        Verdict on the part with the switch.
    slack : array
        For each replication, the mean distance of the missed points from the limit of the claim, with the switch;
        positive on the side of the claim.
    """

    switch: Switch
    gain: Sample
    verdict: Verdict
    slack: Sample

    @property
    def holds(self) -> bool:
        """Whether the part holds with the switch."""
        return self.verdict == "holds"


FULL_TRIES_MORE = "--full tries further changes."
"""Text of a claim with suspects that only full precision tries."""

LIMITED = "Further changes were not tried: full precision limits the runs for causes."
"""Text of a claim with suspects that full precision does not try, either."""

UNPROVEN: tuple[Verdict, ...] = ("contradicted", "undecided")
"""Verdicts of claims for which causes are searched."""


def verify(claim: Claim, evidence: Evidence) -> Verified:
    """Check a claim and record the cases that it read. The verdict is `open` if one of its cases was not run."""
    view = evidence.under(evidence.switch)
    try:
        check = claim(view)
    except MissingCase as missing:
        check = Check("open", "not run", "", 0, why=f"needs {missing}, which this precision does not run")
    return Verified(claim, check, frozenset(view.read), averaged=frozenset(view.averaged))


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
    """Try the suspects of every contradicted or undecided claim, and write the causes into the claims.

    Returns the claims, and the evidence with these trials.

    Parameters
    ----------
    verified, evidence
        The checked claims and their runs.
    switches
        The switches that claims may suspect, by name.
    trial
        Function that runs cases with switches.
    changes
        Function that returns whether a switch changes the scenario of a case. Unchanged cases are not run.
    exhaustive : bool
        Whether to try every suspect of a claim. Otherwise the trials of a claim stop when each contradicted part has a
        cause, and no suspect is tried for an undecided part.
    trial_cases : int
        Largest number of cases that all trials run together, except for the first trial of each claim, which is made
        in any case. Each turn tries one suspect of each claim, and begins with the trials of the fewest cases.
    """
    left = trial_cases
    unfinished = {item.claim.id for item in verified if item.claim.suspects and not exhaustive and _has_undecided(item)}
    for turn in range(max((len(item.claim.suspects) for item in verified), default=0)):
        asked: dict[str, Switch] = {}
        requests: dict[Switch, set[Case]] = {}
        for item, switch, cases in _next_trials(verified, turn, switches, changes, exhaustive=exhaustive):
            more = cases - requests.get(switch, set())
            if len(more) <= left or not item.trials:
                left = max(0, left - len(more))
                asked[item.claim.id] = switch
                requests.setdefault(switch, set()).update(more)
            else:
                unfinished.add(item.claim.id)
        evidence = evidence.along_with(trial(requests))
        verified = [
            _tried(item, evidence, asked[item.claim.id]) if item.claim.id in asked else item for item in verified
        ]
    left_out = LIMITED if exhaustive else FULL_TRIES_MORE
    return [_worded(item, evidence, left_out if item.claim.id in unfinished else "") for item in verified], evidence


def untried(item: Verified) -> Verified:
    """Return a claim without trials. Its text gives the estimated number of runs that decide each undecided part."""
    if not item.unproven:
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
    """Return the claims that need another trial, with their next suspect and the cases that it changes."""
    found: list[tuple[Verified, Switch, set[Case]]] = []
    for item in verified:
        if turn < len(item.claim.suspects) and not _is_done(item, exhaustive=exhaustive):
            switch = switches[item.claim.suspects[turn]]
            found.append((item, switch, {case for case in item.read if changes(switch, case)}))
    return sorted(found, key=lambda trial: len(trial[2]))


def _tried(item: Verified, evidence: Evidence, switch: Switch) -> Verified:
    """Return the claim with the outcome of one more trial, if the switch changes a case that the claim reads."""
    if not evidence.changes(switch.name, item.read):
        return item
    return replace(item, trials={**item.trials, switch: verify(item.claim, evidence.under(switch.name)).check})


def _is_done(item: Verified, *, exhaustive: bool) -> bool:
    """Return whether a claim needs no further trials.

    A claim that is neither contradicted nor undecided by its runs needs none. With `exhaustive`, every other claim
    needs further trials. Otherwise one cause for each contradicted part is enough.
    """
    if not item.unproven or exhaustive:
        return not item.unproven
    return all(
        leaf.undecided or any(effect.holds and p_greater(effect.gain) < SIGNIFICANCE for effect in effects)
        for leaf, effects in effects_on(item)
    )


def _has_undecided(item: Verified) -> bool:
    """Return whether a part of a claim is undecided by its runs."""
    return item.unproven and any(leaf.undecided for leaf in item.check.leaves())


def effects_on(item: Verified) -> list[tuple[Check, list[Effect]]]:
    """Return each contradicted or undecided part with the effects of the trials on it."""
    found: list[tuple[Check, list[Effect]]] = []
    for index, leaf in enumerate(item.check.leaves()):
        if leaf.verdict in UNPROVEN:
            after = [(switch, trial.leaves()[index]) for switch, trial in item.trials.items()]
            found.append((leaf, [_effect(leaf, switch, each) for switch, each in after]))
    return found


def _worded(item: Verified, evidence: Evidence, unfinished: str) -> Verified:
    """Return the claim with a text of its causes; `unfinished` is the text about suspects that were not tried."""
    if not item.unproven:
        return item
    explanation = "" if item.claim.explanation is None else item.claim.explanation(evidence)
    sentences = [explanation] if explanation else []
    sentences += [
        _of_part(item, leaf, (_movement if leaf.undecided else _cause)(leaf, effects))
        for leaf, effects in effects_on(item)
    ]
    sentences += [unfinished] if unfinished else []
    check = item.check.because(" ".join(sentences))
    return replace(item, check=check, explanation=explanation, unfinished=unfinished)


def _of_part(item: Verified, leaf: Check, sentence: str) -> str:
    """Return a sentence about a part, after the name of the part if the claim has several."""
    return f"{leaf.what}: {sentence}" if len(item.check.leaves()) > 1 else sentence


def _effect(before: Check, switch: Switch, after: Check) -> Effect:
    """Compare the missed points with and without a switch in each replication."""
    gains = [after.slack[key] - before.slack[key][: len(after.slack[key])] for key in before.missed]
    return Effect(switch, np.mean(gains, axis=0), after.verdict, slack_at(before.missed, after))


def slack_at(points: tuple[Any, ...], check: Check) -> Sample:
    """Return the mean slack of some points of a part, one value per replication; positive on the side of the claim.

    Measured points may have different numbers of runs; only the replications that all of them have are used.
    """
    found = [check.slack[point] for point in points]
    fewest = min(map(len, found))
    return np.mean([sample[:fewest] for sample in found], axis=0)


def _movement(leaf: Check, effects: list[Effect]) -> str:
    """Describe how many runs decide an undecided part, and which changes (not causes) move it significantly."""
    margin = f"{estimate(slack_at(leaf.missed, leaf))} {leaf.unit}".rstrip()
    said = f"undecided with {leaf.runs} runs (margin {margin})"
    if leaf.runs < FEWEST:
        said = "a single run decides nothing"
    elif leaf.outlook is not None:
        said += f"; {leaf.outlook}"
    moving = proven(effects)
    return said + (f"; changes that move it towards the claim: {_list_of(moving, leaf.unit)}." if moving else ".")


def _cause(leaf: Check, effects: list[Effect]) -> str:
    """Describe which changes move a contradicted part significantly towards the claim, and whether it then holds."""
    if not effects:
        return "no change was tried."
    moving = proven(effects)
    cures = [effect for effect in moving if effect.holds]
    nearer = [effect for effect in moving if effect.verdict == "undecided"]
    if cures:
        return f"holds with this change: {_list_of(cures, leaf.unit)}."
    if nearer:
        return f"nearer to the claim, but undecided, with this change: {_list_of(nearer, leaf.unit)}."
    if moving:
        return f"nearer to the claim, but still contradicted, with this change: {_list_of(moving, leaf.unit)}."
    return f"none of these changes moves it significantly towards the claim: {_list_of(effects, leaf.unit)}."


def proven(effects: list[Effect]) -> list[Effect]:
    """Return the effects that move a part significantly towards the claim, the largest first.

    Holm's correction covers the trials of the part.
    """
    p_values = holm({index: p_greater(effect.gain) for index, effect in enumerate(effects)})
    certain = [effect for index, effect in enumerate(effects) if p_values[index] < SIGNIFICANCE]
    return sorted(certain, key=lambda effect: -float(effect.gain.mean()))


def _list_of(effects: list[Effect], unit: str) -> str:
    return "; ".join(f"{effect.switch.says} ({_moved(effect, unit)})" for effect in effects)


def _moved(effect: Effect, unit: str) -> str:
    """Format the distance by which a switch moves the missed points of a part towards the claim."""
    return f"{Mean.of(effect.gain).signed()} {unit}".rstrip()
