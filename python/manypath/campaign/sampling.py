"""Time series of the runs of a campaign: windows, round-trip times, goodput and queues as frames."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from manypath import _native
from manypath.arguments import whole
from manypath.campaign.cell import Cell
from manypath.campaign.executors.local import threads_of
from manypath.campaign.reserved import check_apart
from manypath.campaign.results import Results, simulated
from manypath.errors import UserError
from manypath.frames import series_frames
from manypath.measurements import CHANGES, SAMPLES
from manypath.refusal import told
from manypath.run import check_interval, rows

if TYPE_CHECKING:
    import pandas as pd


def series(
    results: Results, every: str = "100 ms", *, replications: int = 1, workers: int | None = None
) -> dict[str, pd.DataFrame]:
    """Repeat simulations of a campaign with sampling; they are deterministic, so the results are the same.

    Parameters
    ----------
    results
        The campaign, or a part of it from `Results.select`.
    every
        Sampling interval: ``"100 ms"``; ``"event"`` for a row at each change.
    replications
        Number of replications of each scenario, starting with the first.
    workers
        Number of threads; one for each core if None.

    Returns
    -------
    dict
        Frames ``flows``, ``streams``, ``paths`` and ``links``, with one row for each sample and a column for each
        factor: windows and thresholds in bytes, times in seconds, goodput and throughput since the previous sample in
        Mbit/s, queues in packets. With ``every="event"`` the frames are ``paths`` (windows, thresholds, times),
        ``arrivals`` (received bytes) and ``links``.

    Raises
    ------
    UserError
        If an argument is invalid, memory does not suffice for the samples, the results are not simulations, or a factor
        has the name of a column of samples, such as ``"queue"``.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> scenario = mp.Scenario(network=network, flows={"tcp": mp.Tcp(path="south")}, warmup="1 s", measure="2 s")
    >>> results = mp.Campaign(scenario, replications=3).run(store=None, progress=False)
    >>> mp.series(results, every="1 s")["paths"][["replication", "time", "path", "cwnd"]]
       replication  time   path      cwnd
    0            0   0.0  south       0.0
    1            0   1.0  south  159870.0
    2            0   2.0  south   81028.0
    3            0   3.0  south   91040.0
    """
    rows(every, "every")
    simulated("series", results, "sampled")
    columns = {name for frames in (SAMPLES, CHANGES) for names in frames.values() for name in names}
    check_apart("series", results.factors, columns, "is also the name of a column of samples")
    return sampled(results, every, replications, workers, results.factors)


def sampled(
    results: Results, every: str, replications: int, workers: int | None, factors: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return the frames of `series` with columns only for some factors."""
    import pandas as pd

    whole("replications", replications, "number of repetitions", least=1)
    watch = rows(every)
    cells = [cell for cell, _ in results.outcomes if cell.replication < replications]
    for document in {cell.document for cell in cells}:
        check_interval(every, _duration(document))
    memory = _native.available_memory()
    if memory is not None and cells:
        watch["memory"] = memory // len(cells)
    document = json.dumps(watch)
    with ThreadPoolExecutor(threads_of(workers)) as threads:
        found = list(threads.map(lambda cell: _sample(cell, document, factors), cells))
    kinds = dict.fromkeys(kind for frames in found for kind in frames)
    return {kind: pd.concat([frames[kind] for frames in found], ignore_index=True) for kind in kinds}


def _duration(document: str) -> int:
    """Return the duration of a run in nanoseconds; the engine refuses documents of other runners."""
    fields = json.loads(document)
    if not isinstance(fields, dict):
        return FOREVER
    warmup, measure = fields.get("warmup"), fields.get("measure")
    return warmup + measure if isinstance(warmup, int) and isinstance(measure, int) else FOREVER


FOREVER = 2**64
"""Longer than each interval, nanoseconds."""


def _sample(cell: Cell, watch: str, factors: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the samples of one run, with some of its factors and its replication as first columns."""
    import pandas as pd

    try:
        _, columns = _native.run(cell.document, cell.seed, cell.replication, watch)
    except _native.SeriesError as error:
        raise UserError(f"{told(error)} for each run") from None
    except _native.ScenarioError as error:
        raise UserError(f"series: {told(error)} (only simulations can be sampled)") from None
    labels: dict[str, Any] = {**{name: cell.factors[name] for name in factors}, "replication": cell.replication}
    return {
        kind: pd.concat([pd.DataFrame(labels, index=frame.index), frame], axis=1)
        for kind, frame in series_frames(columns or {}).items()
    }
