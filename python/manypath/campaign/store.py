"""Where outcomes are kept: a folder of Parquet shards, each written once by one writer and never changed.

A shard appears under its name only when it is whole (temporary name, flush to disk, rename), so that many writers
may share a folder and a killed one leaves nothing that looks like a result.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from manypath.campaign.cell import Cell
from manypath.errors import UserError


class Store:
    """Outcomes by key, in a folder."""

    def __init__(self, folder: str | Path, warn: Callable[[str], None] = lambda _: None) -> None:
        """Open or create the folder; `warn` is told of each shard that had to be set aside."""
        self.folder = Path(folder)
        self._warn = warn
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"store: {self.folder} cannot be a folder ({error.strerror}): choose another") from None

    def load(self, keys: Iterable[str]) -> dict[str, str]:
        """The outcomes there are for `keys`, as JSON; unreadable shards are set aside and count as absent."""
        wanted = set(keys)
        found: dict[str, str] = {}
        for shard in sorted(self.folder.glob(f"*{SUFFIX}")):
            found.update(self._read(shard, wanted))
        return found

    def save(self, engine: str, outcomes: Iterable[tuple[Cell, str]]) -> Path:
        """Write one shard; when this returns, it is on the disk."""
        rows = [(cell.key(engine), engine, cell, outcome) for cell, outcome in outcomes]
        table = pa.table(
            {
                "key": [key for key, *_ in rows],
                "engine": [engine for _, engine, *_ in rows],
                "document": [cell.document for *_, cell, _ in rows],
                "seed": [cell.seed for *_, cell, _ in rows],
                "replication": [cell.replication for *_, cell, _ in rows],
                "outcome": [outcome for *_, outcome in rows],
            },
            schema=SCHEMA,
        )
        name = hashlib.sha256("".join(key for key, *_ in rows).encode()).hexdigest()[:32]
        target = self.folder / f"{name}{SUFFIX}"
        self._write(table, target)
        return target

    def _write(self, table: pa.Table, target: Path) -> None:
        temporary = target.with_name(f".{target.stem}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                pq.write_table(
                    table,
                    file,
                    compression="zstd",
                    use_dictionary=REPEATED,  # pyright: ignore[reportArgumentType] - names of columns are fine too
                    write_page_checksum=True,
                )
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(target)
            _sync_folder(self.folder)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise UserError(
                f"store: {self.folder} cannot be written ({error.strerror}): make room or choose another folder"
            ) from None

    def _read(self, shard: Path, wanted: set[str]) -> dict[str, str]:
        """The wanted outcomes of a shard; what is no whole shard of ours is set aside and has none."""
        try:
            with pq.ParquetFile(shard, page_checksum_verification=True) as file:
                if not file.schema_arrow.equals(SCHEMA):
                    self._set_aside(shard, "has other columns than a shard of results")
                    return {}
                keys = file.read(["key"])["key"].to_pylist()
                if wanted.isdisjoint(keys):
                    return {}
                outcomes = file.read(["outcome"])["outcome"].to_pylist()
        except FileNotFoundError:
            return {}
        except (pa.ArrowException, OSError, ValueError) as error:
            self._set_aside(shard, f"is no whole shard ({str(error).splitlines()[0]})")
            return {}
        return {key: outcome for key, outcome in zip(keys, outcomes, strict=True) if key in wanted}

    def _set_aside(self, shard: Path, why: str) -> None:
        aside = self.folder / "set-aside"
        aside.mkdir(exist_ok=True)
        shard.rename(aside / shard.name)
        self._warn(f"{shard} {why}: moved to {aside}, its runs are computed again")


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SUFFIX = ".parquet"
"""How a shard's name ends."""

REPEATED = ["engine", "document"]
"""Columns whose values repeat within a shard."""

SCHEMA = pa.schema(
    {
        "key": pa.string(),
        "engine": pa.string(),
        "document": pa.string(),
        "seed": pa.uint64(),
        "replication": pa.uint64(),
        "outcome": pa.string(),
    }
)
"""Columns of a shard: the key, what it was made from, and what the engine said, as JSON."""
