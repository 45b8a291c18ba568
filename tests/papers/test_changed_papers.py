"""A paper is repeated with a change: both verdicts on each claim, from runs with the same random numbers."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from small_paper import NAME, PAPER

import manypath as mp
from manypath import _native, papers
from manypath.errors import UserError
from manypath.papers import evaluate
from manypath.papers.changed import UNMEASURED, with_open_parts
from manypath.papers.check import all_of
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case
from manypath.papers.experiment import Precision
from manypath.papers.mean import Mean
from manypath.papers.paper import Paper
from manypath.papers.predicates import near
from manypath.report import changed as pages

TIGHT = {"flows.cmt.send_buffer": "3 kB"}
"""A send buffer that stops the CMT flow of the small paper most of the time."""


@pytest.fixture(scope="module")
def tight(store):
    return evaluate([PAPER], changes=TIGHT, store=store, progress=False)


def repeated(changes, store, paper: str | Paper = PAPER, **options):
    """Return the evaluation of a paper with changes, and its outcome with them."""
    return only(evaluate([paper], changes=changes, store=store, progress=False, **options))


def only(evaluation):
    """Return the only paper of an evaluation, and its outcome with changes."""
    (part,) = evaluation.papers
    assert part.change is not None
    return part, part.change


def digests(part):
    return [*part.evidence.digests()]


def runs_of(evidence):
    return {case: [outcome["digest"] for outcome in evidence.runs(case).outcomes] for case in evidence.cases()}


def test_a_change_turns_a_verdict_and_the_runs_of_the_paper_stay_as_they_are(tight, store):
    part, change = only(tight)
    plain = evaluate([PAPER], causes=False, store=store, progress=False).papers[0]
    assert [item.check.verdict for item in part.claims] == [item.check.verdict for item in plain.claims]
    assert runs_of(part.evidence) == runs_of(plain.evidence)
    first, second = change.ordered
    assert (first.claim.id, first.before.verdict, first.after.verdict) == ("C-999-1", "holds", "contradicted")
    assert first.turned
    assert second.after.runs == second.before.runs == PAPER.quick.replications
    assert change.summary() == "2 of 2 verdicts change: C-999-1, C-999-2"


def test_moves_are_differences_of_replications_with_the_same_number(tight):
    _, change = only(tight)
    for each in change.claims:
        (one,) = each.parts
        (point,) = one.points
        assert point.moved.mean == pytest.approx(point.after.mean - point.before.mean)
        (before,), (after,) = one.before.readings().values(), one.after.readings().values()
        pairs = after.sample - before.sample
        half = 4.302652729911275 * pairs.std(ddof=1) / math.sqrt(3)  # Student's t of 2 degrees of freedom
        assert point.moved.half_width == pytest.approx(half)
        assert one.move() == f"{point.moved.signed()} Mbit/s"
    numbers = {each.claim.id: each.parts[0].points[0].printed for each in change.claims}
    assert numbers == {"C-999-1": None, "C-999-2": 1.0}


def test_the_same_value_changes_no_scenario_and_no_verdict(store, monkeypatch):
    plain = evaluate([PAPER], causes=False, store=store, progress=False).papers[0]
    monkeypatch.setattr(_native, "run_batch", None)
    own = {"flows.*.sack_every": 2, "network.links.north.delay": "1 ms"}
    part, change = repeated(own, store)
    assert digests(part) == digests(plain)
    assert change.turned == []
    assert change.summary() == "0 of 2 verdicts change"
    assert change.scope() == "0 of 3 scenarios change; not run again: 3 with this value already"
    assert all(each.before is each.after and not each.reached for each in change.claims)


def test_two_settings_are_applied_together_with_the_seeds_of_the_paper(store):
    settings = {**TIGHT, "network.links.*.delay": "20 ms"}
    _, change = repeated(settings, store)
    assert change.says == 'flows.cmt.send_buffer = "3 kB", network.links.*.delay = "20 ms"'
    case = Case.of("short", north=2.0)
    plain = PAPER.experiments.scenario(case, PAPER.quick)
    links = {name: link.but(delay="20 ms") for name, link in plain.network.links.items()}
    flows = {**plain.flows, "cmt": plain.flows["cmt"].but(send_buffer="3 kB")}
    by_hand = plain.but(network=plain.network.but(links=links), flows=flows)
    digests = [outcome["digest"] for outcome in change.evidence.runs(case).outcomes]
    assert digests == [mp.run(by_hand, seed=1, replication=number).digest for number in range(3)]


def test_a_wildcard_reaches_every_flow(store):
    part, change = repeated({"flows.*.send_buffer": "3 kB"}, store)
    for flow in ("cmt", "single"):
        before = part.evidence.under(None).goodput("short", flow, north=2.0)
        assert (change.evidence.goodput("short", flow, north=2.0) < before).all()


def test_scenarios_that_the_change_does_not_reach_are_not_run_again(store):
    slower = {"network.links.north.rate": "1 Mbit/s"}
    part, change = repeated(slower, store)
    assert {case["north"] for case in change.reach.changed} == {2.0}
    assert change.scope() == "2 of 3 scenarios change; not run again: 1 with this value already"
    assert change.remarks() == ["network.links.north.rate: short varies this field, and all cases get the same value"]
    assert part.runs == (3 + 2) * PAPER.quick.replications


def test_frames_have_both_verdicts_and_the_estimates(tight):
    verdicts, estimates = tight.verdicts, tight.estimates
    assert verdicts.loc[verdicts["claim"] == "C-999-1", ["verdict", "changed_verdict"]].to_numpy().tolist() == [
        ["holds", "contradicted"]
    ]
    assert estimates["claim"].tolist() == ["C-999-1", "C-999-2"]
    half = estimates.set_index("claim").loc["C-999-2"]
    assert (half["printed"], half["low"], half["high"], half["unit"]) == (1.0, 0.9, 1.1, "Mbit/s")
    assert half["moved"] == pytest.approx(half["changed"] - half["value"])


def test_a_frame_without_a_change_has_the_verdicts(store):
    plain = evaluate([PAPER], causes=False, store=store, progress=False)
    assert plain.verdicts["claim"].tolist() == ["C-999-1", "C-999-2"]
    assert "changed_verdict" not in plain.verdicts
    assert plain.estimates.empty


def test_an_evaluation_is_shown_as_its_verdicts(store):
    plain = evaluate([PAPER], causes=False, store=store, progress=False)
    assert repr(plain) == repr(plain.verdicts)
    page = plain._repr_html_()
    assert all(f"<td>{claim}</td>" in page for claim in plain.verdicts["claim"])


def test_claims_as_data_have_the_outcome_with_the_change(tight):
    first, second = json.loads(json.dumps(tight.claims, allow_nan=False))
    assert (first["verdict"], first["changed"]["verdict"]) == ("holds", "contradicted")
    (part,) = second["changed"]["parts"]
    (point,) = part["points"]
    assert point["printed"] == 1.0
    assert point["before"]["mean"] != point["after"]["mean"]
    assert part["before"]["measured"] == second["measured"]


@pytest.mark.parametrize("error", UNMEASURED)
def test_a_claim_that_cannot_be_checked_with_the_change_is_open(error, store):
    def check(results):
        if results.switch:
            raise error("north")
        return PAPER.claims[1].predicate(results)

    claim = Claim("C-999-3", "3", "It needs the northern path.", "number", 2, check)
    paper = replace(PAPER, claims=(claim,), figures=())
    _, change = repeated(TIGHT, store, paper)
    (each,) = change.claims
    assert each.after.verdict == "open"
    assert error.__name__ in each.after.measured
    assert [one.move() for one in each.parts] == ["no value"]


@pytest.mark.parametrize("name", ["causes", "profiles", "mutations"])
def test_parts_of_an_evaluation_without_a_meaning_are_refused(name):
    with pytest.raises(UserError, match=rf"^{name}: not valid with changes"):
        repeated(TIGHT, None, PAPER, **{name: True})


def test_full_precision_makes_no_other_runs(store):
    quick: Precision = replace(PAPER.quick, name="full", most=8)
    paper = replace(PAPER, full=quick)
    part, change = repeated(TIGHT, store, paper, full=True)
    assert (part.profiles, part.matrix, part.sensitivity) == (None, None, [])
    assert {each.after.runs for each in change.claims} == {3}


@pytest.fixture
def small(package, tmp_path, monkeypatch, store):
    """The small paper as a study of the package without published tables, with the store of this file."""
    monkeypatch.setattr(papers, "STUDIES", (NAME,))
    monkeypatch.setattr(papers, "load", {NAME: PAPER}.__getitem__)
    monkeypatch.chdir(tmp_path)
    return ("papers", NAME, "--store", str(store))


def test_the_command_prints_both_verdicts_and_the_estimates_and_writes_a_page(small, called, tmp_path):
    out = called(*small, "--set", "flows.cmt.send_buffer=3 kB").out
    lines = out.splitlines()
    assert lines[0] == 'small with flows.cmt.send_buffer = "3 kB": 3 of 3 scenarios change'
    assert lines[2].split()[:3] == ["C-999-1", "holds", "contradicted"]
    assert "1 ± 0.1 Mbit/s" in out
    assert "small: 2 of 2 verdicts change: C-999-1, C-999-2" in lines
    assert lines[-1] == "report: report/small-set.html"
    page = (tmp_path / "report/small-set.html").read_text("utf-8")
    assert page.count("<svg") == 4
    assert 'id="C-999-1-1"' in page
    assert re.findall(r'(?:src|href)="(https?:[^"]*)"', page) == []
    for path in re.findall(r'href="(figures/[^"]*)"', page):
        assert (tmp_path / "report" / path).stat().st_size > 0
    assert 'href="small-set.html"' in (tmp_path / "report/index.html").read_text("utf-8")
    assert not (tmp_path / "report/small.html").exists()


def test_both_drawings_of_a_figure_have_the_same_vertical_axes(tight):
    part, change = only(tight)
    pictures = [part.paper.figures[0].draw(evidence) for evidence in (part.evidence, change.evidence)]
    before = [axes.get_ylim() for picture in pictures for axes in picture.figure.axes]
    drawn = pages._with_equal_axes(*pictures)
    (one,), (other,) = ([axes.get_ylim() for axes in picture.figure.axes] for picture in drawn)
    assert one == other == (min(low for low, _ in before), max(high for _, high in before))


def test_the_command_prints_json(small, called):
    document = json.loads(called(*small, "--json", "--set", "flows.cmt.send_buffer=3 kB", "--figure", "1").out)
    (change,) = document["changes"]
    assert change["changed_verdicts"] == ["C-999-1"]
    assert (change["changed_scenarios"], change["equal_scenarios"], change["claims"]) == (2, 0, 1)
    assert document["settings"]["set"] == ['flows.cmt.send_buffer="3 kB"']
    assert [claim["changed"]["verdict"] for claim in document["claims"]] == ["contradicted"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "flows.cmt.sendbuffer=1 MB"], "flows.cmt.sendbuffer: no scenario of small has this field: did you"),
        (["--set", "flows.cmt.send_buffer=1 XB"], 'flows.cmt.send_buffer: "1 XB" is no size'),
        (["--set", "flows.cmt.send_buffer"], '--set: "flows.cmt.send_buffer" is no change: write FIELD=VALUE'),
        (["--set", "flows.cmt.cc=lia", "--set", "flows.cmt.cc=olia"], '--set: "flows.cmt.cc" is given twice'),
        (["--set", "network.links.*.queue={ kind = "], "is no value of TOML"),
        (["--set", "flows.cmt.cc=lia", "--shard", "1/2"], "--shard: computes a part of the paper's own scenarios"),
        (["--set", "flows.cmt.cc=lia", "--full", "--publish"], "--publish: writes the results of the paper's own"),
        (["--set", "flows.cmt.cc=lia", "--causes"], "--causes: searches for causes, and --set only compares"),
        (["--set", "flows.cmt.cc=lia", "--profiles"], "--profiles: checks claims under accounting profiles"),
        (["--set", "flows.cmt.cc=lia", "--mutations"], "--mutations: runs wrong implementations"),
    ],
)
def test_mistakes_are_reported_in_one_line_before_any_run(words, said, small, called, monkeypatch):
    monkeypatch.setattr(_native, "run_batch", None)
    error = called(*small, *words, code=2).err
    assert said in error
    assert error.count("\n") == 1
    assert "Traceback" not in error


def test_values_are_read_as_toml_and_texts_need_no_quotation_marks():
    from manypath.cli.papers_changed import read_changes

    assert read_changes(
        [
            "flows.cmt.send_buffer=1 MB",
            'flows.cmt.cc="lia"',
            "flows.cmt.sack_every = 2",
            "network.links.*.queue={ kind = 'red', min = 30, max = 90 }",
            "network.links.south.loss=0.01",
            'flows.cmt.paths=["south"]',
        ]
    ) == {
        "flows.cmt.send_buffer": "1 MB",
        "flows.cmt.cc": "lia",
        "flows.cmt.sack_every": 2,
        "network.links.*.queue": {"kind": "red", "min": 30, "max": 90},
        "network.links.south.loss": 0.01,
        "flows.cmt.paths": ["south"],
    }


def test_a_figure_of_a_paper_has_both_verdicts_with_a_queue_of_another_kind(tmp_path):
    _, change = repeated({"network.links.*.queue.packets": 20}, tmp_path, "gonzalez2012_mptcp", figure=3, runs=2)
    found = {each.claim.id: (each.before.verdict, each.after.verdict) for each in change.claims}
    assert found == {
        "C-001-6": ("holds", "contradicted"),
        "C-001-7": ("holds", "holds"),
        "C-001-28": ("holds", "holds"),
    }


@pytest.mark.parametrize("parts", [1, 2])
def test_a_part_whose_value_only_the_change_removes_is_open_and_has_no_value(parts):
    plain, absent = np.array([1.0, 1.01, 0.99]), np.array([math.nan] * 3)

    def check(sample):
        checks = [near(sample, 1.0, what="slope")] + [near(plain, 1.0)] * (parts - 1)
        return all_of(*checks) if parts > 1 else checks[0]

    after = with_open_parts(check(plain), check(absent))
    assert after.verdict == "open"
    assert after.leaves()[0].measured == "slope: no value"
    assert "removes a value" in after.why
    # A value that is also missing without the change is not removed by it.
    assert with_open_parts(check(absent), check(absent)).verdict == "undecided"
    assert with_open_parts(check(plain), check(plain)).verdict == check(plain).verdict


def test_a_mean_without_a_value_is_no_number():
    nothing = Mean.of(np.array([1.0, math.nan]))
    assert str(nothing) == nothing.signed() == "no value"
