"""Whether a scenario's warm-up is long enough: MSER-5 on its goodput, beside the configured time."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from manypath.arguments import of_kind
from manypath.stats import mser5
from manypath.stats.warmup import BATCH

if TYPE_CHECKING:
    from manypath.campaign.results import Results


def check_warmup(results: Results, *, replications: int = 5, workers: int | None = None) -> pd.DataFrame:
    """Sample some runs of a campaign again, from their very beginning, and ask where their goodput becomes steady.

    It is a check, not a choice: the warm-up stays as it is configured. A flow whose rate drifts or swings slowly for
    the whole run gets no answer, and a longer run may give one.

    Parameters
    ----------
    results
        Simulations, or the part of them that `Results.select` leaves.
    replications
        How many replications are averaged, from the first, before the rule is applied.
    workers
        Threads; all cores if None.

    Returns
    -------
    DataFrame
        For each scenario and flow: ``configured``, the warm-up in seconds; ``suggested``, what MSER-5 would leave out,
        in seconds, not a number where it cannot tell; ``limit``, up to which it can tell, half of the run, in seconds;
        and whether the first is ``enough``, as finely as the rule looks: it cuts in steps of a fortieth of the run.

    Raises
    ------
    UserError
        If a result was not simulated here.
    """
    from manypath.campaign.results import Results
    from manypath.sampling import series

    of_kind("results", results, Results, "what Campaign.run returned")
    rows: list[dict[str, Any]] = []
    for factors, part in results.by_scenario():
        document = json.loads(part.outcomes[0][0].document)
        configured = document["warmup"] / SECOND
        every = (document["warmup"] + document["measure"]) // SAMPLES
        limit = SAMPLES // 2 * every / SECOND
        paths = series(part, f"{every} ns", replications=replications, workers=workers)["paths"]
        rates = paths.groupby(["flow", "time", "replication"])["goodput"].sum().groupby(["flow", "time"]).mean()
        for flow in document["flows"]:
            cut = mser5(rates[flow].fillna(0.0))
            suggested = math.nan if cut is None else cut * every / SECOND
            enough = suggested < configured + BATCH * every / SECOND
            found = {"configured": configured, "suggested": suggested, "limit": limit, "enough": enough}
            rows.append({**factors, "flow": flow, **found})
    return pd.DataFrame(rows)


SAMPLES = 200
"""Samples of each run."""

SECOND = 1e9
"""Nanoseconds."""
