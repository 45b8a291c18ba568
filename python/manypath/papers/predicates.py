"""The five predicates of claims: near, above, below, rises_with, crosses. Each can hold or be contradicted.

A sample is one number per replication. Replication `k` of every case uses the same random streams
(common random numbers), so orderings are paired: differences are computed within a replication.

The docstring of each predicate states what must be shown, and what contradicts it. "Shown" is a one-sided t-test at
5 %. A statement about several points holds if it is shown at every point, each at 5 % (an intersection-union test needs
no correction). It is contradicted if the opposite is shown at some point, with Holm's correction over the points.
Otherwise it is undecided. A single run decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from typing_extensions import TypeIs

from manypath.papers.check import Check, decided
from manypath.papers.evidence import Sample
from manypath.papers.paired import estimate
from manypath.papers.reading import Reading
from manypath.papers.verdict import Hypotheses, Line, beyond, exact, level
from manypath.papers.verdict import within as lies_within

Points = Mapping[Any, Sample]
"""A sample for each point of a sweep."""


def near(
    measured: float | Sample | Points,
    expected: float | Mapping[Any, float],
    *,
    within: float | None = None,
    what: str = "",
    unit: str = "Mbit/s",
    over: str = "",
) -> Check:
    """Hold if every mean is shown to lie within a tolerance of the expected value.

    The test at each point is an equivalence test (two one-sided tests). Contradicted if some mean is shown to lie
    outside the tolerance.

    Parameters
    ----------
    measured, expected
        A sample and its expected value, or a mapping of each by point. A plain number is exact and needs no runs.
    within : float, optional
        Tolerance in the unit of the values; by default 10 % of the expected value, see `about`.
    what, unit, over : str
        Texts of the table: the measured quantity, its unit, and text after the level of a point.
    """
    points = _points(measured)
    targets = _targets(expected, points)
    limits = {key: about(targets[key]) if within is None else within for key in points}
    offsets = {key: points[key] - targets[key] for key in points}
    if isinstance(measured, int | float):
        lines = {key: exact(limits[key] - abs(float(measured) - targets[key])) for key in points}
    else:
        lines = {key: lies_within(offsets[key], limits[key]) for key in points}
    each = "" if len(points) == 1 else " at each point"
    hypotheses = Hypotheses(lines)
    return decided(
        hypotheses,
        measured=_head(what) + _listing(points, hypotheses, unit, over),
        expected=_head(what) + f"{_span(targets)} ± {_span(limits)} {unit}".rstrip() + each + _confidence(lines),
        runs=min(line.runs for line in lines.values()),
        what=what,
        unit=unit,
        slack={key: _slack(offsets[key], limits[key]) for key in points},
        measures={key: Reading(points[key], targets[key] - limits[key], targets[key] + limits[key]) for key in points},
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
    """Hold if one sample is shown to exceed another, or a constant, at every point.

    Contradicted if at some point `higher` is shown to lie below `times * lower`.

    Parameters
    ----------
    higher, lower
        Samples, or a sample for each point; `lower` may be a constant.
    times : float
        `higher` must exceed this multiple of `lower`.
    slightly : bool
        Whether the paper calls the difference slight. Then only the average over all points must be shown. The
        statement is contradicted if the reverse is shown for the average or for some point.
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
    """Hold if one sample is shown to lie below another (times a factor), or a constant, at every point.

    Contradicted if at some point `lower` is shown to exceed `times * higher`. The parameters are those of `above`.
    """
    return _ordering(lower, higher, -1.0, times, slightly, what, unit, over)


def rises_with(
    sweep: Mapping[float, Sample], *, falls: bool = False, what: str = "", unit: str = "Mbit/s", over: str = ""
) -> Check:
    """Hold if a quantity is shown to rise (or fall) from the first to the last level of a sweep.

    Contradicted if the reverse is shown between the first and the last level, or between two neighbouring levels. A
    rise between neighbours need not be shown.
    """
    sign = -1.0 if falls else 1.0
    levels = sorted(sweep)
    ends = sign * (sweep[levels[-1]] - sweep[levels[0]])
    whole = (levels[0], levels[-1])
    steps = {(a, b): sign * (sweep[b] - sweep[a]) for a, b in pairwise(levels) if (a, b) != whole}
    hypotheses = Hypotheses({"ends": beyond(ends)}, {pair: beyond(gains) for pair, gains in steps.items()})
    story = ", ".join(f"{estimate(sweep[level])} at {level:g}" for level in (levels[0], levels[-1]))
    against = [pair for pair in hypotheses.reversed() if isinstance(pair, tuple)]
    if against:
        story += f"; {'rises' if falls else 'falls'} between {against[0][0]:g} and {against[0][1]:g}"
    verb = "falls" if falls else "rises"
    return decided(
        hypotheses,
        measured=_head(what) + f"{story} {unit}".rstrip(),
        expected=_head(what) + f"{verb} from {levels[0]:g} to {levels[-1]:g} {over}".rstrip() + " (95 %)",
        runs=_runs(sweep),
        what=what,
        unit=unit,
        slack={"ends": ends, **steps},
    )


def crosses(
    first: Mapping[float, Sample],
    second: Mapping[float, Sample],
    *,
    between: tuple[float, float],
    what: str = "",
    unit: str = "",
    over: str = "",
) -> Check:
    """Hold if the first curve falls below the second inside an interval of the sweep.

    The first curve must be shown to be above the second at the lowest level and at the lower end of the interval, and
    below it at the upper end and at the highest level. Contradicted if the reverse is shown at one of these four
    places. Curves are interpolated linearly between levels. The slack at each place is the lead of the curve that must
    be higher.

    Parameters
    ----------
    first, second
        A sample for each level, on the same levels.
    between
        The interval of the sweep, both ends in the unit of the levels.
    what, unit, over : str
        Texts of the table: the measured quantity, and the units of the curves and of the sweep.
    """
    levels = sorted(first)
    leads = np.array([first[level] - second[level] for level in levels])
    low, high = between
    places = {"lowest": (levels[0], 1.0), "low": (low, 1.0), "high": (high, -1.0), "highest": (levels[-1], -1.0)}
    slack = {
        name: sign * np.array([np.interp(place, levels, run) for run in leads.T])
        for name, (place, sign) in places.items()
    }
    where = crossing([(level, float(lead.mean())) for level, lead in zip(levels, leads, strict=True)])
    found = "no crossing" if where is None else f"crossing at {where:.3g} {over}".rstrip()
    return decided(
        Hypotheses({name: beyond(gains) for name, gains in slack.items()}),
        measured=_head(what)
        + f"{found}; the first leads by {estimate(slack['low'])} at {low:g}, "
        f"the second by {estimate(slack['high'])} at {high:g} {over}".rstrip(),
        expected=_head(what) + f"crossing between {low:g} and {high:g} {over}".rstrip() + " (95 %)",
        runs=_runs(first),
        what=what,
        unit=unit,
        slack=slack,
    )


def _slack(offsets: Sample, limit: float) -> Sample:
    """Return the distance of each run from the nearer end of a tolerance: the end on the side of the mean offset.

    The mean of these distances is the distance that `near` tests. Distances of `|offset|` have a smaller mean, because
    runs on the other side of zero count as deviations, too.
    """
    return limit - (offsets if offsets.mean() >= 0.0 else -offsets)


def about(value: float) -> float:
    """Return the tolerance of a printed number: 10 % of its value."""
    return ABOUT * abs(value)


ABOUT = 0.1
"""Tolerance of `about`, as a fraction of the value."""


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
    lines = {key: beyond(gain) for key, gain in gains.items()}
    slack: dict[Any, Sample] = gains
    compared = points
    hypotheses = Hypotheses(lines)
    if slightly and len(points) > 1:
        slack = {**gains, AVERAGE: np.mean(list(gains.values()), axis=0)}
        compared = {**points, AVERAGE: np.mean(list(points.values()), axis=0)}
        hypotheses = Hypotheses({AVERAGE: beyond(slack[AVERAGE])}, lines)
    return decided(
        hypotheses,
        measured=_head(what) + _versus(points, others, hypotheses, unit, over),
        expected=_head(what) + _rule(">" if sign > 0.0 else "<", times, right, slightly, len(points), unit),
        runs=_runs(points),
        what=what,
        unit=unit,
        slack=slack,
        measures={key: _beside(compared[key], times * right, sign) for key in compared} if _is_line(right) else {},
    )


def _is_line(right: float | Sample | Points) -> TypeIs[float]:
    """Return whether samples are compared with a constant."""
    return isinstance(right, int | float)


def _beside(sample: Sample, line: float, sign: float) -> Reading:
    """Return a sample with its range: above a line (sign 1) or below it (sign -1)."""
    return Reading(sample, line, inf) if sign > 0.0 else Reading(sample, -inf, line)


AVERAGE = "average"
"""Key of the mean over all points, if single points need not be shown."""


def crossing(curve: list[tuple[float, float]]) -> float | None:
    """Return the last level at which a piecewise linear curve changes from positive to negative; None without one."""
    found = None
    for (x0, y0), (x1, y1) in pairwise(curve):
        if y0 > 0.0 >= y1:
            found = x0 + (x1 - x0) * y0 / (y0 - y1)
    return found


def _points(measured: float | Sample | Points) -> dict[Any, Sample]:
    if isinstance(measured, Mapping):
        return {key: np.asarray(values, dtype=np.float64) for key, values in measured.items()}
    return {"": np.atleast_1d(np.asarray(measured, dtype=np.float64))}


def _others(other: float | Sample | Points, points: Points) -> dict[Any, Sample]:
    if isinstance(other, Mapping):
        return {key: np.asarray(other[key], dtype=np.float64) for key in points}
    return {key: np.broadcast_to(np.asarray(other, dtype=np.float64), values.shape) for key, values in points.items()}


def _targets(expected: float | Mapping[Any, float], points: Points) -> dict[Any, float]:
    if isinstance(expected, Mapping):
        return {key: float(expected[key]) for key in points}
    return dict.fromkeys(points, float(expected))


def _runs(points: Mapping[Any, Sample]) -> int:
    return min(len(values) for values in points.values())


def _head(what: str) -> str:
    return f"{what}: " if what else ""


def label(key: object) -> str:
    """Format the point of a sweep."""
    if isinstance(key, tuple):
        return ", ".join(label(part) for part in key)
    return f"{key:g}" if isinstance(key, float) else str(key)


def _listing(points: Points, hypotheses: Hypotheses, unit: str, over: str) -> str:
    worst = _worst({key: hypotheses.all[key] for key in points})
    if len(points) == 1:
        return _valued(points[worst], unit)
    count = points_decided(hypotheses)
    return f"{count}, worst {_valued(points[worst], unit)} at {label(worst)} {over}".rstrip()


def _valued(sample: Sample, unit: str) -> str:
    """Return the mean of a sample with its unit, or that it has no value."""
    told = estimate(sample)
    return told if np.isnan(sample).any() else f"{told} {unit}".rstrip()


def _versus(points: Points, others: Points, hypotheses: Hypotheses, unit: str, over: str) -> str:
    worst = _worst({key: hypotheses.all[key] for key in points})
    other = others[worst]
    rival = f"{other.flat[0]:.3g}" if np.ptp(other) == 0.0 else estimate(other)
    pair = f"{estimate(points[worst])} against {rival} {unit}".rstrip()
    if len(points) == 1:
        return pair
    return f"{points_decided(hypotheses)}, closest {pair} at {label(worst)} {over}".rstrip()


def _worst(lines: Mapping[Any, Line]) -> Any:
    """Return the point with the weakest evidence for the statement."""
    return max(lines, key=lambda key: (lines[key].shown, -lines[key].reverse, -lines[key].distance))


def points_decided(hypotheses: Hypotheses) -> str:
    """Return as text at how many points a statement is shown, and at how many its opposite.

    The average over the points is no point, but Holm's correction includes it.
    """
    points = {key: line for key, line in hypotheses.all.items() if key != AVERAGE}
    shown = sum(line.shown < level() for line in points.values())
    against = sum(key in points for key in hypotheses.reversed())
    said = f"{shown} of {len(points)} points hold"
    return f"{said}, {against} contradicted" if against else said


def _rule(sign: str, times: float, other: object, slightly: bool, points: int, unit: str) -> str:
    side = f"{other:g} {unit}".rstrip() if isinstance(other, int | float) else "the other"
    factor = "" if times == 1.0 else f"{times:g} × "
    place = "" if points == 1 else " on average over the points" if slightly else f" at each of {points} points"
    return f"{sign} {factor}{side}{place} (95 %)"


def _confidence(lines: Mapping[Any, Line]) -> str:
    """Return the required confidence as text; empty for a computed number."""
    return " (95 %)" if any(line.runs for line in lines.values()) else ""


def _span(limits: Mapping[Any, float]) -> str:
    low, high = min(limits.values()), max(limits.values())
    return f"{low:.3g}" if low == high else f"({low:.3g} to {high:.3g})"
