"""A drawing of a network: links with their parameters, and the paths across them in colours."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath

from manypath import describe
from manypath.arguments import of_kind
from manypath.display import counted
from manypath.figures.picture import Picture
from manypath.figures.style import COLOURS, GRID, INK, styled
from manypath.quantity import SPAN

if TYPE_CHECKING:
    from manypath.scenario import Link, Network, Path


def topology(network: Network) -> Picture:
    """Draw a network: links with rate, delay, queue, loss and events, and the paths that cross them.

    A lane is a path from its source to its sink. A link has a lane for each path that crosses it. A link of the reverse
    direction is described if it differs from the forward link. At most `MOST_PATHS` paths are drawn.

    Examples
    --------
    >>> import manypath as mp
    >>> link = mp.Link(rate="10 Mbit/s", delay="20 ms")
    >>> mp.figures.topology(mp.disjoint(south=link, north=link))  # .save("network.svg") writes it
    Picture(figure=<Figure size ... with 1 Axes>)
    """
    from manypath.scenario import Network

    of_kind("network", network, Network, "the network of a scenario, such as scenario.network")
    # Names may contain `$`.
    with styled(), mpl.rc_context({"text.parse_math": False}):
        plan = _Plan(network)
        figure = Figure(figsize=(plan.width + 2 * EDGE, plan.height + 2 * EDGE))
        figure.set_label(plan.title)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(-EDGE, plan.width + EDGE)
        axes.set_ylim(plan.height + EDGE, -EDGE)
        plan.draw(axes)
    return Picture(figure)


@dataclass
class _Block:
    """A link in the drawing: texts above and below its lanes; lengths in inches, y downwards."""

    name: str
    column: int
    above: list[str]
    below: list[str]
    paths: list[str] = field(default_factory=list)
    y: float = 0.0

    @property
    def half(self) -> float:
        """Half of the height of the lanes and their border."""
        return (len(self.paths) * LANE + BORDER) / 2

    @property
    def up(self) -> float:
        """Height above its centre, including the texts."""
        return self.half + LINE * len(self.above) + SPACE

    @property
    def down(self) -> float:
        """Height below its centre, including the texts."""
        return self.half + LINE * len(self.below) + SPACE

    @property
    def width(self) -> float:
        """Width of its texts and lanes."""
        bold = _text_width(self.above[0], bold=True)
        return max([NARROWEST, bold, *(_text_width(text) for text in (*self.above[1:], *self.below))])

    def lane(self, path: str) -> float:
        """Return the y coordinate at which a path crosses it."""
        return self.y + (self.paths.index(path) - (len(self.paths) - 1) / 2) * LANE


class _Plan:
    """The layout of the drawing; lengths in inches, y downwards."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.title = "Network: " + _titled("path", network.paths) + " over " + _titled("link", network.links)
        self._back = describe.counterparts(network)
        self._paths = dict(list(network.paths.items())[:MOST_PATHS])
        self._colours = {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(self._paths)}
        self._said = {
            name: f"RTT {_rounded(describe.way(network, path).base_rtt)}" for name, path in self._paths.items()
        }
        self._ranks = _ranks([path.forward for path in self._paths.values()])
        self._crossed: dict[str, list[_Block]] = {name: [] for name in self._paths}
        self._blocks = self._make_blocks()
        self._set_columns()
        self._notes = self._wrapped(self._footnotes())
        self._set_rows()

    def _make_blocks(self) -> list[_Block]:
        """Return a block for each link, or for each link of each path if paths cross links in opposite orders."""
        blocks: dict[object, _Block] = {}
        for name, path in self._paths.items():
            for place, link in enumerate(path.forward):
                column = self._ranks[link] if self._ranks else place
                key = link if self._ranks else (name, place)
                block = blocks.setdefault(key, _Block(link, column, *self._texts(link)))
                block.paths.append(name)
                self._crossed[name].append(block)
        return list(blocks.values())

    def _texts(self, name: str) -> tuple[list[str], list[str]]:
        link = self._network.links[name]
        back = self._network.links[self._back.get(name, name)]
        below = _details(link)
        if back != link:
            below.append(f"back: {describe.link_speed(back)}")
            below += [f"back: {text}" for text in _details(back) if text not in below]
        return [name, describe.link_speed(link)], below

    def _set_columns(self) -> None:
        """Set x coordinates, from left to right: source, names of paths, columns of links, round-trip times, sink."""
        count = 1 + max(block.column for block in self._blocks)
        widths = [max((b.width for b in self._blocks if b.column == c), default=0.0) for c in range(count)]
        x = HOST + max(_text_width(name, SMALL) for name in self._paths) + 2 * SPACE
        self._label_end = x
        self._columns: list[tuple[float, float]] = []
        for width in widths:
            x += FAN
            self._columns.append((x, x + width))
            x += width
        self._labels_right = x + FAN
        self._sink = self._labels_right + max(_text_width(text, SMALL) for text in self._said.values()) + 2 * SPACE
        self.width = self._sink + HOST

    def _set_rows(self) -> None:
        """Set y coordinates. A row is as high as the links of only this path. Shared links are between their paths."""
        self._rows: dict[str, float] = {}
        y = 0.0
        for name, crossed in self._crossed.items():
            own = [block for block in crossed if len(block.paths) == 1]
            y += max([ROW / 2, *(block.up for block in own)])
            self._rows[name] = y
            y += max([ROW / 2, *(block.down for block in own)])
        for block in self._blocks:
            block.y = sum(self._rows[path] for path in block.paths) / len(block.paths)
        for column in range(len(self._columns)):
            _spread([block for block in self._blocks if block.column == column])
        top = min([*(block.y - block.up for block in self._blocks), *(y - HALF_HOST for y in self._rows.values())])
        for block in self._blocks:
            block.y -= top
        self._rows = {name: y - top for name, y in self._rows.items()}
        self._bottom = max([*(b.y + b.down for b in self._blocks), *(y + HALF_HOST for y in self._rows.values())])
        self.height = self._bottom + (LINE * len(self._notes) + SPACE if self._notes else 0.0)

    def _footnotes(self) -> list[str]:
        network = self._network
        access = (
            [
                f"access links: {describe.link_speed(network.access)}, {describe.queue_words(network.access.queue)}; "
                "every host has one for each path and direction"
            ]
            if network.access is not None
            else []
        )
        ways = [
            f"{name} back: "
            + ", ".join(f"{link} ({describe.link_speed(network.links[link])})" for link in path.reverse)
            for name, path in self._paths.items()
            if not self._is_told(path)
        ]
        more = len(network.paths) - len(self._paths)
        return [*access, *ways, *([f"and {counted(more, 'more path')}"] if more else [])]

    def _is_told(self, path: Path) -> bool:
        """Return whether each reverse link equals its forward link, or is described with it."""
        links = self._network.links
        return len(path.forward) == len(path.reverse) and all(
            links[there] == links[back] or self._back.get(there) == back
            for there, back in zip(path.forward, reversed(path.reverse), strict=True)
        )

    def _wrapped(self, notes: Iterable[str]) -> list[str]:
        letters = int(self.width / _text_width("n" * 20, SMALL) * 20 * 1.1)
        return [line for note in notes for line in textwrap.wrap(note, letters)]

    def draw(self, axes: Axes) -> None:
        """Draw everything."""
        self._draw_hosts(axes)
        for block in self._blocks:
            self._draw_block(axes, block)
        for name in self._paths:
            self._draw_path(axes, name)
        for number, note in enumerate(self._notes):
            axes.text(0.0, self._bottom + SPACE + LINE * number, note, size=SMALL, va="top")

    def _draw_hosts(self, axes: Axes) -> None:
        top, bottom = min(self._rows.values()) - HALF_HOST, max(self._rows.values()) + HALF_HOST
        for x, word in ((0.0, "source"), (self._sink, "sink")):
            axes.add_patch(_rounded_box(x, top, HOST, bottom - top, INK))
            axes.text(x + HOST / 2, (top + bottom) / 2, word, size=TEXT, ha="center", va="center")

    def _draw_block(self, axes: Axes, block: _Block) -> None:
        left, right = self._columns[block.column]
        axes.add_patch(_pipe(left, block.y - block.half, right - left, 2 * block.half))
        middle = (left + right) / 2
        for number, text in enumerate(reversed(block.above)):
            weight = "bold" if number == len(block.above) - 1 else "normal"
            y = block.y - block.half - LINE * number - RAISED
            axes.text(middle, y, text, size=TEXT, ha="center", va="baseline", weight=weight)
        for number, text in enumerate(block.below):
            y = block.y + block.half + LINE * (number + 1) - RAISED / 2
            axes.text(middle, y, text, size=TEXT, ha="center", va="baseline")

    def _draw_path(self, axes: Axes, name: str) -> None:
        row, colour = self._rows[name], self._colours[name]
        points = [(HOST, row), (self._label_end, row)]
        codes = [Outline.MOVETO, Outline.LINETO]
        for block in self._crossed[name]:
            (left, right), y = self._columns[block.column], block.lane(name)
            _bend(points, codes, (left, y))
            points.append((right, y))
            codes.append(Outline.LINETO)
        _bend(points, codes, (self._labels_right, row))
        points.append((self._sink, row))
        codes.append(Outline.LINETO)
        axes.add_patch(PathPatch(Outline(points, codes), fill=False, edgecolor=colour, linewidth=1.6))
        axes.text(HOST + SPACE, row - RAISED_LABEL, name, size=SMALL, color=colour)
        axes.text(self._sink - SPACE, row - RAISED_LABEL, self._said[name], size=SMALL, color=colour, ha="right")


def _details(link: Link) -> list[str]:
    """Return texts about queue, loss and events of a link."""
    lost = describe.loss_words(link.loss)
    events = [describe.event_words(event) for event in link.events]
    hidden = len(events) - MOST_EVENTS
    more = [f"and {counted(hidden, 'more event')}"] if hidden > 0 else []
    return [describe.queue_words(link.queue), *([lost] if lost else []), *events[:MOST_EVENTS], *more]


def _ranks(ways: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the column of each link, such that every path crosses columns from left to right; empty if impossible."""
    ranks = {link: 0 for way in ways for link in way}
    for _ in range(len(ranks) + 1):
        moved = False
        for way in ways:
            for before, after in itertools.pairwise(way):
                if ranks[after] <= ranks[before]:
                    ranks[after], moved = ranks[before] + 1, True
        if not moved:
            return ranks
    return {}


def _spread(blocks: list[_Block]) -> None:
    """Move the blocks of a column apart so that none overlaps, with an average displacement of zero."""
    blocks.sort(key=lambda block: block.y)
    wanted = [block.y for block in blocks]
    for before, block in itertools.pairwise(blocks):
        block.y = max(block.y, before.y + before.down + block.up)
    shift = sum(block.y - y for block, y in zip(blocks, wanted, strict=True)) / len(blocks) if blocks else 0.0
    for block in blocks:
        block.y -= shift


def _bend(points: list[tuple[float, float]], codes: list[np.uint8], end: tuple[float, float]) -> None:
    """Extend a lane to `end` by a curve that is horizontal at both ends."""
    (_x, y), middle = points[-1], (points[-1][0] + end[0]) / 2
    points += [(middle, y), (middle, end[1]), end]
    codes += [Outline.CURVE4] * 3


def _rounded_box(x: float, y: float, width: float, height: float, colour: str) -> FancyBboxPatch:
    style = f"round,pad=0,rounding_size={min(height / 2, 0.07)}"
    return FancyBboxPatch((x, y), width, height, boxstyle=style, fill=False, edgecolor=colour, linewidth=0.9)


def _pipe(x: float, y: float, width: float, height: float) -> FancyBboxPatch:
    box = _rounded_box(x, y, width, height, GRID)
    box.set(fill=True, facecolor=(GRID, 0.35), zorder=0.5)
    return box


@lru_cache(maxsize=1000)
def _text_width(text: str, size: float | None = None, *, bold: bool = False) -> float:
    """Return the width of a text in inches."""
    font = FontProperties(family="STIXGeneral", weight="bold" if bold else "normal")
    return float(TextPath((0, 0), text, size=size or TEXT, prop=font).get_extents().width) / 72 if text.strip() else 0.0


def _titled(what: str, names: Iterable[str]) -> str:
    """Return a text with at most `MOST_PATHS` names."""
    several = list(names)
    more = [f"{len(several) - MOST_PATHS} more"] if len(several) > MOST_PATHS else []
    return f"{what}{'s' if len(several) > 1 else ''} {', '.join([*several[:MOST_PATHS], *more])}"


def _rounded(span: int) -> str:
    """Return a time span as text with three digits."""
    digits = len(str(span)) - 3
    return SPAN.show(round(span, -digits) if digits > 0 else span)


MOST_PATHS = 16
"""Largest number of paths in a drawing."""

MOST_EVENTS = 3
"""Largest number of events of a link in a drawing."""

TEXT, SMALL = 8.5, 7.5
"""Sizes of text, points."""

LINE, LANE, BORDER, SPACE, RAISED = 0.145, 0.1, 0.08, 0.08, 0.035
"""Heights of a line of text, a lane, the border of a link and a space, and of a text above a line, inches."""

RAISED_LABEL = 0.05
"""Height of the name of a path above its lane, inches."""

EDGE = 0.02
"""Margin around the drawing, inches."""

ROW = 0.24
"""Smallest height of a row, inches."""

FAN = 0.34
"""Width of the curves between columns, inches."""

HOST, HALF_HOST = 0.55, 0.2
"""Width of a host, and half of its smallest height, inches."""

NARROWEST = 1.2
"""Smallest width of a link, inches."""
