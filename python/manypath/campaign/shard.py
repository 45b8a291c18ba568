"""One file of results: written whole or not at all, and believed only if every page of it has the right checksum."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from manypath.campaign.cell import Cell
from manypath.campaign.locks import try_lock


class Broken(Exception):
    """A file that is no whole shard of ours; the text says why."""


class Foreign(Broken):
    """A file that another program wrote."""


class Part(NamedTuple):
    """What was read of a shard."""

    outcomes: dict[str, str]
    """Outcomes by key, as JSON; only those that were asked for."""
    keys: frozenset[str]
    """All keys of the shard; none if it is of another engine."""
    rows: int
    """Results in the shard, asked for or not."""
    engine: str
    """Version of what computed them."""

    @property
    def has_keys(self) -> bool:
        """Whether `keys` was read."""
        return len(self.keys) == self.rows


def rows_of(engine: str, outcomes: Iterable[tuple[Cell, str]]) -> pa.Table:
    """Lay outcomes out as the rows of a shard."""
    rows = [(cell.key(engine), cell, outcome) for cell, outcome in outcomes]
    return pa.table(
        {
            "key": [key for key, _, _ in rows],
            "engine": [engine] * len(rows),
            "document": [cell.document for _, cell, _ in rows],
            "seed": [cell.seed for _, cell, _ in rows],
            "replication": [cell.replication for _, cell, _ in rows],
            "outcome": [outcome for _, _, outcome in rows],
        },
        schema=SCHEMA,
    )


def name_of(table: pa.Table) -> str:
    """The name of a shard with these rows."""
    return f"{hashlib.sha256(''.join(table['key'].to_pylist()).encode()).hexdigest()[:32]}{SUFFIX}"


def write_shard(table: pa.Table, target: Path) -> None:
    """Put a shard on the disk under its name; `OSError` leaves neither a shard nor a remainder of it."""

    def write(file: IO[bytes]) -> None:
        pq.write_table(
            table,
            file,
            compression="zstd",
            use_dictionary=REPEATED,  # pyright: ignore[reportArgumentType] - names of columns are fine too
            write_page_checksum=True,
        )

    write_whole(target, write)


def write_whole(target: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file that appears under its name only when it is whole and on the disk.

    Raises
    ------
    OSError
        If the disk is full or the folder cannot be written; what was there before stays as it was.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(FileNotFoundError):
            _write_once(target, write)
            return
    _write_once(target, write)


def _write_once(target: Path, write: Callable[[IO[bytes]], object]) -> None:
    """The same; `FileNotFoundError` if another process took the unfinished file for a dead writer's."""
    temporary = target.with_name(f".{target.stem}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("wb") as file:
            # Says to `remove_remains` that the writer lives; where files cannot be locked, it removes none.
            with suppress(OSError):
                try_lock(file)
            write(file)
            file.flush()
            os.fsync(file.fileno())
            temporary.rename(target)
        _sync_folder(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_remains(folder: Path) -> None:
    """Remove unfinished files of `write_whole` whose writers are dead."""
    for remainder in folder.glob(".*.tmp"):
        if UNFINISHED.fullmatch(remainder.name):
            with suppress(OSError), remainder.open("r+b") as file:
                if try_lock(file):
                    remainder.unlink()


def read_shard(shard: Path, wanted: Collection[str], engine: str) -> Part:
    """Read the wanted outcomes of a shard; those of another engine can be none of them.

    Raises
    ------
    Broken
        If this is no whole shard; `Foreign` if it has other columns, or a name that we do not give.
    FileNotFoundError
        If another process removed it meanwhile.
    PermissionError
        If it may not be read.
    """
    try:
        with pq.ParquetFile(shard, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(SCHEMA):
                raise Foreign("has other columns than a shard of results")
            rows = file.metadata.num_rows
            engines = file.read(["engine"])["engine"].unique().to_pylist()
            if engines != [engine]:
                return Part({}, frozenset(), rows, engines[0] if engines else engine)
            keys: Sequence[str] = file.read(["key"])["key"].to_pylist()
            if not any(key in wanted for key in keys):
                return Part({}, frozenset(keys), rows, engine)
            outcomes: Sequence[str] = file.read(["outcome"])["outcome"].to_pylist()
    except (FileNotFoundError, PermissionError):
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        kind = Broken if OURS.fullmatch(shard.name) else Foreign
        raise kind(f"is no whole shard ({str(error).splitlines()[0]})") from None
    found = {key: outcome for key, outcome in zip(keys, outcomes, strict=True) if key in wanted}
    return Part(found, frozenset(keys), rows, engine)


def read_rows(shard: Path, *, with_outcomes: bool = False) -> pa.Table:
    """Read what the runs of a shard were made from, and on request what came out.

    Raises
    ------
    Broken
        If this is no whole shard; `Foreign` if it has other columns.
    OSError
        If it cannot be read.
    """
    try:
        with pq.ParquetFile(shard, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(SCHEMA):
                raise Foreign("has other columns than a shard of results")
            return file.read(SCHEMA.names if with_outcomes else ["engine", "document", "seed", "replication"])
    except (pa.ArrowException, ValueError) as error:
        raise Broken(f"is no whole shard ({str(error).splitlines()[0]})") from None


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SUFFIX = ".parquet"
"""How a shard's name ends."""

UNFINISHED = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")
"""What an unfinished file is called."""

ATTEMPTS = 3
"""So often is a file written that another process takes away before it is finished."""

OURS = re.compile(rf"[0-9a-f]{{32}}{re.escape(SUFFIX)}")
"""The names that `Store.save` gives."""

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
"""Columns of a shard: the key, what it was made from, and what came out, as JSON."""
