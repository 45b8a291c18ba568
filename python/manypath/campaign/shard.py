"""A file of results: written completely or not at all, and read only if the checksum of every page is correct."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from manypath.campaign.cell import Cell
from manypath.replacement import replacement


class Broken(Exception):
    """A file that is not a complete shard; the text has the reason."""


class Foreign(Broken):
    """A file of another program."""


class Part(NamedTuple):
    """The part of a shard that was read."""

    outcomes: dict[str, str]
    """Requested outcomes by key, as JSON."""
    keys: frozenset[str]
    """All keys of the shard; empty if it is of another engine."""
    rows: int
    """Number of results in the shard, requested or not."""
    engine: str
    """Version of the engine or runner of the results."""

    @property
    def has_keys(self) -> bool:
        """Whether `keys` was read."""
        return len(self.keys) == self.rows


def rows_of(engine: str, outcomes: Iterable[tuple[Cell, str]]) -> pa.Table:
    """Return outcomes as the rows of a shard."""
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
    """Return the name of a shard with these rows."""
    return f"{hashlib.sha256(''.join(table['key'].to_pylist()).encode()).hexdigest()[:32]}{SUFFIX}"


def write_shard(table: pa.Table, target: Path) -> None:
    """Write a shard to disk; after an `OSError` no part of it remains."""
    with replacement(target, is_lasting=True) as begun:
        pq.write_table(
            table,
            begun,
            compression="zstd",
            use_dictionary=REPEATED,  # pyright: ignore[reportArgumentType] - names of columns are valid, too
            write_page_checksum=True,
        )


def read_shard(shard: Path, wanted: Collection[str], engine: str) -> Part:
    """Read the wanted outcomes of a shard; a shard of another engine has none.

    Raises
    ------
    Broken
        If the shard is incomplete or damaged; `Foreign` if it has other columns, or a name that is not a shard's.
    FileNotFoundError
        If another process removed it.
    PermissionError
        If this process may not read it.
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
        raise kind(f"is no complete shard ({str(error).splitlines()[0]})") from None
    found = {key: outcome for key, outcome in zip(keys, outcomes, strict=True) if key in wanted}
    return Part(found, frozenset(keys), rows, engine)


def read_rows(shard: Path, *, with_outcomes: bool = False) -> pa.Table:
    """Read the inputs of the runs of a shard, and on request their outcomes.

    Raises
    ------
    Broken
        If the shard is incomplete or damaged; `Foreign` if it has other columns.
    OSError
        If it cannot be read.
    """
    try:
        with pq.ParquetFile(shard, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(SCHEMA):
                raise Foreign("has other columns than a shard of results")
            return file.read(SCHEMA.names if with_outcomes else ["engine", "document", "seed", "replication"])
    except (pa.ArrowException, ValueError) as error:
        raise Broken(f"is no complete shard ({str(error).splitlines()[0]})") from None


SUFFIX = ".parquet"
"""End of a shard's file name."""

OURS = re.compile(rf"[0-9a-f]{{32}}{re.escape(SUFFIX)}")
"""Names of shards."""

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
"""Columns of a shard: key, inputs of the run, and outcome as JSON."""
