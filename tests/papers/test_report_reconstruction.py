"""The section of a report about a reconstruction, from a made-up result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from manypath.papers.reconstruction.result import FactorResult, Half, Reconstruction, Scores, Transfer
from manypath.report import reconstruction
from manypath.report.reconstruction import reconstruction_of

SCORES = Scores(stated=0.5, found=0.75, random=0.25, low=0.125, high=1.0)
HALF = Half(name="A", claims=("C-004-1",), found=("queue",), fitted=SCORES, untouched=replace(SCORES, found=0.625))
RESULT = Reconstruction(
    paper="dreibholz2012_testbed",
    tag="D12",
    engine="0123456789abcdef",
    seed=1,
    replications=3,
    settings=20,
    runs=1234,
    digest="0" * 64,
    factors=(
        FactorResult("queue", "RED queues", "FIFO queues", "contradicts", 0.96, "changed"),
        FactorResult("accounting", "accounting of INET", "accounting as printed", "stated", 0.5, "not told"),
    ),
    found=("queue",),
    penalty=0.03,
    scores=SCORES,
    rivals=(("accounting",), ()),
    together=(("queue", "accounting"),),
    halves=(HALF, replace(HALF, name="B")),
    transfers=(Transfer("dreibholz2011_impact", ("queue",), SCORES),),
    claims=(),
)


@pytest.fixture
def section(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reconstruction, "kept_result", lambda _: RESULT)
    return reconstruction_of("dreibholz2012_testbed")


def test_settings_have_their_relation_to_the_text_and_the_identified_level(section):
    queue, accounting = section.factors
    assert (queue.relation, queue.share, queue.identified) == (
        "the text states otherwise (penalty 0.03)",
        "0.96",
        "changed",
    )
    assert (accounting.relation, accounting.identified) == (
        "the text states the changed level (penalty 0)",
        "not identified",
    )


def test_scores_of_each_half_and_of_other_papers_are_listed(section):
    assert [(row.fitted, row.scored, row.found) for row in section.scores] == [
        ("all claims", "all claims", "0.750"),
        ("half A", "half A", "0.750"),
        ("half A", "the other half", "0.625"),
        ("half B", "half B", "0.750"),
        ("half B", "the other half", "0.625"),
        ("all claims", "[D11]", "0.750"),
    ]
    assert {row.random for row in section.scores} == {"0.250 (0.125 to 1.000)"}


def test_settings_that_differ_from_the_text_are_named(section):
    assert section.exceptions == ["accounting of INET; text: accounting as printed"]


def test_settings_are_named_by_their_descriptions(section):
    assert section.together == ["FIFO queues; accounting as printed"]
    assert section.rivals == ["accounting as printed", ""]


def test_a_paper_without_a_reconstruction_has_no_section(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reconstruction, "kept_result", lambda _: None)
    assert reconstruction_of("dreibholz2012_testbed") is None
    assert reconstruction_of("failover") is None


def test_published_reconstructions_of_one_group_are_tested_on_each_other():
    section = reconstruction_of("dreibholz2010_asymmetric")
    assert section is not None
    assert len(section.factors) == 8
    assert {"[D11]", "[D12]"} <= {row.scored for row in section.scores}
