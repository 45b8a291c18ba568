"""Grids and repetitions of the paper's experiments: quick, full, and for the mutation matrix."""

from __future__ import annotations

from dataclasses import replace

from manypath.papers.dreibholz2010_asymmetric.names import (
    BOTH,
    CONTROLS,
    FIRST,
    HEARTBEATS,
    INETS,
    NONE,
    OFF,
    OVERRUNS,
    PLOTTED,
    SACK_PATHS,
    SECOND,
    SPLITS,
    THRESHOLD,
)
from manypath.papers.experiment import Grid, Precision

CAPACITIES = (5, 10, 20, 50, 75, 100, 150, 200, 300)
RATES = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0, 75.0, 100.0)
ERRORS = (0.0, 1e-7, 3e-7, 1e-6, 2e-6, 3e-6, 5e-6)
DELAYS = (1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0)

PI = {"split": (NONE, BOTH)}
NU = {"nr": (False, True)}
DELTA = {"reports": (False, True)}
TAU = {"smart": (False, True)}
PSI = {"rescheduling": (OFF, THRESHOLD)}

STATES: Grid = {"sack_path": ("last-data", "smallest-srtt"), "overrun": tuple(OVERRUNS), "heartbeats": HEARTBEATS}
"""What may decide whether the unsplit flow of figure 4 left stays blocked."""

FEW_STATES: Grid = {**STATES, "overrun": ("never", "wraps"), "heartbeats": HEARTBEATS[:1]}


def _grids(
    capacities: tuple[int, ...] = CAPACITIES,
    rates: tuple[float, ...] = RATES,
    errors: tuple[float, ...] = ERRORS,
    delays: tuple[float, ...] = DELAYS,
    thin: tuple[float, ...] = (0.25, 0.5),
    states: Grid = STATES,
) -> dict[str, Grid]:
    """Return all grids; `thin` are additional rates below 1 Mbit/s for ordered transfer, `states` those of figure 4."""
    figures: dict[str, Grid] = {
        f"figure4-{side}": {"split": SPLITS, "capacity": capacities} for side in ("left", "middle", "right")
    }
    for number in (5, 6):
        figures[f"figure{number}-rate"] = {**PI, **NU, "rate": rates}
        figures[f"figure{number}-errors"] = {**PI, **NU, **DELTA, "errors": errors}
        figures[f"figure{number}-delay"] = {**PI, **NU, **TAU, "delay": delays}
    for number in (7, 8):
        figures[f"figure{number}-rate"] = {**PSI, **PI, "rate": (*thin, *rates)}
        figures[f"figure{number}-errors"] = {**PSI, **PI, **DELTA, "errors": errors}
        figures[f"figure{number}-delay"] = {**PSI, **PI, **TAU, "delay": delays}
    return {
        **figures,
        "figure4-inet": {
            "split": (NONE, BOTH),
            "by": ("outstanding", "buffered"),
            "nr": ("off", "strict", "promised"),
            "settings": (PLOTTED, INETS),
        },
        "figure4-early": states,
        "figure4-late": states,
        "figure5-buffers": {"scale": (0.1, 1.0, 10.0), "delay": (delays[0], 50.0, delays[-1])},
        "figure5-timeouts": {**TAU, "sack_path": tuple(SACK_PATHS)},
        "figure5-standstill": {**NU, "errors": errors[-1:]},
        "figure5-growth": {"delay": (20.0, 50.0)},
        "figure6-windows": {**PI},
        "figure6-dip": {"cc": CONTROLS},
        "figure7-promises": {"nr": ("off", "promised"), "rate": (1.0,)},
        "figure7-rivals": {"cc": CONTROLS, **PSI, "shared": (FIRST, SECOND), "rate": (1.0, 10.0)},
        "figure7-buffers": {"rate": (10.0,)},
        "buffers-fast": {"part": (0.5, 1.0, 2.0)},
        "buffers-timeout": {"part": (0.5, 1.0), "outage": (False, True)},
    }


FULL = Precision(
    name="full",
    replications=8,
    most=64,
    budget=3_600.0,
    trials=8,
    trial_cases=256,
    curves=128,
    warmup="19 s",
    measure="60 s",
    grids=_grids(),
)
"""The paper's grid and window. The paper repeats every run 64 times; here only undecided claims get more than 8 runs.

They get up to 64 runs, within 1 hour of processor time.
"""

QUICK = Precision(
    name="quick",
    replications=3,
    most=32,
    budget=60.0,
    trials=3,
    curves=3,
    warmup="19 s",
    measure="60 s",
    grids=_grids(
        capacities=(20, 100, 300),
        rates=(1.0, 10.0, 100.0),
        errors=(0.0, 5e-6),
        delays=(1.0, 100.0),
        thin=(),
        states=FEW_STATES,
    ),
    trial_cases=180,
)
"""Every curve with few points and few runs, in the paper's window.

A shorter window is not steady. Behind drop-tail queues, and with SACKs on the path with the smallest round-trip time,
the regime changes at the first heartbeat, after 30 s. With
delays, bit errors or CMT/RP the rate still rises or falls by up to a factor of four, or differs by a fifth from run to
run.
"""

MUTATED = Precision(
    name="mutated",
    replications=4,
    trials=4,
    curves=4,
    warmup="10 s",
    measure="20 s",
    grids=_grids(
        capacities=(20, 100, 300),
        rates=(1.0, 10.0, 100.0),
        errors=(0.0, 5e-6),
        delays=(1.0, 50.0, 100.0),
        thin=(),
        states=FEW_STATES,
    ),
)
"""A third of the paper's window and a coarse grid, enough to show that a mutation changes a verdict."""

RECONSTRUCTED = replace(MUTATED, name="reconstructed", replications=2, trials=2, curves=2)
"""Few runs of each case, because many settings are compared. The final verdicts have full precision."""
