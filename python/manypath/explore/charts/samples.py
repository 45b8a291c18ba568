"""The samples of a run as arrays, by flow and path or by link."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Samples = dict[str, NDArray[np.float64]]
"""The samples of a flow on a path, or of a link, by the name of the column."""


def of_flow(samples: Mapping[tuple[str, ...], Samples], flow: str | None) -> dict[str, Samples]:
    """Return the samples of one flow by path, from those of all flows and paths."""
    return {path: own for (name, path), own in samples.items() if name == flow}


def divided(frame: pd.DataFrame, by: list[str]) -> dict[tuple[str, ...], Samples]:
    """Return the columns of numbers of each flow and path, or of each link, in the order of their first samples."""
    numbers = [str(column) for column in frame if column not in by]
    return {
        tuple(map(str, names)): {column: part[column].to_numpy() for column in numbers}
        for names, part in frame.groupby(by, sort=False)
    }


def summed(paths: list[Samples], column: str) -> NDArray[np.float64]:
    """Return the sums of a column over the paths of a flow, which have equal times."""
    return np.sum([samples[column] for samples in paths], axis=0)
