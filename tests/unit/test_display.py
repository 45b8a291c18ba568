"""Results as text of any width, and as HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import manypath as mp
from manypath import _native, display
from manypath.campaign import Cell, Results
from manypath.run import identity, last_lines


@pytest.fixture(scope="module")
def result() -> mp.Result:
    """Two flows with names of usual length on two paths."""
    link = mp.Link(rate="10 Mbit/s", delay="5 ms")
    return mp.run(
        mp.Scenario(
            network=mp.disjoint(south=link, north=link.but(rate="20 Mbit/s")),
            flows={"multipath": mp.Mptcp(paths=["south", "north"]), "single": mp.Tcp(path="south")},
            warmup="1 s",
            measure="4 s",
        )
    )


def test_a_printed_result_has_every_flow_path_link_and_unit(result: mp.Result):
    printed = display.as_text(display.tables(result.outcome), last_lines(result), 140)
    for word in ("multipath", "single", "south", "north/back", "goodput Mbit/s", "window kB", "RTT ms", "timeouts"):
        assert word in printed
    assert f"{result.goodput['multipath']:.3f}" in printed
    assert printed.endswith(f"digest {result.digest}, seed 1, engine {_native.engine_version()}")


def test_print_shows_the_tables(result: mp.Result, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "140")
    assert str(result) == display.as_text(display.tables(result.outcome), last_lines(result), 140)


def test_a_path_without_a_sample_has_no_round_trip_time():
    """By INET's rule a slower path gets no sample: the first SACK of each of its chunks arrives on the faster one."""
    fast = mp.Link(rate="20 Mbit/s", delay="10 ms")
    found = mp.run(
        mp.Scenario(
            network=mp.disjoint(fast=fast, slow=fast.but(rate="10 Mbit/s", delay="30 ms")),
            flows={"cmt": mp.Sctp(paths=["fast", "slow"], rtt_sample="same-path")},
            warmup="1 s",
            measure="1 s",
        )
    )
    assert found.paths["goodput"].min() > 5
    assert found.paths["srtt"].isna().tolist() == [False, True]
    flows, _ = display.tables(found.outcome)
    place = next(index for index, column in enumerate(display.FLOW_COLUMNS) if column.title == "RTT ms")
    assert {row[1]: row[place] is None for row in flows.rows} == {None: True, "fast": False, "slow": True}
    assert "nan" not in repr(found)
    assert "nan" not in found._repr_html_()


def test_another_replication_is_named(scenario):
    assert ", seed 3, replication 2, engine " in identity(mp.run(scenario(), seed=3, replication=2))


def test_at_80_columns_no_line_is_longer_and_every_value_stays_whole(result: mp.Result):
    wide = display.as_text(display.tables(result.outcome), "", 200)
    narrow = display.as_text(display.tables(result.outcome), "", 80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert "…" not in narrow
    rows = [line.split() for line in wide.splitlines() if line]
    heads = ("flow", "link", "─")
    values = [row for row in rows if not row[0].startswith(heads)]
    shown = [line.split() for line in narrow.splitlines() if line]
    assert all(row in shown for row in values)


def test_counts_of_a_long_run_fit_as_well():
    rows = [["flow", None, 12345.678, 123456.7, None, None, 1e9, 12_345_678, 1_234_567]]
    rows += [[None, "south", 1234.567, None, 123456.7, 1234.5, 999_999_999, 123_456, 0]]
    text = display.as_text([display.Table("", display.FLOW_COLUMNS, rows)], "", 80)
    assert max(map(len, text.splitlines())) <= 80
    assert {"1G", "12.35M", "1.235M", "123456.7"} <= set(text.split())


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (99_999, "99999"), (123_456, "123.5k"), (999_990, "1M"), (12_345_678, "12.35M"), (5e9, "5G")],
)
def test_large_counts_are_abbreviated(number: float, shown: str):
    assert display.short_number(number) == shown


def test_rarely_used_columns_are_left_out_on_a_narrow_page(result: mp.Result):
    table = display.tables(result.outcome)[0]
    titles = [column.title for column in table.fitted(50)[0]]
    assert "fast\nrtx" not in titles
    assert [title.split()[0] for title in titles][:3] == ["flow", "path", "goodput"]


class _Cells(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_notebook_shows_tables_with_descriptive_headings(result: mp.Result):
    cells = _Cells(result._repr_html_())
    scopes = [attributes["scope"] for tag, attributes in cells.tags if tag == "th"]
    assert set(scopes) == {"col", "row"}
    assert scopes.count("row") == 5 + len(result.links)
    assert [tag for tag, _ in cells.tags].count("caption") == 2
    assert f"{result.goodput['single']:.3f}" in cells.texts


def test_a_notebook_shows_a_scenario_as_its_drawing_and_tables(scenario):
    given = scenario()
    page = given.but(flows={"<b>&": given.flows["cmt"]})._repr_html_()
    assert page.startswith(given.network._repr_svg_())
    cells = _Cells(page.removeprefix(given.network._repr_svg_()))
    assert [tag for tag, _ in cells.tags].count("caption") == 3
    assert {"paths", "links", "flows", "<b>&", "south, north", "newreno"} <= set(cells.texts)
    assert cells.texts[-1].startswith("measured time 2 s after a warm-up of 1 s; a run needs about ")
    assert "<b>&" not in page


def test_html_escapes_names_and_sets_no_colours(scenario):
    given = scenario()
    named = given.but(flows={"<b>&": given.flows["cmt"]})
    page = mp.run(named)._repr_html_()
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page
    assert not re.search(r"#[0-9a-f]{3,6}\b|: (white|black)|rgb", page)


def test_results_of_a_campaign_show_means_with_intervals(scenario):
    outcome = '{"flows": {"cmt": {"goodput": %d, "streams": [], "paths": {}}}, "links": {}, "digest": "0"}'
    cells = [
        (Cell({"cc": cc}, seed=1, replication=n, document="{}"), outcome % (1e6 * (n + 1)))
        for cc in ("newreno", "<lia>")
        for n in range(3)
    ]
    results = Results(cells)
    assert "cc       flow  goodput Mbit/s  ± 95 %  runs" in repr(results)
    assert repr(results).splitlines()[-1] == "6 runs"
    assert "&lt;lia&gt;" in results._repr_html_()
    assert "2.000" in repr(results)


def test_an_empty_campaign_is_reported():
    assert repr(Results([])) == "0 runs"


def test_a_number_agrees_with_its_noun():
    assert [display.counted(number, "event") for number in (0, 1, 2, 12_345)] == [
        "0 events",
        "1 event",
        "2 events",
        "12,345 events",
    ]
