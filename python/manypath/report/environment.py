"""The templates of the report, with their common variables."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from manypath.papers.verdict import VERDICTS


@cache
def environment() -> Environment:
    """Return the templates. Everything is escaped except the package's style sheet, scripts and drawings.

    They are compiled once, because a report that grows writes its pages many times.
    """
    templates = Environment(
        loader=PackageLoader("manypath.report"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files("manypath.report").joinpath("templates")
    for name, file in (("style", "style.css"), ("charts_script", "charts.js"), ("page_script", "page.js")):
        templates.globals[name] = Markup(folder.joinpath(file).read_text("utf-8"))  # noqa: S704 - of this package
    templates.globals["verdicts"] = VERDICTS
    templates.globals["all_verdicts"] = ("holds", "stands", "contradicted", "falls", "depends", "undecided", "open")
    return templates
