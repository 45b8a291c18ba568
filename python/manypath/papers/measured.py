"""Runs of a paper's experiments by real stacks, kept as a file beside the paper and read as evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from manypath.papers.evidence import Case, Evidence, Outcome, Runs

HEAD = '[\n{"experiment": '
"""How such a file begins."""


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
        Why links as fast as these are not to be trusted on this machine, by its calibration.
    outcomes : tuple of mapping
        For each run, each flow's ``goodput``, ``throughput`` and ``paths`` in bit/s as the simulator names them, and
        ``marks``: why the run is not to be trusted.
    """

    case: Case
    machine: str
    stacks: str
    doubts: tuple[str, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def marked(self) -> int:
        """How many runs say that they are not to be trusted."""
        return sum(bool(outcome["marks"]) for outcome in self.outcomes)


def evidence(measurements: Iterable[Measurement]) -> Evidence:
    """Return measured runs as claims read them: rates without window curves, so that claims about curves are open."""
    return Evidence({each.case: Runs(each.outcomes) for each in measurements})


def parse(text: str) -> list[Measurement]:
    """Return the measurements of a file."""
    return [
        Measurement(
            case=Case.of(block["experiment"], **block["factors"]),
            machine=block["machine"],
            stacks=block["stacks"],
            doubts=tuple(block["doubts"]),
            outcomes=tuple(block["runs"]),
        )
        for block in json.loads(text)
    ]


def written(measurements: Sequence[Measurement]) -> str:
    """Return the file of some measurements: one line for each run."""
    return "[\n" + ",\n".join(_block(each) for each in measurements) + "\n]\n"


def merged(known: Iterable[Measurement], more: Iterable[Measurement]) -> list[Measurement]:
    """Return the known measurements with more; a case that was known is replaced. They are sorted by case."""
    found = {each.case: each for each in (*known, *more)}
    return [found[case] for case in sorted(found, key=str)]


def _block(measurement: Measurement) -> str:
    head: dict[str, Any] = {
        "experiment": measurement.case.experiment,
        "factors": dict(measurement.case.factors),
        "machine": measurement.machine,
        "stacks": measurement.stacks,
        "doubts": list(measurement.doubts),
    }
    runs = ",\n".join(f"  {json.dumps(outcome)}" for outcome in measurement.outcomes)
    return f'{json.dumps(head)[:-1]}, "runs": [\n{runs}\n]}}'
