"""The study of failover: the delays in its figures equal those calculated from the timers."""

from __future__ import annotations

import pytest

import manypath as mp
from manypath.papers import registry
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.rows import Outcome
from manypath.scenario import Scenario
from manypath.studies.failover.scenarios import (
    NEVER,
    RATE,
    bytes_before_failure,
    end,
    nothing_fails,
    path_fails,
    path_fails_under_buffers,
)

RECOMMENDED = 0
"""PotentiallyFailed.Max.Retrans. RFC 7829 §3.2"""


def outcome(scenario: Scenario) -> Outcome:
    """Return the outcome of a run to the end of the transfer."""
    return mp.run(scenario.but(warmup="0 s", measure="400 s"), seed=3).outcome


def ends(scenario: Scenario) -> float:
    """Run a scenario; return the time at which its transfer ends, s."""
    return end(outcome(scenario))


def delay(concurrent: bool, retransmissions: int, potentially_failed: int, rto_max: int = 60) -> float:
    """Return the delay of the transfer compared with a sender that detects the failure immediately, s."""
    failed = outcome(path_fails(concurrent, rto_max, retransmissions, potentially_failed))
    one_path = ends(nothing_fails(concurrent=False))
    return end(failed) - (one_path - bytes_before_failure(failed) / RATE if concurrent else one_path)


@pytest.mark.parametrize("retransmissions", [0, 1, 3, 5])
def test_rfc_9260_waits_for_path_max_retrans_plus_one_timeouts_with_backoff(retransmissions: int):
    assert delay(False, retransmissions, NEVER) == pytest.approx(2 ** (retransmissions + 1) - 1, abs=0.1)


@pytest.mark.parametrize("rto_max", [1, 60])
@pytest.mark.parametrize("retransmissions", [1, 5])
@pytest.mark.parametrize("concurrent", [False, True])
def test_rfc_7829_waits_for_one_timeout_only(concurrent: bool, retransmissions: int, rto_max: int):
    assert delay(concurrent, retransmissions, RECOMMENDED, rto_max) == pytest.approx(1.0, abs=0.2)


def test_without_potentially_failed_concurrent_transfer_waits_as_long_as_single_path():
    assert delay(True, 5, NEVER) == pytest.approx(62.0, abs=0.3)


def test_unordered_delivery_and_large_buffers_hide_the_failure_from_the_other_path():
    waits, *hide = (
        ends(path_fails_under_buffers(buffer, ordered, NEVER))
        for buffer, ordered in ((250_000, True), (250_000, False), (8_000_000, True))
    )
    assert waits > 70.0
    assert hide == pytest.approx([12.0, 12.0], abs=0.2)


def test_every_case_of_the_study_can_be_built():
    study = registry()["failover"]
    for case in study.experiments.cases(study.quick):
        study.experiments.scenario(case, study.quick)


def test_the_page_of_an_unfinished_study_has_no_table_with_missing_cases():
    outcomes = {
        Case.of("undisturbed", concurrent=concurrent): Runs(
            [mp.run(nothing_fails(concurrent).but(warmup="0 s", measure="400 s"), seed=seed).outcome for seed in (1, 2)]
        )
        for concurrent in (False, True)
    }
    assert registry()["failover"].filled_tables(Evidence(outcomes)) == []
