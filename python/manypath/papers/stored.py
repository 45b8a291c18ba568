"""Evaluation of stored runs, without new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from manypath.campaign import Batch, Cell, Work
from manypath.campaign.executors import Executor
from manypath.display import counted
from manypath.errors import UserError, quoted_path


class NotStored(UserError):
    """The store lacks runs of this version of the engine."""

    def __init__(self, runs: int, paper: str, store: object, of: str = "") -> None:
        """Report the number of missing runs of a paper; `of` is what is missing of them if their outcomes are there."""
        self.own = f"{of}{runs:,} of its runs"
        """What is missing, in a text that has named the paper."""
        lack = f"{of}{counted(runs, 'run')} of {paper}"
        super().__init__(
            f"store: there is none, which lacks {lack}: give a folder of results, or compute=True"
            if store is None
            else f"store: {quoted_path(store)} lacks {lack}: give compute=True, or the folder that has them"
        )


@dataclass(frozen=True)
class Stored(Executor):
    """An executor that computes nothing: a run that is missing in the store is an error.

    Attributes
    ----------
    paper : str
        Name of the paper, for the error.
    store : str or Path or None
        Folder of results; None without a store.
    """

    paper: str
    store: str | Path | None
    computes: ClassVar[bool] = False
    """Whether runs are computed. Without, the store is only read."""

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Raise `NotStored` if there are cells to compute."""
        if cells:
            raise NotStored(len(cells), self.paper, self.store)
        return iter(())
