"""Figures in one style. Each kind of plot has a module, and an entry in `KINDS`."""

from __future__ import annotations

from manypath import drawing as drawing  # loads matplotlib, before the imports of the modules here do
from manypath.figures.course import course
from manypath.figures.distances import Distance, Panel, distances
from manypath.figures.lines import Curve, Mark, draw_curves, lines, name_curves, printed_handle
from manypath.figures.picture import Picture
from manypath.figures.style import COLUMN, PAGE, styled
from manypath.figures.topology import topology
from manypath.figures.windows import windows

__all__ = [
    "COLUMN",
    "KINDS",
    "PAGE",
    "Curve",
    "Distance",
    "Mark",
    "Panel",
    "Picture",
    "course",
    "distances",
    "draw_curves",
    "lines",
    "name_curves",
    "printed_handle",
    "styled",
    "topology",
    "windows",
]

KINDS = {"course": course, "distances": distances, "lines": lines, "topology": topology, "windows": windows}
"""The kinds of plot by name."""
