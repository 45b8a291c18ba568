"""Papers in parts, on machines without a shared folder: each machine computes its part of the next runs.

The next runs depend on verdicts: further runs for undecided claims, trials for causes. So the parts work in rounds. A
round ends when runs of other parts are missing. The user then merges the stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from manypath.campaign import Batch, Cell, Work
from manypath.campaign.combinations import deal
from manypath.campaign.executors import Executor, LocalExecutor
from manypath.campaign.progress import Progress
from manypath.papers.evaluation import evaluate
from manypath.papers.mutations import mutate
from manypath.papers.paper import Paper
from manypath.papers.runner import Runner


class OthersMissing(Exception):
    """The store lacks runs of other parts. The own part is complete."""

    def __init__(self, runs: int) -> None:
        super().__init__(f"{runs:,} runs of other parts are missing")
        self.runs = runs


@dataclass(frozen=True)
class PartExecutor(Executor):
    """Executor that computes only one part of the cells. The key of a cell determines its part.

    Attributes
    ----------
    executor : Executor
        Executor that computes the cells of this part.
    part, parts : int
        Index of this part, from 0, and the number of parts.
    """

    executor: Executor
    part: int
    parts: int

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Yield batches of this part.

        Raises
        ------
        OthersMissing
            After the last batch, if there are cells of other parts.
        """
        mine = [cell for cell in cells if int(cell.key(work.engine)[:16], 16) % self.parts == self.part]
        if mine:
            yield from self.executor.batches(work, mine, tell)
        if len(mine) < len(cells):
            raise OthersMissing(len(cells) - len(mine))


def compute_part(
    papers: Sequence[Paper],
    shard: str,
    *,
    full: bool = False,
    causes: bool | None = None,
    profiles: bool | None = None,
    mutations: bool | None = None,
    open_settings: bool | None = None,
    store: str | Path = "runs",
    progress: bool | Progress = True,
    workers: int | None = None,
    executor: Executor | None = None,
) -> dict[str, int]:
    """Compute one part of the next runs of papers; return the number of missing runs of other parts for each paper.

    A paper without missing runs is complete: `manypath.papers.evaluate` then finds all of its runs in the store.

    Parameters
    ----------
    papers
        The papers.
    shard
        The part: ``"2/4"`` is the second of four.
    full, causes, profiles, mutations, open_settings, store, progress, workers, executor
        As for `manypath.papers.evaluate`.

    Raises
    ------
    UserError
        If `shard` is not a part.
    Stopped
        After Ctrl-C. Finished runs are in the store.
    """
    own = PartExecutor(executor or LocalExecutor(workers), *deal(shard))
    missing: dict[str, int] = {}
    for paper in papers:
        missing[paper.name] = _missing(
            lambda paper=paper: evaluate(
                [paper],
                full=full,
                causes=causes,
                profiles=profiles,
                mutations=False,
                open_settings=open_settings,
                store=store,
                progress=progress,
                workers=workers,
                executor=own,
            )
        )
        if paper.mutations and (full if mutations is None else mutations):
            runner = Runner(paper, paper.precision(full=full), store, progress, workers, executor=own)
            missing[paper.name] += _missing(lambda runner=runner: mutate(runner))
    return missing


def _missing(step: Callable[[], object]) -> int:
    """Run a step until runs of other parts are missing, and return their number."""
    try:
        step()
    except OthersMissing as missing:
        return missing.runs
    return 0
