"""Computing cells: what the store has is taken from there, the rest is run and kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.executors import Executor, LocalExecutor
from manypath.campaign.progress import Progress, Silent, progress_on_stderr
from manypath.campaign.store import Store
from manypath.errors import Stopped


def compute(
    cells: Sequence[Cell],
    store: str | Path | None,
    workers: int | None = None,
    progress: Progress | bool = True,
    executor: Executor | None = None,
    title: str = "campaign",
) -> list[tuple[Cell, str]]:
    """Every cell with its outcome as JSON, in the order given; the parameters are those of `Campaign.run`."""
    display = progress if not isinstance(progress, bool) else progress_on_stderr(title) if progress else Silent()
    executor = executor or LocalExecutor(workers, on_stop=lambda: display.say(STOPPING))
    engine = _native.engine_version()
    keys = [cell.key(engine) for cell in cells]
    wanted = dict(zip(keys, cells, strict=True))
    keep = Store(store, warn=display.say) if store is not None else None
    outcomes = keep.load(wanted, engine) if keep else {}
    missing = [cell for key, cell in wanted.items() if key not in outcomes]
    if keep and missing:
        _tell_of_others(keep, display)
        keep.begin(_described(cells, engine))
    display.begin(len(wanted), len(outcomes))
    try:
        for batch in executor.batches(missing):
            if keep:
                keep.save(engine, batch)
            outcomes.update((cell.key(engine), outcome) for cell, outcome in batch)
            display.advance(len(batch))
    except Stopped:
        raise Stopped(_how_to_go_on(len(outcomes), len(wanted), store)) from None
    except _native.RunError as error:
        where = f"kept in {store}" if keep else "lost, as the campaign has no store"
        raise _native.RunError(f"{error}; {len(outcomes)} of {len(wanted)} runs are {where}") from None
    finally:
        display.end()
    return [(cell, outcomes[key]) for cell, key in zip(cells, keys, strict=True)]


def _tell_of_others(store: Store, display: Progress) -> None:
    """Say that there are results which do not count, so that nobody wonders why everything runs again."""
    if store.others:
        versions = ", ".join(store.others)
        display.say(f"{store.folder} has {store.others.total()} results of another engine ({versions}): not used")


def _described(cells: Sequence[Cell], engine: str) -> dict[str, Any]:
    """What the cells are, for the note beside their results."""
    scenarios = {cell.document: cell.factors for cell in cells}
    return {
        "engine": engine,
        "seeds": sorted({cell.seed for cell in cells}),
        "replications": 1 + max(cell.replication for cell in cells),
        "scenarios": [
            {"factors": {name: str(value) for name, value in factors.items()}, "document": json.loads(document)}
            for document, factors in scenarios.items()
        ],
    }


def _how_to_go_on(done: int, total: int, store: str | Path | None) -> str:
    if store is None:
        return f"stopped after {done} of {total} runs; nothing is kept, as the campaign has no store"
    return f"stopped after {done} of {total} runs, which are kept in {store}: the same command goes on from there"


STOPPING = "finishing the runs under way, so that they are kept; Ctrl-C again gives them up"
"""What the user reads after Ctrl-C."""
