"""Claims that were changed after results were known say so, and claims that share their data count as one fact."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace

from small_paper import PAPER

from manypath.cli.papers_summary import summary
from manypath.papers import NAMES, chosen
from manypath.papers.claim import Claim, facts_and_sentences
from manypath.papers.evaluation import evaluate
from manypath.papers.history import Added, Revised
from manypath.papers.predicates import near
from manypath.report.environment import environment
from manypath.report.views import view_of

REVISED = Revised("2026-01-02", before="within 1 %", after="within 10 %", why="section 3 says about", verdict="holds")
ADDED = Added("2026-01-01", "it holds")


def test_histories_are_in_order_and_each_revision_changes_something():
    for paper in chosen(NAMES, full=True):
        for claim in paper.claims:
            dates = [datetime.date.fromisoformat(entry.date) for entry in claim.history]
            assert dates == sorted(dates), claim.id
            for entry in claim.history:
                if isinstance(entry, Revised):
                    assert entry.before != entry.after, claim.id
                    assert entry.why, claim.id
                else:
                    assert entry is claim.history[0], claim.id
                    assert entry.expects, claim.id


def test_claims_without_a_name_of_a_fact_are_facts_of_their_own():
    alone, first, second = (
        Claim(number, "1", "x", "number", None, lambda _: near(1.0, 1.0), fact=fact)
        for number, fact in (("C-0-1", ""), ("C-0-2", "rates"), ("C-0-3", "rates"))
    )
    assert alone.fact == "C-0-1"
    assert facts_and_sentences([alone, first, second]) == "2 facts, 3 sentences"
    assert facts_and_sentences([]) == ""


def test_pages_json_and_summary_have_the_history_and_the_facts(store):
    claims = tuple(replace(each, history=(ADDED, REVISED), fact="all") for each in PAPER.claims)
    evaluation = evaluate([replace(PAPER, claims=claims)], store=store, progress=False, causes=False)
    told = json.loads(json.dumps(evaluation.claims[0]["history"]))
    assert [entry["change"] for entry in told] == ["added", "revised"]
    assert (told[0]["expects"], told[1]["before"], told[1]["verdict"]) == ("it holds", "within 1 %", "holds")
    page = (
        environment()
        .get_template("paper.html.j2")
        .render(page=view_of(evaluation.papers[0]), index="index.html", interactive=False)
    )
    assert "Added on 2026-01-01; expected: it holds." in page
    assert "Revised on 2026-01-02 from “within 1 %” (holds) to “within 10 %”, because section 3 says about." in page
    assert f"1 fact, {len(claims)} sentences" in page
    lines = [*summary(evaluation, {})]
    assert any(line.startswith(f"small: 1 fact, {len(claims)} sentences: ") for line in lines)
