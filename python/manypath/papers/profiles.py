"""Checks every claim under every accounting profile, which is a way of counting the bytes of a window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from manypath import _native
from manypath.papers.causes import Verified, verify
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence
from manypath.papers.runner import Runner
from manypath.papers.switch import Change, Switch
from manypath.papers.tables import markdown
from manypath.scenario import Sctp


@dataclass(frozen=True)
class Profiles:
    """Outcomes of claims under each accounting profile.

    Attributes
    ----------
    names : tuple of str
        The profiles.
    claims : tuple of Claim
        The claims.
    checks : mapping
        The outcome by (claim id, profile).
    """

    names: tuple[str, ...]
    claims: tuple[Claim, ...]
    checks: Mapping[tuple[str, str], Check]

    def of(self, claim: Claim) -> dict[str, Check]:
        """Return the outcome of a claim under each profile."""
        return {name: self.checks[claim.id, name] for name in self.names}

    def verdicts(self, claim: Claim) -> list[str]:
        """Return the verdicts on a claim in the order of the profiles."""
        return [check.verdict for check in self.of(claim).values()]

    def dependent(self) -> list[str]:
        """Return the ids of the claims whose verdict depends on the profile."""
        return [claim.id for claim in self.claims if len(set(self.verdicts(claim))) > 1]

    def markdown(self) -> str:
        """Return the verdicts as a table. Claims that depend on the profile are bold."""
        bold = set(self.dependent())
        rows = [[f"**{claim.id}**" if claim.id in bold else claim.id, *self.verdicts(claim)] for claim in self.claims]
        return markdown(["claim", *self.names], rows)


def compare_profiles(runner: Runner, verified: Iterable[Verified], evidence: Evidence) -> Profiles:
    """Run the cases of the claims under every profile, with the replications of the plain runs, and check the claims.

    Parameters
    ----------
    runner : Runner
        The runner of the paper.
    verified : iterable of Verified
        The claims, with the cases that they read.
    evidence : Evidence
        The plain runs.
    """
    items = tuple(verified)
    switches = {name: Switch(f"profile {name}", says, _counted_by(name)) for name, says in _native.profiles()}
    runner = replace(runner, precision=replace(runner.precision, trials=runner.precision.replications))
    read = set[Case]().union(*(item.read for item in items))
    evidence = evidence.along_with(runner.switched(dict.fromkeys(switches.values(), read), "profiles"))
    checks = {
        (item.claim.id, name): item.check if item.unsteady else verify(item.claim, evidence.under(switch.name)).check
        for item in items
        for name, switch in switches.items()
    }
    return Profiles(tuple(switches), tuple(item.claim for item in items), checks)


def _counted_by(name: str) -> Change:
    """Return a change that sets the profile of every SCTP flow. TCP has no profiles."""
    return lambda scenario: scenario.but(
        flows={
            each: flow.but(profile=name) if isinstance(flow, Sctp) else flow for each, flow in scenario.flows.items()
        }
    )
