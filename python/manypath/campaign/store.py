"""The store of outcomes: a folder of Parquet shards; each is written once by one writer and never changed.

Shards are written atomically (temporary name, flush to disk, rename). So many writers may share a folder, and a killed
writer leaves no incomplete shard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manypath.arguments import file
from manypath.campaign.cell import Cell
from manypath.campaign.damage import Damaged, Unreadable, warned
from manypath.campaign.description import Description
from manypath.campaign.manifest import CAMPAIGNS, check_manifest, note_campaign, write_manifest
from manypath.campaign.shard import (
    SUFFIX,
    Foreign,
    Part,
    ignored,
    left_out,
    lost,
    name_of,
    read_shard,
    rows_of,
    write_shard,
)
from manypath.errors import UserError, reason_of
from manypath.outputs import Outputs, check_writable
from manypath.replacement import remove_remains


class Store:
    """Outcomes by key, in a folder."""

    def __init__(self, folder: str | Path, warn: Callable[[str], None] = warned, *, is_read_only: bool = False) -> None:
        """Open or create the folder.

        Parameters
        ----------
        folder
            The folder.
        warn
            Called with a message about each shard that is damaged or ignored; by default it is a `StoreWarning`.
        is_read_only
            Whether nothing in the folder is changed, and a missing folder is not made.

        Raises
        ------
        UserError
            If the folder cannot be made, or belongs to another program or format.
        """
        self.folder = Path(file("store", folder))
        self.is_read_only = is_read_only
        """Whether nothing in the folder is changed."""
        self._warn = warn
        if not is_read_only:
            self._make_folder()
        check_manifest(self.folder)
        self.others: Counter[str] = Counter()
        """Number of results that the last `load` ignored, by version of the engine."""

    def load(self, keys: Iterable[str], engine: str, seen: set[str] | None = None) -> dict[str, str]:
        """Return the stored outcomes for `keys` as JSON; damaged shards are reported, and moved to another folder.

        A read-only store only reports them. Files of other programs are ignored. Shards with names in `seen` are
        skipped, and the names of all others are added to it.
        """
        seen = set() if seen is None else seen
        shards = sorted(shard for shard in self.folder.glob(f"*{SUFFIX}") if shard.name not in seen)
        seen.update(shard.name for shard in shards)
        wanted = set(keys) if shards else set[str]()
        found: dict[str, str] = {}
        self.others.clear()
        for shard in shards:
            part = self._read(shard, wanted, engine)
            if part and part.engine != engine:
                self.others[part.engine] += part.rows
            elif part:
                found.update(part.outcomes)
        return found

    def begin(self, campaign: Description, title: str = "") -> None:
        """Write the note of a campaign, and remove unfinished files of killed writers.

        This also checks before the first run that the folder is writable.
        """
        notes = self.folder / CAMPAIGNS
        if notes.exists() and not notes.is_dir():
            raise UserError(f"store: {notes} is not a folder: remove it; the results are kept")
        for folder in (self.folder, notes):
            remove_remains(folder)
        with self._writing():
            # An earlier note needs no writing.
            check_writable(self.folder)
            write_manifest(self.folder)
            note_campaign(self.folder, campaign, title)

    def save(self, engine: str, outcomes: Iterable[tuple[Cell, str]]) -> Path:
        """Write a shard; on return it is on disk."""
        table = rows_of(engine, outcomes)
        target = self.folder / name_of(table)
        with self._writing():
            write_shard(table, target)
        return target

    def _make_folder(self) -> None:
        if not self.folder.exists():
            Outputs().folder("store", self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"store: {self.folder} cannot be a folder ({error.strerror}): choose another") from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UserError(
                f"store: {self.folder} cannot be written ({reason_of(error)}): "
                "make room or choose another folder; stored results remain valid"
            ) from None

    def _read(self, shard: Path, wanted: Collection[str], engine: str) -> Part | None:
        """Return the content of a shard; None if it is damaged, unreadable or removed."""
        try:
            # A link to a missing file has no status; `read_shard` refuses it.
            state = shard.stat() if shard.exists() else None
            stamp = (shard.absolute(), state.st_mtime_ns, state.st_size) if state else (shard.absolute(), 0, 0)
            known = KNOWN.get(stamp)
            # The keys of a shard are unknown if it was read for another engine.
            if known and (known.engine != engine or (known.has_keys and known.keys.isdisjoint(wanted))):
                return known
            try:
                part = read_shard(shard, wanted, engine)
            except Foreign as error:
                self._warn(ignored(shard, error))
                part = Part({}, frozenset(), 0, engine)
            KNOWN[stamp] = part._replace(outcomes={})
            return part
        except FileNotFoundError:
            return None
        except Foreign as error:
            self._warn(ignored(shard, error))
        except Damaged as error:
            if self.is_read_only:
                self._warn(left_out(shard, error))
            elif isinstance(error, Unreadable):
                self._warn(f"{shard} {error}: its runs are computed again")
            else:
                self._set_aside(shard, error)
        return None

    def _set_aside(self, shard: Path, why: Damaged) -> None:
        aside, again = self.folder / "set-aside", f"{lost(why)}; its runs are computed again"
        try:
            aside.mkdir(exist_ok=True)
            shard.rename(aside / shard.name)
        except FileNotFoundError:
            return  # another process with the same store moved it
        except OSError as error:
            self._warn(f"{shard} {why} and cannot be moved away ({error.strerror}), {again}")
            return
        self._warn(f"{shard} {why}: moved to {aside}, {again}")


KNOWN: dict[tuple[Path, int, int], Part] = {}
"""Cache of the shards that this process has read, by path, time and size, without outcomes."""
