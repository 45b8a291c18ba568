"""Quick precision takes causes and sensitivity from published results, and makes only the plain runs."""

import json
import math
from dataclasses import replace

import pytest
from pydantic import TypeAdapter
from small_paper import NAME, ONE_SACK, PAPER

from manypath.display import duration
from manypath.papers import published
from manypath.papers.evaluation import evaluate
from manypath.papers.mean import Mean
from manypath.papers.publishing import publish, table
from manypath.report.build import Report, build, growing
from manypath.report.claims import found_in_full
from manypath.report.columns import FULL, HERE
from manypath.report.views import view_of

PLAIN_RUNS = 3 * 3
"""The number of plain runs: cases of the small paper times its quick replications."""


pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def package(package, full):
    """A package with the published results of the small paper."""
    publish(full)
    return package


def run(store, **options):
    return evaluate([PAPER], store=store, progress=False, **options)


def page_of(evaluation, folder):
    """Return the page of the small paper with its white space reduced to single blanks."""
    build(evaluation.papers, folder)
    return " ".join((folder / f"{NAME}.html").read_text("utf-8").split())


@pytest.mark.usefixtures("package")
def test_a_quick_run_with_published_results_makes_only_plain_runs(tmp_path):
    (part,) = run(tmp_path / "runs").papers
    assert part.runs == PLAIN_RUNS
    assert not part.causes
    assert part.grown is not None
    assert list(part.evidence.trials()) == []
    assert {len(part.grown.runs(case).outcomes) for case in part.grown.cases()} == {3}
    assert part.sensitivity == []


def test_without_published_results_a_quick_run_searches_for_causes(tmp_path):
    (part,) = run(tmp_path).papers
    assert part.runs > PLAIN_RUNS
    assert part.causes
    assert part.sensitivity


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("options", [{"causes": True}, {"full": True}, {"runs": 2}], ids=["asked", "full", "runs"])
def test_causes_are_searched_for_on_request(options, store):
    (part,) = run(store, profiles=False, mutations=False, **options).papers
    assert part.causes
    assert part.sensitivity
    assert view_of(part).full == ""


def test_a_quick_run_without_causes_makes_only_plain_runs(tmp_path):
    (part,) = run(tmp_path, causes=False).papers
    assert part.runs == PLAIN_RUNS


def test_published_results_of_changed_claims_have_no_causes(package, store):
    file = package / "studies" / NAME / "published.json"
    file.write_text(file.read_text().replace("C-999-2", "C-999-3"))
    assert run(store).papers[0].causes


@pytest.mark.usefixtures("package")
def test_an_undecided_claim_has_the_number_of_deciding_runs(store):
    (part,) = run(store).papers
    for item in part.claims:
        assert item.check.why.startswith("undecided with 3 runs") == item.check.undecided
        assert "no change was tried" not in item.check.why
    assert any(item.check.undecided for item in part.claims)


def test_a_claim_that_only_measured_runs_decide_has_no_processor_time():
    table = published.load("dreibholz2012_testbed")
    assert table is not None
    claim = replace(table.claims["C-004-3"], verdict="undecided", runs=4, needed=15, needed_seconds=0.0)
    assert found_in_full(claim) == "undecided, 4 runs; about 15 measured runs decide it"


@pytest.mark.usefixtures("package")
def test_the_page_shows_causes_and_sensitivity_of_the_full_results_with_their_source(store, full, tmp_path):
    page = page_of(run(store), tmp_path / "report")
    source = f"(engine {full.engine}, {full.runs:,} runs)"
    assert (
        f"The experiments on claims and the sensitivity table are from the full results of the package {source}" in page
    )
    there = published.load(NAME)
    assert there is not None
    for claim in there.claims.values():
        assert f"From the full results ({claim.verdict}, {claim.runs:,} runs" in page
        if claim.needed is not None:
            assert claim.needed_seconds
            time = duration(claim.needed_seconds)
            assert f"about {claim.needed:,} runs decide it, with {time} of further processor time" in page
        for trial in (trial for tried in claim.causes for trial in tried.trials):
            assert f'<td class="what">{trial.changed}</td>' in page
            assert f">{trial.moved.signed()}</td>" in page
    assert f"Holm's correction over the table) are bold. From the full results {source}." in page
    sensitivity = page[page.index('<section id="sensitivity">') :]
    for row in full.sensitivity:
        assert f">{Mean.of(row.difference).signed()}</td>" in sensitivity
    assert f"counting bytes in windows, from the full results {source}" in page
    assert (
        f"there is no such claim. From the full results {source}." in page
        or f": C-999-1. From the full results {source}." in page
    )
    assert "6 of 6 points of the figures agree with the published ones, 2 of them bit by bit." in page


@pytest.mark.usefixtures("package")
def test_a_page_with_new_causes_has_no_causes_of_the_full_results(store, tmp_path):
    page = page_of(run(store, causes=True), tmp_path / "report")
    assert "From the full results" not in page
    assert ONE_SACK.says in page


@pytest.mark.usefixtures("package")
def test_during_a_run_the_page_of_a_paper_shows_claims_of_the_full_results(full, tmp_path, monkeypatch):
    seen = []
    add = Report.add

    def spy(report, part):
        page = add(report, part)
        words = " ".join((page.parent / f"{NAME}.html").read_text("utf-8").split())
        view = view_of(part)
        seen.append((part.unfinished is None, [column.name for column in view.columns], view.claims, words, page))
        return page

    monkeypatch.setattr(Report, "add", spy)
    run(tmp_path / "runs", grow=growing(tmp_path / "report", [PAPER]))
    finished, columns, claims, words, index = seen[0]
    assert not finished
    assert columns == [FULL]
    assert {claim.id: claim.verdict for claim in claims} == {item.claim.id: item.check.verdict for item in full.claims}
    assert "Until the runs are complete, this page shows the claims of the full results" in words
    finished, columns, *_ = seen[-1]
    assert finished
    assert columns == [HERE, FULL]
    assert f'href="{NAME}.html#C-999-1"' in index.read_text("utf-8")


@pytest.mark.usefixtures("package")
def test_a_single_figure_takes_causes_of_its_claims_from_full_results(store):
    (part,) = run(store, figure=1).papers
    assert not part.causes
    view = view_of(part)
    assert [claim.id for claim in view.claims] == ["C-999-1"]
    assert view.sensitivity == []


@pytest.mark.usefixtures("package")
def test_plain_data_has_the_causes_of_both(store, full):
    there = {item["id"]: item for item in json.loads(table(full))["claims"]}
    here = run(store, causes=True)
    for claim in json.loads(json.dumps(here.claims)):
        known = claim["published"]
        assert (known["verdict"], known["why"]) == (there[claim["id"]]["verdict"], there[claim["id"]]["why"])
        assert [each["what"] for each in known["causes"]] == [each["what"] for each in there[claim["id"]]["causes"]]
        for tried in known["causes"]:
            (trial,) = tried["trials"]
            assert trial["changed"] == ONE_SACK.says
            assert set(trial["moved"]) == set(trial["margin"]) == {"mean", "half_width"}
    assert all(claim["causes"] == [] for claim in run(store).claims)


def test_a_mean_with_missing_runs_is_null_in_a_table():
    missing = Mean(math.nan, None)
    assert missing.rounded() == [None, None]
    assert missing.plain() == {"mean": None, "half_width": None}
    read = TypeAdapter(Mean).validate_python([None, None])
    assert math.isnan(read.mean)
    assert TypeAdapter(Mean).validate_python([1.5, 0.25]) == Mean(1.5, 0.25)
