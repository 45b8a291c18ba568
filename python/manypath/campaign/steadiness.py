"""Compares the warm-up of a scenario with the truncation that MSER-5 suggests for the goodput of each flow."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from manypath.campaign.reserved import check_columns
from manypath.campaign.results import Results, simulated
from manypath.campaign.sampling import sampled
from manypath.stats import mser5
from manypath.stats.warmup import BATCH

if TYPE_CHECKING:
    import pandas as pd


def check_warmup(results: Results, *, replications: int = 5, workers: int | None = None) -> pd.DataFrame:
    """Repeat some runs of a campaign with sampling, and check that the goodput is steady after the warm-up.

    The configured warm-up does not change. MSER-5 gives no estimate for a flow whose rate drifts or oscillates slowly
    during the whole run. A longer run may then give an estimate.

    Parameters
    ----------
    results
        Results of simulations, or a part of them from `Results.select`.
    replications
        Number of replications, starting with the first. MSER-5 is applied to their mean goodput.
    workers
        Number of threads; one for each core if None.

    Returns
    -------
    DataFrame
        For each scenario and flow: ``configured``, the warm-up in seconds; ``suggested``, the truncation by MSER-5 in
        seconds, NaN without an estimate; ``limit``, the largest possible truncation, half of the run, in seconds;
        ``enough``, whether the warm-up is at least as long as the truncation, or shorter by less than the resolution of
        MSER-5, a fortieth of the run. It is False without an estimate.

    Raises
    ------
    UserError
        If the results have no runs or are not simulations, or a factor has the name of a column of this frame.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> scenario = mp.Scenario(network=network, flows={"tcp": mp.Tcp(path="south")}, warmup="5 s", measure="15 s")
    >>> results = mp.Campaign(scenario, replications=2).run(store=None, progress=False)
    >>> mp.check_warmup(results)
      flow  configured  suggested  limit  enough
    0  tcp         5.0        1.0   10.0    True
    """
    import pandas as pd

    simulated("check_warmup", results)
    check_columns("check_warmup", results.factors, COLUMNS)
    rows: list[dict[str, Any]] = []
    for factors, part in results.by_scenario():
        document = json.loads(part.outcomes[0][0].document)
        configured = document["warmup"] / SECOND
        every = (document["warmup"] + document["measure"]) // SAMPLES
        limit = SAMPLES // 2 * every / SECOND
        paths = sampled(part, f"{every} ns", replications, workers, factors=())["paths"]
        rates = paths.groupby(["flow", "time", "replication"])["goodput"].sum().groupby(["flow", "time"]).mean()
        for flow in document["flows"]:
            cut = mser5(rates[flow].fillna(0.0))
            suggested = math.nan if cut is None else cut * every / SECOND
            enough = suggested < configured + BATCH * every / SECOND
            found = {"configured": configured, "suggested": suggested, "limit": limit, "enough": enough}
            rows.append({**factors, "flow": flow, **found})
    return pd.DataFrame(rows)


COLUMNS = ("configured", "suggested", "limit", "enough")
"""Columns of the check beside the factors and the flow."""

SAMPLES = 200
"""Number of samples of each run."""

SECOND = 1e9
"""Nanoseconds in a second."""
