"""Simulations with the same seeds as measurements: the links of both lose the same packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from typing_extensions import override

from manypath.campaign.cell import Cell
from manypath.campaign.runners import SIMULATOR, Halt, JsonOrError, Runner, chance


class PairedSimulator(Runner):
    """Simulates each cell with the seed that `Testbed` gives to the emulator.

    The emulator uses the random number streams of the simulator, so the n-th packet of a link is lost in both or in
    neither. It is the same packet until the timing of both differs. Flows start at the same times.
    """

    @property
    @override
    def version(self) -> str:
        """The version of the simulator with a prefix, because the same cell has another seed here."""
        return f"manypath.testbed.paired:{SIMULATOR.version}"

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse cells that the simulator refuses."""
        SIMULATOR.prepare(cells, at_once)

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Simulate cells in one batch."""
        return SIMULATOR.run([replace(cell, seed=chance(cell), replication=0) for cell in cells], threads, halt)


PAIRED = PairedSimulator()
"""The runner of simulations that are compared with measurements."""
