"""The command from its arguments to claims and a report, with a few real runs."""

import json
import re
from types import SimpleNamespace

import pytest

from manypath.errors import UserError
from manypath.papers import evaluate, plain, registry
from manypath.papers.verdict import VERDICTS
from manypath.report import build

KEYS = {
    *(
        "id",
        "paper",
        "place",
        "says",
        "fact",
        "history",
        "verdict",
        "measured",
        "expected",
        "runs",
        "needed",
        "parts",
        "why",
        "halves",
        "profiles",
    ),
    *("causes", "reconstructed", "reconstructed_needed", "reconstructed_needed_seconds", "published", "over_settings"),
}


@pytest.fixture(scope="module")
def evaluation(figure5):
    return evaluate(["dreibholz2011_impact"], figure=5, runs=2, store=figure5, progress=False)


def test_one_figure_gives_its_claims_as_plain_data(evaluation):
    claims = json.loads(json.dumps(evaluation.claims))
    assert [claim["id"] for claim in claims] == [f"C-000-{number}" for number in (*range(31, 39), 40)]
    for claim in claims:
        assert set(claim) == KEYS
        assert claim["verdict"] in set(VERDICTS)
        assert claim["runs"] == 2
        assert claim["why"] or claim["verdict"] == "holds"
        assert claim["profiles"] == {}


def test_a_claim_has_its_verdict_and_budget_under_the_reconstructed_settings(evaluation, monkeypatch):
    found = SimpleNamespace(reconstructed="undecided", needed=120, needed_seconds=90.0)
    monkeypatch.setattr(plain, "kept_result", lambda _: SimpleNamespace(claim=lambda _: found))
    for claim in evaluation.claims:
        assert claim["reconstructed"] == "undecided"
        assert claim["reconstructed_needed"] == 120
        assert claim["reconstructed_needed_seconds"] == 90.0


def test_a_second_call_returns_equal_results_from_the_store(evaluation, tmp_path):
    first = evaluate(["dreibholz2011_impact"], figure=5, runs=2, store=tmp_path, progress=False)
    stored = sorted(path.name for path in tmp_path.iterdir())
    second = evaluate(["dreibholz2011_impact"], figure=5, runs=2, store=tmp_path, progress=False)
    assert first.claims == second.claims == evaluation.claims
    assert sorted(path.name for path in tmp_path.iterdir()) == stored


def test_the_report_needs_no_other_files(evaluation, tmp_path):
    index = build(evaluation.papers, tmp_path)
    assert index == tmp_path / "index.html"
    pages = [index, tmp_path / "dreibholz2011_impact.html"]
    for page in pages:
        text = page.read_text("utf-8")
        loaded = re.findall(r'(?:src|href|xlink:href)="(https?:[^"]*)"', text)
        assert loaded == []
        assert set(re.findall(r"<script([^>]*)>", text)) <= {"", ' type="application/json"'}
    assert (tmp_path / "plotly.min.js").stat().st_size > 1_000_000
    (chart,) = re.findall(r'<script type="application/json">(.*?)</script>', pages[1].read_text("utf-8"), re.DOTALL)
    assert {"south, congestion window", "north, slow-start threshold"} <= {
        trace["name"] for trace in json.loads(chart)["data"]
    }
    text = pages[1].read_text("utf-8")
    assert "Preliminary" in text
    assert "manypath papers dreibholz2011_impact --profiles" in text
    assert '<td data-label="experiment">figure5</td>' in text
    for number in range(31, 38):
        assert f'id="C-000-{number}"' in text
    for ending in ("svg", "pdf", "png"):
        assert (tmp_path / "figures" / "dreibholz2011_impact" / f"figure5.{ending}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["dreibholz2011_impat"]}, 'did you mean "dreibholz2011_impact"'),
        ({"figure": 9}, "9 is no figure of .*dreibholz2011_impact"),
        ({"runs": 0}, "give 1 or more"),
    ],
)
def test_bad_input_is_reported_in_one_line(arguments, message):
    with pytest.raises(UserError, match=message) as caught:
        evaluate(**arguments, store=None, progress=False)
    assert "\n" not in str(caught.value)


def test_every_figure_and_setting_of_a_paper_has_a_description():
    for paper in registry().values():
        known = {experiment.name for experiment in paper.experiments.all()}
        numbers = {figure.number for figure in paper.figures}
        shown = {experiment.figure for experiment in paper.experiments.all()}
        assert shown - {None} <= numbers
        assert all(figure.experiments and set(figure.experiments) <= known for figure in paper.figures)
        assert all(figure.caption for figure in paper.figures)
        assert all(row.what and row.ours and (row.paper or row.source or row.ours) for row in paper.setup)
        assert all(name in paper.switches for claim in paper.claims for name in claim.suspects)
