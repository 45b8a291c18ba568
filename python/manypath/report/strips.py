"""Small pictures of intervals beside the range in which a claim wants them, as SVG elements of a page."""

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
        What this point says by itself.
    says : str
        What a reader who points at it is told.
    """

    mean: float
    half_width: float
    verdict: Verdict
    says: str


@dataclass(frozen=True)
class Range:
    """Where all intervals of a picture should lie: the ends, infinite where there is none, and their names."""

    low: float
    high: float
    names: tuple[str, str] = ("", "")

    def ends(self) -> list[tuple[float, str]]:
        """Return the ends that there are, with their names."""
        return [(end, name) for end, name in zip((self.low, self.high), self.names, strict=True) if isfinite(end)]


@dataclass(frozen=True)
class Axis:
    """Which part of the number line a picture shows, from its left to its right edge."""

    left: float
    right: float

    @staticmethod
    def over(lanes: Iterable[Lane], wanted: Range) -> Axis:
        """Return the axis on which all intervals and the ends of the range are seen."""
        seen = [end for end, _ in wanted.ends()]
        for lane in lanes:
            seen += [lane.mean - lane.half_width, lane.mean + lane.half_width]
        left, right = min(seen), max(seen)
        room = MARGIN * (right - left) or 1.0
        return Axis(left - room, right + room)

    def place(self, value: float) -> float:
        """Return where a value stands, in pixels; values beyond the picture stand at its edge."""
        part = (value - self.left) / (self.right - self.left)
        return WIDTH * min(max(part, 0.0), 1.0)


def scaled(readings: Sequence[Reading], unit: str) -> tuple[list[Reading], Range]:
    """Put readings on one axis.

    Readings with the same range keep their unit. Others are counted in tolerances from the middle of their ranges.
    """
    ranges = {(reading.low, reading.high) for reading in readings}
    if len(ranges) == 1:
        ((low, high),) = ranges
        # Two names stand close to each other, and one unit is enough.
        return list(readings), Range(low, high, (named(low, "" if isfinite(high) else unit), named(high, unit)))
    counted = [Reading((each.sample - each.middle) / each.tolerance, -1.0, 1.0) for each in readings]
    parts = {round(100.0 * each.tolerance / abs(each.middle), 6) for each in readings if each.middle}
    size = f"{parts.pop():g} %" if len(parts) == 1 and all(each.middle for each in readings) else "tolerance"
    return counted, Range(-1.0, 1.0, (f"\N{MINUS SIGN}{size}", f"+{size}"))


def strip(lanes: Sequence[Lane], wanted: Range, axis: Axis, *, says: str, names: bool = True) -> Markup:
    """Draw intervals above each other over the range in which they should lie.

    Parameters
    ----------
    lanes
        The intervals, from top to bottom.
    wanted, axis
        Where they should lie, and which part of the number line is seen.
    says
        What a program that reads the page aloud says.
    names
        Whether the ends of the range are named below the picture.
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
    """Write an end of a range; short, as it stands below a small picture."""
    return f"{value:.3g} {unit}".rstrip() if isfinite(value) else ""


def _interval(lane: Lane, axis: Axis, y: float, radius: float) -> Markup:
    low, high = axis.place(lane.mean - lane.half_width), axis.place(lane.mean + lane.half_width)
    return INTERVAL.format(
        verdict=lane.verdict, says=lane.says, low=low, high=high, mean=axis.place(lane.mean), y=y, radius=radius
    )


def _names(wanted: Range, axis: Axis, y: float) -> list[Markup]:
    """Return the names of the ends, which make room for each other."""
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
"""The elements of a picture; markupsafe escapes the words that are put in."""

WIDTH = 240.0
"""Width of a picture, pixels."""

PITCH = 12.0
"""Most pixels from one interval to the next."""

TALLEST = 72.0
"""Pixels of all intervals together, unless they are so many that they would touch."""

NAMES = 13.0
"""Pixels for the names of the ends."""

LETTER = 5.6
"""Pixels of a letter of a name."""

MARGIN = 0.14
"""Room on either side of what is seen, as a part of it."""
