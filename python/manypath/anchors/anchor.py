"""Anchors: a value from theory, its measurement in simulations, and the tolerance."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from manypath.scenario import Scenario
from manypath.stats import Interval

Verdict = Literal["holds", "missed"]
"""Whether the measured mean is within the bound."""


@dataclass(frozen=True)
class GivenLosses:
    """A congestion control alone, under losses that do not depend on its rate; see `_native.ideal_rates`."""

    cc: str
    """Congestion control by name."""
    losses: tuple[float, ...]
    """Probability of a loss on each path."""
    rtts: tuple[float, ...]
    """Round-trip time of each path, seconds."""
    packets: int
    """Packets that are counted in each run, all paths together; a warm-up of a tenth as many precedes them."""
    periodic: bool = False
    """Whether losses are periodic instead of random."""

    def document(self) -> str:
        """Return the document for the engine."""
        paths = [
            {"rtt": round(rtt * 1e9), "loss": loss, "periodic": self.periodic}
            for rtt, loss in zip(self.rtts, self.losses, strict=True)
        ]
        return json.dumps({"cc": self.cc, "paths": paths, "warmup": self.packets // 10, "packets": self.packets})


@dataclass(frozen=True)
class Measure:
    """The measurement of an anchor: its runs and their evaluation."""

    runs: Sequence[GivenLosses | Scenario]
    """The runs of each replication."""
    replications: int
    """Number of replications."""
    read: Callable[[Sequence[Any]], float]
    """Function that returns the number from the outcomes of a replication's runs, in the order of `runs`."""


@dataclass(frozen=True)
class Anchor:
    """A value from theory and its measurement."""

    id: str
    """Name in tables: family, then the measured quantity."""
    says: str
    """Description of the value, with its unit."""
    source: str
    """Source of the value."""
    expected: float
    """The value from theory."""
    within: float
    """Largest difference of the measured mean, as a share of the expected value."""
    measure: Measure
    """The measurement."""

    @property
    def bound(self) -> float:
        """Largest difference of the measured mean, in the unit of the value."""
        return self.within * abs(self.expected)


@dataclass(frozen=True)
class AnchorResult:
    """An anchor and its measured value."""

    anchor: Anchor
    """The anchor."""
    measured: Interval
    """Mean over the replications, with its 95 % interval."""

    @property
    def verdict(self) -> Verdict:
        """Whether the mean is within the bound; its interval does not widen it."""
        return "holds" if abs(self.measured.mean - self.anchor.expected) <= self.anchor.bound else "missed"

    def document(self) -> Mapping[str, Any]:
        """Return the row for JSON; `half_width` is None after a single run."""
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
