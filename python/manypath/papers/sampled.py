"""The simulator for papers: one run returns its outcome and, if needed, its window curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from manypath import _native
from manypath.campaign import Cell
from manypath.campaign.runners import SIMULATOR, Halt
from manypath.campaign.runners.runner import JsonOrError
from manypath.errors import UserError
from manypath.papers.curves import CurveStore
from manypath.papers.traces import Trace, trace_of
from manypath.quantity import SPAN
from manypath.refusal import told
from manypath.run import rows


@dataclass(frozen=True)
class Sampled:
    """Runs scenarios in the engine, and samples window curves in the same run.

    Attributes
    ----------
    series : mapping
        Sampling interval by document, for the scenarios with curves.
    replications : int
        Number of replications of each scenario that are sampled.
    curves : CurveStore or None
        Store of curves; None without a store.
    taken : dict
        The curves of this call, by (document, replication).
    """

    series: Mapping[str, str]
    replications: int
    curves: CurveStore | None
    taken: dict[tuple[str, int], Trace] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Version of the engine. Sampling does not change a run."""
        return SIMULATOR.version

    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse scenarios for which the memory does not suffice, or a store that takes no curves.

        The memory must suffice for `at_once` parallel runs, and for each curve.
        """
        SIMULATOR.prepare(cells, at_once)
        sampled = dict.fromkeys(cell.document for cell in cells if self._is_sampled(cell))
        for document in sampled:
            check_curves(document, self.series[document])
        if sampled and self.curves is not None:
            self.curves.check()

    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Compute cells: sampled ones one by one, the others in one batch of the engine."""
        sampled = {number: self._run(cell, halt) for number, cell in enumerate(cells) if self._is_sampled(cell)}
        others = iter(SIMULATOR.run([cell for cell in cells if not self._is_sampled(cell)], threads, halt))
        return [sampled[number] if number in sampled else next(others) for number in range(len(cells))]

    def recall(self, cell: Cell) -> Trace | None:
        """Return the sampled or stored curves of a run; None if there are none."""
        trace = self.taken.get((cell.document, cell.replication))
        if trace is None and self.curves is not None:
            trace = self.curves.load(cell, self.series[cell.document], self.version)
        return trace

    def sample(self, cell: Cell) -> tuple[str, Trace]:
        """Run a cell and store its curves; return its outcome as JSON, and its curves."""
        series = self.series[cell.document]
        try:
            outcome, columns = _native.run(cell.document, cell.seed, cell.replication, json.dumps(rows(series)))
        except _native.SeriesError as error:
            # Other processes may have taken memory since the check.
            raise too_long(cell.document, error) from None
        trace = trace_of(columns or {})
        self.taken[cell.document, cell.replication] = trace
        if self.curves is not None:
            self.curves.save(cell, series, self.version, trace)
        return outcome, trace

    def _is_sampled(self, cell: Cell) -> bool:
        return cell.document in self.series and cell.replication < self.replications

    def _run(self, cell: Cell, halt: Halt) -> JsonOrError:
        """Sample one cell; after a halt return the engine's outcome of a stopped run."""
        if halt.is_set():
            return SIMULATOR.run([cell], 1, halt)[0]
        try:
            return self.sample(cell)[0]
        except _native.RunError as error:
            return error


def check_curves(document: str, series: str) -> None:
    """Refuse a scenario whose window curves do not fit into memory, without a run.

    Raises
    ------
    UserError
        If they do not fit; it names the longer one of warm-up and measurement.
    """
    try:
        _native.check_series(document, rows(series)["series"])
    except _native.SeriesError as error:
        raise too_long(document, error) from None


def too_long(document: str, error: _native.SeriesError) -> UserError:
    """Return the error about a scenario whose window curves do not fit into memory."""
    times = {field: json.loads(document)[field] for field in ("warmup", "measure")}
    field = max(times, key=lambda name: times[name])
    need = told(error).rpartition(": ")[2]
    return UserError(
        f"{field}: {SPAN.show(times[field])} is too long for window curves, whose {need}: give a shorter time"
    )
