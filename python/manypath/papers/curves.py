"""Window curves on disk: one file for each sampled run, from which a report is written without new runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from manypath.campaign import Cell
from manypath.campaign.damage import Damaged, check_regular, reason, warned
from manypath.errors import UserError, reason_of
from manypath.outputs import check_writable
from manypath.papers.traces import Column, PathTrace, Trace
from manypath.replacement import replacement


@dataclass(frozen=True)
class CurveStore:
    """Curves by run and sampling interval, in the folder `curves` of a store.

    Attributes
    ----------
    folder : Path
        The folder of results.
    """

    folder: Path

    def load(self, cell: Cell, series: str, engine: str) -> Trace | None:
        """Return the curves of a run, or None if the file is missing or damaged, which is reported."""
        path = self._file(cell, series, engine)
        try:
            check_regular(path)
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                return _trace(file.read())
        except FileNotFoundError:
            return None
        except Damaged as error:
            why = str(error)
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, MemoryError) as error:
            why = f"has no complete curves ({reason(error)})"
        warned(f"{path} {why}: it is not used")
        return None

    def check(self) -> None:
        """Refuse a folder that cannot be written, before the first run.

        Raises
        ------
        UserError
            If it cannot be written.
        """
        folder = self.folder / FOLDER
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            check_writable(folder)

    def save(self, cell: Cell, series: str, engine: str, trace: Trace) -> None:
        """Store the curves of a run. The file gets its name when it is complete.

        Raises
        ------
        UserError
            If the folder cannot be written.
        """
        target = self._file(cell, series, engine)
        with _writing(target.parent):
            target.parent.mkdir(parents=True, exist_ok=True)
            # By an own file, which is closed if the disk is full.
            with replacement(target, is_lasting=True) as begun, begun.open("wb") as file:
                pq.write_table(_table(trace), file, compression="zstd", write_page_checksum=True)

    def _file(self, cell: Cell, series: str, engine: str) -> Path:
        name = sha256(f"{cell.key(engine)}\0{series}".encode()).hexdigest()[:32]
        return self.folder / FOLDER / f"{name}.parquet"


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turn system errors of writing into a one-line error."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"store: {folder} cannot be written ({reason_of(error)}): make room or choose another folder"
        ) from None


def _table(trace: Trace) -> pa.Table:
    """Return the curves as a table with a row for each sample.

    The name of a column is a JSON list of the quantity and its flow and path, or its link.
    """
    return pa.table({json.dumps(name): column for name, column in _columns(trace)})


def _columns(trace: Trace) -> Iterator[tuple[tuple[str, ...], Column]]:
    for (flow, path), curves in trace.paths.items():
        for field in FIELDS:
            yield (field, flow, path), getattr(curves, field)
        yield (WEIGHT, flow, path), trace.weights[flow, path]
    for link, queue in trace.queues.items():
        yield (QUEUE, link), queue


def _trace(table: pa.Table) -> Trace:
    columns: dict[tuple[str, ...], Column] = {
        tuple(json.loads(name)): table[name].to_numpy() for name in table.column_names
    }
    paths = [name[1:] for name in columns if name[0] == FIELDS[0]]
    return Trace(
        paths={
            (flow, path): PathTrace(**{field: columns[field, flow, path] for field in FIELDS}) for flow, path in paths
        },
        queues={name[1]: column for name, column in columns.items() if name[0] == QUEUE},
        weights={(flow, path): columns[WEIGHT, flow, path].astype(np.float64) for flow, path in paths},
    )


FOLDER = "curves"
"""Folder of the curves in a store."""

FIELDS = tuple(PathTrace.__dataclass_fields__)
"""Quantities that are sampled of a path."""

WEIGHT, QUEUE = "weight", "queue"
"""Other columns: the weight of a path in standard TCP flows, and the packets in the queue of a link."""
