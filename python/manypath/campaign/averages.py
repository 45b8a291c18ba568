"""Means over replications: the rows of one replication are averaged first, because they are not independent.

Flows of one run share its links, and replication r has the same random numbers in all scenarios. So a replication gives
one number, and the sample of an interval has one number for each replication.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from manypath.campaign.reserved import REPLICATION
from manypath.stats.compare import paired
from manypath.stats.confidence import half_width

if TYPE_CHECKING:
    import pandas as pd


def of_replications(
    rows: pd.DataFrame, measurement: str, by: Sequence[str], identity: Sequence[str]
) -> tuple[pd.DataFrame, pd.Series]:
    """Return one number for each replication and combination of `by`: the mean over its rows.

    The number is NaN if one of the rows has no number, or if rows are missing that other replications of the same
    combination have. A mean over other flows or scenarios than in other replications would not be comparable.

    Parameters
    ----------
    rows
        A frame of results.
    measurement
        The column with the numbers.
    by
        Columns of the groups.
    identity
        Columns that identify a row beside the replication.

    Returns
    -------
    tuple
        Frame with the columns of `by` and the replication; the numbers, with the same index.
    """
    import pandas as pd

    keys = distinct([*by, REPLICATION])
    rest = [name for name in identity if name not in keys]
    part = rows.groupby(rest, sort=False, dropna=False).ngroup() if rest else pd.Series(0, rows.index)
    parts = (
        part.groupby([rows[name] for name in by], sort=False, dropna=False).transform("nunique")
        if by
        else part.nunique()
    )
    places = np.arange(len(rows))
    table = pd.DataFrame({"value": rows[measurement].astype(float), "parts": parts, "place": places}, rows.index)
    grouped = table.groupby([rows[name] for name in keys], sort=False, dropna=False)
    found = grouped.agg(
        mean=("value", "mean"),
        numbers=("value", "count"),
        rows=("value", "size"),
        parts=("parts", "max"),
        first=("place", "first"),
    )
    complete = (found["numbers"] == found["rows"]) & (found["rows"] >= found["parts"])
    # The keys of the groups would have NaN for None, and floats for the whole numbers beside it.
    labels = rows[keys].iloc[found["first"]].reset_index(drop=True)
    return labels, found["mean"].where(complete).reset_index(drop=True)


def means(labels: pd.DataFrame, values: pd.Series, by: Sequence[str], confidence: float) -> pd.DataFrame:
    """Return `by`, `mean`, `half_width` and `n` of the numbers of `of_replications`."""
    import pandas as pd

    keys = [labels[name] for name in by] or np.zeros(len(values))
    sample = pd.DataFrame({"value": values, "place": np.arange(len(values))})
    grouped = sample.groupby(keys, sort=False, dropna=False)
    found = grouped["value"].agg(["mean", "std", "count"])
    table = labels[list(by)].iloc[grouped["place"].first()].reset_index(drop=True)
    table["mean"] = found["mean"].to_numpy()
    table["half_width"] = [
        half_width(deviation, n, confidence) for deviation, n in zip(found["std"], found["count"], strict=True)
    ]
    table["n"] = found["count"].to_numpy()
    return table


def pairs(
    labels: pd.DataFrame, values: pd.Series, factor: str, is_base: pd.Series, rest: Sequence[str]
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return the frame with `rest`, `factor` and the replication of each pair, its numbers, and those of the baseline.

    Parameters
    ----------
    labels, values
        The result of `of_replications`.
    factor
        The compared factor.
    is_base
        Which rows belong to the baseline.
    rest
        The other columns that identify a pair beside the replication.
    """
    import pandas as pd

    pair = pd.MultiIndex.from_frame(labels[distinct([*rest, REPLICATION])])
    base = pd.Series(values[is_base].to_numpy(), pair[is_base.to_numpy()])
    # A combination that the baseline does not have at all, such as another flow, has nothing to compare.
    chosen = ~is_base.to_numpy() & pair.isin(base.index)
    others = labels.loc[chosen, distinct([*rest, factor, REPLICATION])].reset_index(drop=True)
    return others, values[chosen].to_numpy(), base.reindex(pair[chosen]).to_numpy()


def differences(others: pd.DataFrame, first: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    """Return the columns of `others`, `difference`, `half_width`, `n` and `p_value` of pairs.

    A pair counts if both of its runs have a number.
    """
    import pandas as pd

    table = pd.DataFrame({"first": first, "second": second})
    firsts: list[int] = []
    found: list[dict[str, object]] = []
    for _, group in table.groupby([others[name] for name in others], sort=False, dropna=False):
        both = group.dropna()
        firsts.append(group.index[0])
        found.append(_difference(both["first"].to_numpy(), both["second"].to_numpy()))
    return pd.concat([others.iloc[firsts].reset_index(drop=True), pd.DataFrame(found)], axis=1)


def _difference(first: np.ndarray, second: np.ndarray) -> dict[str, object]:
    if not len(first):
        return {"difference": np.nan, "half_width": np.nan, "n": 0, "p_value": np.nan}
    compared = paired(first, second)
    interval = compared.difference
    return {
        "difference": interval.mean,
        "half_width": interval.half_width,
        "n": interval.n,
        "p_value": compared.p_value,
    }


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names without repetitions, in their order."""
    return list(dict.fromkeys(names))
