"""Computation of cells: stored outcomes are read, the others are computed and stored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.damage import warned
from manypath.campaign.description import Description
from manypath.campaign.executors import Executor, LocalExecutor
from manypath.campaign.progress import Progress, Silent, progress_on_stderr
from manypath.campaign.runners import SIMULATOR, Runner
from manypath.campaign.store import Store
from manypath.campaign.work import Work
from manypath.errors import Stopped, UserError


def compute(
    cells: Sequence[Cell],
    store: str | Path | None,
    workers: int | None = None,
    progress: Progress | bool = True,
    executor: Executor | None = None,
    title: str = "campaign",
    runner: Runner = SIMULATOR,
) -> list[tuple[Cell, str]]:
    """Return every cell with its outcome as JSON, in the given order; parameters as in `Campaign.run`."""
    computation = Computation(runner, store, workers, progress, executor, title)
    with computation:
        computation.recall(cells)
        computation.complete(cells)
        return computation.outcomes(cells)


class Computation:
    """Outcomes of a campaign, which may request them in several steps."""

    def __init__(
        self,
        runner: Runner = SIMULATOR,
        store: str | Path | None = None,
        workers: int | None = None,
        progress: Progress | bool = True,
        executor: Executor | None = None,
        title: str = "campaign",
        precision: Mapping[str, Any] | None = None,
    ) -> None:
        """Parameters as in `Campaign.run`; with the precision that decides on the runs, for the campaign's note."""
        automatic = progress_on_stderr(title) if progress is True else Silent()
        self.display = automatic if isinstance(progress, bool) else progress
        self.engine = runner.version
        self._executor = executor or LocalExecutor(workers)
        self._store = self._opened(store) if store is not None else None
        self._work = Work(runner, self.engine, self._store.folder if self._store else None)
        self._outcomes: dict[str, str] = {}
        self._title = title
        self._description = Description(self.engine, precision)
        self._is_noted = False
        self._told: set[str] = set()

    def _opened(self, store: str | Path) -> Store:
        """Open the store. An executor that computes nothing changes nothing in it."""
        warn = warned if isinstance(self.display, Silent) else self.display.say
        return Store(store, warn, is_read_only=not getattr(self._executor, "computes", True))

    def __enter__(self) -> Computation:
        return self

    def __exit__(self, *_: object) -> None:
        self.display.end()

    def plan(self, cells: Iterable[Cell]) -> None:
        """Add runs to the campaign's note, also those that another process computes."""
        if self._store is not None and self._description.add(cells):
            self._is_noted = False

    def recall(self, cells: Iterable[Cell]) -> None:
        """Read the outcomes of these cells from the store, if it has them."""
        if self._store:
            self._outcomes.update(self._store.load({cell.key(self.engine) for cell in cells}, self.engine))

    def stored(self, cells: Iterable[Cell]) -> int:
        """Return how many of the cells have outcomes."""
        return len({cell.key(self.engine) for cell in cells} & self._outcomes.keys())

    def missing(self, cells: Sequence[Cell]) -> int:
        """Return the number of cells that the store lacks."""
        self.recall(cells)
        return len(cells) - self.stored(cells)

    def complete(self, cells: Sequence[Cell]) -> None:
        """Compute the cells without outcomes.

        Raises
        ------
        Stopped
            After Ctrl-C.
        RunError
            If a run failed.
        """
        self.plan(cells)
        wanted = {cell.key(self.engine): cell for cell in cells}
        missing = [cell for key, cell in wanted.items() if key not in self._outcomes]
        self.display.begin(len(wanted), len(wanted) - len(missing))
        if not missing:
            self._note()
            return
        batches = self._executor.batches(self._work, missing, self.display.say)
        self._announce()
        try:
            for batch in batches:
                self._outcomes.update((cell.key(self.engine), outcome) for cell, outcome in batch.outcomes)
                self.display.advance(len(batch.outcomes))
        except Stopped:
            raise Stopped(self._how_to_go_on(wanted)) from None
        except _native.RunError as error:
            where = f"stored in {self._store.folder}" if self._store else "lost, because the campaign has no store"
            done = len(wanted.keys() & self._outcomes.keys())
            raise _native.RunError(f"{error}; {done} of {len(wanted)} runs are {where}") from None

    def outcomes(self, cells: Iterable[Cell]) -> list[tuple[Cell, str]]:
        """Return cells with their outcomes as JSON, in the given order."""
        return [(cell, self._outcomes[cell.key(self.engine)]) for cell in cells]

    def _announce(self) -> None:
        """Report once which stored results are not used, and write the campaign's note to the store."""
        if self._store is None:
            return
        others = {
            version: runs
            for version, runs in self._store.others.items()
            if _kind(version) == _kind(self.engine) and _build(version) != _build(self.engine)
        }
        if others:
            told = f"{sum(others.values())} results of another engine ({', '.join(others)})"
            self._say_once(f"{self._store.folder} has {told}, which are not used")
        if not self._is_noted:
            self._store.begin(self._description, self._title)
            self._is_noted = True

    def _note(self) -> None:
        """Write the note of a fully stored campaign for `manypath store`, if the store is writable."""
        if self._store is None or self._store.is_read_only or self._is_noted or not self._description.identity:
            return
        self._is_noted = True
        try:
            self._store.begin(self._description, self._title)
        except UserError as error:
            if os.access(self._store.folder, os.W_OK):
                self._say_once(f"{error}; the campaign has no note")

    def _say_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self.display.say(text)

    def _how_to_go_on(self, wanted: dict[str, Cell]) -> str:
        done = f"stopped after {len(wanted.keys() & self._outcomes.keys())} of {len(wanted)} runs"
        if self._store is None:
            return f"{done}; they are lost, because the campaign has no store"
        return f"{done}, which are stored in {self._store.folder}: the same command continues from there"


def _kind(version: str) -> str:
    """Return the part of a version that is equal in all versions of a runner."""
    return version.rpartition(":")[0]


def _build(version: str) -> str:
    """Return a version without the settings of the runner (`name=value`), which do not make a result outdated."""
    return "-".join(takewhile(lambda part: "=" not in part, version.split("-")))
