"""Figures are reproducible, have three formats, and use the colours of a page."""

import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import numpy as np
import pytest
import world
from matplotlib.figure import Figure

import manypath
from manypath.errors import UserError
from manypath.figures import KINDS, Curve, Distance, Panel, Picture, distances, draw_curves, styled
from manypath.figures.interactive import chart
from manypath.figures.style import COLOURS, INK


@pytest.fixture(scope="module")
def picture(impact):
    evidence = world.evidence(impact.experiments.cases(impact.mutated), runs=3)
    return next(figure for figure in impact.figures if figure.number == 4).draw(evidence)


def test_equal_runs_give_equal_files(picture, tmp_path):
    first, second = picture.save(tmp_path / "a.svg"), picture.save(tmp_path / "b.svg")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_every_format_is_written(picture, tmp_path, ending):
    assert picture.save(tmp_path / "new" / f"figure.{ending}").stat().st_size > 1000


def test_all_formats_at_once_are_the_files_and_the_drawing_of_a_page(picture, tmp_path):
    rendered = picture.rendered('Goodput & "share"')
    assert {ending: content[:4] for ending, content in rendered.files.items()} == {
        "svg": b"<?xm",
        "pdf": b"%PDF",
        "png": b"\x89PNG",
    }
    assert rendered.files["svg"].decode() == rendered.svg
    saved = picture.save(tmp_path / "four.svg", title='Goodput & "share"').read_text("utf-8")
    inline = picture.inline("four", title='Goodput & "share"')
    # Only the crop may differ, by less than a fifth of an inch.
    for mine, other in ((rendered.svg, saved), (rendered.inline("four"), inline)):
        assert _texts(mine) == _texts(other)
        wide, high = (float(amount) for amount in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', mine)[0])
        width, height = (float(amount) for amount in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', other)[0])
        assert width - 0.5 <= wide <= width + 14.4
        assert height - 0.5 <= high <= height + 14.4


def _texts(svg):
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn here
    return ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]


def test_an_unknown_format_is_reported(picture, tmp_path):
    with pytest.raises(UserError, match=r"end it with \.svg, \.pdf, \.png"):
        picture.save(tmp_path / "figure.gif")


def test_inline_drawings_use_the_colours_of_the_page(picture):
    svg = picture.inline("four")
    assert svg.startswith("<svg")
    assert f"var(--series-1, {COLOURS[0]})" in svg
    assert f"var(--ink, {INK})" in svg
    assert 'id="four-' in svg
    assert "<metadata>" not in svg


def test_texts_of_drawings_are_text_elements_with_a_title_for_screen_readers(picture, tmp_path):
    file = picture.save(tmp_path / "four.svg", title='Figure 4. Goodput & "share"').read_text("utf-8")
    for svg in (file, picture.inline("four", title='Figure 4. Goodput & "share"')):
        root = ElementTree.fromstring(svg)  # noqa: S314 - drawn here
        words = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
        assert "southern rate in Mbit/s" in words
        assert "plain CMT" in words
        assert root.get("role") == "img"
        assert root.get("aria-label") == 'Figure 4. Goodput & "share"'
        assert root[0].tag.endswith("title")
        assert root[0].text == 'Figure 4. Goodput & "share"'
        assert "'STIXGeneral', 'STIX Two Text', 'Times New Roman', Times, serif" in svg


def test_a_drawing_without_a_title_is_described_by_its_axes_and_curves(picture):
    root = ElementTree.fromstring(picture.inline("four"))  # noqa: S314 - drawn here
    label = root.get("aria-label") or ""
    assert "southern rate in Mbit/s" in label
    assert "plain CMT" in label


def test_a_drawing_fits_the_width_of_its_page(picture):
    opening = picture.inline("four").partition(">")[0]
    assert "max-width" in opening
    assert "min-width" not in opening


def test_the_style_does_not_change_the_users_settings():
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


def test_distances_within_the_tolerance_have_filled_marks():
    rows = [
        Distance("as it is", np.array([-1.0, -1.2]), holds=False),
        Distance("a switch " * 10, np.array([0.5]), holds=True),
    ]
    picture = distances([Panel("rate", "Mbit/s", rows), Panel("ratio", "", rows[:1])])
    upper, lower = picture.figure.axes
    marks = [line for line in upper.lines if line.get_marker() == "o"]
    assert [mark.get_markerfacecolor() for mark in marks] == ["none", COLOURS[0]]
    assert upper.get_xlabel() == "distance from the limit, Mbit/s"
    assert lower.get_xlabel() == "distance from the limit"


def test_text_of_a_figure_that_fills_a_page_is_enlarged_on_a_phone():
    def opening(width: float) -> str:
        with styled():
            return Picture(Figure(figsize=(width, 2))).inline("one").partition(">")[0]

    assert 'class="wide"' in opening(7.16)
    assert 'class="wide"' not in opening(3.5)
    style = (Path(manypath.__file__).parent / "report/templates/style.css").read_text("utf-8")
    assert ".drawing svg.wide text" in style
    # A drawing is at most as wide as its page, so that it does not scroll.
    assert not re.search(r"svg[^{]*\{[^}]*min-width", style)


def test_a_phone_shows_whole_figures_with_readable_text(picture, tmp_path: Path):
    if shutil.which("chromium") is None:
        pytest.fail("this test needs chromium: .ci/prepare --tests installs it, or sudo apt-get install chromium")
    rows = [Distance("a SACK for every packet instead of every second", np.array([1.0, 2.0]), True)]
    panels = distances([Panel("rate", "Mbit/s", rows)])
    style = (Path(manypath.__file__).parent / "report/templates/style.css").read_text("utf-8")
    figures = "".join(
        f'<figure class="card"><div class="drawing">{drawn.inline(f"f{number}")}</div></figure>'
        for number, drawn in enumerate((picture, panels))
    )
    measure = """
        const page = document.getElementById("page").contentDocument;
        const wide = [...page.querySelectorAll(".drawing")].map(box => box.scrollWidth - box.clientWidth);
        const text = [...page.querySelectorAll(".drawing text")].map(each => {
            const svg = each.ownerSVGElement;
            return parseFloat(page.defaultView.getComputedStyle(each).fontSize) * svg.getScreenCTM().a;
        });
        document.title = JSON.stringify([page.documentElement.clientWidth, Math.max(...wide), Math.min(...text)]);
    """
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><style>{style}</style><main>{figures}</main>", "utf-8")
    frame = '<iframe id="page" src="page.html" style="width: 360px; border: 0"></iframe>'
    (tmp_path / "frame.html").write_text(f"{frame}<script>onload = () => {{ {measure} }}</script>", "utf-8")
    words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    done = subprocess.run(
        ["/usr/bin/env", "chromium", *words, "--hide-scrollbars", "--dump-dom", f"file://{tmp_path}/frame.html"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    found = re.search(r"<title>\[(.*?)\]</title>", done.stdout)
    assert found, done.stderr[-2000:]
    width, beyond, smallest = (float(number) for number in found[1].split(","))
    assert width == 360
    assert beyond <= 0
    assert smallest > 7


def test_labels_of_several_lines_do_not_overlap():
    rows = [
        Distance(label, np.array([1.0, 1.2]), holds=True)
        for label in ("as it is", "a switch " * 14, "another", "b " * 40)
    ]
    axes = distances([Panel("rate", "Mbit/s", rows)]).figure.axes[0]
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert len(boxes) == 4
    assert all(above.y0 > below.y1 for above, below in pairwise(boxes))


def test_kinds_of_plot_are_listed():
    assert set(KINDS) == {"course", "distances", "lines", "topology", "windows"}


def test_a_chart_has_every_curve_with_values_error_bars_and_name(picture):
    document = chart(picture.figure)
    curves = {(trace["xaxis"], trace["name"]): trace for trace in document["data"] if "lines" in trace.get("mode", "")}
    assert len(curves) == 2 * 4 * 2
    drawn = [container.lines for container in picture.figure.axes[0].containers]
    line, _, (bars,) = drawn[0]
    curve = curves["x", "plain CMT, CMT flow"]
    np.testing.assert_allclose(curve["x"], np.asarray(line.get_xdata(), dtype=float), rtol=1e-6)
    np.testing.assert_allclose(curve["y"], np.asarray(line.get_ydata(), dtype=float), rtol=1e-6)
    tops = [segment[1][1] for segment in bars.get_segments()]
    np.testing.assert_allclose(np.add(curve["y"], curve["error_y"]["array"]), tops, rtol=1e-5)
    assert curve["line"]["dash"] == "solid"
    assert curves["x2", "CMT/RPv2, single-path flow"]["line"]["dash"] == "dot"
    layout = document["layout"]
    assert layout["xaxis"]["title"]["text"] == "southern rate in Mbit/s"
    assert layout["xaxis"]["domain"][1] < layout["xaxis2"]["domain"][0]
    named = [trace["name"] for trace in document["data"] if trace["showlegend"]]
    assert len(named) == len(set(named))
    assert "CMT/RPv1, INET 4.5.4, repaired (3 seeds)" in named


def test_plotly_reads_every_trace_of_a_chart(picture):
    pytest.importorskip("plotly", reason="the extra interactive is not installed")
    assert len(picture.interactive().data) == len(chart(picture.figure)["data"])


def test_a_chart_keeps_bars_horizontal_lines_and_chosen_ticks():
    from matplotlib.figure import Figure

    with styled():
        figure = Figure()
        axes = figure.subplots()
        axes.axhline(2.0, color=INK)
        axes.axvspan(0.2, 0.8, color=INK, alpha=0.1)
        axes.bar([0, 1], [3.0, 4.0], yerr=[0.5, 0.25], color=COLOURS[1])
        axes.set_xticks([0, 1], ["one", "two"])
        axes.text(0.5, 3.5, "words")
        axes.set_yscale("log")
    document = chart(Picture(figure).figure)
    (bars,) = document["data"]
    assert (bars["type"], list(bars["y"]), list(bars["hovertext"])) == ("bar", [3.0, 4.0], ["one", "two"])
    np.testing.assert_allclose(bars["error_y"]["array"], [0.5, 0.25])
    line, span = document["layout"]["shapes"]
    assert (line["y0"], line["y1"], line["xref"]) == (2.0, 2.0, "x domain")
    assert (span["x0"], span["x1"], span["yref"]) == (0.2, 0.8, "y domain")
    assert document["layout"]["xaxis"]["ticktext"] == ["one", "two"]
    assert document["layout"]["yaxis"]["type"] == "log"
    assert [words["text"] for words in document["layout"]["annotations"]] == ["words"]


def test_a_chart_of_an_image_has_its_numbers():
    from matplotlib.figure import Figure

    with styled():
        figure = Figure()
        figure.subplots().imshow([[1.0, np.nan], [-1.0, 0.5]], cmap="RdBu", vmin=-1.0, vmax=1.0)
    (image,) = chart(figure)["data"]
    np.testing.assert_array_equal(image["z"], np.array([[1.0, np.nan], [-1.0, 0.5]], dtype=np.float32))
    assert (image["zmin"], image["zmax"]) == (-1.0, 1.0)


def test_one_black_line_is_a_curve_and_two_explain_line_styles():
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    def names(styles: dict[str, Literal["-", ":"]]) -> list[str]:
        with styled():
            figure = Figure()
            axes = figure.subplots()
            axes.plot([0, 1], [1, 2], color=COLOURS[0])
            axes.plot([0, 1], [2, 3], color=INK)
            blue = Line2D([], [], color=COLOURS[0], label="blue")
            ink = [Line2D([], [], color=INK, linestyle=style, label=word) for word, style in styles.items()]
            figure.legend(handles=[blue, *ink])
        return [trace["name"] for trace in chart(figure)["data"]]

    assert names({"sum": "-"}) == ["blue", "sum"]
    assert names({"whole": "-", "broken": ":"}) == ["blue, whole", "whole"]
