"""The style of all figures: column widths of journals, embeddable fonts, and colours for colour-blind readers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import matplotlib as mpl

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#5f5f5f")
"""Okabe and Ito's palette, in an order in which colour-blind readers can distinguish neighbours."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""A marker for each colour, for prints in grey."""

INK = "#1a1a1a"
"""Colour of axes and text."""

GRID = "#d9d9d9"
"""Colour of grid lines."""

COLUMN = 3.5
"""Width of one column of a paper, inches."""

PAGE = 7.16
"""Width of two columns of a paper, inches."""

_RC: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.xmargin": 0.03,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "errorbar.capsize": 1.5,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.02,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "manypath",
}


@contextmanager
def styled() -> Iterator[None]:
    """Set this style inside the block, independent of the user's settings.

    Examples
    --------
    >>> import manypath as mp
    >>> from matplotlib.figure import Figure
    >>> with mp.figures.styled():
    ...     figure = Figure(figsize=(mp.figures.COLUMN, 2.0))
    ...     lines = figure.subplots().plot([0, 1], [0, 5])
    >>> mp.figures.Picture(figure)  # .save("own.svg") writes it
    Picture(figure=<Figure size 350x200 with 1 Axes>)
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast("Any", _RC))
        yield
