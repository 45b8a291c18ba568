"""Removal of results from a store: by version of the engine, or by campaign.

Only manypath's shards are changed. Removal by campaign keeps the runs that another campaign uses. A shard that keeps
some of its runs is first written again without the others, and then removed, so that no run is lost if the process is
killed. While a process computes in the store, shards and notes that were written since it joined are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from manypath.campaign.claims import computing_since
from manypath.campaign.damage import Damaged
from manypath.campaign.inventory import Held, Inventory, Note
from manypath.campaign.shard import name_of, read_whole, write_shard
from manypath.errors import UserError, reason_of
from manypath.outputs import check_writable

Doomed = Callable[[str, str, int, int], bool]
"""Whether to remove a run, by its engine, document, seed and replication."""


@dataclass(frozen=True)
class Pruning:
    """A plan of a removal."""

    folder: Path
    shards: Sequence[tuple[Held, Sequence[bool]]]
    """Shards, and for each of their runs whether to remove it."""
    notes: Sequence[Note]
    """Campaigns whose notes are removed."""
    left: int
    """Number of shards and notes that are kept because they were written after a computing process joined."""
    is_known: bool
    """Whether it is known which processes compute in the store; if not, every file is kept."""
    doubtful: int = 0
    """Number of runs that are kept because an older note does not tell whether they belong to the campaign."""

    @property
    def runs(self) -> int:
        """Number of removed results."""
        return sum(sum(goes) for _, goes in self.shards)

    @property
    def size(self) -> int:
        """Approximate number of freed bytes."""
        return round(sum(shard.size * sum(goes) / len(goes) for shard, goes in self.shards))

    def do(self) -> int:
        """Remove the results; return the number of files that are kept, because a process that joined later wrote them.

        Raises
        ------
        UserError
            If the store cannot be written; removals before a later error of the system are not undone.
        """
        self.check()
        stays = _what_stays(self.folder)
        shards = [pair for pair in self.shards if not stays(pair[0].path)]
        notes = [note for note in self.notes if not stays(note.path)]
        try:
            for shard, goes in shards:
                if not all(goes):
                    rest = _whole(shard.path).filter(pa.array([not gone for gone in goes]))
                    write_shard(rest, self.folder / name_of(rest))
                shard.path.unlink(missing_ok=True)
            for note in notes:
                note.path.unlink(missing_ok=True)
        except OSError as error:
            raise _refusal(self.folder, error) from None
        return len(self.shards) - len(shards) + len(self.notes) - len(notes)

    def check(self) -> None:
        """Refuse a store whose files this process cannot remove.

        Raises
        ------
        UserError
            If it is such a store; nothing is removed.
        """
        for folder in dict.fromkeys([self.folder, *(note.path.parent for note in self.notes)]):
            try:
                check_writable(folder)
            except OSError as error:
                raise _refusal(folder, error) from None


def _refusal(folder: Path, error: OSError) -> UserError:
    return UserError(
        f"store: {folder} cannot be written ({reason_of(error)}): give a folder whose files you may remove"
    )


def _whole(shard: Path) -> pa.Table:
    """Read a shard with its outcomes."""
    try:
        return read_whole(shard)
    except Damaged as error:
        raise UserError(f"store: {shard} {error}: remove it first, its results cannot be used") from None


def of_engines(inventory: Inventory, goes: Callable[[str], bool]) -> Pruning:
    """Return the removal of all results of some engines, with their campaigns."""
    notes = [note for note in inventory.campaigns if goes(note.engine)]
    return _pruning(inventory, lambda engine, *_: goes(engine), notes)


def of_campaign(inventory: Inventory, note: Note) -> Pruning:
    """Return the removal of a campaign's results, except those that another campaign may use."""
    others = [other for other in inventory.campaigns if other != note]

    def goes(*run: Any) -> bool:
        return note.covers(*run) and not any(other.may_cover(*run) for other in others)

    return replace(_pruning(inventory, goes, [note]), doubtful=inventory.doubtful(note))


def _pruning(inventory: Inventory, doomed: Doomed, notes: Sequence[Note]) -> Pruning:
    since = computing_since(inventory.folder)
    stays = _stays_since(since)
    going = [note for note in notes if not stays(note.path)]
    found, left = list[tuple[Held, Sequence[bool]]](), len(notes) - len(going)
    for shard in inventory.shards:
        goes = [doomed(shard.engine, *row) for row in shard.rows]
        if any(goes) and stays(shard.path):
            left += 1
        elif any(goes):
            found.append((shard, goes))
    return Pruning(inventory.folder, found, going, left, is_known=since != 0)


def _what_stays(folder: Path) -> Callable[[Path], bool]:
    """Return whether a file was written since the first of the processes that compute in the store joined."""
    return _stays_since(computing_since(folder))


def _stays_since(since: float | None) -> Callable[[Path], bool]:
    return lambda path: since is not None and _written(path) >= since - BEFORE_SECONDS


def _written(path: Path) -> float:
    """Return when a file was written, seconds; 0 if it does not exist."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


BEFORE_SECONDS = 60.0
"""Tolerance: before it joins, a process may write its note and read results that it does not read again."""
