"""Congestion controls in the fluid model: window increase per acknowledged packet, and decrease per loss.

Windows w in packets, round-trip times r in seconds, rates x = w/r, with one entry for each path of a connection. The
file of each algorithm in ``crates/cc/src/algorithms/`` has its description and sources.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from manypath.arguments import control

Column = NDArray[np.float64]

Rule = Callable[[Column, Column], Column]
"""Function of windows and round-trip times that returns one number for each path."""


@dataclass(frozen=True)
class Formula:
    """The two formulas of a congestion control in congestion avoidance.

    Attributes
    ----------
    growth : callable
        Increase of the window of each path per packet acknowledged on it, packets.
    cut : callable
        Decrease of the window of each path per loss on it, packets. The model keeps windows at one packet or more.
    """

    growth: Rule
    cut: Rule


def formula_of(name: str) -> Formula | None:
    """Return the formulas of a congestion control by name; None if growth and decrease do not determine its rates.

    None for `cubic` (depends on the time since a loss), `wvegas` (on delay), `bmc` (on weights of a slow control loop)
    and `cmt-rpv1` (on thresholds of earlier losses).

    Raises
    ------
    UserError
        If there is no such congestion control.

    Examples
    --------
    >>> import manypath as mp
    >>> import numpy as np
    >>> lia = mp.theory.formula_of("lia")
    >>> windows, rtts = np.array([10.0, 10.0]), np.array([0.1, 0.1])
    >>> lia.growth(windows, rtts), lia.cut(windows, rtts)  # packets
    (array([0.025, 0.025]), array([5., 5.]))
    """
    control("cc", name)
    kind, _, settings = name.partition(":")
    if kind == "weighted-aimd":
        given = dict(setting.split("=") for setting in settings.split(",") if setting)
        numbers = {key.strip(): float(Fraction(value.strip())) for key, value in given.items()}
        return _weighted(numbers.get("weight", 1.0), numbers.get("decrease", 0.5))
    if kind == "lia-eunice":
        return FORMULAS["lia"]
    return FORMULAS.get(name)


def _weighted(weight: float, decrease: float) -> Formula:
    """Return the formulas of AIMD(3b D²/(2 - b), b), [H09] eq. 3.6."""
    increase = 3 * decrease / (2 - decrease) * weight**2
    return Formula(lambda w, _: increase / w, lambda w, _: decrease * w)


def _half(w: Column, _: Column) -> Column:
    return w / 2


def _rates(w: Column, r: Column) -> Column:
    return w / r


def _uncoupled(w: Column, _: Column) -> Column:
    return 1 / w


def _equally_weighted(w: Column, _: Column) -> Column:
    return 1 / (len(w) ** 2 * w)


def _coupled(w: Column, _: Column) -> Column:
    return np.full_like(w, 1 / w.sum())


def _half_of_total(w: Column, _: Column) -> Column:
    return np.full_like(w, w.sum() / 2)


def _lia(w: Column, r: Column) -> Column:
    """RFC 6356: in total as aggressive as one TCP on the best path, and on no path more aggressive than TCP."""
    return np.minimum((w / r**2).max() / _rates(w, r).sum() ** 2, 1 / w)


def _olia(w: Column, r: Column) -> Column:
    """OLIA, [K12], without the term that only shifts windows between paths."""
    return (w / r**2) / _rates(w, r).sum() ** 2


def _balia(w: Column, r: Column) -> Column:
    """BALIA, [P16]: increase by the ratio of the rates."""
    x = _rates(w, r)
    a = x.max() / x
    return x / (r * x.sum() ** 2) * (1 + a) / 2 * (4 + a) / 5


def _balia_cut(w: Column, r: Column) -> Column:
    x = _rates(w, r)
    return w / 2 * np.minimum(x.max() / x, 1.5)


def _rpv2(w: Column, r: Column) -> Column:
    """CMT/RPv2, [D11] section III-B.2: increase by the path's share of the rate."""
    x = _rates(w, r)
    return x / x.sum() / w


def _half_of_rate(w: Column, r: Column) -> Column:
    x = _rates(w, r)
    return w * np.maximum(0.5, x.sum() / (2 * x))


_LIA = Formula(_lia, _half)
_UNCOUPLED = Formula(_uncoupled, _half)

FORMULAS = {
    "newreno": _UNCOUPLED,
    "ewtcp": Formula(_equally_weighted, _half),
    "coupled": Formula(_coupled, _half_of_total),
    "lia": _LIA,
    "mptcp-like": _LIA,
    "mptcp-like:2011": _LIA,
    # The bound of one segment is the smaller value, so the paths are uncoupled: [D12] as printed.
    "mptcp-like:2012": _UNCOUPLED,
    "olia": Formula(_olia, _half),
    "balia": Formula(_balia, _balia_cut),
    "cmt-rpv2": Formula(_rpv2, _half_of_rate),
}
"""Formulas by name; `formula_of` adds those of congestion controls with parameters."""
