"""A file of results: written completely or not at all, and read only if the checksum of every page is correct."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from manypath.campaign.cell import Cell
from manypath.campaign.damage import Damaged, Unreadable, check_regular, reason
from manypath.campaign.outcome import mistake
from manypath.display import counted
from manypath.replacement import replacement


class Broken(Damaged):
    """A file that is not a complete shard."""

    def __init__(self, why: str, rows: int | None = None) -> None:
        super().__init__(why)
        self.rows = rows
        """Number of its results; None if it is unknown."""


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
    # By an own file, which is closed if the disk is full.
    with replacement(target, is_lasting=True) as begun, begun.open("wb") as file:
        pq.write_table(
            table,
            file,
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
    Unreadable
        If the system does not let this process read it.
    FileNotFoundError
        If another process removed it.
    """
    with _opened(shard) as file:
        rows = file.metadata.num_rows
        engines = _read(file, "engine")["engine"].unique().to_pylist()
        if len(engines) > 1:
            raise ValueError("results of several engines")
        if engines != [engine]:
            return Part({}, frozenset(), rows, engines[0] if engines else engine)
        keys: Sequence[str] = _read(file, "key")["key"].to_pylist()
        if not any(key in wanted for key in keys):
            return Part({}, frozenset(keys), rows, engine)
        outcomes: Sequence[str] = _read(file, "outcome")["outcome"].to_pylist()
        found = {key: outcome for key, outcome in zip(keys, outcomes, strict=True) if key in wanted}
        _check_outcomes(found.values(), engine)
        return Part(found, frozenset(keys), rows, engine)


def read_rows(shard: Path) -> dict[str, list[Any]]:
    """Read the inputs of the runs of a shard, by the names of the columns.

    Raises
    ------
    Broken, Unreadable, FileNotFoundError
        As for `read_shard`.
    """
    with _opened(shard) as file:
        return _read(file, "engine", "document", "seed", "replication").to_pydict()


def read_whole(shard: Path) -> pa.Table:
    """Read a shard with its outcomes.

    Raises
    ------
    Broken, Unreadable, FileNotFoundError
        As for `read_shard`.
    """
    with _opened(shard) as file:
        table = _read(file, *SCHEMA.names)
        for engine, outcome in zip(table["engine"].to_pylist(), table["outcome"].to_pylist(), strict=True):
            _check_outcomes([outcome], engine)
        return table


def lost(why: Damaged) -> str:
    """Return the results that are lost with a damaged shard, as a clause of messages."""
    rows = why.rows if isinstance(why, Broken) else None
    return f"which loses {'an unknown number of results' if rows is None else counted(rows, 'result')}"


def left_out(shard: Path, why: Damaged) -> str:
    """Return the message about a damaged shard that stays where it is."""
    return f"{shard} {why}, {lost(why)}"


def ignored(shard: Path, why: Foreign) -> str:
    """Return the message about a file of another program."""
    return f"{shard} {why}: ignored, because manypath did not write it"


@contextmanager
def _opened(shard: Path) -> Iterator[pq.ParquetFile]:
    """Open a shard; errors of reading it within the block are raised as those of `read_shard`."""
    rows: int | None = None
    # A file with another name may be of another program.
    kind = Broken if OURS.fullmatch(shard.name) else Foreign
    try:
        check_regular(shard)
        with pq.ParquetFile(shard, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(SCHEMA):
                raise Foreign("has other columns than a shard of results")
            rows = file.metadata.num_rows
            _check_filled(file)
            yield file
    except (FileNotFoundError, Broken, Unreadable):
        raise
    except Damaged as error:
        raise kind(str(error)) from None
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        why = reason(error)
        # The system refused to read, so that the shard may be undamaged.
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None):
            raise Unreadable(f"cannot be read ({why})") from None
        raise kind(f"is no complete shard ({why})", rows) from None


def _check_filled(file: pq.ParquetFile) -> None:
    """Refuse a shard that lacks values."""
    for group in range(file.metadata.num_row_groups):
        for number, name in enumerate(SCHEMA.names):
            statistics = file.metadata.row_group(group).column(number).statistics
            if statistics is not None and statistics.null_count:
                raise ValueError(f"{name}: {statistics.null_count} values are missing")


def _read(file: pq.ParquetFile, *names: str) -> pa.Table:
    table = file.read(list(names))
    for name in names:
        if table[name].null_count:
            raise ValueError(f"{name}: {table[name].null_count} values are missing")
    return table


def _check_outcomes(outcomes: Iterable[str], engine: str) -> None:
    said = mistake(outcomes, engine)
    if said is not None:
        raise ValueError(said)


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
