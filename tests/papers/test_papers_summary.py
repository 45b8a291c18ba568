"""`manypath papers` prints a few lines for each paper, whatever it checks, and everything with `--verbose`."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_paper import PAPER

from manypath import papers, report
from manypath.cli.papers_summary import MOST_CLAIMS, MOST_NAMED, differences, summary
from manypath.papers import NAMES, evaluation, published
from manypath.papers.causes import Verified
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.comparison import ChangedVerdict, PublishedComparison, compare
from manypath.papers.evaluation import Evaluation
from manypath.papers.evidence import Evidence
from manypath.papers.paper import PaperTable
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.papers.progress import papers_on_stderr
from manypath.papers.verdict import VERDICTS

MOST_LINES = 60
"""Largest number of lines that `manypath papers` prints on standard output and standard error."""

SAYS = "The goodput of the flow over both paths exceeds that of the flow over one path by at least a tenth."

verdicts = st.lists(st.sampled_from(VERDICTS), max_size=120)


def checked(claim, verdict):
    return Verified(
        claim, Check(verdict, "1 Mbit/s", "2 Mbit/s", 3, why="" if verdict == "holds" else "a reason"), frozenset()
    )


def full_results(name):
    """Return the published results of a paper."""
    found = published.load(name)
    assert found is not None
    return found


def made_up(name, found):
    """Return the evaluation of a paper of this name with these verdicts, and as many tables as claims."""
    claims = [
        Claim(f"C-999-{number}", "section 5", SAYS, "number", None, lambda _: Check("open", "", "", 0))
        for number, _ in enumerate(found, 1)
    ]
    tables = [
        PaperTable(f"Table {number}", "Made up.", ("number",), lambda _, number=number: [(f"row {number}",)])
        for number, _ in enumerate(found, 1)
    ]
    paper = replace(PAPER, name=name, claims=tuple(claims), tables=tuple(tables))
    return PaperEvaluation(paper, paper.quick, None, Evidence({}), [*map(checked, claims, found)], engine="1")


def opposed(part):
    """Return the comparison of an evaluation with published results that all have another verdict."""
    changed = [
        ChangedVerdict(each.claim.id, each.check.verdict, "holds" if each.check.verdict != "holds" else "contradicted")
        for each in part.claims
    ]
    return PublishedComparison(9, 0, (), 0, len(changed), 0, (), tuple(changed))


@given(st.lists(verdicts, min_size=1, max_size=5))
def test_papers_have_three_lines_each_for_any_number_of_claims(found):
    parts = [made_up(f"paper{number}", each) for number, each in enumerate(found)]
    comparisons = {part.paper.name: opposed(part) for part in parts}
    lines = [*summary(Evaluation(parts), comparisons)]
    assert len(lines) <= 3 * len(parts) + (MOST_CLAIMS + 1 if len(parts) == 1 else 0)
    assert sum(line.startswith("paper") for line in lines) == len(parts)
    assert not any("\n" in line for line in lines)


@given(verdicts)
def test_every_claim_of_a_single_paper_has_a_line_until_they_are_too_many(found):
    lines = [*summary(Evaluation([made_up("paper", found)]), {})]
    shown = [line.split()[:2] for line in lines if line.startswith("C-")]
    assert shown == [[f"C-999-{number}", verdict] for number, verdict in enumerate(found[:MOST_CLAIMS], 1)]
    left = len(found) - MOST_CLAIMS
    assert any("further claim" in line for line in lines) == (left > 0)
    if left > 1:
        assert f"and {left} further claims: --verbose" in lines


def test_claims_without_a_quick_verdict_have_their_text_and_share_a_line_with_the_reason():
    part = made_up("paper", ["undecided", "holds", "undecided", "undecided"])
    reasons = {"C-999-1": "one window is short", "C-999-3": "one window is short", "C-999-4": "another one is, too"}
    items = [replace(item, unsteady=reasons.get(item.claim.id, "")) for item in part.claims]
    lines = [*summary(Evaluation([replace(part, claims=items)]), {})]
    claims = [line for line in lines if line.startswith("C-999")]
    assert len(claims) == 4
    assert all(SAYS[:40] in line for line in claims)
    assert "no verdict on C-999-1, C-999-3: one window is short" in lines
    assert "no verdict on C-999-4: another one is, too" in lines


def test_other_verdicts_than_the_published_ones_are_named_opposite_ones_first():
    part = made_up("paper", ["holds", "undecided", "holds", "contradicted"])
    known = full_results(NAMES[0])
    claim = next(iter(known.claims.values()))
    there = enumerate(("holds", "holds", "undecided", "holds"), 1)
    claims = {f"C-999-{number}": replace(claim, verdict=verdict) for number, verdict in there}
    table = replace(known, cases={}, claims=claims)
    found = compare(part, table)
    assert found.changed == (
        ("C-999-4", "contradicted", "holds"),
        ("C-999-2", "undecided", "holds"),
        ("C-999-3", "holds", "undecided"),
    )
    assert found.other_engine == ("" if part.engine == known.engine else known.engine)
    assert differences(replace(found, other_engine="")) == (
        "differs from the package's full results: contradicted here, holds published: C-999-4; "
        "undecided here, holds published: C-999-2; holds here, undecided published: C-999-3"
    )
    (line,) = (line for line in summary(Evaluation([part]), {"paper": found}) if line.startswith("C-999-4"))
    assert line.startswith("C-999-4   contradicted (published: holds) The goodput")


@given(st.integers(1, 200))
def test_a_long_list_of_differences_is_shortened_and_says_how_many_are_left(count):
    line = differences(opposed(made_up("paper", ["undecided"] * count)))
    assert line.count("C-999-") == min(count, MOST_NAMED)
    assert (f"and {count - MOST_NAMED} further claim" in line) == (count > MOST_NAMED)


def test_equal_results_are_reported_as_agreement():
    assert differences(PublishedComparison(9, 9, (), 0, 2, 2)) == (
        "agrees with the package's full results: 2 claims, 9 points of the figures"
    )


def test_another_engine_of_the_published_results_is_named():
    part = made_up("paper", ["holds"])
    known = replace(full_results(NAMES[0]), cases={}, claims={})
    same = compare(part, replace(known, engine=part.engine))
    assert differences(same) == "agrees with the package's full results: 0 points of the figures"
    other = compare(part, replace(known, engine="0123456789abcdef"))
    assert differences(other).startswith("agrees with the package's full results of another engine, 0123456789abcdef: ")


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Make the command evaluate all papers at once: each claim with the verdict after the published one."""

    def evaluated(*_, **__):
        display = papers_on_stderr(len(NAMES))
        parts = []
        for name in NAMES:
            paper = papers.load(name)
            display.begin_paper(name, 500)
            for _ in range(500):
                display.advance(1)
            display.end_paper(name, 60.0)
            claims = [checked(claim, changed(name, claim.id)) for claim in paper.claims]
            tables = (PaperTable(f"Table of {name}", "Made up.", ("number",), lambda _: [("row",)] * 200),)
            part = PaperEvaluation(replace(paper, tables=tables), paper.quick, None, Evidence({}), claims, engine="1")
            parts.append(part)
        return Evaluation(parts)

    def changed(name, number):
        return VERDICTS[(VERDICTS.index(full_results(name).claims[number].verdict) + 1) % len(VERDICTS)]

    monkeypatch.setattr(evaluation, "evaluate", evaluated)
    monkeypatch.setattr(report, "build", lambda *_: tmp_path / "index.html")
    monkeypatch.setattr(report, "growing", lambda *_: None)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("quick")
def test_all_papers_have_at_most_60_lines_with_progress(called):
    printed = called("papers")
    assert len(printed.out.splitlines()) + len(printed.err.splitlines()) <= MOST_LINES
    assert "Traceback" not in printed.out + printed.err
    lines = printed.out.splitlines()
    for name in NAMES:
        (place,) = (number for number, line in enumerate(lines) if line.startswith(f"{name}: "))
        assert lines[place].endswith("(quick precision, preliminary)")
        assert lines[place + 1 : place + 3] == [f"  finding: {each.says}" for each in papers.load(name).findings]
        full = "  differs from the package's full results( of another engine, [0-9a-f]{16})?: "
        assert re.match(full, lines[place + 3])
    assert lines[-1].startswith("report: ")
    assert "Table of" not in printed.out


@pytest.mark.usefixtures("quick")
def test_verbose_output_has_every_table_and_claim_and_the_summary(called):
    printed = called("papers", "--verbose").out
    summarised = called("papers").out.splitlines()
    words = " ".join(printed.split())
    for name in NAMES:
        assert f"Table of {name}" in printed
        for claim in papers.load(name).claims:
            assert claim.id in words
    assert words.count("expected: 2 Mbit/s measured: 1 Mbit/s why: a reason") > len(NAMES)
    assert all(line in printed for line in summarised if not line.startswith("--verbose"))
    assert len(printed.splitlines()) > 10 * len(summarised)
