"""A finished figure: saved as SVG, PDF or PNG, or set into a page whose colours it takes over."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from matplotlib.figure import Figure

from manypath.arguments import file, of_kind, text
from manypath.errors import UserError
from manypath.figures.interactive import chart
from manypath.figures.spoken import spoken
from manypath.figures.style import COLOURS, GRID, INK, styled
from manypath.outputs import FIGURE, Outputs, writing

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Chart

FORMATS = FIGURE.endings
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

    def save(self, path: str | Path, title: str = "") -> Path:
        """Write the figure in the format that the name ends with: ``.svg``, ``.pdf`` or ``.png``.

        `title` is what a program that reads an SVG aloud says; by default the label of the figure, or words from it.
        The folder is made if it is missing. An earlier figure of this package is replaced, any other file is not.

        Raises
        ------
        UserError
            If the name has another ending, is that of a file which this package did not write, or cannot be written.
        """
        path = Outputs().file("figure", file("path", path), FIGURE, makes_folder=True)
        ending = path.suffix.lstrip(".").lower()
        drawn = self._svg(title).encode() if ending == "svg" else self._bytes(ending)
        with writing("figure", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(drawn)
        return path

    def _bytes(self, ending: str) -> bytes:
        """Return the figure as a file of some format."""
        drawn = io.BytesIO()
        with styled():
            # PNG has a white ground, as it is used on slides; the other formats take the ground of the page.
            ground = "white" if ending == "png" else "none"
            self.figure.savefig(drawn, format=ending, facecolor=ground, metadata=_METADATA[ending])
        return drawn.getvalue()

    def _svg(self, title: str) -> str:
        """Return the figure as SVG whose text is text, with a title that can be read aloud."""
        svg = self._bytes("svg").decode()
        said = escape(title or str(self.figure.get_label()) or spoken(self.figure), {'"': "&quot;"})
        begin = svg.index("<svg ")
        head = svg[begin : svg.index(">", begin)]
        svg = svg.replace(f"{head}>", f'{head} role="img" aria-label="{said}">\n <title>{said}</title>', 1)
        return svg.replace(EMBEDDED, FONTS)

    def inline(self, name: str, title: str = "") -> str:
        """Return the figure as an SVG element for a page, with ink, grid and palette as CSS variables.

        Parameters
        ----------
        name : str
            Makes the ids of its parts unique within the page.
        title : str
            What a program that reads the page aloud says; words from the figure by default.
        """
        text("name", name, "a word that the page has for nothing else")
        svg = self._svg(title)
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
        svg = re.sub(r'\bid="', f'id="{name}-', svg)
        svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
        # The page sets the size, up to half as large again as on paper. On a phone the whole figure is visible.
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
        return self._svg("")


def _bounded_width(opening: re.Match[str]) -> str:
    width = float(opening[2])
    kind = 'class="wide" ' if width > WIDE else ""
    return f'{opening[1]}{kind}style="max-width: {1.5 * width:.0f}pt"'


WIDE = 400.0
"""Points from which on a figure is shrunk so much on a phone that its page enlarges the text, by the class `wide`."""

EMBEDDED, FONTS = "'STIXGeneral'", "'STIXGeneral', 'STIX Two Text', 'Times New Roman', Times, serif"
"""The font that figures are laid out with, and those of about the same widths that a reader may have instead."""

_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "manypath"},
    "pdf": {"CreationDate": None, "Creator": "manypath"},
    "png": {"Software": "manypath"},
}
"""Metadata by format. No date, so that equal runs give equal files; the creator, by which `FIGURE` knows our files."""

VARIABLES = {INK: "--ink", GRID: "--grid", **{colour: f"--series-{n}" for n, colour in enumerate(COLOURS, 1)}}
"""The colours of figures, and what a page calls them, which may have others by night."""
