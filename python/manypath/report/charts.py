"""Interactive charts of a report: the plotly document of each figure, and plotly's library."""

from __future__ import annotations

from importlib.util import find_spec

from manypath.figures import Picture


def available() -> bool:
    """Return whether plotly is installed."""
    return find_spec("plotly") is not None


def chart(picture: Picture) -> str:
    """Return a figure as a plotly document, escaped for a script element; empty without plotly."""
    if not available():
        return ""
    # Escaping `<` prevents texts of the figure from ending the element.
    return str(picture.interactive().to_json()).replace("<", "\\u003c")


def library() -> str:
    """Return the text of plotly's library, so that pages work without a network."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


LIBRARY = "plotly.min.js"
"""File name of the library, which the script of the pages loads for the first chart."""
