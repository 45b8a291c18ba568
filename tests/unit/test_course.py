"""Figures of a run over time."""

from __future__ import annotations

import numpy as np
import pytest

import manypath as mp
from manypath.figures import course
from manypath.figures.course import interval_for


def test_each_flow_has_its_windows_and_all_flows_have_their_goodput(scenario):
    picture = course(mp.run(scenario(), series="10 ms"))
    titles = [axes.get_title(loc="left") for axes in picture.figure.axes]
    assert titles == ["cmt: congestion windows", "single: congestion windows", "goodput of the flows"]
    legend = picture.figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["south", "north"]


def test_the_curve_is_the_window_of_the_samples(scenario):
    result = mp.run(scenario(), series="10 ms")
    samples = result.series["paths"].query("flow == 'single'")
    time, window = course(result).figure.axes[1].lines[0].get_data()
    assert np.array_equal(np.asarray(time), samples["time"])
    assert np.asarray(window) == pytest.approx(samples["cwnd"] / 1e3)


def test_of_a_series_of_changes_only_windows_are_drawn(scenario):
    assert len(course(mp.run(scenario(), series="event")).figure.axes) == 2


def test_names_are_not_drawn_as_formulas(scenario):
    given = scenario()
    flows = {"$\\frac": given.flows["cmt"]}
    assert "$\\frac: congestion" in course(mp.run(given.but(flows=flows), series="10 ms"))._repr_svg_()


def test_a_run_without_a_series_is_refused_with_the_remedy(scenario):
    with pytest.raises(mp.UserError, match="course: the run has no series"):
        course(mp.run(scenario()))


def test_of_many_flows_the_largest_are_drawn():
    link = mp.Link(rate="10 Mbit/s", delay="5 ms")
    flows = {f"flow {n}": mp.Tcp(path="only") for n in range(9)}
    crowd = mp.Scenario(network=mp.disjoint(only=link), flows=flows, warmup="1 s", measure="1 s")
    picture = course(mp.run(crowd, series="10 ms"))
    assert len(picture.figure.axes) == 7
    assert picture.figure.axes[0].get_title(loc="right") == "6 of 9 flows"


@pytest.mark.parametrize(
    ("measure", "interval"), [("100 s", "100 ms"), ("40 s", "50 ms"), ("1 h", "2 s"), ("10 ms", "100 us")]
)
def test_the_interval_of_a_plot_suits_the_length_of_the_run(measure: str, interval: str, scenario):
    warmup = "20 s" if measure == "100 s" else "10 s" if measure == "40 s" else "0 s"
    chosen = interval_for(
        scenario().but(warmup=warmup, measure=measure, flows={"f": mp.Sctp(paths=["south"], start="0 s")})
    )
    assert chosen == interval
