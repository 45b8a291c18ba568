"""Drawings of networks: their contents, and that texts and lanes do not overlap."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.transforms import Bbox

import manypath as mp
from manypath.figures import topology
from manypath.figures.style import COLOURS
from manypath.papers.gonzalez2012_mptcp.scenarios import other_rates_without_cross_traffic

LINK = mp.Link(rate="10 Mbit/s", delay="20 ms")
FAST = mp.Link(rate="1 Gbit/s", delay="1 ms", queue=mp.CoDel(), loss=mp.Bernoulli(p=0.001))


def asymmetric() -> mp.Network:
    """Return paths with common links, a slower reverse link, and a separate reverse path."""
    events = [mp.Event(at=f"{n} s", change="down") for n in range(5)]
    first = LINK.but(queue=mp.Red(packets=200), jitter="3 ms", events=events)
    return mp.Network(
        links={"a": first, "a/back": first.but(rate="1 Mbit/s"), "b": LINK, "c": LINK, "satellite": LINK},
        paths={
            "first": mp.Path(forward=("a", "b"), reverse=("b", "a/back")),
            "second": mp.Path(forward=("c", "b"), reverse=("satellite",)),
            "third": mp.Path(forward=("c",), reverse=("c",)),
        },
    )


def opposite() -> mp.Network:
    """Return two paths that cross the same links in opposite orders."""
    ways = {"there": ("a", "b"), "around": ("b", "a")}
    paths = {name: mp.Path(forward=links, reverse=links[::-1]) for name, links in ways.items()}
    return mp.Network(links={"a": LINK, "b": LINK}, paths=paths)


NETWORKS: dict[str, Callable[[], mp.Network]] = {
    "one path": lambda: mp.disjoint(only=LINK),
    "two disjoint paths": lambda: mp.disjoint(south=LINK, north=FAST),
    "five disjoint paths": lambda: mp.disjoint(**{f"path-{n}": FAST if n % 2 else LINK for n in range(5)}),
    "a bottleneck of eight paths": lambda: mp.bottleneck(LINK, 8),
    "a dumbbell of three paths": lambda: mp.dumbbell(LINK, [FAST] * 3, [LINK] * 3),
    "the network of [G12]": lambda: other_rates_without_cross_traffic("lia").network,
    "common links": asymmetric,
    "links in opposite orders": opposite,
    "long names": lambda: mp.disjoint(**{"a link whose name is rather long": LINK, "another-one": FAST}),
    "names with special characters": lambda: mp.disjoint(**{"$\\frac": LINK, "<b>&": FAST}),
}


@pytest.fixture(params=NETWORKS)
def network(request: pytest.FixtureRequest) -> mp.Network:
    return NETWORKS[request.param]()


def boxes_of_texts(picture: mp.figures.Picture) -> dict[str, Bbox]:
    renderer = FigureCanvasAgg(picture.figure).get_renderer()
    texts = picture.figure.axes[0].texts
    return {f"{n}: {text.get_text()}": text.get_window_extent(renderer) for n, text in enumerate(texts)}


def test_texts_do_not_overlap_or_leave_the_drawing(network: mp.Network):
    picture = topology(network)
    boxes = boxes_of_texts(picture)
    for (one, first), (other, second) in itertools.combinations(boxes.items(), 2):
        assert not first.padded(-1).overlaps(second.padded(-1)), (one, other)
    width, height = picture.figure.bbox.size
    for name, box in boxes.items():
        assert box.x0 >= 0, name
        assert box.y0 >= 0, name
        assert box.x1 <= width, name
        assert box.y1 <= height, name


def test_no_lane_runs_through_the_text_of_a_link(network: mp.Network):
    picture = topology(network)
    axes = picture.figure.axes[0]
    texts = {name: box for name, box in boxes_of_texts(picture).items() if "RTT" not in name}
    for lane in (patch for patch in axes.patches if isinstance(patch, PathPatch)):
        path = lane.get_transform().transform_path(lane.get_path())
        for name, box in texts.items():
            assert not path.intersects_bbox(box.padded(-2), filled=False), name


def test_every_forward_link_is_a_pipe_and_every_path_a_lane_in_its_colour():
    axes = topology(asymmetric()).figure.axes[0]
    lanes = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
    pipes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    assert len(lanes) == 3
    assert len(pipes) == 3 + len(("source", "sink"))
    assert [text.get_color() for text in axes.texts if text.get_text() in ("first", "second", "third")] == [
        *COLOURS[:3]
    ]


def test_the_drawing_of_a_link_shows_its_effects_on_packets():
    labels = [text.get_text() for text in topology(asymmetric()).figure.axes[0].texts]
    for words in (
        "10 Mbit/s, 20 ms + 0 to 3 ms",
        "red, 200 packets",
        "0 ms: down",
        "and 2 more events",
        "back: 1 Mbit/s, 20 ms + 0 to 3 ms",
    ):
        assert words in labels
    assert not any(text.startswith(("first back", "third back")) for text in labels)
    assert any("second back: satellite (10 Mbit/s, 20 ms)" in text for text in labels)
    assert any(text.startswith("access links: 1 Gbit/s, drop-tail, 10,000 packets") for text in labels)


def test_the_round_trip_time_is_that_of_an_empty_path():
    # 40 ms of propagation, 1500 + 7 bytes forward and 60 + 7 in reverse at 10 Mbit/s, and each twice at 1 Gbit/s.
    access = mp.Link(rate="1 Gbit/s", queue=mp.DropTail(packets=10_000))
    labels = [text.get_text() for text in topology(mp.disjoint(only=LINK).but(access=access)).figure.axes[0].texts]
    milliseconds = 40 + (1507 + 67) * 8 / 10e6 * 1e3 + 2 * (1507 + 67) * 8 / 1e9 * 1e3
    assert f"RTT {milliseconds:.1f} ms" in labels


def test_of_many_paths_some_are_drawn_and_the_rest_is_counted():
    labels = [text.get_text() for text in topology(mp.bottleneck(LINK, 100)).figure.axes[0].texts]
    assert "path16" in labels
    assert "path17" not in labels
    assert "and 84 more paths" in labels


def test_the_drawing_has_a_title_for_screen_readers():
    assert "<title>Network: path south over links south, south/back</title>" in mp.disjoint(south=LINK)._repr_svg_()


def test_a_notebook_shows_the_drawing_of_a_network():
    network = mp.disjoint(south=LINK)
    assert "<svg" in network._repr_svg_()
    assert network.draw()._repr_svg_() == network._repr_svg_()


def test_plotly_reads_the_drawing_of_a_network():
    pytest.importorskip("plotly", reason="the extra interactive is not installed")
    picture = topology(mp.disjoint(south=LINK, north=LINK))
    texts = {text.get_text() for text in picture.figure.axes[0].texts}
    shown = {annotation.text for annotation in picture.interactive().layout.annotations}
    assert texts
    assert texts <= shown
