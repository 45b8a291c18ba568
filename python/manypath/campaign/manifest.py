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
from manypath.campaign.note import NOTE
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
        read_as(NOTE, note)
        content = read_json(note)
    except (FileNotFoundError, Damaged):
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
