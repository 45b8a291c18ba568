"""Removing results from a store: by the version that computed them, or by campaign.

Only shards of ours are touched, and a run that another campaign wants as well stays. A shard that keeps some of its
runs is written again without the others before the old one goes, so that a process that dies meanwhile loses nothing.
While a process computes in the store, what was written since it joined stays, shards and notes alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from manypath.campaign.claims import computing_since
from manypath.campaign.inventory import Held, Inventory, Note
from manypath.campaign.shard import name_of, read_rows, write_shard
from manypath.errors import UserError

Doomed = Callable[[str, str, int, int], bool]
"""Whether a run goes, by its engine, document, seed and replication."""


@dataclass(frozen=True)
class Pruning:
    """What would be removed."""

    folder: Path
    shards: Sequence[tuple[Held, Sequence[bool]]]
    """Shards, and for each of their runs whether it goes."""
    notes: Sequence[Note]
    """Campaigns that go."""
    left: int
    """Shards and notes that were written since a process joined which computes in the store, and which stay."""

    @property
    def runs(self) -> int:
        """How many results go."""
        return sum(sum(goes) for _, goes in self.shards)

    @property
    def size(self) -> int:
        """About how many bytes become free."""
        return round(sum(shard.size * sum(goes) / len(goes) for shard, goes in self.shards))

    def do(self) -> int:
        """Remove it, and return how much of it stays after all, because a process has joined meanwhile and wrote it.

        Raises
        ------
        UserError
            If the store cannot be written; what was removed before stays removed.
        """
        stays = _what_stays(self.folder)
        shards = [pair for pair in self.shards if not stays(pair[0].path)]
        notes = [note for note in self.notes if not stays(note.path)]
        try:
            for shard, goes in shards:
                if not all(goes):
                    rest = read_rows(shard.path, with_outcomes=True).filter(pa.array([not gone for gone in goes]))
                    write_shard(rest, self.folder / name_of(rest))
                shard.path.unlink(missing_ok=True)
            for note in notes:
                note.path.unlink(missing_ok=True)
        except OSError as error:
            raise UserError(f"store: {self.folder} cannot be written ({error.strerror or error})") from None
        return len(self.shards) - len(shards) + len(self.notes) - len(notes)


def of_engines(inventory: Inventory, goes: Callable[[str], bool]) -> Pruning:
    """All results of some engines, and the campaigns that ran on them."""
    notes = [note for note in inventory.campaigns if goes(note.engine)]
    return _pruning(inventory, lambda engine, *_: goes(engine), notes)


def of_campaign(inventory: Inventory, note: Note) -> Pruning:
    """The results of a campaign, except those that another one wants, too."""
    others = [other for other in inventory.campaigns if other != note]

    def goes(engine: str, document: str, seed: int, replication: int) -> bool:
        return note.covers(engine, document, seed) and not any(
            replication < other.replications and other.covers(engine, document, seed) for other in others
        )

    return _pruning(inventory, goes, [note])


def _pruning(inventory: Inventory, doomed: Doomed, notes: Sequence[Note]) -> Pruning:
    stays = _what_stays(inventory.folder)
    going = [note for note in notes if not stays(note.path)]
    found, left = list[tuple[Held, Sequence[bool]]](), len(notes) - len(going)
    for shard in inventory.shards:
        goes = [doomed(shard.engine, *row) for row in shard.rows]
        if any(goes) and stays(shard.path):
            left += 1
        elif any(goes):
            found.append((shard, goes))
    return Pruning(inventory.folder, found, going, left)


def _what_stays(folder: Path) -> Callable[[Path], bool]:
    """Whether a file was written since the first process joined that computes in the store now."""
    since = computing_since(folder)
    return lambda path: since is not None and _written(path) >= since - BEFORE_SECONDS


def _written(path: Path) -> float:
    """When a file was written, in seconds; 0 if it is gone."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


BEFORE_SECONDS = 60.0
"""How long before it joins a process may have written its note, or read results that it has not asked for again."""
