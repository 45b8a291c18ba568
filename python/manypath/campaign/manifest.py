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
from typing import Any, cast

from manypath.campaign.damage import Damaged, read_as, read_json
from manypath.campaign.description import Description
from manypath.campaign.note import NOTE, NoteFile
from manypath.errors import UserError, quoted
from manypath.replacement import replacement


def check_manifest(folder: Path) -> None:
    """Refuse a folder of another program, or with another version of the format."""
    try:
        content = read_json(folder / NAME)
    except FileNotFoundError:
        return
    except Damaged as error:
        raise UserError(f"store: {folder / NAME} {error}: remove that file; the results are kept") from None
    head = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
    kind, version = head.get("format"), head.get("version")
    if kind != FORMAT["format"]:
        raise UserError(f"store: {folder} belongs to another program according to its {NAME}: choose another folder")
    if isinstance(version, bool) or version != FORMAT["version"]:
        raise UserError(
            f"store: {folder} has format {quoted(version)}, but this manypath reads format {FORMAT['version']}: "
            "choose another folder, or use the manypath that wrote this one"
        )


def write_manifest(folder: Path) -> None:
    """Write the format of the store, if it is not written yet."""
    if not (folder / NAME).exists():
        _write(folder / NAME, FORMAT)


def note_campaign(folder: Path, campaign: Description, title: str = "") -> Path:
    """Write the note of a campaign; equal campaigns share a note, with the title of the first one.

    The file time of the note is the last start of the campaign, because `manypath store prune` keeps new files.
    """
    identity = hashlib.sha256(json.dumps(campaign.identity, sort_keys=True).encode()).hexdigest()[:32]
    note = folder / CAMPAIGNS / f"{identity}.json"
    before, has = _found(note)
    first = {"title": before.title, "first_run_with": before.first_run_with} if before else _first_run(title)
    content = {"title": first["title"], **campaign.content(before), "first_run_with": first["first_run_with"]}
    if has != content:
        note.parent.mkdir(exist_ok=True)
        _write(note, content)
    else:
        # In a shared folder, another user may own the file.
        with suppress(OSError):
            note.touch()
    return note


def _first_run(title: str) -> dict[str, Any]:
    """Return what a note keeps from the first run."""
    versions = {
        "manypath": metadata.version("manypath"),
        "python": platform.python_version(),
        "platform": sys.platform,
        "machine": platform.machine(),
    }
    return {"title": title, "first_run_with": versions}


def _found(note: Path) -> tuple[NoteFile | None, object]:
    """Return a note and its content as JSON; None for both if it is missing or damaged."""
    try:
        return read_as(NOTE, note), read_json(note)
    except (FileNotFoundError, Damaged):
        return None, None


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
