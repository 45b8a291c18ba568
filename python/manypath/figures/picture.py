"""A finished figure: saved as SVG, PDF or PNG, or set into a page whose colours it takes over."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from manypath.arguments import file, of_kind, text
from manypath.errors import UserError
from manypath.figures.interactive import chart
from manypath.figures.style import COLOURS, GRID, INK, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Chart

FORMATS = ("svg", "pdf", "png")
"""Endings that `save` knows."""


@dataclass(frozen=True)
class Picture:
    """A figure drawn in the style of this package.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        The drawing, for those who want to change it.
    """

    figure: Figure

    def __post_init__(self) -> None:
        """Lay the figure out once: each further layout would move it by a hair, and equal runs give equal files."""
        of_kind("figure", self.figure, Figure, "one of matplotlib's")
        with styled():
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")

    def save(self, path: str | Path) -> Path:
        """Write the figure in the format that the name ends with: ``.svg``, ``.pdf`` or ``.png``."""
        path = Path(file("path", path))
        ending = path.suffix.lstrip(".").lower()
        if ending not in FORMATS:
            raise UserError(f"{path}: is no figure's name: end it with .{', .'.join(FORMATS)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with styled():
            # A white ground for PNG, which ends up in slides; the others take the page's.
            ground = "white" if ending == "png" else "none"
            self.figure.savefig(path, format=ending, facecolor=ground, metadata=_UNDATED[ending])
        return path

    def inline(self, name: str) -> str:
        """Return the figure as an SVG element for a page, with ink, grid and palette as CSS variables.

        Parameters
        ----------
        name : str
            Makes the ids of its parts unique within the page.
        """
        text("name", name, "a word that the page has for nothing else")
        buffer = io.StringIO()
        with styled():
            self.figure.savefig(buffer, format="svg", metadata=_UNDATED["svg"])
        svg = buffer.getvalue()
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
        svg = re.sub(r'\bid="', f'id="{name}-', svg)
        svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
        # The page sets the size: at most half as large again as on paper, at least so that it can be read.
        svg = re.sub(r'(<svg [^>]*?)height="[^"]*" ', r"\1", svg, count=1)
        svg = re.sub(r'(<svg [^>]*?)width="([\d.]+)pt"', _bounded_width, svg, count=1)
        for colour, variable in VARIABLES.items():
            svg = svg.replace(colour, f"var({variable}, {colour})")
        return svg

    def interactive(self) -> Chart:
        """Return the figure as a plotly chart: values under the pointer, curves that a click hides, parts enlarged.

        Raises
        ------
        UserError
            If plotly is not installed.
        """
        try:
            from plotly.graph_objects import Figure as Chart
        except ImportError:
            raise UserError('plotly: is not installed: pip install "manypath[interactive]"') from None
        return Chart(chart(self.figure))

    def _repr_svg_(self) -> str:
        """Show the figure in a notebook."""
        buffer = io.StringIO()
        with styled():
            self.figure.savefig(buffer, format="svg", metadata=_UNDATED["svg"])
        return buffer.getvalue()


def _bounded_width(opening: re.Match[str]) -> str:
    width = float(opening[2])
    return f'{opening[1]}style="min-width: {0.8 * width:.0f}pt; max-width: {1.5 * width:.0f}pt"'


_UNDATED: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}
"""Equal runs give equal files."""

VARIABLES = {INK: "--ink", GRID: "--grid", **{colour: f"--series-{n}" for n, colour in enumerate(COLOURS, 1)}}
"""The colours of figures, and what a page calls them, which may have others by night."""
