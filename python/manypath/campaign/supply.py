"""Selection of the next cells to compute; outcomes of cells that other processes compute come from the store."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import Self

from manypath.campaign.cell import Cell
from manypath.campaign.claims import CannotLock, Claims
from manypath.campaign.store import Store
from manypath.campaign.work import Batch, Work
from manypath.display import counted


class Supply:
    """The cells of a campaign; each is returned once.

    Parameters
    ----------
    work
        The computation of the cells.
    cells
        The cells, in their order of computation.
    tell
        Called with messages for the user.
    """

    def __init__(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> None:
        self._engine = work.engine
        self._tell = tell
        self._left = OrderedDict((cell.key(work.engine), cell) for cell in cells)
        self._store = Store(work.store) if work.store is not None else None
        self._claims = _claims(self._store)
        self._arrived: list[tuple[Cell, str]] = []
        self._seen: set[str] = set()
        self._look_again = 0.0
        self._has_told = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._share_no_more()

    @property
    def left(self) -> int:
        """Number of cells that this process has not taken and no other process has finished."""
        return len(self._left)

    def take(self, size: int) -> list[Cell]:
        """Claim and return up to `size` cells; none while other processes compute all remaining cells."""
        if not self._left or time.monotonic() < self._look_again:
            return []
        try:
            if self._claims and self._store:
                taken = self._take_shared(size, self._claims, self._store)
            else:
                taken = self._take(size, frozenset())
        except CannotLock:
            self._share_no_more()
            taken = self._take(size, frozenset())
        if not taken and self._left:
            self._wait()
        return taken

    def done(self, cells: Iterable[Cell], batch: Batch) -> None:
        """Release the claims on cells of a finished batch."""
        if batch.shard is not None:
            self._seen.add(batch.shard)
        if self._claims:
            try:
                self._claims.release(cell.key(self._engine) for cell in cells)
            except CannotLock:
                self._share_no_more()

    def arrived(self) -> Batch | None:
        """Return the outcomes of other processes since the last call, or None; to be called often."""
        if self._claims:
            self._claims.renew()
        if not self._arrived:
            return None
        batch, self._arrived = Batch(self._arrived, [], 0.0), []
        return batch

    def _take_shared(self, size: int, claims: Claims, store: Store) -> list[Cell]:
        with claims.exclusive():
            # The order matters: a process releases a claim after it has stored the outcomes.
            claimed = claims.of_others()
            for key, outcome in store.load(self._left.keys(), self._engine, self._seen).items():
                self._arrived.append((self._left.pop(key), outcome))
            taken = self._take(size, claimed)
            claims.add(cell.key(self._engine) for cell in taken)
        return taken

    def _take(self, size: int, claimed: Collection[str]) -> list[Cell]:
        keys = list(islice((key for key in self._left if key not in claimed), size))
        return [self._left.pop(key) for key in keys]

    def _wait(self) -> None:
        self._look_again = time.monotonic() + LOOK_SECONDS
        if not self._has_told:
            self._has_told = True
            self._tell(f"waiting for {counted(len(self._left), 'run')} of another process with the same store")

    def _share_no_more(self) -> None:
        if self._claims:
            self._claims.close()
            self._claims = None


def _claims(store: Store | None) -> Claims | None:
    """Return the claims of this process; None without a store or file locks."""
    try:
        return Claims(store.folder) if store else None
    except CannotLock:
        return None


LOOK_SECONDS = 0.25
"""Interval of checks while other processes compute all remaining cells."""
