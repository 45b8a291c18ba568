"""The five words in which claims compare numbers: near, above, below, rises_with, crosses.

A sample is one number per replication. Replication `k` of every case sees the same random streams
(common random numbers), so orderings are paired: the difference is taken within a replication.
An ordering over several points holds when every point passes a one-sided paired t-test at 95 %, with Holm's
correction over the points. An ordering that a paper calls slight needs only the average difference over all points
to pass, and no point to be significantly reversed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manypath.papers.check import Check
from manypath.papers.paired import SIGNIFICANCE, estimate, holm, p_greater

Sample = NDArray[np.float64]
"""One number per replication, in the order of the replications."""

Points = Mapping[Any, Sample]
"""A sample for each point of a sweep."""


def near(
    measured: Sample | Points,
    expected: float | Mapping[Any, float],
    *,
    within: float | None = None,
    what: str = "",
    unit: str = "Mbit/s",
    over: str = "",
) -> Check:
    """Hold when every mean lies within a tolerance of the expected value.

    Parameters
    ----------
    measured, expected
        A sample and its value, or one of each for every point.
    within : float, optional
        Tolerance in the unit of the values; by default what `about` means in this project:
        10 % of the value, or 0.3 if that is more.
    what, unit, over : str
        Words for the table: what was measured, in which unit, and what follows the level of a point.
    """
    points = _points(measured)
    targets = _targets(expected, points)
    limits = {key: about(targets[key]) if within is None else within for key in points}
    misses = {key: abs(float(points[key].mean()) - targets[key]) - limits[key] for key in points}
    bad = [key for key in points if not misses[key] <= 0.0]
    worst = max(points, key=lambda key: misses[key])
    each = "" if len(points) == 1 else " at each point"
    return Check(
        verdict="fails" if bad else "holds",
        measured=_head(what) + _listing(points, worst, bad, unit, over),
        expected=_head(what) + f"{_span(targets)} ± {_span(limits)} {unit}".rstrip() + each,
        runs=_runs(points),
        what=what,
        unit=unit,
        slack={key: limits[key] - np.abs(points[key] - targets[key]) for key in points},
        missed=tuple(bad),
    )


def above(
    higher: Sample | Points,
    lower: float | Sample | Points,
    *,
    times: float = 1.0,
    slightly: bool = False,
    what: str = "",
    unit: str = "Mbit/s",
    over: str = "",
) -> Check:
    """Hold when one sample exceeds another, or a constant, with 95 % confidence at every point.

    Parameters
    ----------
    higher, lower
        Samples, or one for each point; `lower` may be a constant.
    times : float
        `higher` must exceed this multiple of `lower`.
    slightly : bool
        The paper calls the difference slight: only the average over all points must be significant.
    """
    return _ordering(higher, lower, 1.0, times, slightly, what, unit, over)


def below(
    lower: Sample | Points,
    higher: float | Sample | Points,
    *,
    times: float = 1.0,
    slightly: bool = False,
    what: str = "",
    unit: str = "Mbit/s",
    over: str = "",
) -> Check:
    """Hold when one sample lies under another (times a factor), or a constant, with 95 % confidence at every point."""
    return _ordering(lower, higher, -1.0, times, slightly, what, unit, over)


def rises_with(
    sweep: Mapping[float, Sample], *, falls: bool = False, what: str = "", unit: str = "Mbit/s", over: str = ""
) -> Check:
    """Hold when a quantity rises (or falls) over a sweep.

    The last level must exceed the first with 95 % confidence, and no step between neighbours may go
    significantly the other way.
    """
    sign = -1.0 if falls else 1.0
    levels = sorted(sweep)
    ends = p_greater(sign * (sweep[levels[-1]] - sweep[levels[0]]))
    steps = holm({(a, b): p_greater(sign * (sweep[a] - sweep[b])) for a, b in pairwise(levels)})
    against = [step for step, p in steps.items() if p < SIGNIFICANCE]
    story = ", ".join(f"{estimate(sweep[level])} at {level:g}" for level in (levels[0], levels[-1]))
    if against:
        story += f"; goes the other way between {against[0][0]:g} and {against[0][1]:g}"
    verb = "falls" if falls else "rises"
    return Check(
        verdict="holds" if ends < SIGNIFICANCE and not against else "fails",
        measured=_head(what) + f"{story} {unit}".rstrip(),
        expected=_head(what) + f"{verb} from {levels[0]:g} to {levels[-1]:g} {over}".rstrip() + " (95 %)",
        runs=_runs(sweep),
        what=what,
        unit=unit,
        slack={"ends": sign * (sweep[levels[-1]] - sweep[levels[0]])},
        missed=("ends",),
    )


def crosses(
    first: Mapping[float, Sample],
    second: Mapping[float, Sample],
    *,
    between: tuple[float, float],
    what: str = "",
    unit: str = "",
) -> Check:
    """Hold when the first curve passes from above to below the second inside an interval of the sweep.

    The first curve must be significantly higher at the lowest level and significantly lower at the highest;
    the crossing is interpolated on the mean difference. The slack is taken from where each run crosses.
    """
    levels = sorted(first)
    difference = {level: first[level] - second[level] for level in levels}
    ends = holm({"low": p_greater(difference[levels[0]]), "high": p_greater(-difference[levels[-1]])})
    where = crossing([(level, float(difference[level].mean())) for level in levels])
    low, high = between
    inside = where is not None and low <= where <= high
    places = np.array(
        [_place([(level, float(difference[level][run])) for level in levels]) for run in range(_runs(first))]
    )
    return Check(
        verdict="holds" if inside and max(ends.values()) < SIGNIFICANCE else "fails",
        measured=_head(what) + ("no crossing" if where is None else f"crossing at {where:.3g} {unit}".rstrip()),
        expected=_head(what) + f"crossing between {low:g} and {high:g} {unit}".rstrip(),
        runs=_runs(first),
        what=what,
        unit=unit,
        slack={"crossing": np.minimum(places - low, high - places)},
        missed=("crossing",),
    )


def about(value: float) -> float:
    """Tolerance of a number that a paper calls `about`: 10 %, or 0.3 (Mbit/s) if that is more."""
    return max(0.1 * abs(value), 0.3)


def _ordering(
    left: Sample | Points,
    right: float | Sample | Points,
    sign: float,
    times: float,
    slightly: bool,
    what: str,
    unit: str,
    over: str,
) -> Check:
    """Test `left > times * right` (sign 1) or `left < times * right` (sign -1) at every point."""
    points = _points(left)
    others = _others(right, points)
    gains = {key: sign * (points[key] - times * others[key]) for key in points}
    raw = {key: p_greater(gains[key]) for key in points}
    if slightly:
        reversals = holm({key: p_greater(-gains[key]) for key in points})
        bad = [key for key in points if reversals[key] < SIGNIFICANCE]
        holds = not bad and p_greater(np.mean(list(gains.values()), axis=0)) < SIGNIFICANCE
    else:
        corrected = holm(raw)
        bad = [key for key in points if not corrected[key] < SIGNIFICANCE]
        holds = not bad
    worst = max(points, key=lambda key: raw[key])
    return Check(
        verdict="holds" if holds else "fails",
        measured=_head(what) + _versus(points, others, worst, bad, unit, over),
        expected=_head(what) + _rule(">" if sign > 0.0 else "<", times, right, slightly, len(points), unit),
        runs=_runs(points),
        what=what,
        unit=unit,
        slack=gains,
        missed=() if holds else tuple(bad) or tuple(points),
    )


def crossing(curve: list[tuple[float, float]]) -> float | None:
    """Return the last level at which a curve, straight between its points, turns from positive to negative."""
    found = None
    for (x0, y0), (x1, y1) in pairwise(curve):
        if y0 > 0.0 >= y1:
            found = x0 + (x1 - x0) * y0 / (y0 - y1)
    return found


def _place(curve: list[tuple[float, float]]) -> float:
    """Return where one run crosses; at the end of the sweep that is nearer to crossing where it does not."""
    found = crossing(curve)
    if found is not None:
        return found
    return curve[0][0] if curve[0][1] <= 0.0 else curve[-1][0]


def _points(measured: Sample | Points) -> dict[Any, Sample]:
    if isinstance(measured, Mapping):
        return {key: np.asarray(values, dtype=np.float64) for key, values in measured.items()}
    return {"": np.asarray(measured, dtype=np.float64)}


def _others(other: float | Sample | Points, points: Points) -> dict[Any, Sample]:
    if isinstance(other, Mapping):
        return {key: np.asarray(other[key], dtype=np.float64) for key in points}
    return {key: np.broadcast_to(np.asarray(other, dtype=np.float64), values.shape) for key, values in points.items()}


def _targets(expected: float | Mapping[Any, float], points: Points) -> dict[Any, float]:
    if isinstance(expected, Mapping):
        return {key: float(expected[key]) for key in points}
    return dict.fromkeys(points, float(expected))


def _runs(points: Points) -> int:
    return min(len(values) for values in points.values())


def _head(what: str) -> str:
    return f"{what}: " if what else ""


def label(key: object) -> str:
    """Write the point of a sweep."""
    if isinstance(key, tuple):
        return ", ".join(label(part) for part in key)
    return f"{key:g}" if isinstance(key, float) else str(key)


def _listing(points: Points, worst: object, bad: list[object], unit: str, over: str) -> str:
    if len(points) == 1:
        return f"{estimate(points[worst])} {unit}".rstrip()
    return (
        f"{_count(points, bad)}worst {estimate(points[worst])} {unit}".rstrip() + f" at {label(worst)} {over}".rstrip()
    )


def _versus(points: Points, others: Points, worst: object, bad: list[object], unit: str, over: str) -> str:
    other = others[worst]
    rival = f"{other.flat[0]:.3g}" if np.ptp(other) == 0.0 else estimate(other)
    pair = f"{estimate(points[worst])} against {rival} {unit}".rstrip()
    if len(points) == 1:
        return pair
    return f"{_count(points, bad)}closest {pair} at {label(worst)} {over}".rstrip()


def _count(points: Points, bad: list[object]) -> str:
    return f"{len(points) - len(bad)} of {len(points)} points hold, "


def _rule(sign: str, times: float, other: object, slightly: bool, points: int, unit: str) -> str:
    side = f"{other:g} {unit}".rstrip() if isinstance(other, int | float) else "the other"
    factor = "" if times == 1.0 else f"{times:g} × "
    place = "" if points == 1 else " on average over the points" if slightly else f" at each of {points} points"
    return f"{sign} {factor}{side}{place} (95 %)"


def _span(limits: Mapping[Any, float]) -> str:
    low, high = min(limits.values()), max(limits.values())
    return f"{low:.3g}" if low == high else f"({low:.3g} to {high:.3g})"
