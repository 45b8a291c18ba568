"""A finished figure, which can be saved as SVG, PDF or PNG, or be included in a page with the page's colours."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from manypath.arguments import file, of_kind, text
from manypath.errors import UserError, visible
from manypath.figures.interactive import chart
from manypath.figures.spoken import spoken
from manypath.figures.style import COLOURS, GRID, INK, styled
from manypath.outputs import FIGURE, Outputs
from manypath.replacement import replacing

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Chart

FORMATS = FIGURE.endings
"""File name endings of `save`."""


@dataclass(frozen=True)
class Rendered:
    """A figure in every format, for a page and its files.

    Attributes
    ----------
    svg : str
        The figure as SVG.
    files : mapping
        The content of a file by its file name ending.
    """

    svg: str
    files: Mapping[str, bytes]

    def inline(self, name: str) -> str:
        """Return the figure as an SVG element for a page; `name` is unique within the page."""
        return _inline(self.svg, name)


@dataclass(frozen=True)
class Picture:
    """A figure drawn in the style of this package.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        The matplotlib figure, which may be modified.
    """

    figure: Figure

    def __post_init__(self) -> None:
        """Compute the layout once. Repeated layouts differ slightly, but equal runs must give equal files."""
        of_kind("figure", self.figure, Figure, "one of matplotlib's")
        with styled():
            self.figure.draw_without_rendering()
            # With the style's settings this removes the engine. The engine "none" would be asked before each drawing.
            self.figure.set_layout_engine(None)

    def save(self, path: str | Path, title: str = "") -> Path:
        """Write the figure in the format of the file name ending: ``.svg``, ``.pdf`` or ``.png``.

        `title` is the title of an SVG for screen readers; by default the label of the figure, or its texts. A missing
        folder is created. An existing file is only replaced if it is a figure of this package.

        Raises
        ------
        UserError
            If the ending is unknown, the file exists and is not a figure of this package, or it cannot be written.
        """
        path = Outputs().file("figure", file("path", path), FIGURE, makes_folder=True)
        ending = path.suffix.lstrip(".").lower()
        drawn = self._svg(_title(title)).encode() if ending == "svg" else self._bytes(ending)
        with replacing("figure", path, makes_folder=True) as begun:
            begun.write_bytes(drawn)
        return path

    def rendered(self, title: str = "") -> Rendered:
        """Return the figure in every format. It takes half of the time of `save` for each format and `inline`.

        The figure is cropped once for all formats, and the SVG is drawn once for the page and the file. `title` is the
        title of the SVG for screen readers, as in `save`.
        """
        title = _title(title)
        with styled():
            pad = float(mpl.rcParams["savefig.pad_inches"])
            crop = self.figure.get_tightbbox().padded(pad)
        svg = self._svg(title, crop)
        files = {ending: svg.encode() if ending == "svg" else self._bytes(ending, crop) for ending in FORMATS}
        return Rendered(svg, files)

    def _bytes(self, ending: str, crop: Bbox | None = None) -> bytes:
        """Return the content of a file of the figure in a format, cropped to its artists if `crop` is None."""
        drawn = io.BytesIO()
        with styled():
            # PNG has a white background for slides. The other formats are transparent.
            ground = "white" if ending == "png" else "none"
            area = "tight" if crop is None else crop
            self.figure.savefig(drawn, format=ending, facecolor=ground, metadata=_METADATA[ending], bbox_inches=area)
        return drawn.getvalue()

    def _svg(self, title: str, crop: Bbox | None = None) -> str:
        """Return the figure as SVG with text elements, and with a title for screen readers."""
        svg = self._bytes("svg", crop).decode()
        said = escape(title or str(self.figure.get_label()) or spoken(self.figure), {'"': "&quot;"})
        begin = svg.index("<svg ")
        head = svg[begin : svg.index(">", begin)]
        svg = svg.replace(f"{head}>", f'{head} role="img" aria-label="{said}">\n <title>{said}</title>', 1)
        return svg.replace(EMBEDDED, FONTS)

    def inline(self, name: str, title: str = "") -> str:
        """Return the figure as an SVG element for a page, with its colours as CSS variables.

        Parameters
        ----------
        name : str
            Prefix of the ids of its parts, unique within the page.
        title : str
            Title for screen readers; by default the texts of the figure.
        """
        text("name", name, "a name that is unique within the page")
        return _inline(self._svg(_title(title)), name)

    def interactive(self) -> Chart:
        """Return the figure as a plotly chart, which shows values under the pointer, hides curves and zooms.

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


def _title(said: str) -> str:
    """Return a title as a file can have it."""
    return visible(text("title", said, "a title for screen readers"))


def _inline(svg: str, name: str) -> str:
    """Return an SVG file as an element of a page, with the page's colours as CSS variables."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
    # The page sets the size, up to 1.5 times the size on paper. On a phone the whole figure is visible.
    svg = re.sub(r'(<svg [^>]*?)height="[^"]*" ', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?)width="([\d.]+)pt"', _bounded_width, svg, count=1)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, f"var({variable}, {colour})")
    return svg


def _bounded_width(opening: re.Match[str]) -> str:
    width = float(opening[2])
    kind = 'class="wide" ' if width > WIDE else ""
    return f'{opening[1]}{kind}style="max-width: {1.5 * width:.0f}pt"'


WIDE = 400.0
"""Largest width without the class `wide`, points. The page enlarges the text of wider figures on a phone."""

EMBEDDED, FONTS = "'STIXGeneral'", "'STIXGeneral', 'STIX Two Text', 'Times New Roman', Times, serif"
"""The font of the layout, and a list with alternatives of similar widths."""

_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "manypath"},
    "pdf": {"CreationDate": None, "Creator": "manypath"},
    "png": {"Software": "manypath"},
}
"""Metadata by format. They have no date, so that equal runs give equal files. `FIGURE` recognizes our files by them."""

VARIABLES = {INK: "--ink", GRID: "--grid", **{colour: f"--series-{n}" for n, colour in enumerate(COLOURS, 1)}}
"""CSS variables of a page by the colours of figures. A page has other values in dark mode."""
