"""Grids and repetitions of the paper's experiments: quick, full, and for the mutation matrix."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from manypath.papers.experiment import Grid, Precision
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, COUPLED, EXACT, HALVES, PATHS, PRINTED, RENO, SHEETS

LINKED = (APPROXIMATED, EXACT)
"""The paper's control, and linked increases with the exact maximum."""

GRIDS: dict[str, Grid] = {
    "figure2": {"cc": (*LINKED, RENO)},
    "figure3": {"cc": LINKED},
    "bends": {"cc": (APPROXIMATED,)},
    "figure4": {"cc": (*LINKED, COUPLED, RENO)},
    "figure5": {"cc": (*LINKED, COUPLED, RENO)},
    "figure6": {"cc": (*LINKED, HALVES, RENO)},
    "single": {"scenario": tuple(SHEETS), "path": PATHS},
    "signalling": {"scenario": tuple(SHEETS)},
    "rise": {"cc": (APPROXIMATED, COUPLED)},
    "silence": {"cc": (*LINKED, PRINTED)},
}
"""The grid of all precisions: the paper has three scenarios and no sweep."""


def _precision(name: str, runs: int, trials: int, most: int = 0, budget: float = inf) -> Precision:
    """Return a precision with the paper's own window, from the first packet on."""
    return Precision(
        name=name,
        replications=runs,
        most=most,
        budget=budget,
        trials=trials,
        curves=runs,
        warmup="0 s",
        measure="85 s",
        grids=GRIDS,
    )


FULL = _precision("full", 30, 30, most=120)
"""30 runs of each case; the paper shows one run of each scenario."""

QUICK = _precision("quick", 20, 10, most=160, budget=60.0)
"""Fewer runs of each case."""

MUTATED = _precision("mutated", 8, 8)
"""Few runs, enough to show that a mutation changes a verdict."""

RECONSTRUCTED = replace(MUTATED, name="reconstructed", replications=4, trials=4, curves=4)
"""Few runs of each case, because many settings are compared. The final verdicts have full precision."""
