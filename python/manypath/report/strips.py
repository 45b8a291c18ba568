"""Small pictures of confidence intervals with the range that a claim requires, as SVG elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup

from manypath.papers.reading import Reading
from manypath.papers.verdict import Verdict


@dataclass(frozen=True)
class Lane:
    """One interval of a picture.

    Attributes
    ----------
    mean, half_width : float
        The mean and the half width of its 95 % interval, in units of the axis.
    verdict : Verdict
        Verdict at this point alone.
    says : str
        Tooltip.
    """

    mean: float
    half_width: float
    verdict: Verdict
    says: str


@dataclass(frozen=True)
class Range:
    """The range that a claim requires: its ends, infinite if open, and the labels of the ends."""

    low: float
    high: float
    names: tuple[str, str] = ("", "")

    def ends(self) -> list[tuple[float, str]]:
        """Return the finite ends with their labels."""
        return [(end, name) for end, name in zip((self.low, self.high), self.names, strict=True) if isfinite(end)]


@dataclass(frozen=True)
class Axis:
    """The axis of a picture: its values at the left and the right edge."""

    left: float
    right: float

    @staticmethod
    def over(lanes: Iterable[Lane], wanted: Range) -> Axis:
        """Return an axis that contains all intervals and the ends of the range."""
        seen = [end for end, _ in wanted.ends()]
        for lane in lanes:
            seen += [lane.mean - lane.half_width, lane.mean + lane.half_width]
        left, right = min(seen), max(seen)
        room = MARGIN * (right - left) or 1.0
        return Axis(left - room, right + room)

    def place(self, value: float) -> float:
        """Return the position of a value in pixels; values outside the picture are at its edge."""
        part = (value - self.left) / (self.right - self.left)
        return WIDTH * min(max(part, 0.0), 1.0)


def scaled(readings: Sequence[Reading], unit: str) -> tuple[list[Reading], Range]:
    """Return readings with one common range, and this range.

    Readings with equal ranges keep their unit. Others are converted to tolerances from the middle of their ranges.
    """
    ranges = {(reading.low, reading.high) for reading in readings}
    if len(ranges) == 1:
        ((low, high),) = ranges
        # The two labels are close to each other, so only one has the unit.
        return list(readings), Range(low, high, (named(low, "" if isfinite(high) else unit), named(high, unit)))
    counted = [Reading((each.sample - each.middle) / each.tolerance, -1.0, 1.0) for each in readings]
    parts = {round(100.0 * each.tolerance / abs(each.middle), 6) for each in readings if each.middle}
    size = f"{parts.pop():g} %" if len(parts) == 1 and all(each.middle for each in readings) else "tolerance"
    return counted, Range(-1.0, 1.0, (f"\N{MINUS SIGN}{size}", f"+{size}"))


def strip(lanes: Sequence[Lane], wanted: Range, axis: Axis, *, says: str, names: bool = True) -> Markup:
    """Return a picture of stacked intervals over the required range.

    Parameters
    ----------
    lanes
        The intervals, from top to bottom.
    wanted, axis
        The required range, and the axis.
    says
        Text for screen readers.
    names
        Whether the ends of the range are labelled below the picture.
    """
    pitch = min(max(TALLEST / len(lanes), 3.0), PITCH)
    body = round(pitch * len(lanes) + 4.0, 1)
    height = body + (NAMES if names else 0.0)
    left, right = axis.place(wanted.low), axis.place(wanted.high)
    drawn = [BAND.format(left=left, width=right - left, height=body)]
    drawn += [END.format(x=axis.place(end), height=body) for end, _ in wanted.ends()]
    for number, lane in enumerate(lanes):
        drawn.append(_interval(lane, axis, 2.0 + pitch * (number + 0.5), min(3.2, pitch * 0.45)))
    if names:
        drawn += _names(wanted, axis, height - 2.0)
    return PICTURE.format(width=WIDTH, height=height, says=says, drawn=Markup().join(drawn))


def named(value: float, unit: str) -> str:
    """Format the label of an end of a range; empty for an open end."""
    return f"{value:.3g} {unit}".rstrip() if isfinite(value) else ""


def _interval(lane: Lane, axis: Axis, y: float, radius: float) -> Markup:
    low, high = axis.place(lane.mean - lane.half_width), axis.place(lane.mean + lane.half_width)
    return INTERVAL.format(
        verdict=lane.verdict, says=lane.says, low=low, high=high, mean=axis.place(lane.mean), y=y, radius=radius
    )


def _names(wanted: Range, axis: Axis, y: float) -> list[Markup]:
    """Return the labels of the ends, placed without overlap."""
    ends = wanted.ends()
    both = len(ends) > 1
    drawn: list[Markup] = []
    for number, (end, name) in enumerate(ends):
        x = axis.place(end)
        anchor = ("end" if number == 0 else "start") if both else "middle"
        wide = LETTER * len(name)
        before, after = {"end": (wide, 0.0), "start": (0.0, wide), "middle": (wide / 2.0, wide / 2.0)}[anchor]
        x = min(max(x, before), WIDTH - after)
        drawn.append(NAME.format(x=x, y=y, anchor=anchor, name=name))
    return drawn


PICTURE = Markup('<svg class="strip" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{says}">{drawn}</svg>')
BAND = Markup('<rect class="band" x="{left:.1f}" y="0" width="{width:.1f}" height="{height:g}"/>')
END = Markup('<path class="end" d="M{x:.1f} 0V{height:g}"/>')
INTERVAL = Markup(
    '<g class="{verdict}"><title>{says}</title><path d="M{low:.1f} {y:.1f}H{high:.1f}"/>'
    '<circle cx="{mean:.1f}" cy="{y:.1f}" r="{radius:.1f}"/></g>'
)
NAME = Markup('<text x="{x:.1f}" y="{y:g}" text-anchor="{anchor}">{name}</text>')
"""The elements of a picture. markupsafe escapes inserted texts."""

WIDTH = 240.0
"""Width of a picture, pixels."""

PITCH = 12.0
"""Largest distance between two intervals, pixels."""

TALLEST = 72.0
"""Largest height of all intervals, pixels. Many intervals exceed it, because their distance is at least 3."""

NAMES = 13.0
"""Height of the labels of the ends, pixels."""

LETTER = 5.6
"""Width of a letter of a label, pixels."""

MARGIN = 0.14
"""Margin on either side of the axis, as a fraction of the span of its values."""
