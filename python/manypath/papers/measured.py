"""Measured runs of a paper's experiments with real stacks, read from a file in the folder of the paper."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from manypath.papers import kept
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.rows import Outcome

HEAD = '[\n{"experiment": '
"""First characters of a file of measured runs."""

KERNEL = "kernel"
"""The stack of measurements that name none: the kernel's TCP and Multipath TCP."""


@dataclass(frozen=True)
class Measurement:
    """The measured runs of one case.

    Attributes
    ----------
    case : Case
        The experiment and its factors.
    machine : str
        Kernel and processors.
    stacks : str
        Version of the testbed: kernel, emulator and programs.
    doubts : tuple of str
        Warnings of the calibration: reasons why emulated links of this rate are inexact on this machine.
    outcomes : tuple of mapping
        For each run ``goodput`` of each flow and, in files that have them, its ``throughput`` and that of its
        ``paths``, in bit/s, with the names of the simulator; and ``marks``: reasons why the run may be disturbed.
    stack : str
        The stack of the flows, as `manypath measure --stack` names it.
    simulated : tuple of mapping
        For each run, the flows' ``goodput`` in a simulation with the same seed; empty if there was none.
    """

    case: Case
    machine: str
    stacks: str
    doubts: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    stack: str = KERNEL
    simulated: tuple[Outcome, ...] = ()

    @property
    def marked(self) -> int:
        """Number of runs with marks."""
        return sum(bool(outcome["marks"]) for outcome in self.outcomes)


@cache
def published(paper: str) -> tuple[Measurement, ...]:
    """Return the runs in `measured.json` in the folder of a paper; none if there is no file."""
    file = kept.file_of(paper, "measured.json")
    return tuple(parse(file.read_text("utf-8"))) if file.exists() else ()


def evidence(measurements: Iterable[Measurement]) -> Evidence:
    """Return measured runs as evidence for claims. It has no window curves, so claims about curves are open."""
    return Evidence({each.case: Runs(each.outcomes) for each in measurements})


def simulation(measurements: Iterable[Measurement]) -> Evidence:
    """Return the simulations with the seeds of the measured runs: the n-th runs of both are paired."""
    return Evidence({each.case: Runs(each.simulated) for each in measurements if each.simulated})


def of_stack(measurements: Iterable[Measurement], stack: str) -> list[Measurement]:
    """Return the measurements of one stack."""
    return [each for each in measurements if each.stack == stack]


def parse(text: str) -> list[Measurement]:
    """Return the measurements of a file."""
    return [
        Measurement(
            case=Case.of(block["experiment"], **block["factors"]),
            machine=block["machine"],
            stacks=block["stacks"],
            doubts=tuple(block["doubts"]),
            outcomes=tuple(block["runs"]),
            stack=block.get("stack", KERNEL),
            simulated=tuple(block.get("simulated", ())),
        )
        for block in json.loads(text)
    ]


def written(measurements: Sequence[Measurement]) -> str:
    """Return the text of a file of measurements, with one line for each run."""
    return "[\n" + ",\n".join(_block(each) for each in measurements) + "\n]\n"


def merged(known: Iterable[Measurement], more: Iterable[Measurement]) -> list[Measurement]:
    """Return both, sorted by case and stack; new measurements replace known ones of the same case and stack."""
    found = {(str(each.case), each.stack): each for each in (*known, *more)}
    return [found[key] for key in sorted(found)]


def _block(measurement: Measurement) -> str:
    head: dict[str, Any] = {
        "experiment": measurement.case.experiment,
        "factors": dict(measurement.case.factors),
        "machine": measurement.machine,
        "stacks": measurement.stacks,
        "doubts": list(measurement.doubts),
    }
    if measurement.stack != KERNEL:
        head["stack"] = measurement.stack
    lists = {"runs": measurement.outcomes}
    if measurement.simulated:
        lists["simulated"] = measurement.simulated
    rows = [f'"{name}": [\n{_lines(outcomes)}\n]' for name, outcomes in lists.items()]
    return f"{json.dumps(head)[:-1]}, {', '.join(rows)}}}"


def _lines(outcomes: Sequence[Outcome]) -> str:
    return ",\n".join(f"  {json.dumps(outcome)}" for outcome in outcomes)
