"""The benchmark of programs, with the shortest measurements."""

from __future__ import annotations

from pathlib import Path

import pytest
from program_speed import measured

pytestmark = [pytest.mark.programs, pytest.mark.long]


@pytest.mark.parametrize("who", [measured.IPERF3, measured.PERF, measured.TCP])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_transfer_has_goodput_and_cpu_time_of_both_ends(who: str, reverse: bool) -> None:
    result = measured.transfer("UDP", reverse, who, 1.0)
    assert result["goodput"] > 0
    assert result["cpu_per_gb"] == pytest.approx(result["cpu_seconds"] / (result["bytes"] * 1e-9))


@pytest.mark.parametrize("carrier", ["raw IP", "TCP"])
def test_connections_are_counted(carrier: str, tmp_path: Path) -> None:
    assert measured.connections(carrier, tmp_path, 0.5)["rate"] > 0


def test_a_failing_program_reports_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "SIZE", 0)
    with pytest.raises(measured.FailedError, match="--size"):
        measured.transfer("UDP", False, measured.PERF, 1.0)
