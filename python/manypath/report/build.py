"""Writes the report: pages that work without a network, and the figures as files."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.arguments import file
from manypath.errors import Stopped
from manypath.papers.paper import Figure, Paper
from manypath.papers.stages import needs
from manypath.replacement import replacing
from manypath.report import changed
from manypath.report.anchors import PAGE as ANCHORS_PAGE
from manypath.report.cards import Card, card_of, cards_in
from manypath.report.charts import LIBRARY, available, chart, library
from manypath.report.current import drawn, fingerprint, is_current
from manypath.report.environment import environment
from manypath.report.measured_pages import pages_in
from manypath.report.targets import check, index_of, replace_page
from manypath.report.views import Drawing, PaperView, illustrated, view_of

if TYPE_CHECKING:
    from manypath.papers.evidence import Evidence
    from manypath.papers.paper_evaluation import PaperEvaluation


def build(parts: Sequence[PaperEvaluation], target: str | Path) -> Path:
    """Write the report and return its first page, which lists every page in the folder.

    A page is only rewritten if its runs, its texts or the package changed. If plotly is installed, the figures have
    interactive charts, and the folder contains plotly's library.

    Parameters
    ----------
    parts
        The evaluations of the papers.
    target
        The folder, or the path of the first page, ending with ``.html``.

    Raises
    ------
    UserError
        If the report would replace a file that this package did not write.
    """
    report = Report(Path(file("report", target)), [part.paper for part in parts])
    for part in parts:
        report.add(part)
    return report.list_pages()


def growing(target: str | Path, papers: Sequence[Paper]) -> Growing:
    """Return a function that adds the evaluation of a paper, finished or not, to a report.

    Its first call prints the path of the report. The report lists the full results of the package
    before the first run.

    Raises
    ------
    UserError
        If the report would replace a file that this package did not write.
    """
    report = Report(Path(file("report", target)), papers)
    report.begin()
    return Growing(report)


class Growing:
    """Adds evaluations to a report, until it is stopped."""

    def __init__(self, report: Report) -> None:
        """Add to a report."""
        self._report = report
        self._told = False

    def __call__(self, part: PaperEvaluation) -> None:
        """Add the evaluation of a paper, finished or not."""
        page = self._report.add(part)
        if not self._told:
            self._told = True
            sys.stderr.write(f"report: {page} shows the first figures; reload it for further ones\n")

    def stop(self) -> None:
        """End the current call, which may be in another thread, before its next figure."""
        self._report.stop()


class Report:
    """A report to which papers are added while they are run. Pages are replaced atomically."""

    def __init__(self, target: Path, papers: Sequence[Paper]) -> None:
        """Check every file that will be written, without writing it."""
        check(target, papers)
        self._index = index_of(target)
        self._folder = self._index.parent
        self._drawn: dict[tuple[str, str], tuple[list[str], Drawing]] = {}
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Make a call of `add` in another thread end before its next figure."""
        self._stopped.set()

    def begin(self) -> None:
        """Write the first page before the first run, if there are full results that it can list."""
        if any(not card["file"] for card in cards_in(self._folder)):
            self.list_pages()

    def add(self, part: PaperEvaluation) -> Path:
        """Write the page of a paper, finished or not, and the first page; return the first page."""
        self._put_library()
        template = environment().get_template("paper.html.j2")
        page = view_of(part)
        # The duration of the call does not count as a change of the page.
        undated = replace(page, took="")
        words = partial(template.render, index=self._index.name, interactive=available())
        stamp = fingerprint(part, words(page=undated, card=card_of(undated)))
        if not is_current(self._folder / page.file, self._figures_of(part), part, stamp):
            full = illustrated(page, self._draw(part))
            replace_page(self._folder / page.file, words(page=full, card=card_of(page), fingerprint=stamp))
        return self.list_pages()

    def list_pages(self) -> Path:
        """Write the first page, which lists every page in the folder, and return it."""
        template = environment().get_template("index.html.j2")
        while True:
            there = self._pages()
            cards, anchors, measured, changes = there
            words = {"cards": cards, "anchors": anchors, "measured": measured, "changes": changes}
            replace_page(self._index, template.render(**words))
            # Another process may have written a page and the first page in the meantime.
            if there == self._pages():
                return self._index

    def _pages(self) -> tuple[list[Card], str | None, list[tuple[str, str]], list[tuple[str, str]]]:
        """Return the cards of the pages in the folder, and the pages of anchors, of measured grids and of changes."""
        anchors = ANCHORS_PAGE if (self._folder / ANCHORS_PAGE).is_file() else None
        return cards_in(self._folder), anchors, pages_in(self._folder), changed.pages_in(self._folder)

    def _put_library(self) -> None:
        """Write plotly's library into the folder, if plotly is installed and the file is not up to date."""
        if available():
            target, text = self._folder / LIBRARY, library()
            if not target.is_file() or target.stat().st_size != len(text.encode()):
                replace_page(target, text)

    def _draw(self, part: PaperEvaluation) -> Mapping[str, Drawing]:
        """Draw the figures whose runs are complete, save them in every format, and return the drawings by name."""
        drawings: dict[str, Drawing] = {}
        for figure in drawn(part):
            if self._stopped.is_set():
                raise Stopped("stopped: finished results are kept")
            key = part.paper.name, figure.name
            # Only the experiments of the figure, so that a drawing does not depend on the other runs so far.
            evidence = part.evidence.of(needs(part.paper, figure))
            runs = [*evidence.digests()]
            if key not in self._drawn or self._drawn[key][0] != runs:
                self._drawn[key] = runs, self._drawing(part, figure, evidence)
            drawings[figure.name] = self._drawn[key][1]
        return drawings

    def _drawing(self, part: PaperEvaluation, figure: Figure, evidence: Evidence) -> Drawing:
        picture = figure.draw(evidence)
        title = f"Figure {figure.number}. {figure.caption}"
        drawn = picture.rendered(title)
        for ending, content in drawn.files.items():
            target = self._figures_of(part) / f"{figure.name}.{ending}"
            with replacing("report", target, makes_folder=True) as begun:
                begun.write_bytes(content)
        return Drawing(drawn.inline(f"{part.paper.name}-{figure.name}"), chart(picture))

    def _figures_of(self, part: PaperEvaluation) -> Path:
        return self._folder / "figures" / part.paper.name


__all__ = ["PaperView", "Report", "build", "growing"]
