"""Rates of the coupled algorithms on two paths under given losses, from an independent Monte Carlo simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manypath.anchors.anchor import Anchor, Measure

RTT = 0.1
"""Round-trip time of both paths, seconds."""

SCENARIOS = {"1%+1%": (0.01, 0.01), "0.1%+0.1%": (0.001, 0.001), "0.1%+0.4%": (0.001, 0.004)}
"""Probability of a loss on each path, by scenario."""

COUPLED = {"1%+1%": (70.6, 70.8), "0.1%+0.1%": (217.0, 218.0), "0.1%+0.4%": (360.0, 45.6)}
"""Rates of the fully coupled algorithm and of CMT/RPv2."""

RATES: dict[str, dict[str, tuple[float, float]]] = {
    "newreno": {"1%+1%": (134.1, 134.3), "0.1%+0.1%": (417.0, 418.0), "0.1%+0.4%": (417.0, 211.0)},
    "ewtcp": {"1%+1%": (66.0, 66.0), "0.1%+0.1%": (208.0, 208.0), "0.1%+0.4%": (208.0, 104.0)},
    "lia": {"1%+1%": (72.2, 72.0), "0.1%+0.1%": (225.0, 226.0), "0.1%+0.4%": (318.7, 79.4)},
    "olia": {"1%+1%": (66.5, 66.1), "0.1%+0.1%": (207.0, 208.0), "0.1%+0.4%": (338.0, 44.9)},
    "balia": {"1%+1%": (69.7, 69.5), "0.1%+0.1%": (217.0, 219.0), "0.1%+0.4%": (337.4, 64.1)},
    "coupled": COUPLED,
    "cmt-rpv2": COUPLED,
}
"""Packets/s on each path, by algorithm and scenario; 95 % half-widths of at most 0.7 %. At most one halving per RTT,
no timeouts, windows of at least one packet. CMT/RPv2 equals the fully coupled algorithm if the RTTs are equal."""


@dataclass(frozen=True)
class Entry:
    """A rate of the table."""

    cc: str
    """Congestion control."""
    scenario: str
    """Key of `SCENARIOS`."""
    path: int | None
    """Index of the path; None for the sum of both."""
    expected: float
    """Expected rate, packets/s."""

    @property
    def losses(self) -> tuple[float, float]:
        """Probability of a loss on each path."""
        return SCENARIOS[self.scenario]

    @property
    def name(self) -> str:
        """Congestion control, scenario, and path or sum."""
        return f"{self.cc}/{self.scenario}/{self.where}"

    @property
    def where(self) -> str:
        """The path, or the sum of both."""
        return "sum" if self.path is None else f"path {self.path + 1}"

    def take(self, rates: list[float]) -> float:
        """Return this entry's rate from the rates of both paths."""
        return sum(rates) if self.path is None else rates[self.path]

    def anchor(self, family: str, says: str, within: float, measure: Measure) -> Anchor:
        """Return the anchor of this entry in a family, with a measurement."""
        return Anchor(
            id=f"{family}/{self.name}",
            says=says,
            source="Monte Carlo of the idealised rules",
            expected=self.expected,
            within=within,
            measure=measure,
        )


def entries() -> Iterator[Entry]:
    """Iterate over all entries: the sum if the losses of both paths are equal, else each path."""
    for cc, scenarios in RATES.items():
        for scenario, rates in scenarios.items():
            if len(set(SCENARIOS[scenario])) == 1:
                yield Entry(cc, scenario, None, sum(rates))
            else:
                yield from (Entry(cc, scenario, path, rate) for path, rate in enumerate(rates))
