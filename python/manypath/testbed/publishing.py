"""Puts measured runs into the file that a paper shows beside its simulations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from manypath.campaign import Campaign
from manypath.campaign.cell import Cell
from manypath.outputs import Kind, writing
from manypath.papers.evidence import Case
from manypath.papers.measured import HEAD, Measurement, merged, parse, written
from manypath.papers.stored import Stored
from manypath.testbed.calibration import Calibration
from manypath.testbed.comparisons import Comparison
from manypath.testbed.paper_plan import PaperPlan, Point
from manypath.testbed.runner import USUAL_MTU, Testbed

MEASURED = Kind("measured runs of a paper", lambda head, _: head.startswith(HEAD.encode()), ("json",))
"""What `publish` writes."""

NANOSECONDS = 1e9
"""In a second."""


def publish(
    comparison: Comparison,
    controls: Sequence[str],
    *,
    runs: int,
    seed: int,
    store: str | Path,
    calibration: Calibration,
    target: Path,
) -> int:
    """Write the measured runs of a paper's experiment, which are in the store, into a file of such runs.

    Other cases of the file stay. Return the number of runs written.
    """
    campaign = Campaign(comparison.scenario, {"cc": list(controls)}, replications=runs, seed=seed, runner=Testbed())
    results = campaign.run(store, progress=False, executor=Stored())
    made = [
        _measurement(comparison, cc, results.select(cc=cc).outcomes, campaign.runner.version, calibration)
        for cc in controls
    ]
    return _add(made, target)


def publish_points(plan: PaperPlan, points: Sequence[Point], *, calibration: Calibration, target: Path) -> int:
    """Write the measured runs of a paper's experiments, and their simulations, into a file of such runs.

    Other cases and stacks of the file stay. Return the number of runs written.
    """
    doubts = tuple(calibration.doubts(_calibrated_rate(calibration, plan.grid.fastest)))
    seconds = plan.size.warmup + plan.size.measure
    made = [
        Measurement(
            case=point.case,
            machine=calibration.machine,
            stacks=plan.runners[point.stack].version,
            doubts=doubts,
            outcomes=tuple(_outcome(outcome, seconds) for _, outcome in point.measured.outcomes),
            stack=point.stack,
            simulated=tuple(_simulated(outcome) for _, outcome in point.simulated.outcomes),
        )
        for point in points
    ]
    return _add(made, target)


def _add(made: Sequence[Measurement], target: Path) -> int:
    """Add measurements to a file, and return the number of their runs."""
    with writing("--publish", target):
        known = parse(target.read_text("utf-8")) if target.exists() and target.stat().st_size else []
        target.write_text(written(merged(known, made)), encoding="utf-8")
    return sum(len(each.outcomes) for each in made)


def _simulated(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The goodput of each flow in bit/s, and the digest of the run."""
    flows = {name: {"goodput": round(flow["goodput"])} for name, flow in outcome["flows"].items()}
    return {"flows": flows, "digest": outcome["digest"]}


def _measurement(
    comparison: Comparison,
    cc: str,
    outcomes: Sequence[tuple[Cell, Mapping[str, Any]]],
    stacks: str,
    calibration: Calibration,
) -> Measurement:
    scenario = comparison.scenario(cc)
    seconds = (scenario.warmup + scenario.measure) / NANOSECONDS
    fastest = max(link.rate for link in scenario.network.links.values()) / 1e6
    return Measurement(
        case=Case.of(comparison.experiment, cc=cc),
        machine=calibration.machine,
        stacks=stacks,
        doubts=tuple(calibration.doubts(_calibrated_rate(calibration, fastest))),
        outcomes=tuple(_outcome(outcome, seconds) for _, outcome in outcomes),
    )


def _calibrated_rate(calibration: Calibration, rate: float) -> float:
    """Return the least rate of a calibration that is not below this one, in Mbit/s: slower links are easier."""
    return min((row["set"] for row in calibration.rows if row["kind"] == "rate" and row["set"] >= rate), default=rate)


def _outcome(outcome: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Keep what a paper compares, in whole bit/s."""
    flows = {name: _flow(flow, seconds) for name, flow in outcome["flows"].items()}
    return {
        "flows": flows,
        "marks": outcome["marks"],
        "late_share": round(outcome["late_share"], 5),
        "tries": outcome["tries"],
    }


def _flow(flow: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Count what the sender put on its paths as whole packets, as [G12] does: retransmissions and headers included."""
    paths = dict(_throughputs(flow["paths"], seconds))
    return {
        "goodput": round(flow["goodput"]),
        "throughput": sum(paths.values()),
        "paths": {path: {"throughput": rate} for path, rate in paths.items()},
    }


def _throughputs(paths: Mapping[str, Mapping[str, Any]], seconds: float) -> Iterator[tuple[str, int]]:
    for path, counted in paths.items():
        yield path, round(8 * USUAL_MTU * counted["data_packets"] / seconds)
