"""What a store holds: its campaigns, by the notes that they left, and its results, by what computed them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manypath.campaign.cell import Cell
from manypath.campaign.manifest import CAMPAIGNS, NAME, check_manifest
from manypath.campaign.results import Results
from manypath.campaign.shard import SUFFIX, Broken, read_rows
from manypath.errors import UserError, remedy


@dataclass(frozen=True)
class Held:
    """One shard."""

    path: Path
    size: int
    """Bytes."""
    engine: str
    """Version of what computed it."""
    rows: Sequence[tuple[str, int, int]]
    """Hash of the scenario's document, seed and replication of each run."""


@dataclass(frozen=True)
class Note:
    """One campaign, as it was described when its first run began."""

    path: Path
    title: str
    """What its progress display called it; empty in notes of older versions."""
    engine: str
    """Version of what computed it."""
    seeds: frozenset[int]
    """Its seeds."""
    replications: int
    """Repetitions of each scenario; with a precision those before the first decision."""
    scenarios: Mapping[str, Mapping[str, str]]
    """Factors with their values as texts, by the hash of the scenario's document."""
    first_run_with: Mapping[str, str]
    """Versions and machine of the first run."""

    @property
    def name(self) -> str:
        """What commands call it."""
        return self.path.stem[:SHORT]

    @property
    def wanted(self) -> int:
        """How many runs it has at least."""
        return len(self.scenarios) * len(self.seeds) * self.replications

    def covers(self, engine: str, document: str, seed: int) -> bool:
        """Whether runs of a scenario are this campaign's."""
        return engine == self.engine and document in self.scenarios and seed in self.seeds


class Inventory:
    """A look at a store, which changes nothing."""

    def __init__(self, folder: str | Path) -> None:
        """Read every shard's keys and every note; what is not ours or broken is passed over.

        Raises
        ------
        UserError
            If the folder is no store.
        """
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise UserError(f"store: {self.folder} is no folder of results: give the folder that --store named")
        check_manifest(self.folder)
        self.shards = list(_shards(self.folder))
        if not self.shards and not (self.folder / NAME).exists():
            raise UserError(f"store: {self.folder} holds no results: give the folder that --store named")
        self.campaigns = note_list(self.folder)

    def campaign(self, name: str) -> Note:
        """The campaign of a name, its beginning, or a title that only one has.

        Raises
        ------
        UserError
            If there is none, or there are several.
        """
        found = [note for note in self.campaigns if name and note.path.stem.startswith(name)]
        found = found or [note for note in self.campaigns if name and note.title == name]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(note.name for note in found)
            raise UserError(f'campaign: "{name}" may be several: give one of {names}')
        if not self.campaigns:
            raise UserError(f'campaign: "{name}" is not in {self.folder}, which has notes of none')
        known = [known for note in self.campaigns for known in (note.name, note.title) if known]
        raise UserError(
            f'campaign: "{name}" is no campaign of {self.folder}: {remedy(name, list(dict.fromkeys(known)))}'
        )

    def done(self, note: Note) -> dict[str, int]:
        """How many of the runs that a campaign wants there are, by scenario."""
        found: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for shard in self.shards:
            for document, seed, replication in shard.rows:
                if replication < note.replications and note.covers(shard.engine, document, seed):
                    found[document].add((seed, replication))
        return {document: len(found[document]) for document in note.scenarios}

    def size(self, note: Note) -> int:
        """Bytes that the results of a campaign take, those of more replications included."""
        return round(sum(shard.size * share for shard in self.shards if (share := _share(shard, note))))

    def results(self, note: Note) -> Results:
        """All runs of a campaign that are there, in the order of its scenarios; values of factors are texts.

        Raises
        ------
        UserError
            If there are none.
        """
        found: dict[tuple[int, str, int], tuple[Cell, str]] = {}
        for shard in self.shards:
            if not _share(shard, note):
                continue
            for row in read_rows(shard.path, with_outcomes=True).to_pylist():
                document = digest(row["document"])
                if note.covers(row["engine"], document, row["seed"]):
                    factors = note.scenarios[document]
                    cell = Cell(factors, row["document"], row["seed"], row["replication"])
                    found[cell.replication, document, cell.seed] = cell, row["outcome"]
        if not found:
            raise UserError(f"campaign: {note.name} has no results in {self.folder}: run it first")
        order = {document: number for number, document in enumerate(note.scenarios)}
        keys = sorted(found, key=lambda key: (key[0], order[key[1]], key[2]))
        return Results([found[key] for key in keys])


def note_list(folder: Path) -> list[Note]:
    """The notes of campaigns in a store, by time; those that cannot be read are passed over."""
    notes: list[tuple[float, Note]] = []
    for path in (folder / CAMPAIGNS).glob("*.json"):
        try:
            notes.append((path.stat().st_mtime, _note(path, json.loads(path.read_bytes()))))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return [note for _, note in sorted(notes, key=lambda pair: (pair[0], pair[1].path))]


def digest(document: str) -> str:
    """What notes call a scenario."""
    return hashlib.sha256(document.encode()).hexdigest()


def _note(path: Path, said: Mapping[str, Any]) -> Note:
    return Note(
        path,
        str(said.get("title", "")),
        said["engine"],
        frozenset(said["seeds"]),
        int(said["replications"]),
        {one["document_sha256"]: dict(one["factors"]) for one in said["scenarios"]},
        dict(said["first_run_with"]),
    )


def _shards(folder: Path) -> Iterator[Held]:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            size, table = path.stat().st_size, read_rows(path)
        except (Broken, OSError):  # another program's file, a broken one, or one that is gone
            continue
        engines = table["engine"].unique().to_pylist()
        columns = [table[name].to_pylist() for name in ("document", "seed", "replication")]
        known = {document: digest(document) for document in set(columns[0])}
        rows = [(known[document], seed, number) for document, seed, number in zip(*columns, strict=True)]
        yield Held(path, size, engines[0] if len(engines) == 1 else "", rows)


def _share(shard: Held, note: Note) -> float:
    """The share of a shard's runs that are a campaign's."""
    its = sum(note.covers(shard.engine, document, seed) for document, seed, _ in shard.rows)
    return its / len(shard.rows) if shard.rows else 0.0


SHORT = 12
"""Characters of a campaign's name."""
