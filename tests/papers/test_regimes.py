"""No mean over two regimes decides a claim: the claim is checked in both halves of the window."""

from dataclasses import replace

import pytest
from growing_paper import NAME, PAPER

from manypath import papers
from manypath.papers import NAMES, registry, windows
from manypath.papers.evaluation import evaluate
from manypath.papers.evidence import Case
from manypath.papers.plain import plain_claim
from manypath.papers.published import load
from manypath.papers.publishing import publish
from manypath.papers.steadiness import check_windows
from manypath.report.claims import claims_of
from manypath.report.views import view_of

GROWS = Case.of("grows", threshold=10)


@pytest.fixture(scope="module")
def checked():
    """The checks of all windows of full precision."""
    return [*check_windows(PAPER, PAPER.full, PAPER.experiments.cases(PAPER.full))]


@pytest.fixture
def package(package, tmp_path, monkeypatch):
    """A package with only this paper, in a source tree."""
    (package / "studies" / NAME).mkdir()
    for place in ("manypath.papers", "manypath.papers.guard", "manypath.papers.regimes"):
        monkeypatch.setattr(f"{place}.STUDIES", (NAME,))
    monkeypatch.setattr(papers, "load", {NAME: PAPER}.__getitem__)
    monkeypatch.chdir(tmp_path)
    return package


def _evaluated(paper=PAPER, **options):
    extras = {"profiles": False, "mutations": False, "full": True, **options}
    (part,) = evaluate([paper], store=None, progress=False, **extras).papers
    return part


def _by_id(part):
    return {item.claim.id: item for item in part.claims}


def test_a_rate_that_grows_for_half_of_the_window_changes_within_it(checked):
    found = {each.case: each for each in checked}
    assert found[GROWS].steady == "changes"
    parts = {each.part: each for each in found[GROWS].rates}
    assert set(parts) == {"first half", "first quarter", "second quarter", "third quarter", "last quarter"}
    assert parts["first half"].one.mean() < 0.5 * parts["first half"].other.mean()
    assert found[Case.of("grows", threshold=1000)].steady != "changes"


def test_parts_of_the_window_have_the_mean_of_the_whole_window(checked):
    grows = next(each for each in checked if each.case == GROWS)
    parts = {each.part: each for each in grows.rates}
    half, quarter = parts["first half"], parts["second quarter"]
    assert (half.one + half.other) / 2.0 == pytest.approx(quarter.one / 4.0 + 3.0 * quarter.other / 4.0)


def test_a_claim_keeps_its_verdict_only_if_both_halves_have_it(checked, package):
    windows.publish(PAPER, [], checked)
    found = _by_id(_evaluated())
    assert (found["C-997-1"].check.verdict, found["C-997-1"].halves) == ("holds", ("holds", "holds"))
    mean = found["C-997-2"]
    assert mean.halves == ("contradicted", "contradicted")
    assert mean.check.verdict == "undecided"
    assert mean.check.why == mean.unsteady
    assert mean.unsteady.startswith("the mean is over two regimes: in grows (threshold 10) tcp has ")
    assert mean.unsteady.endswith("the claim is: contradicted; in the second: contradicted; in the whole: holds")


def test_curves_steady_windows_and_planned_changes_are_not_divided(checked, package):
    windows.publish(PAPER, [], checked)
    assert windows.unchecked(PAPER, PAPER.full.grids) == set()
    assert set(windows.changing_cases(PAPER)) == {GROWS, Case.of("course", threshold=10)}
    found = _by_id(_evaluated())
    for number in ("C-997-3", "C-997-4", "C-997-5"):
        assert (found[number].check.verdict, found[number].halves) == ("holds", None), number


def test_an_experiment_that_was_not_checked_gives_no_verdict(checked, package):
    windows.publish(PAPER, [], [each for each in checked if each.case.experiment != "grows"])
    found = _by_id(_evaluated())
    again = "grows was not checked for regimes: manypath papers growing --check-warmup"
    assert {number: item.unsteady for number, item in found.items() if item.unsteady} == dict.fromkeys(
        ("C-997-1", "C-997-2", "C-997-4"), again
    )
    windows.publish(PAPER, [], checked)
    longer = replace(
        PAPER, full=replace(PAPER.full, grids={**PAPER.full.grids, "grows": {"threshold": (10, 11, 1000)}})
    )
    assert _by_id(_evaluated(longer))["C-997-1"].unsteady == again


def test_quick_precision_divides_the_same_windows(checked, package):
    windows.publish(PAPER, [], checked)
    found = _by_id(_evaluated(full=False, causes=False))
    assert found["C-997-1"].halves == ("holds", "holds")
    assert found["C-997-2"].check.verdict == "undecided"


def test_both_verdicts_are_published_and_shown(checked, package):
    windows.publish(PAPER, [], checked)
    part = _evaluated(causes=True)
    publish(part)
    table = load(NAME)
    assert table is not None
    assert {number: claim.halves for number, claim in table.claims.items()} == {
        "C-997-1": ("holds", "holds"),
        "C-997-2": ("contradicted", "contradicted"),
        **dict.fromkeys(["C-997-3", "C-997-4", "C-997-5"]),
    }
    plain = plain_claim(part.claims[0], part, table)
    assert plain["halves"] == plain["published"]["halves"] == ("holds", "holds")
    assert [card.halves for card in claims_of(part, {})][:3] == [("holds", "holds"), ("contradicted",) * 2, ()]
    (shown,) = (each for each in view_of(part).tables if each.name == "Windows with two regimes")
    assert [row[-1] for row in shown.rows] == ["–", "C-997-1, C-997-2"]


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_of_a_paper_was_checked_for_regimes(name):
    """Check again with `manypath papers NAME --check-warmup --publish` after a change of scenarios or grids."""
    paper = registry()[name]
    assert windows.unchecked(paper, paper.full.grids) == set()
