"""Writes the report: pages that need no network, and the figures as files for papers and slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.figures import Distance, Panel, distances
from manypath.figures.picture import FORMATS
from manypath.papers.causes import effects_on, slack_at
from manypath.report.anchors import PAGE as ANCHORS_PAGE
from manypath.report.charts import available, chart, write_library
from manypath.report.current import drawn, fingerprint, is_current
from manypath.report.environment import environment
from manypath.report.views import Drawing, PaperView, illustrated, view_of

if TYPE_CHECKING:
    from manypath.papers.evaluation import Evaluation, PaperEvaluation


def build(evaluation: Evaluation, target: Path) -> Path:
    """Write the report and return its first page.

    A page that shows the same runs in the same words stays as it is. Where plotly is installed, figures can be
    switched to interactive charts; its library lies beside the pages.

    Parameters
    ----------
    evaluation
        What was run.
    target
        The folder; or the first page itself, ending with ``.html``.
    """
    index = target if target.suffix == ".html" else target / "index.html"
    folder = index.parent
    folder.mkdir(parents=True, exist_ok=True)
    templates = environment()
    interactive = available()
    if interactive:
        write_library(folder)
    page_of = partial(templates.get_template("paper.html.j2").render, index=index.name, interactive=interactive)
    pages = [view_of(part) for part in evaluation.papers]
    for part, page in zip(evaluation.papers, pages, strict=True):
        # How long a call takes is told by the call that writes the page, and is no reason to write it again.
        stamp = fingerprint(part, page_of(page=replace(page, took="")))
        if not is_current(folder / page.file, _figures_of(part, folder), part, stamp):
            full = illustrated(page, _draw(part, folder), _draw_causes(part))
            (folder / page.file).write_text(page_of(page=full, fingerprint=stamp), encoding="utf-8")
    anchors = ANCHORS_PAGE if (folder / ANCHORS_PAGE).is_file() else None
    text = templates.get_template("index.html.j2").render(pages=pages, anchors=anchors)
    index.write_text(text, encoding="utf-8")
    return index


def _draw(part: PaperEvaluation, folder: Path) -> Mapping[str, Drawing]:
    """Draw the figures that were run, save each in every format, and return them for a page by name."""
    drawings: dict[str, Drawing] = {}
    for figure in drawn(part):
        picture = figure.draw(part.evidence)
        for ending in FORMATS:
            picture.save(_figures_of(part, folder) / f"{figure.name}.{ending}")
        drawings[figure.name] = Drawing(picture.inline(f"{part.paper.name}-{figure.name}"), chart(picture))
    return drawings


def _figures_of(part: PaperEvaluation, folder: Path) -> Path:
    return folder / "figures" / part.paper.name


def _draw_causes(part: PaperEvaluation) -> dict[str, str]:
    """Draw for each claim that fails how far it is from holding, with each thing changed that was tried."""
    inline: dict[str, str] = {}
    for item in part.claims:
        panels = [
            Panel(
                leaf.what,
                leaf.unit,
                [
                    Distance("as it is", slack_at(leaf.missed, leaf), leaf.holds),
                    *(Distance(effect.switch.says, effect.slack, effect.holds) for effect in effects),
                ],
            )
            for leaf, effects in effects_on(item)
            if effects
        ]
        if panels:
            inline[item.claim.id] = distances(panels).inline(f"{part.paper.name}-{item.claim.id}")
    return inline


__all__ = ["PaperView", "build"]
