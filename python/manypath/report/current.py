"""Whether a page is up to date. Drawing is skipped then, because it takes most of the time of a report."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.figures.picture import FORMATS
from manypath.papers.paper import Figure

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation

SOURCES = Path(__file__).parents[1]
"""Folder of the package. Any change in it may change a drawing."""


def fingerprint(part: PaperEvaluation, words: str) -> str:
    """Return a hash of all inputs of a page: its texts, the runs of its drawings, and the sources of the package."""
    digest = hashlib.sha256(words.encode())
    for run in part.evidence.digests():
        digest.update(run.encode())
    for source in sorted(SOURCES.rglob("*")):
        if source.suffix in {".py", ".j2", ".css", ".js"}:
            digest.update(source.read_bytes())
    return digest.hexdigest()[:32]


def is_current(page: Path, figures: Path, part: PaperEvaluation, stamp: str) -> bool:
    """Return whether a page with this fingerprint and the files of all its figures exist."""
    files = (figures / f"{figure.name}.{ending}" for figure in drawn(part) for ending in FORMATS)
    if not page.is_file() or not all(file.is_file() for file in files):
        return False
    with page.open(encoding="utf-8") as text:
        return stamp in text.read(HEAD)


def drawn(part: PaperEvaluation) -> list[Figure]:
    """Return the figures whose runs are complete."""
    missing = part.unfinished or ()
    chosen = [figure for figure in part.paper.figures if part.figure in (None, str(figure.number))]
    return [figure for figure in chosen if figure not in missing]


HEAD = 1000
"""Number of characters at the start of a page that contain its fingerprint."""
