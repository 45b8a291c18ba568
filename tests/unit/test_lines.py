"""Line figures of a campaign: each point shows the right samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer

import manypath as mp
from manypath.figures import lines
from manypath.figures.axis import Axis as Levels
from manypath.stats import interval


@pytest.fixture
def frame() -> pd.DataFrame:
    """A frame with two congestion controls, two flows, three rates and four replications each."""
    noise = np.random.default_rng(1)
    return pd.DataFrame(
        {"cc": cc, "north": north, "replication": replication, "flow": flow, "goodput": level + noise.normal()}
        for cc, level in (("newreno", 5.0), ("lia", 3.0))
        for north in ("500 kbit/s", "2 Mbit/s", "1 Mbit/s")
        for replication in range(4)
        for flow in ("cmt", "single")
    )


def bars_of(axes: Axes) -> list[ErrorbarContainer]:
    """Return the curves of a plot with their error bars."""
    return [container for container in axes.containers if isinstance(container, ErrorbarContainer)]


def test_quantities_on_an_axis_have_one_unit_and_are_sorted(frame: pd.DataFrame):
    (axes,) = lines(frame, x="north").figure.axes
    curves = [container.lines[0] for container in bars_of(axes)]
    assert len(curves) == 4
    for curve in curves:
        assert np.asarray(curve.get_xdata()).tolist() == [0.5, 1.0, 2.0]
    assert axes.get_xlabel() == "north in Mbit/s"
    assert axes.get_ylabel() == "goodput in Mbit/s"


def test_each_point_is_the_mean_of_its_replications_with_their_interval(frame: pd.DataFrame):
    (axes,) = lines(frame, x="north").figure.axes
    line, _, (bars,) = bars_of(axes)[0].lines
    chosen = frame[(frame.cc == "newreno") & (frame.flow == "cmt") & (frame.north == "2 Mbit/s")]
    expected = interval(chosen.goodput)
    assert np.asarray(line.get_ydata())[2] == pytest.approx(expected.mean)
    (_, low), (_, high) = bars.get_segments()[2]
    assert (low, high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_a_column_of_panels_has_a_plot_for_each_value_with_the_same_scales(frame: pd.DataFrame):
    both = pd.concat([frame.assign(queue="red"), frame.assign(queue="codel", goodput=2 * frame.goodput)])
    plots = lines(both, x="north", columns="queue").figure.axes
    assert [axes.get_title() for axes in plots] == ["queue = red", "queue = codel"]
    assert [len(bars_of(axes)) for axes in plots] == [4, 4]
    assert plots[0].get_ylim() == plots[1].get_ylim()
    assert [axes.get_ylabel() for axes in plots] == ["goodput in Mbit/s", ""]
    with pytest.raises(mp.UserError, match='lines: "quue" is no column of these results: did you mean "queue"'):
        lines(both, x="north", columns="quue")


def test_columns_with_one_value_do_not_separate_curves(frame: pd.DataFrame):
    one = frame[(frame.cc == "lia") & (frame.flow == "cmt")]
    picture = lines(one, x="north")
    assert len(picture.figure.axes[0].containers) == 1
    assert not picture.figure.legends


def test_texts_are_placed_at_equal_distances(frame: pd.DataFrame):
    (axes,) = lines(frame[frame.north == "1 Mbit/s"], x="cc", color=None).figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["newreno", "lia"]
    assert len(axes.containers) == 2


def test_a_campaign_is_drawn_in_one_call_and_saved(scenario, tmp_path: Path):
    results = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"], "north": ["5 Mbit/s", "10 Mbit/s"]}, replications=2)
    picture = mp.figures.lines(results.run(store=None, progress=False), x="north")
    for ending in ("svg", "pdf", "png"):
        assert picture.save(tmp_path / f"figure.{ending}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": "nort"}, '"nort" is no column of these results: did you mean "north"'),
        ({"x": "north", "y": "godput"}, 'did you mean "goodput"'),
        ({"x": "north", "color": "foo"}, '"foo" is no column of these results'),
        ({"x": "north", "style": "folw"}, '"folw" is no column of these results: did you mean "flow"'),
        ({"x": "north", "style": None}, "several rows of a replication are on one curve"),
        ({"x": "cc", "color": "flow", "style": "north"}, "north has 3 values, but at most 2 can be drawn"),
    ],
)
def test_undrawable_data_is_reported_in_one_line(frame: pd.DataFrame, arguments: dict[str, str], message: str):
    with pytest.raises(mp.UserError) as caught:
        lines(frame, **arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_frame_without_the_measurement_is_refused(frame: pd.DataFrame):
    for empty in (frame.assign(goodput=np.nan), frame.iloc[:0]):
        with pytest.raises(mp.UserError, match="lines: goodput has no values in these results"):
            lines(empty, x="north")


def test_levels_have_a_common_unit_or_texts():
    assert [Levels.of([1, 2.5]).place(level) for level in (1, 2.5)] == [1.0, 2.5]
    spans = Levels.of(["500 us", "2 ms"])
    assert (spans.unit, spans.place("500 us")) == ("ms", 0.5)
    mixed = Levels.of(["1 ms", "1 MB"])
    assert (mixed.unit, mixed.words) == ("", ("1 ms", "1 MB"))
    assert Levels.of([True, False]).words == ("True", "False")
