"""The quick window of a paper is compared with the full window, and guards its quick verdicts."""

import json
from dataclasses import replace

import pytest
from stalled_paper import NAME, PAPER

from manypath import papers
from manypath.campaign import Campaign, check_warmup
from manypath.errors import UserError
from manypath.papers import NAMES, STUDIES, registry, windows
from manypath.papers.evaluation import evaluate
from manypath.papers.evidence import Case
from manypath.papers.experiment import Experiments
from manypath.papers.steadiness import check_windows
from manypath.papers.windows import CheckedExperiment, UnsteadyCase

REGISTERED = (*NAMES, *STUDIES)


@pytest.fixture
def package(package, tmp_path, monkeypatch):
    """A package with only this paper, in a source tree."""
    (package / "studies" / NAME).mkdir()
    monkeypatch.setattr(papers, "STUDIES", (NAME,))
    monkeypatch.setattr("manypath.papers.guard.STUDIES", (NAME,))
    monkeypatch.setattr(papers, "load", {NAME: PAPER}.__getitem__)
    monkeypatch.chdir(tmp_path)
    return package


@pytest.fixture(scope="module")
def checked():
    """The checks of all quick windows."""
    return [*check_windows(PAPER, PAPER.quick, PAPER.experiments.cases(PAPER.quick))]


@pytest.fixture(scope="module")
def whole():
    """The checks of all windows of full precision."""
    return [*check_windows(PAPER, PAPER.full, PAPER.experiments.cases(PAPER.full))]


def _quick(paper=PAPER, **options):
    (part,) = evaluate([paper], store=None, progress=False, causes=False, **options).papers
    return {item.claim.id: item for item in part.claims}


def test_a_window_before_a_change_of_regime_is_not_steady_although_mser5_finds_the_quick_run_steady(checked):
    found = {str(each.case): each for each in checked}
    assert [name for name, each in found.items() if each.steady != "steady"] == ["stalls (rate 2.0)"]
    stalled = found["stalls (rate 2.0)"]
    assert stalled.steady == "changes"
    assert (stalled.window, stalled.full) == ((100_000_000, 700_000_000), (100_000_000, 4_100_000_000))
    (rates,) = stalled.rates
    assert rates.one.mean() < 0.1
    assert 1.0 < rates.other.mean() < 2.0
    quick = Campaign(PAPER.experiments.scenario(stalled.case, PAPER.quick), replications=3)
    assert check_warmup(quick.run(store=None, progress=False))["enough"].all()


def test_a_window_of_full_precision_is_the_same_and_its_halves_are_compared():
    found = [*check_windows(PAPER, PAPER.full, PAPER.experiments.cases(PAPER.full, {"runs"}))]
    assert all(each.same and each.steady == "steady" and each.replications == 4 for each in found)
    assert all(each.rates[0].one.mean() == pytest.approx(each.rates[0].other.mean(), rel=0.05) for each in found)


def test_a_claim_that_reads_an_unsteady_window_has_no_quick_verdict_and_a_reason(checked, whole, package):
    assert windows.publish(PAPER, checked, whole) == package / "studies" / NAME / "windows.json"
    quick = _quick()
    assert quick["C-998-1"].check.verdict == "holds"
    item = quick["C-998-2"]
    assert item.check.verdict == "undecided"
    assert item.check.why == item.unsteady
    table = windows.load(NAME)
    assert table is not None
    assert item.unsteady == table.quick["stalls"].why(Case.of("stalls", rate=2.0))
    assert item.unsteady.startswith("the quick window of stalls is not steady: tcp has 0.0")
    assert "stalls: " in item.check.measured
    full = _quick(full=True, profiles=False, mutations=False)
    assert [item.check.verdict for item in full.values()] == ["holds", "contradicted"]


def test_no_cause_is_searched_for_a_claim_without_a_quick_verdict(checked, whole, package):
    windows.publish(PAPER, checked, whole)
    (part,) = evaluate([PAPER], store=None, progress=False, causes=True, profiles=True, mutations=False).papers
    item = part.claims[1]
    assert (item.check.verdict, item.trials) == ("undecided", {})
    assert item.check.why == item.unsteady
    assert part.profiles is not None
    assert set(part.profiles.verdicts(item.claim)) == {"undecided"}


def test_a_change_gives_no_verdict_on_an_unsteady_window(checked, whole, package):
    windows.publish(PAPER, checked, whole)
    evaluation = evaluate([PAPER], changes={"flows.tcp.send_buffer": "20 kB"}, store=None, progress=False)
    change = evaluation.papers[0].change
    assert change is not None
    fills, has_nothing = change.claims
    assert (fills.before.verdict, fills.reached) == ("holds", True)
    assert (has_nothing.before.verdict, has_nothing.after.verdict) == ("undecided", "undecided")
    assert has_nothing.reached
    assert has_nothing.after.why == has_nothing.before.why


def test_the_reason_has_the_truncation_by_mser5():
    stalled = UnsteadyCase({"rate": 2.0}, "tcp", "changes", 0.012, 1.83, 1.45)
    checked = CheckedExperiment("stalls", "", 1, 2, 1.45, (stalled,))
    assert checked.why(Case.of("stalls", rate=8.0)) == ""
    assert checked.why(Case.of("stalls", rate=2.0)) == (
        "the quick window of stalls is not steady: tcp has 0.012 Mbit/s in it and 1.83 Mbit/s in the full window; "
        "MSER-5 suggests 1.45 s"
    )


@pytest.mark.usefixtures("package")
def test_an_unchecked_window_gives_no_verdict_either():
    for item in _quick().values():
        assert item.check.verdict == "undecided"
        assert item.unsteady.endswith("was not checked: manypath papers stalled --check-warmup")


@pytest.mark.usefixtures("package")
def test_an_experiment_that_the_table_lacks_gives_no_verdict_either(checked, whole):
    windows.publish(PAPER, [each for each in checked if each.case.experiment == "runs"], whole)
    items = _quick()
    assert items["C-998-1"].check.verdict == "holds"
    assert items["C-998-2"].check.verdict == "undecided"
    assert items["C-998-2"].unsteady.endswith("was not checked: manypath papers stalled --check-warmup")


@pytest.mark.usefixtures("package")
def test_a_changed_experiment_counts_as_unchecked(checked, whole):
    windows.publish(PAPER, checked, whole)
    faster = replace(PAPER, quick=replace(PAPER.quick, measure="590 ms"))
    assert _quick(faster)["C-998-1"].unsteady.startswith("the quick window of runs was not checked")
    assert _quick()["C-998-1"].unsteady == ""


@pytest.mark.usefixtures("package")
def test_curves_in_a_shorter_window_give_no_verdict(checked, whole):
    windows.publish(PAPER, checked, whole)
    sampled = Experiments()
    for each in PAPER.experiments.all():
        sampled(each.name, figure=each.figure, series="50 ms")(each.scenario)
    found = _quick(replace(PAPER, experiments=sampled))
    assert "the quick window of runs differs from the full one" in found["C-998-1"].unsteady


def test_a_paper_outside_of_the_package_has_its_quick_verdicts():
    assert [item.check.verdict for item in _quick().values()] == ["holds", "holds"]


def test_the_command_prints_the_table_and_publishes_it(package, called):
    result = called("papers", NAME, "--check-warmup", "--publish", "--workers", "1")
    rows = [line.split() for line in result.out.splitlines() if line.strip().startswith(NAME)]
    assert rows[0][:5] == [NAME, "stalls", "1", "0.1", "0.6"]
    assert rows[0][-3:] == ["0", "of", "1"]
    assert rows[1][-1] == "all"
    assert "stalled: stalls (rate 2.0): changes: tcp has " in result.out
    assert f"published: {package / 'studies' / NAME / 'windows.json'}" in result.err
    table = windows.load(NAME)
    assert table is not None
    # The scenario of one experiment itself changes.
    assert {name: each.cases for name, each in table.full.items()} == {"stalls": 0, "runs": 2}
    lines = called("papers", NAME, "--no-causes").out.splitlines()
    assert "C-998-2   undecided    A flow behind an outage has nothing." in lines
    (line,) = (line for line in lines if line.startswith("no verdict on C-998-2: "))
    assert line.startswith("no verdict on C-998-2: the quick window of stalls is not steady: tcp has ")
    document = json.loads(called("papers", NAME, "--check-warmup", "--json", "--runs", "4").out)
    assert [each["steady"] for each in document] == ["changes", "steady", "steady"]
    assert document[0]["window"] == [0.1, 0.7]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--causes"], "--causes: has no effect with --check-warmup"),
        (["--publish", "--figure", "1"], "--publish: needs whole quick grids with --check-warmup"),
        (["--publish", "--full"], "--publish: needs whole quick grids with --check-warmup"),
    ],
)
def test_options_without_effect_are_refused(options, message, package, called):
    result = called("papers", NAME, "--check-warmup", *options, code=2)
    assert message in result.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-20], "is no JSON"),
        (
            lambda text: text.replace('"windows": 2', '"windows": 1'),
            "version 1 is unknown: this package reads version 2",
        ),
        (lambda text: text.replace(NAME, "other", 1), 'paper: "other" is not stalled'),
        (lambda text: text.replace('"changes"', '"hops"'), 'steady: "hops" is unknown'),
        (lambda text: text.replace('"scenarios":"', '"scenarios":"zz', 1), "is not a number of 16 hexadecimal digits"),
    ],
)
def test_a_damaged_table_is_reported_in_one_line(change, message, checked, whole, package):
    file = windows.publish(PAPER, checked, whole)
    text = file.read_text()
    assert change(text) != text
    file.write_text(change(text))
    with pytest.raises(UserError) as caught:
        windows.load(NAME)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


UNSTEADY = {
    ("dreibholz2011_impact", "figure3", "cmt-rpv1", 0.25),
    ("dreibholz2011_impact", "figure4-left", "mptcp-like", 1.0),
    ("dreibholz2012_testbed", "figure4-queues", "1452 bytes", "FIFO", 2.0),
}
"""Cases of papers with slow paths, on which a rate of 1 Mbit/s changes by a tenth within minutes."""


@pytest.mark.parametrize("name", REGISTERED)
def test_every_shorter_quick_window_of_a_paper_was_checked_and_is_steady_but_on_three_slow_paths(name):
    """Check again with `manypath papers NAME --check-warmup --publish` after a change of scenarios or grids.

    A window that is not steady needs another one, in the precision or in its experiment.
    """
    paper, kept = registry()[name], windows.load(name)
    table = {} if kept is None else kept.quick
    cases = [*paper.experiments.cases(paper.quick)]
    shorter = {case.experiment for case in cases if windows.is_shorter(paper, paper.quick, case)}
    assert shorter == set(table)
    for experiment in shorter:
        assert paper.experiments[experiment].series is None, experiment
        assert table[experiment].scenarios == windows.scenarios_of(paper, experiment), experiment
        found = {(name, experiment, *each.factors.values()) for each in table[experiment].unsteady}
        assert found <= UNSTEADY, experiment


@pytest.mark.long
@pytest.mark.parametrize("name", REGISTERED)
def test_the_checked_windows_are_steady_with_this_engine(name):
    """The last case of each experiment, because all of them take an hour."""
    paper = registry()[name]
    last = {each.experiment: each for each in paper.experiments.cases(paper.quick)}
    shorter = [case for case in last.values() if windows.is_shorter(paper, paper.quick, case)]
    assert [str(each.case) for each in check_windows(paper, paper.quick, shorter) if each.steady != "steady"] == []


@pytest.mark.long
@pytest.mark.parametrize(("figure", "number"), [("4", "C-002-32"), ("6", "C-002-35")])
def test_quick_verdicts_of_d10_are_not_the_opposite_of_the_published_ones(figure, number):
    """Their windows with quick precision ended before the first heartbeat, at which the paths of SACKs change."""
    (part,) = evaluate(["dreibholz2010_asymmetric"], figure=figure, store=None, progress=False).papers
    (item,) = (item for item in part.claims if item.claim.id == number)
    there = papers.published.load("dreibholz2010_asymmetric").claims[number]
    assert {item.check.verdict, there.verdict} != {"holds", "contradicted"}
