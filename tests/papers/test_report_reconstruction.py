"""The section of a report about a reconstruction, from a made-up result."""

from __future__ import annotations

import pytest
from made_up_reconstruction import PAPER
from made_up_reconstruction import reconstruction as made_up

from manypath.report import reconstruction
from manypath.report.reconstruction import reconstruction_of


@pytest.fixture
def section(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reconstruction, "kept_result", lambda _: made_up())
    return reconstruction_of(PAPER)


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
    assert reconstruction_of(PAPER) is None
    assert reconstruction_of("failover") is None
