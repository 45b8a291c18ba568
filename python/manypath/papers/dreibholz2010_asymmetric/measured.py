"""Figure 4 as real stacks measured it at a tenth of the rates, beside simulations with the same seeds."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.names import CMT, SPLITS
from manypath.papers.measured import Measurement, published
from manypath.papers.measured_stacks import beside_the_stacks
from manypath.papers.sweeps import Controls, SweepPlot

SIDES = {
    "figure4-left": "send buffer 250 kB, receive buffer 125 kB",
    "figure4-middle": "both buffers 250 kB",
    "figure4-right": "send buffer 125 kB, receive buffer 250 kB",
}
"""The plots of figure 4, with their buffers."""

SWEEPS = tuple(SweepPlot(name, "capacity", title, "queue capacity in packets") for name, title in SIDES.items())
"""Figure 4."""

CURVES = Controls({split: f"split: {split}" for split in SPLITS}, {CMT: "CMT flow"}, "split")
"""Its curves."""

SLOWED = 10
"""The factor by which measured scenarios are slower than those of the paper."""

SCALING = (
    f"Rates are {SLOWED} times smaller and delays {SLOWED} times longer than in the paper, because the emulator is not "
    "accurate at 100 Mbit/s; products of rate and delay are those of the paper. SACKs take the path with the smallest "
    "round-trip time."
)
"""How the scenarios are scaled, in words."""


def measurements() -> tuple[Measurement, ...]:
    """Return the published runs."""
    return published("dreibholz2010_asymmetric")


BESIDE_THE_STACKS = beside_the_stacks(
    "Figure 4 measured: simulation, our stack, usrsctp", {CMT: "CMT flow"}, measurements, SCALING
)
