"""Names that a shell completes: ``manypath --install-completion`` teaches it to."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from manypath import _native
from manypath.papers import NAMES, STUDIES


def paper_names(incomplete: str) -> list[str]:
    """Papers and studies whose names begin so."""
    return [name for name in (*NAMES, *STUDIES) if name.startswith(incomplete)]


def congestion_controls(incomplete: str) -> list[str]:
    """Congestion controls whose names begin so."""
    return [name for name, _ in _native.algorithms() if name.startswith(incomplete)]


def campaigns(context: typer.Context, incomplete: str) -> list[str]:
    """Names and titles of the campaigns in the store that the line names, or in the usual one."""
    folder = Path(context.params.get("folder") or "runs")
    notes = sorted((folder / "campaigns").glob("*.json"))[:MOST]
    names = [note.stem[:12] for note in notes]
    for note in notes:
        try:
            names.append(str(json.loads(note.read_bytes()).get("title", "")))
        except (OSError, ValueError, AttributeError):
            continue
    return [name for name in dict.fromkeys(names) if name and name.startswith(incomplete)]


MOST = 200
"""So many notes are read while the user waits."""
