"""Where outcomes are kept: a folder of Parquet shards, each written once by one writer and never changed.

A shard appears under its name only when it is whole (temporary name, flush to disk, rename), so that many writers
may share a folder and a killed one leaves nothing that looks like a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from manypath.arguments import file
from manypath.campaign.cell import Cell
from manypath.campaign.manifest import CAMPAIGNS, check_manifest, note_campaign, write_manifest
from manypath.campaign.shard import (
    SUFFIX,
    Broken,
    Foreign,
    Part,
    name_of,
    read_shard,
    remove_remains,
    rows_of,
    write_shard,
)
from manypath.errors import UserError


class Store:
    """Outcomes by key, in a folder."""

    def __init__(self, folder: str | Path, warn: Callable[[str], None] = lambda _: None) -> None:
        """Open or create the folder; `warn` is told of each shard that had to be set aside.

        Raises
        ------
        UserError
            If the folder cannot be made, or holds something else than results in this format.
        """
        self.folder = Path(file("store", folder))
        self._warn = warn
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"store: {self.folder} cannot be a folder ({error.strerror}): choose another") from None
        check_manifest(self.folder)
        self.others: Counter[str] = Counter()
        """Results that the last `load` passed over, by the version of the engine that computed them."""

    def load(self, keys: Iterable[str], engine: str, seen: set[str] | None = None) -> dict[str, str]:
        """The outcomes there are for `keys`, as JSON; broken shards are set aside and count as absent.

        Files of other programs stay where they are. Shards whose names are in `seen` are passed over, and the names of
        all others are added to it.
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

    def begin(self, campaign: Mapping[str, Any], title: str = "") -> None:
        """Note what a campaign consists of, and remove what writers left that were killed.

        A folder that cannot be written is found out here, before anything runs.
        """
        for folder in (self.folder, self.folder / CAMPAIGNS):
            remove_remains(folder)
        with self._writing():
            write_manifest(self.folder)
            note_campaign(self.folder, campaign, title)

    def save(self, engine: str, outcomes: Iterable[tuple[Cell, str]]) -> Path:
        """Write one shard; when this returns, it is on the disk."""
        table = rows_of(engine, outcomes)
        target = self.folder / name_of(table)
        with self._writing():
            write_shard(table, target)
        return target

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UserError(
                f"store: {self.folder} cannot be written ({error.strerror or error}): "
                "make room or choose another folder; what is there stays and counts"
            ) from None

    def _read(self, shard: Path, wanted: Collection[str], engine: str) -> Part | None:
        """What a shard has; nothing if it is no whole shard of ours or is not there any more."""
        try:
            state = shard.stat()
            stamp = (shard.absolute(), state.st_mtime_ns, state.st_size)
            known = KNOWN.get(stamp)
            # Keys of a shard that was read for another engine are not known.
            if known and (known.engine != engine or (known.has_keys and known.keys.isdisjoint(wanted))):
                return known
            try:
                part = read_shard(shard, wanted, engine)
            except Foreign as error:
                self._warn(f"{shard} {error}: left where it is, as manypath did not write it")
                part = Part({}, frozenset(), 0, engine)
            KNOWN[stamp] = part._replace(outcomes={})
            return part
        except FileNotFoundError:
            return None
        except PermissionError:
            self._warn(f"{shard} may not be read: its runs are computed again")
        except Broken as error:
            self._set_aside(shard, str(error))
        return None

    def _set_aside(self, shard: Path, why: str) -> None:
        aside = self.folder / "set-aside"
        try:
            aside.mkdir(exist_ok=True)
            shard.rename(aside / shard.name)
        except FileNotFoundError:
            return  # another process that shares the store did it
        except OSError as error:
            self._warn(f"{shard} {why} and cannot be moved away ({error.strerror}): its runs are computed again")
            return
        self._warn(f"{shard} {why}: moved to {aside}, its runs are computed again")


KNOWN: dict[tuple[Path, int, int], Part] = {}
"""Shards that this process has read, by path, time and size, without their outcomes, so that none is opened twice."""
