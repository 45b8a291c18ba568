"""The findings of the papers agree with the published verdicts that they name."""

import pytest

from manypath.papers import NAMES, load
from manypath.papers.published import load as full_results


@pytest.mark.parametrize("name", NAMES)
def test_every_paper_has_two_findings_that_agree_with_its_published_verdicts(name):
    found = full_results(name)
    assert found is not None
    verdicts = {number: claim.verdict for number, claim in found.claims.items()}
    findings = load(name).findings
    assert [{*finding.verdicts.values()} for finding in findings] == [{"holds"}, {"contradicted"}]
    for finding in findings:
        assert {number: verdicts.get(number) for number in finding.verdicts} == finding.verdicts
        assert len(finding.verdicts) > 1
        assert finding.says.endswith(".")
