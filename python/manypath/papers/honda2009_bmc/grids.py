"""Grids and repetitions of the thesis's experiments: quick, full, and for the mutation matrix."""

from __future__ import annotations

from dataclasses import replace

from manypath.papers.experiment import Grid, Precision
from manypath.papers.honda2009_bmc.claims.theory import WEIGHTS
from manypath.papers.honda2009_bmc.names import AIMD, BMC, BUNDLES, CONTROLS, EQUAL, RENO, TCP, weights_of
from manypath.papers.honda2009_bmc.scenarios import DECREASES

FLOWS = (1, 2, 4, 8, 16, 32, 48, 64)
"""Numbers of flows of each kind ([H09] section 5.1)."""

SOME = (1, 2, 4, 16, 32, 64)
"""Numbers of flows of coarse grids."""

EXTREMES = ("1/5", "1/2", "4/5")
"""The smallest, a middle and the largest weight of figure 5.10."""

INTERVALS = (20.0, 40.0, 80.0)
"""Intervals J of the manager, s; an epoch of a weight of 1/10 on 10 Mbit/s takes about 12 s."""

ENDS = (0.25, 1.0)
"""Least and largest gain K of the manager."""

TENTHS = ("1/10+9/10", "1/4+3/4", "1/3+2/3", "5/12+7/12", "1/2+1/2", "3/4+1/4", "9/10+1/10")
"""Weights on the two links of figure 4.1; the manager aims at 1/3, and 5/12 gives the highest sum."""

PRIVATE = ("1/50+49/50", "1/10+9/10", "1/4+3/4", "1/2+1/2", "4/7+3/7", "3/4+1/4")
"""Weights on an unshared and on a shared path; the manager aims at 4/7."""


def _grids(
    flows: tuple[int, ...],
    longer: tuple[float, ...],
    gains: tuple[float, ...],
    controls: tuple[str, ...] = CONTROLS,
) -> dict[str, Grid]:
    return {
        "figure1.2": {"subflows": (2, 4), "rivals": (2, 4)},
        "figure2.1": {"weight": WEIGHTS},
        "sawtooths": {},
        "sawtooth-decrease": {"decrease": tuple(DECREASES)},
        "given-loss": {},
        "formula": {"loss": (0.001, 0.004), "delay": (25.0, 50.0)},
        "flowshares": {"shares": (1, 2, 3)},
        **{f"figure{number}": {"flows": flows} for number in EQUAL},
        **{
            f"figure{number}": {"flows": tuple(n for n in flows if n >= len(weights_of(bundle)))}
            for number, bundle in BUNDLES.items()
        },
        "sack-for-one-kind": {"weight": EXTREMES, "kind": (AIMD, TCP), "flows": flows[-1:]},
        "figure3.1": {"weights": ("1/2+1/2", "1/4+3/4")},
        "figure3.1-managed": {"gain": (0.5, 1.0)},
        "figure3.1-controls": {"cc": controls},
        "figure4.1": {"cc": tuple(dict.fromkeys((*controls, RENO)))},
        "figure4.1-weights": {"weights": TENTHS},
        "figure4.1-managed": {"interval": INTERVALS, "gain": gains},
        "figure4.1-first": {"start": ("1:1", "1:3")},
        "private": {"weights": PRIVATE},
        "private-controls": {"cc": controls},
        "shared-controls": {"cc": controls},
        "rtt": {"cc": controls, "longer": longer},
        "slow-start": {"subflows": (1, 2, 4, 8)},
    }


FULL = Precision(
    name="full",
    replications=10,
    most=40,
    trials=5,
    trial_cases=160,
    curves=40,
    warmup="0 s",
    measure="100 s",
    grids=_grids(FLOWS, (0.0, 20.0, 80.0), (0.25, 0.5, 1.0)),
)
"""The thesis's own window and grid."""

QUICK = Precision(
    name="quick",
    replications=3,
    most=24,
    budget=60.0,
    trials=3,
    trial_cases=25,
    curves=3,
    warmup="0 s",
    measure="60 s",
    grids=_grids(SOME, (0.0, 80.0), ENDS),
)
"""Three fifths of the thesis's window, and some of its numbers of flows."""

MUTATED = Precision(
    name="mutated",
    replications=4,
    trials=4,
    curves=4,
    warmup="0 s",
    measure="60 s",
    grids=_grids(SOME, (0.0,), ENDS, (BMC, "lia")),
)
"""The window and the grid of quick precision, with fewer controls in the comparison."""

RECONSTRUCTED = replace(MUTATED, name="reconstructed", replications=2, trials=2, curves=2)
"""Few runs of each case, because many settings are compared. The final verdicts have full precision."""
