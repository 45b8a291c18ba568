"""Figures and tables of [G12]: the paper's numbers beside simulated ones, and both methods to find the maximum."""

import kernel_world as world
import pytest
from drawn import plots

from manypath.papers.evidence import Evidence
from manypath.papers.gonzalez2012_mptcp.names import EXACT, MPTCP, SHEETS
from manypath.papers.gonzalez2012_mptcp.table1 import TABLE_1


def rows_of(kernel, name, treat=None):
    (table,) = [table for table in kernel.tables if table.name.startswith(name)]
    rows = table.rows(world.evidence(kernel.experiments.cases(kernel.quick), treat=treat))
    assert {len(row) for row in rows} == {len(table.head)}
    return rows


def test_table_1_has_the_nine_numbers_of_the_paper_beside_simulated_ones(kernel):
    rows = rows_of(kernel, "Table 1")
    assert [float(row[2]) for row in rows] == [
        value for sheet in SHEETS.values() for value in sheet.throughput.values()
    ]
    for row in rows:
        low, high = map(float, row[4].split(" to "))
        mean, payload = (float(field.split(" ± ")[0]) for field in (row[3], row[5]))
        assert mean == pytest.approx(float(row[2]), rel=0.01)
        assert low <= mean <= high
        assert payload == pytest.approx(mean * 1448 / 1500, rel=0.01)


def test_missing_runs_have_no_row():
    assert TABLE_1.rows(Evidence({})) == []


def test_equal_congestion_controls_never_differ_significantly(kernel):
    rows = rows_of(kernel, "Does the approximated")
    assert len(rows) == 5 * len(SHEETS) + 2 * 3
    assert {row[-1] for row in rows} == {"no"}


def test_a_relevant_maximum_is_listed_with_its_difference(kernel):
    def favoured(case, rates):
        if case.experiment != "figure5" or case["cc"] != EXACT:
            return rates
        return {**rates, (MPTCP, "b"): 1.3 * rates[MPTCP, "b"]}

    report = {(row[0], row[1]): row for row in rows_of(kernel, "Does the approximated", favoured)}
    row = report["scenario 2", "subflow on B"]
    assert float(row[4].split(" ± ")[0]) == pytest.approx(0.3 * 1.75, abs=0.03)
    assert row[-1] == "yes"
    assert report["scenario 2", "subflow on A"][-1] == "no"
    assert report["scenario 1", "MPTCP"][-1] == "no"


def test_every_figure_of_the_kernel_paper_is_drawn(kernel):
    results = world.evidence(kernel.experiments.cases(kernel.quick), runs=2)
    for figure in kernel.figures:
        shown = plots(figure.draw(results))
        assert shown, figure.name
        assert all(shown), figure.name
