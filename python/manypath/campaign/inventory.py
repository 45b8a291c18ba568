"""Contents of a store: campaigns from their notes, and results by engine."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manypath.campaign.cell import Cell, written
from manypath.campaign.damage import Damaged, check_regular, read_as, warned
from manypath.campaign.manifest import CAMPAIGNS, NAME, check_manifest
from manypath.campaign.note import NOTE, NoteFile, NotePrecision
from manypath.campaign.results import Results
from manypath.campaign.shard import SUFFIX, Foreign, ignored, left_out, read_rows, read_whole
from manypath.errors import UserError, quoted, remedy


@dataclass(frozen=True)
class Held:
    """One shard."""

    path: Path
    size: int
    """Bytes."""
    engine: str
    """Version of the engine or runner of its results."""
    rows: Sequence[tuple[str, int, int]]
    """Hash of the scenario's document, seed and replication of each run."""


@dataclass(frozen=True)
class Note:
    """The description of a campaign, written before its first run."""

    path: Path
    title: str
    """Title in its progress display; empty in notes of older versions."""
    engine: str
    """Version of the engine or runner."""
    seeds: frozenset[int]
    """Its seeds."""
    replications: int
    """The largest number of replications of a scenario in its first step; a campaign may decide on further ones."""
    counts: Mapping[str, int]
    """Number of replications of each scenario, by the hash of its document; empty in notes of older versions."""
    precision: NotePrecision | None
    """The precision that decides on the number of replications; None if there is none, or in older notes."""
    scenarios: Mapping[str, Sequence[Mapping[str, str]]]
    """Factors with their values as texts, by the hash of the scenario's document; several if they give the same."""
    order: Mapping[tuple[str, str], int]
    """Place of each scenario and its factors, as one text, in the campaign."""
    first_run_with: Mapping[str, str]
    """Versions and machine of the first run."""

    @property
    def name(self) -> str:
        """Its name in commands."""
        return self.path.stem[:SHORT]

    @property
    def wanted(self) -> int:
        """Number of its runs, equal scenarios once; the smallest number if `has_counts` is false."""
        return len(self.seeds) * sum(map(self.count, self.scenarios))

    @property
    def has_counts(self) -> bool:
        """Whether the note tells the number of runs of each scenario, which notes of older versions do not."""
        return bool(self.counts)

    def count(self, document: str) -> int:
        """Return the number of replications of a scenario that are certainly its own."""
        return self.counts.get(document, self.replications)

    def covers(self, engine: str, document: str, seed: int, replication: int) -> bool:
        """Whether a run certainly belongs to this campaign."""
        return self.may_cover(engine, document, seed, replication) and replication < self.count(document)

    def may_cover(self, engine: str, document: str, seed: int, replication: int) -> bool:
        """Whether a run may belong to this campaign: with an older note, any run of its scenarios."""
        has = engine == self.engine and document in self.scenarios and seed in self.seeds
        return has and (not self.has_counts or replication < self.count(document))


class Inventory:
    """Read-only view of a store."""

    def __init__(self, folder: str | Path) -> None:
        """Read every shard's keys and every note; damaged files are reported as `StoreWarning` and left out.

        Raises
        ------
        UserError
            If the folder is no store.
        """
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise UserError(f"store: {self.folder} is not a folder of results: give the folder that --store named")
        check_manifest(self.folder)
        self.shards = list(_shards(self.folder))
        if not self.shards and not (self.folder / NAME).exists():
            raise UserError(f"store: {self.folder} holds no results: give the folder that --store named")
        self.campaigns, self._damaged = _notes(self.folder)
        """The notes, ordered by time."""
        for path, why in self._damaged:
            warned(f"{path} {why}: not listed: {AGAIN}")

    def campaign(self, name: str) -> Note:
        """Return the campaign with a name, a unique beginning of a name, or a unique title.

        Raises
        ------
        UserError
            If there is no such campaign, or several.
        """
        found = [note for note in self.campaigns if name and note.path.stem.startswith(name)]
        found = found or [note for note in self.campaigns if name and note.title == name]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(note.name for note in found)
            raise UserError(f"campaign: {quoted(name)} is ambiguous: give one of {names}")
        if not self.campaigns:
            lacks = "no undamaged notes" if self._damaged else "no notes"
            raise UserError(f"campaign: {quoted(name)} is not in {self.folder}, which has {lacks} of campaigns")
        known = [known for note in self.campaigns for known in (note.name, note.title) if known]
        raise UserError(
            f"campaign: {quoted(name)} is no campaign of {self.folder}: {remedy(name, list(dict.fromkeys(known)))}"
        )

    def done(self, note: Note) -> dict[str, int]:
        """Return the number of stored runs of a campaign by scenario."""
        found: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for shard in self.shards:
            for document, seed, replication in shard.rows:
                if note.covers(shard.engine, document, seed, replication):
                    found[document].add((seed, replication))
        return {document: len(found[document]) for document in note.scenarios}

    def size(self, note: Note) -> int:
        """Return the size of a campaign's results in bytes, with all that may be its own."""
        return round(sum(shard.size * share for shard in self.shards if (share := _share(shard, note))))

    def doubtful(self, note: Note) -> int:
        """Return the number of stored runs that may or may not belong to a campaign with an older note."""
        rows = {(shard.engine, *row) for shard in self.shards for row in shard.rows}
        return sum(note.may_cover(*row) and not note.covers(*row) for row in rows)

    def results(self, note: Note) -> Results:
        """Return all stored runs of a campaign, in the order of its scenarios; values of factors are texts.

        With an older note, they are all runs that may be its own.

        Raises
        ------
        UserError
            If there are none.
        """
        found: dict[tuple[int, int, int], tuple[Cell, str]] = {}
        for shard in list(self.shards):
            if not _share(shard, note):
                continue
            for row in self._rows(shard):
                document = digest(row["document"])
                if note.may_cover(row["engine"], document, row["seed"], row["replication"]):
                    for factors in note.scenarios[document]:
                        cell = Cell(factors, row["document"], row["seed"], row["replication"])
                        found[cell.replication, note.order[document, written(factors)], cell.seed] = (
                            cell,
                            row["outcome"],
                        )
        if not found:
            raise UserError(f"campaign: {note.name} has no results in {self.folder}: run it first")
        return Results([found[key] for key in sorted(found)])

    def _rows(self, shard: Held) -> list[dict[str, Any]]:
        """Return the rows of a shard; a damaged one is reported, and does not count as held."""
        try:
            return read_whole(shard.path).to_pylist()
        except FileNotFoundError:
            pass
        except Damaged as error:
            warned(left_out(shard.path, error))
        self.shards.remove(shard)
        return []


def _notes(folder: Path) -> tuple[list[Note], list[tuple[Path, str]]]:
    """Return the notes of campaigns in a store, ordered by time, and the damaged ones with what is wrong with them."""
    notes: list[tuple[float, Note]] = []
    within = folder / CAMPAIGNS
    damaged = [(within, "is no folder")] if within.exists() and not within.is_dir() else []
    for path in sorted(within.glob("*.json")):
        try:
            notes.append((check_regular(path).st_mtime, _note(path, read_as(NOTE, path))))
        except FileNotFoundError:
            # Another process removed it.
            continue
        except Damaged as error:
            damaged.append((path, str(error)))
    return [note for _, note in sorted(notes, key=lambda pair: (pair[0], pair[1].path))], damaged


def digest(document: str) -> str:
    """Return the hash by which notes identify a scenario."""
    return hashlib.sha256(document.encode()).hexdigest()


def _note(path: Path, content: NoteFile) -> Note:
    scenarios: dict[str, list[Mapping[str, str]]] = {}
    counts: dict[str, int] = {}
    for one in content.scenarios:
        scenarios.setdefault(one.document_sha256, []).append(one.factors)
        if one.replications is not None:
            counts[one.document_sha256] = max(one.replications, counts.get(one.document_sha256, 0))
    return Note(
        path,
        content.title,
        content.engine,
        frozenset(content.seeds),
        content.replications,
        counts,
        content.precision,
        scenarios,
        {(one.document_sha256, written(one.factors)): n for n, one in enumerate(content.scenarios)},
        content.first_run_with,
    )


def _shards(folder: Path) -> Iterator[Held]:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            size, table = path.stat().st_size if path.exists() else 0, read_rows(path)
        except FileNotFoundError:  # another process removed it
            continue
        except Foreign as error:
            warned(ignored(path, error))
            continue
        except Damaged as error:
            warned(left_out(path, error))
            continue
        engines = list(dict.fromkeys(table["engine"]))
        known = {document: digest(document) for document in dict.fromkeys(table["document"])}
        columns = (table[name] for name in ("document", "seed", "replication"))
        rows = [(known[document], seed, number) for document, seed, number in zip(*columns, strict=True)]
        yield Held(path, size, engines[0] if len(engines) == 1 else "", rows)


def _share(shard: Held, note: Note) -> float:
    """Return the share of a shard's runs that belong to a campaign."""
    its = sum(note.may_cover(shard.engine, *row) for row in shard.rows)
    return its / len(shard.rows) if shard.rows else 0.0


AGAIN = "remove it; the results are kept, and the command of the campaign writes its note again"
"""The remedy for a damaged note."""

SHORT = 12
"""Length of a campaign's name in commands, characters."""
