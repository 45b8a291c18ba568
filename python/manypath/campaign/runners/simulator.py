"""The simulator of this package as a runner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.runners.runner import Halt, JsonOrError, Runner
from manypath.errors import UserError
from manypath.refusal import told


@dataclass(frozen=True)
class Simulator(Runner):
    """Runs scenarios in the engine, without Python's global lock."""

    @property
    @override
    def version(self) -> str:
        """Hash of the engine's sources."""
        return _native.engine_version()

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse scenarios for which memory does not suffice with `at_once` runs in parallel."""
        try:
            for document in dict.fromkeys(cell.document for cell in cells):
                _native.check(document, at_once)
        except _native.ScenarioError as error:
            raise UserError(f"{told(error)} (with {at_once} parallel runs)") from None

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Compute cells in one batch of the engine."""
        documents = list(dict.fromkeys(cell.document for cell in cells))
        index = {document: number for number, document in enumerate(documents)}
        jobs = [(index[cell.document], cell.seed, cell.replication) for cell in cells]
        try:
            return list(_native.run_batch(documents, jobs, halt.native))
        except _native.ScenarioError as error:
            raise UserError(told(error)) from None


SIMULATOR = Simulator()
"""The runner of scenarios."""
