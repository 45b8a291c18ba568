"""Measured runs of a paper: their file, the tables of [G12], and verdicts of claims."""

import kernel_world as world
import pytest

from manypath.papers.causes import verify
from manypath.papers.evidence import Case, Evidence
from manypath.papers.gonzalez2012_mptcp import measured
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, FLOWS, MPTCP, PATHS, RIVALS, SHEETS
from manypath.papers.measured import HEAD, Measurement, evidence, merged, parse, written

BY_RATES = {f"C-001-{number}" for number in (1, 8, 9, 11, 12, 14, 15, 16, 17, 18, 25)}
"""Claims that depend only on rates of flows with competing TCP."""


def case_of(number):
    return Case.of(SHEETS[number].experiment, cc=APPROXIMATED)


def as_measured(numbers=tuple(SHEETS), treat=None, runs=6):
    """Return the made-up results of the paper in the form of measured runs."""
    simulated = world.evidence([case_of(number) for number in numbers], runs=runs, treat=treat)
    return tuple(
        Measurement(
            case=case_of(number),
            machine="Linux 6.1, 2 processors",
            stacks="testbed",
            doubts=(),
            outcomes=tuple({**outcome, "marks": ""} for outcome in simulated.runs(case_of(number)).outcomes),
        )
        for number in numbers
    )


def verdicts(kernel, measurements):
    view = evidence(measurements)
    return {claim.id: verify(claim, view).check.verdict for claim in kernel.claims}


def test_a_file_of_measured_runs_is_read_back_unchanged():
    measurements = list(as_measured())
    text = written(measurements)
    assert parse(text) == measurements
    assert text.startswith(HEAD)
    assert len(text.splitlines()) == 2 + sum(len(each.outcomes) + 2 for each in measurements)
    assert parse(written([])) == []


def test_new_runs_replace_only_runs_of_their_case():
    old, new = as_measured(), as_measured((2,), runs=3)
    assert {each.case: len(each.outcomes) for each in merged(old, new)} == {case_of(1): 6, case_of(2): 3, case_of(3): 6}
    assert merged(new, old) == list(old)


def test_measured_runs_decide_only_claims_about_rates(kernel):
    found = verdicts(kernel, as_measured())
    assert {name for name, verdict in found.items() if verdict == "holds"} == BY_RATES
    assert {verdict for name, verdict in found.items() if name not in BY_RATES} == {"open"}


def test_claims_of_an_unmeasured_scenario_are_open(kernel):
    found = verdicts(kernel, as_measured((1,)))
    assert {name for name, verdict in found.items() if verdict != "open"} == {"C-001-1", "C-001-8", "C-001-9"}


def test_measured_rates_of_mptcp_that_are_too_high_contradict_claims(kernel):
    def greedy(_, rates):
        return {place: rate * (1.5 if place[0] == MPTCP else 0.8) for place, rate in rates.items()}

    found = verdicts(kernel, as_measured(treat=greedy))
    assert {found[name] for name in ("C-001-1", "C-001-8", "C-001-17")} == {"contradicted"}


def tables(kernel, evidence):
    chosen = ("Kernel measurements", "Claims decided by the kernel")
    found = [table for table in kernel.tables if table.name.startswith(chosen)]
    return [table.rows(evidence) for table in found]


def test_the_tables_have_the_kernel_beside_paper_and_simulation(kernel, monkeypatch):
    marked = [{**outcome, "marks": "late"} for outcome in as_measured((3,))[0].outcomes[:2]]
    third = as_measured((3,))[0]
    disturbed = Measurement(third.case, third.machine, third.stacks, ("late",), (*marked, *third.outcomes[2:]))
    monkeypatch.setattr(measured, "published", lambda _: (*as_measured((1,)), disturbed))
    simulated = world.evidence([case_of(number) for number in SHEETS])
    numbers, claims = tables(kernel, simulated)
    assert [row[:2] for row in numbers] == [(f"{number}", name) for number in (1, 3) for name in FLOWS.values()]
    for row in numbers:
        assert float(row[5].split(" ± ")[0]) == pytest.approx(float(row[2]), rel=0.02)
        assert row[4] == measured.NONE
    assert {row[-3:] for row in numbers} == {("6", "0", "no doubt"), ("6", "2", "late")}
    assert {row[0] for row in claims} >= {"C-001-8", "C-001-14"}


def test_measured_scenarios_without_simulated_runs_have_no_table(kernel):
    assert tables(kernel, Evidence({})) == [[], []]


def test_simulated_hosts_with_jitter_have_a_column_if_they_were_run(kernel, monkeypatch):
    monkeypatch.setattr(measured, "published", lambda _: as_measured((1,)))
    plain = world.evidence([case_of(1)])

    def halved(_, rates):
        return {place: 0.5 * rate for place, rate in rates.items()}

    slower = world.evidence([case_of(1)], treat=halved).runs(case_of(1))
    numbers, _ = tables(kernel, plain.along_with({"jitter": {case_of(1): slower}}))
    for row in numbers:
        assert float(row[4].split(" ± ")[0]) == pytest.approx(0.5 * float(row[2]), rel=0.02)


def test_the_stored_runs_fill_their_links_without_exceeding_them():
    kept = measured.measurements()
    assert {each.case for each in kept} == {case_of(number) for number in SHEETS}
    for number, sheet in SHEETS.items():
        (found,) = (each for each in kept if each.case == case_of(number))
        assert found.machine.startswith("Linux ")
        assert len(found.outcomes) > 2
        for outcome in found.outcomes:
            flows = outcome["flows"]
            assert set(flows) == set(FLOWS)
            for path in PATHS:
                on_link = sum(flows[flow]["paths"][path]["throughput"] for flow in (MPTCP, RIVALS[path])) / 1e6
                # Throughput at the sender includes dropped packets.
                assert 0.9 * sheet.rates[path] < on_link < 1.05 * sheet.rates[path]
            assert all(flow["goodput"] < flow["throughput"] for flow in flows.values())
