"""The texts of a figure, for screen readers."""

from __future__ import annotations

from matplotlib.figure import Figure


def spoken(figure: Figure) -> str:
    """Return the titles and axes of a figure's plots, and the names in its legends."""
    plots: list[str] = []
    for axes in figure.axes:
        across, up = axes.get_xlabel(), axes.get_ylabel()
        measured = f"{up} over {across}" if up and across else up or across
        plots.append(": ".join(words for words in (axes.get_title(loc="left") or axes.get_title(), measured) if words))
    legends = [*figure.legends, *(legend for axes in figure.axes if (legend := axes.get_legend()) is not None)]
    names = [text.get_text() for legend in legends for text in legend.get_texts()]
    said = list(dict.fromkeys(words for words in (*plots, ", ".join(names)) if words))
    return "; ".join(" ".join(words.split()) for words in said) or "figure"
