"""The crossings of the curves in figure 4(a) of [D12]."""

import pytest
import testbed_world as world

from manypath.papers.dreibholz import RPV2
from manypath.papers.dreibholz2012_testbed import measured
from manypath.papers.dreibholz2012_testbed.names import CMT
from manypath.papers.evidence import Case

PLACES = (4.0, 6.0, 6.5, 6.5)
"""The crossings of CMT/RPv2, MPTCP-like and (two) CMT/RPv1 in the made-up results, Mbit/s."""


def rows_of(testbed, results):
    table = testbed.tables[0]
    return table.rows(results)


def test_crossings_of_made_up_results_are_within_their_intervals(testbed):
    rows = rows_of(testbed, world.evidence(testbed.experiments.cases(testbed.quick)))
    for (_, _, here, rival), place in zip(rows, PLACES, strict=True):
        for text in (here, rival):
            mean, half = map(float, text.split(" ± "))
            assert abs(mean - place) < 0.1
            assert 0.0 < half < 0.2


def test_a_crossing_moves_with_its_curve(testbed):
    def scaled(case, rates):
        of_rpv2 = case.experiment == "figure4" and case["cc"] == RPV2
        return {**rates, CMT: 1.2 * rates[CMT]} if of_rpv2 else rates

    rows = rows_of(testbed, world.evidence(testbed.experiments.cases(testbed.quick), treat=scaled))
    assert float(rows[0][2].split()[0]) > 5.0
    assert float(rows[0][3].split()[0]) == pytest.approx(4.0, abs=0.1)


def test_a_single_run_gives_crossings_without_intervals(testbed):
    rows = rows_of(testbed, world.evidence(testbed.experiments.cases(testbed.quick), runs=1))
    assert all("±" not in here for _, _, here, _ in rows)


def test_a_column_of_crossings_without_runs_is_marked(testbed):
    cases = [case for case in testbed.experiments.cases(testbed.quick) if case.experiment != "figure4-rival"]
    assert {row[3] for row in rows_of(testbed, world.evidence(cases))} == {"not run"}


def test_a_table_without_runs_is_omitted(testbed, monkeypatch):
    monkeypatch.setattr(measured, "published", lambda _: ())
    cases = list(testbed.experiments.cases(testbed.quick))
    of_figure_3 = [case for case in cases if case.experiment.startswith("figure3")]
    assert testbed.filled_tables(world.evidence(of_figure_3)) == []
    assert [table.name for table, _ in testbed.filled_tables(world.evidence(cases))] == ["Crossings of figure 4(a)"]


def test_every_suspect_changes_a_case_of_its_claim(testbed):
    results = world.evidence(testbed.experiments.cases(testbed.quick))
    for claim in testbed.claims:
        view = results.under(None)
        claim(view)
        for name in claim.suspects:
            assert any(changes(testbed, name, case) for case in view.read), f"{claim.id}: {name}"


def changes(testbed, switch: str, case: Case) -> bool:
    plain = testbed.experiments.scenario(case, testbed.quick)
    return testbed.switches[switch].change(plain) != plain
