"""All measurements of a run as they are stored, and their statistics."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from manypath.stats import interval


class Results:
    """Measurements by kind and subject. Each has a list of rounds, and each round a result by contestant."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @classmethod
    def new(cls, settings: dict[str, Any], **versions: str) -> Results:
        """Return empty results. The versions are those of the measured programs, by name."""
        return cls({"machine": machine(versions), "settings": settings, "measured": {}})

    def add(self, kind: str, subject: str, round_: int, contestant: str, result: dict[str, Any]) -> None:
        """Record a result, or a failure as ``{"failed": reason}``."""
        rounds = self.document["measured"].setdefault(kind, {}).setdefault(subject, [])
        if len(rounds) <= round_:
            rounds.append({})
        rounds[round_][contestant] = result

    def failure(self, kind: str, subject: str, contestant: str) -> str | None:
        """Return why a contestant failed, or None if it succeeded or was not measured."""
        for each in self.rounds(kind, subject):
            if "failed" in each.get(contestant, {}):
                return each[contestant]["failed"]
        return None

    def rounds(self, kind: str, subject: str) -> list[dict[str, Any]]:
        """Return the rounds of a subject."""
        return self.document["measured"].get(kind, {}).get(subject, [])

    def subjects(self, kind: str) -> list[str]:
        """Return the subjects of a kind."""
        return list(self.document["measured"].get(kind, {}))

    def write(self, file: Path) -> None:
        """Store all results. The file is complete at any time."""
        self.document["machine"]["load_at_end"] = os.getloadavg()[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")
        partial.replace(file)


def picked(rounds: list[dict[str, Any]], contestant: str, *names: str) -> list[float]:
    """Return the values of one field in all rounds with this field."""
    values = []
    for each in rounds:
        found: Any = each.get(contestant, {})
        for name in names:
            found = found.get(name, {}) if isinstance(found, dict) else {}
        if isinstance(found, (int, float)):
            values.append(float(found))
    return values


def ratio(rounds: list[dict[str, Any]], one: str, other: str, *names: str) -> tuple[float, float, float] | None:
    """Return the geometric mean of both contestants' ratios in the same round, and the ends of its 95 % interval."""
    logarithms = []
    for each in rounds:
        (first, second) = (picked([each], who, *names) for who in (one, other))
        if first and second and first[0] > 0 and second[0] > 0:
            logarithms.append(math.log(first[0] / second[0]))
    if not logarithms:
        return None
    found = interval(logarithms)
    return math.exp(found.mean), math.exp(found.low), math.exp(found.high)


def machine(versions: dict[str, str]) -> dict[str, Any]:
    """Return the environment of the measurements: hardware and versions."""
    cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line.split(":", 1)[1].strip() for line in cpu.splitlines() if line.startswith("model name")), "")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "rustc": output("rustc", "--version"),
        "versions": versions,
        "manypath": version("manypath"),
        "load_at_start": os.getloadavg()[0],
    }


def output(*command: str) -> str:
    """Return the output of a command."""
    folder = Path(__file__).parent
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
