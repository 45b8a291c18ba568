"""The figure of the study: main effects on the diagonal, interactions below it, one matrix for each block."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from manypath.figures import PAGE, Picture, styled
from manypath.papers.evidence import Evidence
from manypath.papers.paper import Figures
from manypath.studies.which_mechanism.effects import TERMS, Block
from manypath.studies.which_mechanism.scenarios import ASYMMETRIES, MECHANISMS, ORDERS

figure = Figures()

SHORT = {
    "splitting": "splitting",
    "nr_sack": "NR-SACK",
    "rescheduling": "reschedul.",
    "smart": "smart rtx",
    "reports": "drop rep.",
}
"""Short names of the mechanisms for the axes."""

COLOURS = "RdBu"
"""A colour map that colour-blind readers can distinguish: losses red, gains blue."""


@figure(
    1,
    "effects",
    caption="Main effects (diagonal) and interactions of two (below it) of five mechanisms on the payload rate of one "
    "CMT flow, Mbit/s. Bold cells differ from 0 at 95 %.",
    experiments=("factorial",),
)
def effects(results: Evidence) -> Picture:
    """One matrix for each asymmetry, unordered above ordered."""
    blocks = {
        (ordered, asymmetry): Block.of(results, asymmetry, ordered) for ordered in ORDERS for asymmetry in ASYMMETRIES
    }
    largest = max(abs(float(block.effect(term).mean())) for block in blocks.values() for term in TERMS)
    norm = TwoSlopeNorm(0.0, -max(largest, 1.0), max(largest, 1.0))
    with styled():
        drawing = Figure(figsize=(PAGE, 0.76 * PAGE), layout="constrained")
        grid = drawing.subplots(len(ORDERS), len(ASYMMETRIES), squeeze=False)
        for row, ordered in zip(grid, ORDERS, strict=True):
            for column, (axes, asymmetry) in enumerate(zip(row, ASYMMETRIES, strict=True)):
                _draw(axes, blocks[ordered, asymmetry], norm, names=column == 0)
                axes.set_title(f"{ASYMMETRIES[asymmetry]}, {ORDERS[ordered]}")
    return Picture(drawing)


def _draw(axes: Axes, block: Block, norm: TwoSlopeNorm, *, names: bool) -> None:
    order, shown = list(MECHANISMS), block.shown()
    matrix = np.full((len(order), len(order)), np.nan)
    for term in TERMS:
        mean = float(block.effect(term).mean())
        row, column = order.index(term[-1]), order.index(term[0])
        matrix[row, column] = mean
        light = abs(mean) < 0.6 * float(norm.vmax or 1.0)
        axes.text(
            column,
            row,
            f"{mean:+.1f}",
            ha="center",
            va="center",
            fontsize=7,
            fontweight="bold" if term in shown else "normal",
            color="#1a1a1a" if light else "#ffffff",
        )
    axes.imshow(matrix, cmap=COLOURS, norm=norm)
    labels = [SHORT[name] for name in order]
    axes.set_xticks(range(len(order)), labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), labels if names else [])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
