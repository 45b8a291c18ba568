"""Cards of claims on a page: rows with pictures, tables of experiments, columns of verdicts, filters and links."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import world
from typing_extensions import override

from manypath.papers.causes import Verified, verify
from manypath.papers.dreibholz2012_testbed import measured
from manypath.papers.evidence import Evidence
from manypath.papers.paper import Paper
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.papers.predicates import above, near
from manypath.papers.reading import Reading
from manypath.papers.reconstruction.result import ClaimResult
from manypath.papers.verdict import Verdict, at_level
from manypath.report import claims as claim_cards
from manypath.report import columns, views
from manypath.report.cards import card_of
from manypath.report.claims import claims_of
from manypath.report.columns import FULL, HERE
from manypath.report.environment import environment
from manypath.report.reconstruction import ReconstructionView
from manypath.report.strips import Axis, Lane, Range, scaled, strip
from manypath.report.views import Drawing, PaperView, illustrated, view_of

SEVEN = "C-000-24"
"""A claim in which CMT/RPv2 gives both flows about 7 Mbit/s."""

NO_OTHER_PAGES = {"anchors": None, "measured": [], "changes": []}
"""Further pages of a report that lists only papers."""


@pytest.fixture(scope="module")
def part(impact: Paper) -> PaperEvaluation:
    """Results in which the CMT flow gets too little under CMT/RPv2, with a switch that corrects it."""
    cases = list(impact.experiments.cases(impact.mutated))
    poor = world.evidence(cases, treat=lambda _, rates: {**rates, "south": 0.3 * rates["south"]})
    rich = world.evidence(cases)
    switch = next(iter(impact.switches.values()))
    return PaperEvaluation(
        impact, impact.quick, None, poor, [_with_trial(claim, poor, rich, switch) for claim in impact.claims]
    )


def _with_trial(claim, poor: Evidence, rich: Evidence, switch) -> Verified:
    item = verify(claim, poor)
    return item if item.check.holds else replace(item, trials={switch: verify(claim, rich).check})


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the published results of the papers."""
    monkeypatch.setattr(columns, "load", lambda _: None)
    monkeypatch.setattr(views, "load", lambda _: None)
    monkeypatch.setattr(claim_cards, "kept_result", lambda _: None)


def rendered(view: PaperView) -> str:
    """Return the page of a paper without the files of its figures."""
    drawn = illustrated(view, {figure.name: Drawing("<svg></svg>") for figure in view.paper.figures})
    words = {"card": card_of(view), "index": "index.html", "interactive": False}
    return environment().get_template("paper.html.j2").render(page=drawn, **words)


def places(picture: str) -> tuple[tuple[float, float], list[float]]:
    """Return the positions of a picture's band and dots."""
    shapes = Shapes()
    shapes.feed(picture)
    band = next(each for _, each in shapes.found if each.get("class") == "band")
    left = float(band["x"])
    dots = [float(each["cx"]) for tag, each in shapes.found if tag == "circle"]
    return (left, left + float(band["width"])), dots


class Shapes(HTMLParser):
    """The elements of a picture with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


@pytest.mark.usefixtures("plain")
def test_every_part_is_a_row_with_its_verdict_as_an_icon(part: PaperEvaluation):
    cards = {card.id: card for card in claims_of(part, {})}
    assert len(cards) == len(part.claims)
    cmt, single = cards[SEVEN].parts
    assert (cmt.what, cmt.verdict) == ("CMT", "contradicted")
    for row in (cmt, single):
        (low, high), (dot,) = places(row.picture)
        assert (low < dot < high) == (row.verdict == "holds")
    assert cmt.measured.endswith("Mbit/s")
    assert not cmt.measured.startswith("CMT")
    assert all(each.picture for card in cards.values() for each in card.parts)


def test_the_dot_of_an_order_is_beyond_its_line_only_if_the_order_is_measured():
    sample = np.array([5.0, 5.1, 4.9])
    for line, wanted in ((4.0, True), (6.0, False)):
        reading = above(sample, line).readings()[""]
        assert (reading.low, reading.high) == (line, float("inf"))
        lanes = [Lane(reading.mean, reading.half_width, "holds", "")]
        beyond = Range(reading.low, reading.high)
        (low, _), (dot,) = places(strip(lanes, beyond, Axis.over(lanes, beyond), says="order"))
        assert (dot > low) is wanted


def test_an_order_of_samples_is_drawn_as_a_difference_from_zero():
    higher, lower = np.array([5.0, 5.2, 5.1]), np.array([4.0, 4.1, 4.2])
    reading = above(higher, lower).readings()[""]
    assert reading.mean == pytest.approx(1.0)
    assert (reading.low, reading.high) == (0.0, float("inf"))


def test_points_with_different_targets_are_drawn_in_units_of_their_tolerance():
    check = near({1.0: np.array([10.5, 10.5]), 2.0: np.array([18.0, 18.0])}, {1.0: 10.0, 2.0: 20.0})
    found, wanted = scaled(list(check.readings().values()), "Mbit/s")
    assert [each.mean for each in found] == pytest.approx([0.5, -1.0])
    assert wanted.names == ("\N{MINUS SIGN}10 %", "+10 %")
    alike, wanted = scaled([Reading(np.array([7.2]), 6.3, 7.7), Reading(np.array([5.0]), 6.3, 7.7)], "Mbit/s")
    assert [each.mean for each in alike] == [7.2, 5.0]
    assert wanted.names == ("6.3", "7.7 Mbit/s")


def test_a_point_keeps_the_verdict_of_its_deciding_look():
    sample = np.array([1.0, 2.0, 3.0, 0.2])
    p_value = above(sample, 0.0).hypotheses.required[""].shown
    with at_level(0.5 * p_value):
        strict = above(sample, 0.0)
    assert p_value < 0.05
    assert strict.points == {"": "undecided"}
    assert above(sample, 0.0).points == {"": "holds"}


@pytest.mark.usefixtures("plain")
def test_the_first_row_of_experiments_is_the_unchanged_part(part: PaperEvaluation):
    card = next(card for card in claims_of(part, {}) if card.id == SEVEN)
    cause = card.causes[0]
    assert (cause.what, cause.unit) == ("CMT", "Mbit/s")
    unchanged, changed = cause.trials
    assert (unchanged.changed, unchanged.moved, unchanged.verdict) == ("without a change", "", "contradicted")
    assert changed.verdict == "holds"
    assert changed.certain
    (line, _), (before,) = places(unchanged.picture)
    (_, _), (after,) = places(changed.picture)
    assert before < line < after


@pytest.mark.parametrize(
    ("verdict", "needed", "seconds", "words"),
    [
        ("undecided", 120, 90.0, "about 120 runs decide it, with 1 min 30 s of further processor time"),
        ("undecided", 16, 0.0, "about 16 measured runs decide it"),
        ("undecided", None, None, "no number of runs decides it: the measured mean is at the limit"),
        ("holds", None, None, ""),
    ],
)
@pytest.mark.usefixtures("plain")
def test_a_card_names_the_budget_of_the_reconstructed_verdict(
    part: PaperEvaluation, monkeypatch: pytest.MonkeyPatch, verdict: Verdict, needed: int, seconds: float, words: str
):
    class Kept:
        def claim(self, number: str) -> ClaimResult:
            return ClaimResult(number, "A", "holds", verdict, 1.0, 1.0, needed, seconds)

    monkeypatch.setattr(claim_cards, "kept_result", lambda _: Kept())
    assert {card.reconstructed for card in claims_of(part, {})} == {words}


@pytest.mark.usefixtures("plain")
def test_an_undecidable_claim_is_open_with_an_explanation(testbed: Paper, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measured, "published", lambda _: ())
    claim = next(claim for claim in testbed.claims if claim.id == "C-004-3")
    unmeasured = PaperEvaluation(testbed, testbed.quick, None, Evidence({}), [verify(claim, Evidence({}))])
    (card,) = claims_of(unmeasured, {})
    assert card.verdict == "open"
    assert card.explanation.startswith("Needs measured runs of figures 3 and 4")


def test_published_results_have_columns_beside_those_of_the_runs(
    part: PaperEvaluation, monkeypatch: pytest.MonkeyPatch
):
    class Kept:
        over = None

        def __init__(self, claims: object) -> None:
            self.claims = claims

    class Verdict:
        def __init__(self, number: str, verdict: str) -> None:
            self.id, self.verdict = number, verdict

    part = replace(part, paper=replace(part.paper, open_settings=()))
    ids = [item.claim.id for item in part.claims]
    monkeypatch.setattr(columns, "load", lambda _: Kept({each: Verdict(each, "undecided") for each in ids}))
    monkeypatch.setattr(views, "load", lambda _: None)
    section = ReconstructionView("RED fits best. It predicts. No more is identified.", [], [], [], [], [], "1 run")
    monkeypatch.setattr(views, "reconstruction_of", lambda _: section)
    view = view_of(part)
    assert [column.name for column in view.columns] == [HERE, FULL]
    assert view.columns[1].counts == {"undecided": len(ids)}
    assert view.claims[0].verdicts == {FULL: "undecided"}
    page = rendered(view)
    assert page.count('<div class="tally"') == 2
    assert "RED fits best." in page
    assert '<section id="reconstruction">' in page
    card = json.loads(card_of(view))
    assert card["findings"] == [each.says for each in part.paper.findings]
    index = environment().get_template("index.html.j2").render(cards=[first_page(card)], **NO_OTHER_PAGES)
    assert index.count('<div class="tally"') == 2
    assert "RED fits best." not in index
    assert all(unescape(finding) in unescape(index) for finding in card["findings"])


def first_page(card: Mapping[str, object]) -> dict[str, object]:
    """Return a card as the index page reads it from a page."""
    return {**card, "file": "dreibholz2011_impact.html"}


@pytest.mark.usefixtures("plain")
def test_each_square_of_the_index_page_links_to_a_card(part: PaperEvaluation):
    view = view_of(part)
    card = first_page(json.loads(card_of(view)))
    index = environment().get_template("index.html.j2").render(cards=[card], **NO_OTHER_PAGES)
    links = re.findall(r'class="square (\w+)" href="dreibholz2011_impact\.html#([\w-]+)"', index)
    assert {number: verdict for verdict, number in links} == {each.id: each.verdict for each in view.claims}
    page = rendered(view)
    assert set(re.findall(r'<details class="claim" id="([\w-]+)"', page)) == {number for _, number in links}


@pytest.mark.usefixtures("plain")
def test_claims_precede_figures_and_other_sections_are_closed(part: PaperEvaluation):
    page = rendered(view_of(part))
    sections = re.findall(r'<section id="(\w+)">', page)
    assert sections[:2] == ["claims", "figures"]
    assert sections[-2:] == ["setup", "runs"]
    for name in sections[2:]:
        assert re.search(rf'<section id="{name}">\s*<details class="more">', page), name


@pytest.mark.usefixtures("plain")
def test_in_a_browser_links_open_cards_filters_hide_them_and_the_page_fits_a_phone(
    part: PaperEvaluation, tmp_path: Path
):
    noted = "<head><script>window.wrong = []; addEventListener('error', event => wrong.push(event.message));</script>"
    (tmp_path / "page.html").write_text(rendered(view_of(part)).replace("<head>", noted, 1), "utf-8")
    steps = """
        const { document: page, wrong } = frame.contentWindow;
        const claims = [...page.querySelectorAll("details.claim")];
        const shown = () => claims.filter(each => !each.hidden).length;
        const wide = () => page.documentElement.scrollWidth - page.documentElement.clientWidth;
        const found = { linked: page.getElementById("C-000-24").open, all: shown(), closed: wide() };
        page.querySelector(".all").click();
        found.opened = wide();
        page.querySelector('.chips button[value="contradicted"]').click();
        found.contradicted = shown();
        const words = page.querySelector(".filter input");
        words.value = "nothing has such words";
        words.dispatchEvent(new Event("input"));
        found.none = shown();
        page.querySelector('.squares a[href="#C-000-7"]').click();
        setTimeout(() => {
            found.revealed = !page.getElementById("C-000-7").hidden && page.getElementById("C-000-7").open;
            found.again = shown();
            page.querySelector('nav a[href="#setup"]').click();
            setTimeout(() => {
                found.setup = page.querySelector("#setup > details").open;
                found.wrong = wrong;
                document.title = JSON.stringify(found);
            }, 100);
        }, 100);
    """
    found = json.loads(_in_browser(tmp_path, steps, width=390))
    contradicted = sum(item.check.contradicted for item in part.claims)
    assert 0 < contradicted < len(part.claims)
    everything = len(part.claims)
    assert found == {
        "linked": True,
        "all": everything,
        "closed": 0,
        "opened": 0,
        "contradicted": contradicted,
        "none": 0,
        "revealed": True,
        "again": everything,
        "setup": True,
        "wrong": [],
    }


def _in_browser(folder: Path, steps: str, width: int) -> str:
    """Load `page.html` at a card in a frame of some width, take steps, and return the title that they set."""
    if shutil.which("chromium") is None:
        pytest.fail("this test needs chromium: .ci/prepare --tests installs it, or sudo apt-get install chromium")
    frame = f'<iframe id="frame" src="page.html#{SEVEN}" style="width: {width}px; height: 800px; border: 0"></iframe>'
    (folder / "frame.html").write_text(f"{frame}<script>onload = () => {{ {steps} }}</script>", "utf-8")
    words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    waits = ["--hide-scrollbars", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run(
        ["/usr/bin/env", "chromium", *words, *waits, f"file://{folder}/frame.html"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "HOME": str(folder)},
    )
    title = re.search(r"<title>(\{.*?\})</title>", done.stdout)
    assert title, done.stderr[-2000:]
    return title[1].replace("&quot;", '"')
