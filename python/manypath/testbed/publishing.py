"""Writes measured runs into the file from which the page of a paper is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manypath.outputs import Kind
from manypath.papers.measured import HEAD, Measurement, merged, parse, written
from manypath.replacement import replacing
from manypath.testbed.calibration import Calibration
from manypath.testbed.paper_plan import PaperPlan, PlannedPoint

MEASURED = Kind("measured runs of a paper", lambda head, _: head.startswith(HEAD.encode()), ("json",))
"""The file that `publish` writes."""


def publish(plan: PaperPlan, points: Sequence[PlannedPoint], *, calibration: Calibration, target: Path) -> int:
    """Write the measured runs of a paper's experiments and their simulations into a file.

    Runs of other cases and stacks in the file are kept. Return the number of measured runs written.
    """
    doubts = tuple(calibration.doubts(plan.grid.fastest))
    made = [
        Measurement(
            case=point.case,
            machine=calibration.machine,
            stacks=plan.runners[point.stack].version,
            doubts=doubts,
            outcomes=tuple(_outcome(outcome) for _, outcome in point.measured.outcomes),
            stack=point.stack,
            simulated=tuple(_simulated(outcome) for _, outcome in point.simulated.outcomes),
        )
        for point in points
    ]
    return _add(made, target)


def _add(made: Sequence[Measurement], target: Path) -> int:
    """Add measurements to a file, and return the number of their runs."""
    with replacing("--publish", target) as begun:
        known = parse(target.read_text("utf-8")) if target.exists() and target.stat().st_size else []
        begun.write_text(written(merged(known, made)), encoding="utf-8")
    return sum(len(each.outcomes) for each in made)


def _simulated(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Return the goodput of each flow in bit/s, and the digest of the run."""
    flows = {name: {"goodput": round(flow["goodput"])} for name, flow in outcome["flows"].items()}
    return {"flows": flows, "digest": outcome["digest"]}


def _outcome(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measurements that papers compare, with rates in bit/s."""
    flows = {name: _flow(flow) for name, flow in outcome["flows"].items()}
    return {
        "flows": flows,
        "marks": outcome["marks"],
        "late_share": round(outcome["late_share"], 5),
        "tries": outcome["tries"],
    }


def _flow(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Return goodput and throughput in bit/s."""
    paths = {path: round(measured["throughput"]) for path, measured in flow["paths"].items()}
    return {
        "goodput": round(flow["goodput"]),
        "throughput": sum(paths.values()),
        "paths": {path: {"throughput": rate} for path, rate in paths.items()},
    }
