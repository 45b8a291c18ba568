"""The findings of the papers agree with the published verdicts that they name."""

import pytest

from manypath.papers import NAMES, load
from manypath.papers.findings import Finding, each
from manypath.papers.published import load as full_results
from manypath.papers.verdict import Verdict


@pytest.mark.parametrize("name", NAMES)
def test_every_paper_has_two_findings_that_agree_with_its_published_verdicts(name):
    found = full_results(name)
    assert found is not None
    verdicts: dict[str, Verdict] = {number: claim.verdict for number, claim in found.claims.items()}
    findings = load(name).findings
    assert [{*finding.verdicts.values()} for finding in findings] == [{"holds"}, {"contradicted"}]
    for finding in findings:
        assert finding.differing(verdicts) == {}
        assert len(finding.verdicts) > 1
        assert finding.says.endswith(".")


def test_a_finding_names_each_claim_with_another_verdict():
    finding = Finding("A and B stand.", each("holds", ("C-999-1", "C-999-2", "C-999-3")))
    assert finding.differing({"C-999-1": "holds", "C-999-2": "undecided"}) == {"C-999-2": "undecided", "C-999-3": None}
