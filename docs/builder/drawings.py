"""Embeds drawings in their pages, so that their text can be searched, selected and read by screen readers."""

from __future__ import annotations

import posixpath
import re
from html import unescape
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

IMAGE = re.compile(r'(?:<p>)?<img alt="(?P<alt>[^"]*)" src="(?P<src>[^":]+\.svg)"[^>]*>(?:</p>)?')
"""The image element of a drawing, as Markdown writes it."""

OPENING = re.compile(r"<svg [^>]*>")
"""The opening tag of a drawing."""

SIZE = re.compile(r' (?P<side>width|height)="(?P<points>[\d.]+)pt"')
"""The width or height of a drawing in points."""


def on_page_content(html: str, page: Any, files: Files, **_: Any) -> str:
    """Replace images of drawings by the drawings themselves."""
    folder = posixpath.dirname(page.file.dest_uri)

    def placed(image: re.Match[str]) -> str:
        file = files.get_file_from_path(posixpath.normpath(posixpath.join(folder, image["src"])))
        if file is None:
            return image[0]
        name = posixpath.splitext(posixpath.basename(image["src"]))[0]
        drawing = inline(file.content_string, name, unescape(image["alt"]))
        link = f'<figcaption><a href="{image["src"]}">Enlarge this figure</a></figcaption>'
        return f'<figure class="drawing">{drawing}{link}</figure>'

    return IMAGE.sub(placed, html)


def inline(svg: str, name: str, title: str) -> str:
    """Return a drawing of matplotlib as an element of a page; its ids begin with `name`."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<title>.*?</title>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
    # A style sheet applies to the whole page.
    svg = svg.replace("*{", ".drawing svg *{")
    return OPENING.sub(lambda opening: f"{SIZE.sub(_bounded, opening[0])}<title>{escape(title)}</title>", svg, count=1)


def _bounded(size: re.Match[str]) -> str:
    """Return a style for the width (that of the page, at most 1.5 times the size on paper), and none for the height."""
    width = 1.5 * float(size["points"])
    return f' style="width: 100%; max-width: {width:.0f}pt"' if size["side"] == "width" else ""
