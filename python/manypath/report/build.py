"""Writes the report: pages that need no network, and the figures as files for papers and slides."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from manypath.figures import Distance, Panel, distances
from manypath.figures.picture import FORMATS
from manypath.papers.causes import effects_on, slack_at
from manypath.report.views import PaperView, view_of

if TYPE_CHECKING:
    from manypath.papers.evaluation import Evaluation, PaperEvaluation


def build(evaluation: Evaluation, target: Path) -> Path:
    """Write the report and return its first page.

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
    pages = [view_of(part, _draw(part, folder), _draw_causes(part)) for part in evaluation.papers]
    templates = _environment()
    for page in pages:
        text = templates.get_template("paper.html.j2").render(page=page, index=index.name)
        (folder / page.file).write_text(text, encoding="utf-8")
    index.write_text(templates.get_template("index.html.j2").render(pages=pages), encoding="utf-8")
    return index


def _draw(part: PaperEvaluation, folder: Path) -> dict[str, str]:
    """Draw the figures that were run, save each in every format, and return them for inlining by name."""
    inline: dict[str, str] = {}
    for figure in part.paper.figures:
        if part.figure in (None, str(figure.number)):
            picture = figure.draw(part.evidence)
            for ending in FORMATS:
                picture.save(folder / "figures" / part.paper.name / f"{figure.name}.{ending}")
            inline[figure.name] = picture.inline(f"{part.paper.name}-{figure.name}")
    return inline


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


def _environment() -> Environment:
    """Return the templates; everything is escaped but our own style sheet and drawings."""
    templates = Environment(
        loader=PackageLoader("manypath.report"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = files("manypath.report").joinpath("templates/style.css").read_text("utf-8")
    templates.globals["style"] = Markup(style)  # noqa: S704 - a file of this package
    return templates


__all__ = ["PaperView", "build"]
