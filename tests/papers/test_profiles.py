"""Claims under each accounting profile: each of their cases gets as many runs as under the default profile."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from manypath.cli.papers import papers
from manypath.papers import evaluation
from manypath.papers.causes import verify
from manypath.papers.claim import Claims
from manypath.papers.dreibholz import PLAIN
from manypath.papers.evaluation import Evaluation
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.papers.predicates import near
from manypath.papers.profiles import _counted_by, compare_profiles
from manypath.papers.runner import Runner
from manypath.report import build
from manypath.scenario import Sctp

CASE = Case.of("figure2-right", cc=PLAIN, paths=2)
NOISE = 0.05 * np.random.default_rng(3).standard_normal(6)
RATES = {"inet": 7.0, "paper": 7.1, "rfc9260": 4.0}


def runs(rate):
    rates = [(rate + noise) * 1e6 for noise in NOISE]
    return Runs([{"digest": f"{goodput:016.0f}", "flows": {"cmt": {"goodput": goodput}}} for goodput in rates])


@dataclass(frozen=True)
class MadeUp(Runner):
    """A runner without simulation: the rate under each profile is that of `RATES`."""

    def switched(self, requests, what, replications=None):
        assert (what, replications) == ("profiles", None)
        assert self.precision.trials == self.precision.replications
        found = {}
        for switch, cases in requests.items():
            assert set(cases) == {CASE}
            profile = switch.name.removeprefix("profile ")
            scenario = self.paper.experiments.scenario(CASE, self.precision)
            changed = switch.change(scenario)
            assert {flow.profile for flow in changed.flows.values() if isinstance(flow, Sctp)} == {profile}
            if changed != scenario:
                found[switch.name] = {CASE: runs(RATES[profile])}
        return found


@pytest.fixture
def profiles(impact):
    claim = Claims()
    for number, rate in enumerate((7.0, 9.0), 1):
        claim(f"C-999-{number}", place="nowhere", says=f"it is {rate}", kind="number")(
            lambda results, rate=rate: near(results.goodput(CASE.experiment, "cmt", cc=PLAIN, paths=2), rate)
        )
    evidence = Evidence({CASE: runs(RATES["inet"])})
    runner = MadeUp(impact, replace(impact.quick, replications=6, trials=2), store=None, progress=False)
    return compare_profiles(runner, [verify(each, evidence) for each in claim.all()], evidence)


def test_a_claim_whose_verdict_changes_depends_on_the_profile(profiles):
    first, second = profiles.claims
    assert {name: check.verdict for name, check in profiles.of(first).items()} == {
        "inet": "holds",
        "paper": "holds",
        "rfc9260": "contradicted",
    }
    assert {check.verdict for check in profiles.of(second).values()} == {"contradicted"}
    assert profiles.dependent() == ["C-999-1"]


def test_tcp_flows_have_only_one_profile(kernel):
    (case,) = (case for case in kernel.experiments.cases(kernel.quick) if case == Case.of("figure6", cc="lia"))
    scenario = kernel.experiments.scenario(case, kernel.quick)
    assert all(_counted_by(name)(scenario) == scenario for name in RATES)


def test_the_table_of_profiles_has_a_row_for_each_claim(profiles):
    head, _, first, second = profiles.markdown().splitlines()
    assert head == f"| claim | {' | '.join(profiles.names)} |"
    assert first.startswith("| **C-999-1** |")
    assert second == "| C-999-2 | contradicted | contradicted | contradicted |"


def evaluated(profiles, impact):
    evidence = Evidence({CASE: runs(RATES["inet"])})
    claims = [verify(claim, evidence) for claim in profiles.claims]
    paper = replace(impact, figures=(), claims=profiles.claims, reference_points=())
    return Evaluation([PaperEvaluation(paper, paper.quick, None, evidence, claims, profiles=profiles)])


def test_the_command_prints_claims_that_depend_on_the_profile(profiles, impact, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(evaluation, "evaluate", lambda *_, **__: evaluated(profiles, impact))
    papers([impact.name], profiles=True, report=tmp_path, verbose=True)
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["claim", *profiles.names] in printed
    verdicts = profiles.of(profiles.claims[0]).values()
    assert ["C-999-1", *(check.verdict for check in verdicts), *["depends", "on", "the", "profile"]] in printed
    assert ["C-999-2", "contradicted", "contradicted", "contradicted"] in printed


def test_the_report_shows_claims_that_depend_on_the_profile(profiles, impact, tmp_path):
    evaluation = evaluated(profiles, impact)
    paper = evaluation.papers[0].paper
    page = build(evaluation.papers, tmp_path).with_name(f"{paper.name}.html").read_text("utf-8")
    assert "These claims depend on the profile: C-999-1." in page
    assert [each["profiles"]["rfc9260"] for each in evaluation.claims] == ["contradicted", "contradicted"]
