"""Finds why a claim fails: each suspected switch is thrown alone, and the claim is checked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence, MissingCase
from manypath.papers.runner import Runner
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
    trials: Mapping[Switch, Check]


def verify(claim: Claim, evidence: Evidence) -> Verified:
    """Check a claim and note what it read; a claim without its cases is open."""
    view = evidence.under(evidence.switch)
    try:
        check = claim(view)
    except MissingCase as missing:
        check = Check("open", "not run", "", 0, why=f"needs {missing}, which this precision does not run")
    return Verified(claim, check, frozenset(view.read), {})


def find_causes(verified: list[Verified], evidence: Evidence, runner: Runner) -> tuple[list[Verified], Evidence]:
    """Try the suspects of every claim that fails, and word the causes; return the evidence with these trials."""
    suspects = runner.paper.switches
    requests: dict[Switch, set[Case]] = {}
    for item in verified:
        if item.check.verdict == "fails":
            for name in item.claim.suspects:
                requests.setdefault(suspects[name], set()).update(item.read)
    tried = evidence.along_with(runner.switched(requests, "causes"))
    return [_explained(item, tried, suspects) for item in verified], tried


def _explained(item: Verified, evidence: Evidence, suspects: Mapping[str, Switch]) -> Verified:
    """Return the claim with the outcome of its trials and the cause in words."""
    if item.check.verdict != "fails":
        return item
    trials = {
        suspects[name]: verify(item.claim, evidence.under(name)).check
        for name in item.claim.suspects
        if evidence.changes(name, item.read)
    }
    sentences = [_of_trials(trials)] if trials else []
    if item.claim.explanation is not None:
        sentences.insert(0, item.claim.explanation(evidence))
    return Verified(item.claim, item.check.because(" ".join(sentences)), item.read, trials)


def _of_trials(trials: Mapping[Switch, Check]) -> str:
    """Say which single change makes the claim hold, or that none does."""
    cures = [switch for switch, check in trials.items() if check.holds]
    if cures:
        found = "; or with ".join(f"{switch.says} ({trials[switch].measured})" for switch in cures)
        return f"With one thing changed it holds: {found}."
    tried = "; ".join(f"{switch.says}: {check.measured}" for switch, check in trials.items())
    return f"No single change makes it hold. Tried: {tried}."
