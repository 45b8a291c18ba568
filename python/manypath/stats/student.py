"""Student's t distribution and the normal one.

`scipy.special` takes longer to load than most commands take to run, so it is loaded at the first call.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any


def below(freedom: float, limit: Any) -> Any:
    """Return the probability that a t-distributed number is below `limit`, a number or an array of any shape."""
    from scipy import special

    return special.stdtr(freedom, limit)


def quantile(freedom: float, probability: float) -> float:
    """Return the number below which a t-distributed number is with `probability`."""
    from scipy import special

    return float(special.stdtrit(freedom, probability))


def normal_quantile(probability: float) -> float:
    """Return the number below which a number of the standard normal distribution is with `probability`."""
    return NormalDist().inv_cdf(probability)
