"""Which cells to compute next: none that another process has in hand, whose outcomes come from the store instead."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import Self

from manypath.campaign.cell import Cell
from manypath.campaign.claims import Claims, Unlockable
from manypath.campaign.store import Store
from manypath.campaign.work import Batch, Work


class Supply:
    """The cells of a campaign, each handed out once.

    Parameters
    ----------
    work
        What will be done with them.
    cells
        The cells, in the order wanted.
    tell
        Is given what the user should know.
    """

    def __init__(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> None:
        self._engine = work.engine
        self._tell = tell
        self._left = OrderedDict((cell.key(work.engine), cell) for cell in cells)
        self._store = Store(work.store, warn=tell) if work.store is not None else None
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
        """Cells that this process has not taken and no other process has done."""
        return len(self._left)

    def take(self, size: int) -> list[Cell]:
        """Up to so many cells, which are this process's now; none while other processes have all that are left."""
        if not self._left or time.monotonic() < self._look_again:
            return []
        try:
            if self._claims and self._store:
                taken = self._take_shared(size, self._claims, self._store)
            else:
                taken = self._take(size, frozenset())
        except Unlockable:
            self._share_no_more()
            taken = self._take(size, frozenset())
        if not taken and self._left:
            self._wait()
        return taken

    def done(self, cells: Iterable[Cell], batch: Batch) -> None:
        """Give up the claims on cells that were taken: what came out is in the store."""
        if batch.shard is not None:
            self._seen.add(batch.shard)
        if self._claims:
            try:
                self._claims.release(cell.key(self._engine) for cell in cells)
            except Unlockable:
                self._share_no_more()

    def arrived(self) -> Batch | None:
        """What other processes have done since this was asked the last time, if anything; to be asked often."""
        if self._claims:
            self._claims.sign()
        if not self._arrived:
            return None
        batch, self._arrived = Batch(self._arrived, [], 0.0), []
        return batch

    def _take_shared(self, size: int, claims: Claims, store: Store) -> list[Cell]:
        with claims.alone():
            # In this order: a process gives up a claim after it has put the outcomes into the store.
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
            self._tell(f"waiting for {len(self._left)} runs that another process computes in this store")

    def _share_no_more(self) -> None:
        if self._claims:
            self._claims.close()
            self._claims = None


def _claims(store: Store | None) -> Claims | None:
    """The claims of this process, or nothing where it must compute all that it lacks."""
    try:
        return Claims(store.folder) if store else None
    except Unlockable:
        return None


LOOK_SECONDS = 0.25
"""How often to look again while other processes have everything."""
