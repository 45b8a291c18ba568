"""Interactive charts of a report: the document of each, and plotly's library beside the pages."""

from __future__ import annotations

from importlib.util import find_spec

from manypath.figures import Picture


def available() -> bool:
    """Tell whether plotly is installed."""
    return find_spec("plotly") is not None


def chart(picture: Picture) -> str:
    """Return a figure as plotly's document, fit to stand inside a script element; empty without plotly."""
    if not available():
        return ""
    # No text of it can end the element.
    return str(picture.interactive().to_json()).replace("<", "\\u003c")


def library() -> str:
    """Return plotly's library, so that pages need no network."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


LIBRARY = "plotly.min.js"
"""Name of the library's file, which the script of the pages loads when the first chart is wanted."""
