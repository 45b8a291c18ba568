"""Where the paper's experiments are run, and how often: quick, full, and for the mutation matrix."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from manypath.papers.experiment import Grid, Precision
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, COUPLED, EXACT, HALVES, PATHS, PRINTED, RENO, SHEETS

LINKED = (APPROXIMATED, EXACT)
"""The paper's control, and the same with the true maximum."""

GRIDS: dict[str, Grid] = {
    "figure2": {"cc": (*LINKED, RENO)},
    "figure3": {"cc": LINKED},
    "bends": {"cc": (APPROXIMATED,)},
    "figure4": {"cc": (*LINKED, COUPLED)},
    "figure5": {"cc": (*LINKED, COUPLED)},
    "figure6": {"cc": (*LINKED, HALVES, RENO)},
    "single": {"scenario": tuple(SHEETS), "path": PATHS},
    "rise": {"cc": (APPROXIMATED, COUPLED)},
    "silence": {"cc": (*LINKED, PRINTED)},
}
"""The same at every precision: the paper has three scenarios, and no sweep."""


def _precision(name: str, runs: int, trials: int, most: int = 0, budget: float = inf) -> Precision:
    """Return the paper's own window from the first packet on, with so many runs of each case and of each trial."""
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
"""The paper's own window; it shows one run of each scenario."""

QUICK = _precision("quick", 20, 10, most=160, budget=60.0)
"""The same with fewer runs."""

MUTATED = _precision("mutated", 8, 8)
"""The same with fewer runs still: it must show that a claim turns over, not by how much."""

RECONSTRUCTED = replace(MUTATED, name="reconstructed", replications=4, most=16, trials=4, curves=16)
"""Few runs of each case, because many settings are compared; `most` runs for both columns of verdicts."""
