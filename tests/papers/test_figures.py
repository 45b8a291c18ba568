"""Figures come out the same twice, in three formats, and take a page's colours."""

import numpy as np
import pytest
import world

from manypath.errors import UserError
from manypath.figures import KINDS, Curve, Distance, Panel, Picture, distances, draw_curves, styled
from manypath.figures.style import COLOURS, INK


@pytest.fixture
def picture(impact):
    evidence = world.evidence(impact.experiments.cases(impact.mutated), runs=3)
    return next(figure for figure in impact.figures if figure.number == 4).draw(evidence)


def test_equal_runs_give_equal_files(picture, tmp_path):
    first, second = picture.save(tmp_path / "a.svg"), picture.save(tmp_path / "b.svg")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_every_format_is_written(picture, tmp_path, ending):
    assert picture.save(tmp_path / "new" / f"figure.{ending}").stat().st_size > 1000


def test_an_unknown_format_is_named(picture, tmp_path):
    with pytest.raises(UserError, match=r"end it with \.svg, \.pdf, \.png"):
        picture.save(tmp_path / "figure.gif")


def test_inline_drawings_take_the_colours_of_the_page(picture):
    svg = picture.inline("four")
    assert svg.startswith("<svg")
    assert f"var(--series-1, {COLOURS[0]})" in svg
    assert f"var(--ink, {INK})" in svg
    assert 'id="four-' in svg
    assert "<metadata>" not in svg


def test_the_style_leaves_the_users_settings_alone():
    import matplotlib as mpl

    mpl.rcParams["font.size"] = 13.0
    with styled():
        assert mpl.rcParams["font.size"] == 9
    assert mpl.rcParams["font.size"] == 13.0
    mpl.rcdefaults()


def test_a_curve_of_single_runs_has_no_bars():
    from matplotlib.figure import Figure

    with styled():
        figure = Figure()
        draw_curves(figure.subplots(), [Curve([1.0, 2.0], [np.array([1.0]), np.array([2.0])], 0)])
    assert "<svg" in Picture(figure).inline("one")


def test_distances_are_filled_where_all_is_well():
    rows = [
        Distance("as it is", np.array([-1.0, -1.2]), holds=False),
        Distance("a switch " * 10, np.array([0.5]), holds=True),
    ]
    picture = distances([Panel("rate", "Mbit/s", rows), Panel("ratio", "", rows[:1])])
    upper, lower = picture.figure.axes
    marks = [line for line in upper.lines if line.get_marker() == "o"]
    assert [mark.get_markerfacecolor() for mark in marks] == ["none", COLOURS[0]]
    assert upper.get_xlabel() == "beyond what it takes, Mbit/s"
    assert lower.get_xlabel() == "beyond what it takes"


def test_kinds_of_plot_are_listed():
    assert set(KINDS) == {"distances", "lines", "windows"}
