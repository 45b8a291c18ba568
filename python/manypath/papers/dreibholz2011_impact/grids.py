"""Grids and repetitions of the paper's experiments: quick, full, and for the mutation matrix."""

from __future__ import annotations

from dataclasses import replace

from manypath.papers.dreibholz import ALL, RPV1
from manypath.papers.experiment import Grid, Precision

PATHS = (1, 2, 3, 4, 5, 6, 7, 8)
NORTH = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5, 10.0)
SOUTH = (1.0, 2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5, 20.0)
RIVALS = (1, 2, 3, 4, 5, 6, 7, 8)


def _grids(
    left: tuple[int, ...] = PATHS,
    right: tuple[int, ...] = PATHS,
    north: tuple[float, ...] = NORTH,
    south: tuple[float, ...] = SOUTH,
    rivals: tuple[int, ...] = RIVALS,
) -> dict[str, Grid]:
    return {
        "figure2-left": {"cc": ALL, "paths": left},
        "figure2-right": {"cc": ALL, "paths": right},
        "beside-tcp": {},
        "figure3": {"cc": ALL, "north": north},
        "figure3-windows": {"cc": (RPV1,)},
        "figure4-left": {"cc": ALL, "south": south},
        "figure4-right": {"cc": ALL, "rivals": rivals},
        "figure5": {"cc": ALL},
        "worked-example": {},
    }


FULL = Precision(
    name="full",
    replications=20,
    most=400,
    budget=3_600.0,
    trials=5,
    trial_cases=160,
    curves=20,
    warmup="20 s",
    measure="300 s",
    grids=_grids(),
)
"""The paper's grid and window. The paper repeats every run 100 times; here only undecided claims get more than 20 runs.

They get up to 400 runs, within 1 hour of processor time.
"""

QUICK = Precision(
    name="quick",
    replications=5,
    most=80,
    budget=60.0,
    trials=5,
    trial_cases=32,
    curves=5,
    warmup="20 s",
    measure="100 s",
    grids=_grids(left=(1, 2, 4, 8), rivals=(1, 2, 4, 8)),
)
"""Fewer numbers of paths and single-path flows, and a third of the paper's window."""

MUTATED = Precision(
    name="mutated",
    replications=6,
    trials=6,
    curves=6,
    warmup="20 s",
    measure="100 s",
    grids=_grids(
        left=(1, 2, 4),
        right=(1, 2, 4, 6, 8),
        north=(0.25, 1.0, 4.0, 5.0, 10.0),
        south=(5.0, 7.5, 10.0, 15.0, 20.0),
        rivals=(1, 4, 8),
    ),
)
"""The window of quick precision and a coarse grid, enough to show that a mutation changes a verdict."""

RECONSTRUCTED = replace(MUTATED, name="reconstructed", replications=2, trials=2, curves=2)
"""Few runs of each case, because many settings are compared. The final verdicts have full precision."""
