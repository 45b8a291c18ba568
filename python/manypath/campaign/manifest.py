"""What a store says of itself, in JSON for people and other programs: its format, and what its campaigns consist of."""

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

from manypath.campaign.shard import write_whole
from manypath.errors import UserError


def check_manifest(folder: Path) -> None:
    """Refuse a folder that another program, or a newer format of ours, keeps its things in."""
    try:
        said = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise UserError(
            f"store: {folder / NAME} cannot be read ({error}): remove that file, the results beside it stay"
        ) from None
    kind, version = (said.get("format"), said.get("version")) if isinstance(said, dict) else (None, None)
    if kind != FORMAT["format"]:
        raise UserError(f"store: {folder} belongs to another program, as its {NAME} says: choose another folder")
    if version != FORMAT["version"]:
        raise UserError(
            f"store: {folder} has format {version} and this manypath knows {FORMAT['version']}: "
            "choose another folder, or the manypath that wrote this one"
        )


def write_manifest(folder: Path) -> None:
    """Say which format the store has, unless it is said already."""
    if not (folder / NAME).exists():
        _write(folder / NAME, FORMAT)


def note_campaign(folder: Path, campaign: Mapping[str, Any], title: str = "") -> Path:
    """Note what a campaign consists of; equal campaigns share a note, under the title of the first one.

    The time of the note is that of the campaign's last beginning: `manypath store prune` leaves what is new.
    """
    identity = hashlib.sha256(json.dumps(campaign, sort_keys=True).encode()).hexdigest()[:32]
    note = folder / CAMPAIGNS / f"{identity}.json"
    if not note.exists():
        note.parent.mkdir(exist_ok=True)
        versions = {
            "manypath": metadata.version("manypath"),
            "python": platform.python_version(),
            "platform": sys.platform,
            "machine": platform.machine(),
        }
        _write(note, {"title": title, **campaign, "first_run_with": versions})
    else:
        # In a shared folder it may be another user's.
        with suppress(OSError):
            note.touch()
    return note


def _write(target: Path, said: Mapping[str, Any]) -> None:
    text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    write_whole(target, lambda file: file.write(text.encode()))


NAME = "manifest.json"
"""The file in which a store says what it is."""

CAMPAIGNS = "campaigns"
"""The folder of notes about campaigns."""

FORMAT = {
    "format": "manypath results",
    "version": 1,
    "about": "Each *.parquet file is a shard: one row for each run, its outcome as JSON. Shards never change. "
    "campaigns/*.json say which runs belong together.",
}
"""What is said there."""
