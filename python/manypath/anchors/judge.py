"""Measurement and verdict of anchors; runs that several anchors share are computed once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from manypath import _native
from manypath.anchors.anchor import Anchor, AnchorResult, GivenLosses
from manypath.campaign.cell import Cell
from manypath.campaign.compute import compute
from manypath.scenario import Scenario
from manypath.stats import interval

Outcomes = dict[tuple[str, int], Any]
"""Outcomes by document and replication."""


def judge(
    anchors: Sequence[Anchor], store: str | Path | None = "runs", workers: int | None = None, progress: bool = True
) -> list[AnchorResult]:
    """Measure every anchor.

    Parameters
    ----------
    anchors
        The anchors.
    store
        Folder of results of simulations; stored runs are not computed again.
    workers
        Number of threads; one for each core if None.
    progress
        Whether to show progress on standard error.
    """
    outcomes = {**_given_losses(anchors, workers), **_simulations(anchors, store, workers, progress)}
    return [AnchorResult(anchor, interval(_values(anchor, outcomes))) for anchor in anchors]


def _values(anchor: Anchor, outcomes: Outcomes) -> list[float]:
    measure = anchor.measure
    documents = [run.document() for run in measure.runs]
    return [
        measure.read([outcomes[document, replication] for document in documents])
        for replication in range(measure.replications)
    ]


def _wanted(anchors: Sequence[Anchor], kind: type[GivenLosses] | type[Scenario]) -> list[tuple[str, int]]:
    """Return every document of a kind with each of its replications, without duplicates."""
    wanted = {
        (run.document(), replication): None
        for anchor in anchors
        for run in anchor.measure.runs
        if isinstance(run, kind)
        for replication in range(anchor.measure.replications)
    }
    return list(wanted)


def _given_losses(anchors: Sequence[Anchor], workers: int | None) -> Outcomes:
    jobs = _wanted(anchors, GivenLosses)
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        rates = pool.map(lambda job: _native.ideal_rates(job[0], SEED, job[1]), jobs)
        return dict(zip(jobs, rates, strict=True))


def _simulations(anchors: Sequence[Anchor], store: str | Path | None, workers: int | None, progress: bool) -> Outcomes:
    jobs = _wanted(anchors, Scenario)
    cells = [Cell({}, document, SEED, replication) for document, replication in jobs]
    computed = compute(cells, store, workers, progress, title="anchors")
    return {(cell.document, cell.replication): json.loads(outcome) for cell, outcome in computed}


SEED = 1
"""Seed of all anchors."""
