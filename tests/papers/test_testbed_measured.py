"""Claims of [D12] about its testbed, decided by measured runs; the table and the figures of these runs."""

import pytest
import testbed_world as world

from manypath.papers.dreibholz import COUPLED, PLAIN
from manypath.papers.dreibholz2012_testbed import measured
from manypath.papers.dreibholz2012_testbed.names import CMT, SINGLE
from manypath.papers.evidence import Evidence
from manypath.papers.measured import Measurement
from manypath.papers.measured_stacks import STACKS

EXPERIMENTS = ("figure3", "figure4")

ABOUT_THE_TESTBED = ("C-004-3", "C-004-6", "C-004-15", "C-004-19")
"""Claims that read measured runs."""


def as_measured(testbed, treat=None, stack="usrsctp", runs=4):
    """Return the world of the paper as if a stack had measured it; `treat` may change what it measured."""
    cases = [case for case in testbed.experiments.cases(testbed.quick) if case.experiment in EXPERIMENTS]
    simulated, found = world.evidence(cases, runs=runs), world.evidence(cases, runs=runs, treat=treat)
    return tuple(
        Measurement(
            case=case,
            machine="Linux 6.1, 2 processors",
            stacks="testbed",
            doubts=(),
            outcomes=tuple({**outcome, "marks": ""} for outcome in found.runs(case).outcomes),
            stack=stack,
            simulated=tuple(simulated.runs(case).outcomes),
        )
        for case in cases
    )


def shifted(share, controls, experiment="figure3"):
    """Move a share of the CMT flow's rate in an experiment to the single-path flow, under some controls."""

    def treat(case, rates):
        if case.experiment != experiment or case["cc"] not in controls:
            return rates
        moved = share * rates[CMT]
        return {CMT: rates[CMT] - moved, SINGLE: rates[SINGLE] + moved}

    return treat


def checks(testbed, monkeypatch, measurements):
    monkeypatch.setattr(measured, "published", lambda _: measurements)
    return {claim.id: claim(Evidence({})) for claim in testbed.claims if claim.id in ABOUT_THE_TESTBED}


def verdicts(testbed, monkeypatch, measurements):
    return {name: check.verdict for name, check in checks(testbed, monkeypatch, measurements).items()}


def test_a_stack_that_is_slightly_less_aggressive_confirms_the_paper(testbed, monkeypatch):
    found = verdicts(testbed, monkeypatch, as_measured(testbed, shifted(0.02, (PLAIN, *COUPLED))))
    assert found == dict.fromkeys(ABOUT_THE_TESTBED, "holds")


def test_a_more_aggressive_stack_contradicts_the_claim_of_its_control(testbed, monkeypatch):
    found = verdicts(testbed, monkeypatch, as_measured(testbed, shifted(-0.03, (PLAIN,))))
    assert found["C-004-3"] == "contradicted"
    found = verdicts(testbed, monkeypatch, as_measured(testbed, shifted(-0.03, (COUPLED[0],))))
    assert found["C-004-6"] == "contradicted"


def test_a_stack_that_is_much_less_aggressive_contradicts_the_word_slightly(testbed, monkeypatch):
    found = checks(testbed, monkeypatch, as_measured(testbed, shifted(0.4, (PLAIN, COUPLED[0]))))
    for name in ("C-004-3", "C-004-6"):
        assert found[name].verdict == "contradicted"
        assert all("mean ratio" in part.what for part in found[name].parts if part.contradicted)


def test_a_measurement_without_an_order_of_the_simulation_contradicts_it_by_number(testbed, monkeypatch):
    found = checks(testbed, monkeypatch, as_measured(testbed, shifted(0.4, (PLAIN,))))["C-004-19"]
    assert found.verdict == "contradicted"
    assert {part.what.split(",")[0] for part in found.parts if part.contradicted} == {"C-004-2"}


@pytest.mark.parametrize(
    ("share", "experiment", "verdict"),
    [
        (0.2, "figure3", "holds"),
        (0.2, "figure4", "contradicted"),
        (0.35, "figure3", "contradicted"),
    ],
)
def test_measured_rates_may_differ_slightly_in_figure_3_and_are_similar_in_figure_4(
    testbed, monkeypatch, share, experiment, verdict
):
    treat = shifted(share, (COUPLED[0],), experiment)
    found = checks(testbed, monkeypatch, as_measured(testbed, treat))["C-004-15"]
    assert found.verdict == verdict


def test_cases_may_have_different_numbers_of_measured_runs(testbed, monkeypatch):
    treat = shifted(0.02, (PLAIN, *COUPLED))
    more = {each.case: each for each in as_measured(testbed, treat, runs=9)}
    mixed = tuple(more[each.case] if each.case["cc"] == PLAIN else each for each in as_measured(testbed, treat))
    found = checks(testbed, monkeypatch, mixed)
    assert {check.verdict for check in found.values()} == {"holds"}
    runs = {part.what.split(",")[0]: part.runs for part in found["C-004-19"].parts}
    assert (runs["C-004-2"], runs["C-004-9"]) == (9, 4)


def test_only_the_stack_of_the_paper_decides(testbed, monkeypatch):
    found = verdicts(testbed, monkeypatch, as_measured(testbed, stack="manypath"))
    assert set(found.values()) == {"open"}


def test_measurements_of_one_figure_leave_the_claim_about_both_open(testbed, monkeypatch):
    one = [each for each in as_measured(testbed, shifted(0.02, (PLAIN, *COUPLED))) if each.case.experiment == "figure3"]
    found = verdicts(testbed, monkeypatch, tuple(one))
    assert found == {"C-004-3": "holds", "C-004-6": "holds", "C-004-15": "open", "C-004-19": "open"}


def test_the_table_has_both_stacks_beside_the_simulation(testbed, monkeypatch):
    theirs = as_measured(testbed, shifted(0.1, (PLAIN,)))
    ours = as_measured(testbed, stack="manypath")[:1]
    monkeypatch.setattr(measured, "published", lambda _: (*ours, *theirs))
    rows = measured.BESIDE_THE_STACKS.rows(Evidence({}))
    assert len(rows) == 2 * len(theirs)
    _, flow, simulated, our_stack, usrsctp = rows[0]
    assert flow == "CMT flow"
    assert our_stack == f"{simulated} (1.000)"
    assert usrsctp.endswith("(0.900)")
    assert {row[3] for row in rows[2:]} == {"–"}


@pytest.mark.parametrize("stacks", [(), ("usrsctp",), ("usrsctp", "manypath")])
def test_the_measured_figures_have_a_plot_for_each_stack(testbed, monkeypatch, stacks):
    found = tuple(each for stack in stacks for each in as_measured(testbed, stack=stack, runs=2))
    monkeypatch.setattr(measured, "published", lambda _: found)
    for figure in testbed.figures:
        if figure.name in ("figure3b", "figure4b"):
            axes = figure.draw(Evidence({})).figure.axes
            assert [each.get_title(loc="left") for each in axes] == list(STACKS.values())
            drawn = [any(len(line.get_xdata()) for line in each.lines) for each in axes]
            assert drawn == [stack in stacks for stack in STACKS]
