"""What an anchor is: a number from theory, how to measure it, and how far off the measured one may be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from manypath.scenario import Scenario
from manypath.stats import Interval

Verdict = Literal["holds", "missed"]
"""Whether what was measured is within the bound."""


@dataclass(frozen=True)
class GivenLosses:
    """A congestion control alone, under losses that do not depend on what it sends: see `_native.ideal_rates`."""

    cc: str
    """Congestion control by name."""
    losses: tuple[float, ...]
    """Probability of a loss on each path."""
    rtts: tuple[float, ...]
    """Round-trip time of each path, seconds."""
    packets: int
    """Packets that count in each run, all paths together; a tenth more is sent before."""
    periodic: bool = False
    """Whether losses come at equal distances instead of at random."""

    def document(self) -> str:
        """What the engine reads."""
        paths = [
            {"rtt": round(rtt * 1e9), "loss": loss, "periodic": self.periodic}
            for rtt, loss in zip(self.rtts, self.losses, strict=True)
        ]
        return json.dumps({"cc": self.cc, "paths": paths, "warmup": self.packets // 10, "packets": self.packets})


@dataclass(frozen=True)
class Measure:
    """What is run, how often, and what is read from it."""

    runs: Sequence[GivenLosses | Scenario]
    """What the number is made of: each is run in every replication."""
    replications: int
    """How often."""
    read: Callable[[Sequence[Any]], float]
    """From what the runs of one replication gave, in the same order, to the number."""


@dataclass(frozen=True)
class Anchor:
    """A number that theory gives."""

    id: str
    """Name in tables: family, then what is measured."""
    says: str
    """What the number is, with its unit."""
    source: str
    """Where it comes from."""
    expected: float
    """The number."""
    within: float
    """The most by which the measured mean may differ, as part of the expected one."""
    measure: Measure
    """How to measure it."""

    @property
    def bound(self) -> float:
        """The most by which the measured mean may differ, in the unit of the number."""
        return self.within * abs(self.expected)


@dataclass(frozen=True)
class Row:
    """An anchor and what was measured."""

    anchor: Anchor
    """The number from theory."""
    measured: Interval
    """Mean over the replications, with its 95 % interval."""

    @property
    def verdict(self) -> Verdict:
        """Whether the mean is within the bound; its interval does not widen it."""
        return "holds" if abs(self.measured.mean - self.anchor.expected) <= self.anchor.bound else "missed"

    def document(self) -> Mapping[str, Any]:
        """The row as JSON has it; `half_width` is null after a single run."""
        single = self.measured.n == 1
        return {
            "id": self.anchor.id,
            "says": self.anchor.says,
            "source": self.anchor.source,
            "expected": self.anchor.expected,
            "measured": self.measured.mean,
            "half_width": None if single else self.measured.half_width,
            "runs": self.measured.n,
            "bound": self.anchor.bound,
            "verdict": self.verdict,
        }
