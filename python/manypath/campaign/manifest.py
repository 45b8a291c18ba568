"""Description of a store in JSON, for people and other programs: its format and its campaigns."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from manypath.errors import UserError
from manypath.replacement import replacement


def check_manifest(folder: Path) -> None:
    """Refuse a folder of another program, or with another version of the format."""
    try:
        content = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no JSON"
        raise UserError(
            f"store: {folder / NAME} cannot be read ({why}): remove that file; the results are kept"
        ) from None
    kind, version = (content.get("format"), content.get("version")) if isinstance(content, dict) else (None, None)
    if kind != FORMAT["format"]:
        raise UserError(f"store: {folder} belongs to another program according to its {NAME}: choose another folder")
    if version != FORMAT["version"]:
        raise UserError(
            f"store: {folder} has format {version}, but this manypath reads format {FORMAT['version']}: "
            "choose another folder, or use the manypath that wrote this one"
        )


def write_manifest(folder: Path) -> None:
    """Write the format of the store, if it is not written yet."""
    if not (folder / NAME).exists():
        _write(folder / NAME, FORMAT)


def note_campaign(folder: Path, campaign: Mapping[str, Any], title: str = "") -> Path:
    """Write the note of a campaign; equal campaigns share a note, with the title of the first one.

    The file time of the note is the last start of the campaign, because `manypath store prune` keeps new files.
    """
    identity = hashlib.sha256(json.dumps(campaign, sort_keys=True).encode()).hexdigest()[:32]
    note = folder / CAMPAIGNS / f"{identity}.json"
    if not _is_of(note, campaign):
        note.parent.mkdir(exist_ok=True)
        versions = {
            "manypath": metadata.version("manypath"),
            "python": platform.python_version(),
            "platform": sys.platform,
            "machine": platform.machine(),
        }
        _write(note, {"title": title, **campaign, "first_run_with": versions})
    else:
        # In a shared folder, another user may own the file.
        with suppress(OSError):
            note.touch()
    return note


def _is_of(note: Path, campaign: Mapping[str, Any]) -> bool:
    """Whether a file is the note of a campaign; false if it is missing or damaged."""
    try:
        content = json.loads(note.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.items() >= json.loads(json.dumps(campaign)).items()


def _write(target: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    with replacement(target, is_lasting=True) as begun:
        begun.write_text(text, encoding="utf-8")


NAME = "manifest.json"
"""File with the format of a store."""

CAMPAIGNS = "campaigns"
"""Folder of notes about campaigns."""

FORMAT = {
    "format": "manypath results",
    "version": 1,
    "about": "Each *.parquet file is a shard: one row for each run, its outcome as JSON. Shards never change. "
    "campaigns/*.json list the runs of each campaign.",
}
"""Content of the file."""
