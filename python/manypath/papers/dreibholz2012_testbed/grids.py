"""Grids and repetitions of the paper's experiments: quick, full, and for the mutation matrix."""

from __future__ import annotations

from dataclasses import replace

from manypath.papers.dreibholz import ALL, COUPLED, PLAIN, RPV1
from manypath.papers.dreibholz2012_testbed.scenarios import APPLICATIONS, QUEUES
from manypath.papers.experiment import Grid, Precision

RATES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
"""Rates of the bottleneck and of the southern path, Mbit/s: the paper's axes, whose ticks its text does not name."""


def _grids(
    rates: tuple[float, ...] = RATES,
    south: tuple[float, ...] = RATES,
    rival: tuple[float, ...] = RATES,
    queues: tuple[float, ...] = RATES,
) -> dict[str, Grid]:
    return {
        "figure3": {"cc": ALL, "rate": rates},
        "figure3-paths": {"paths": (2, 3, 4)},
        "figure3-far": {"cc": COUPLED},
        "figure3-blocking": {"cc": COUPLED},
        "figure4": {"cc": ALL, "south": south},
        "figure4-similar": {"cc": (PLAIN, RPV1)},
        "figure4-without-north": {"south": south},
        "figure4-rival": {"cc": ALL, "south": rival},
        "figure4-queues": {"queue": tuple(QUEUES), "messages": tuple(APPLICATIONS), "south": queues},
    }


FULL = Precision(
    name="full", replications=20, most=80, trials=20, curves=0, warmup="20 s", measure="300 s", grids=_grids()
)
"""The paper's own window, and its minimum number of repetitions."""

QUICK = Precision(
    name="quick",
    replications=8,
    most=96,
    budget=60.0,
    trials=8,
    curves=0,
    warmup="20 s",
    measure="100 s",
    grids=_grids(rival=(3.0, 4.0, 5.0, 6.0, 7.0, 8.0), queues=(1.0, 2.0, 4.0, 6.0, 8.0, 10.0)),
)
"""A third of the paper's window on its whole grid."""

MUTATED = Precision(
    name="mutated",
    replications=12,
    trials=12,
    curves=0,
    warmup="20 s",
    measure="100 s",
    grids=_grids(rates=(1.0, 3.0, 6.0, 9.0), south=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0), rival=(), queues=()),
)
"""The window of quick precision, a coarser grid and more runs: the crossing curves have similar slopes."""

RECONSTRUCTED = replace(MUTATED, name="reconstructed", replications=3, trials=3)
"""Few runs of each case, because many settings are compared. The final verdicts have full precision."""
