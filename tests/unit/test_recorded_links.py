"""Links with a trace: the contents of trace files, the engine's document, and runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import manypath as mp
from manypath.scenario import traces

ROOT = Path(__file__).parents[2]


def over(link: mp.Link, **fields: object) -> mp.Scenario:
    flow = mp.Sctp(paths=["a"], start="0 s", app=mp.Saturated(message="1452 B"))
    return mp.Scenario(network=mp.disjoint(a=(link, mp.Link(rate="10 Mbit/s"))), flows={"f": flow}, **fields)


def test_a_link_keeps_the_content_of_its_trace_and_has_its_mean_rate(tmp_path: Path):
    file = tmp_path / "link.down"
    file.write_text("5\n5\n10\n30\n\n")
    link = mp.Link(trace=str(file))
    assert link.trace == "5 0 5 20"
    # 4 packets of 1507 bytes in 30 ms
    assert link.rate == 4 * 1507 * 8 * 1000 // 30
    assert link == mp.Link(trace=file) == mp.Link(trace=[5, 5, 10, 30]) == mp.Link(trace="5 0 5 20")
    document = json.loads(over(link).document())["network"]["links"]["a"]
    assert (document["trace"], document["rate"]) == ("5 0 5 20", link.rate)


def test_a_changed_link_keeps_its_trace_and_mean_rate():
    link = mp.Link(trace=[1], delay="5 ms")
    assert link.but(delay="9 ms").trace == "1"
    assert (link.rate, link.but(overhead="0 B").rate) == (12_056_000, 12_000_000)
    assert link.but(trace=[2]).rate == 6_028_000
    constant = link.but(trace=None, rate="5 Mbit/s")
    assert (constant.trace, constant.rate) == (None, 5_000_000)
    assert constant.but(trace=[1]) == link


def test_traces_are_relative_to_the_scenario_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "even.down").write_text("1\n")
    flow = 'measure = "1 s"\nwarmup = "0 s"\nflows.f = {paths = ["a"], start = "0 s"}\n'
    (folder / "one.toml").write_text(f'{flow}network.disjoint.a = {{trace = "even.down"}}\n')
    monkeypatch.chdir(tmp_path)
    assert mp.Scenario.from_file("elsewhere/one.toml").network.links["a"].trace == "1"
    fields = {"factors": {"network.disjoint.a.trace": ["x.down", "5 0*2"]}, "trace": 3}
    beside = traces.beside(Path("there"), fields)
    assert beside == {"factors": {"network.disjoint.a.trace": ["there/x.down", "5 0*2"]}, "trace": 3}


def test_a_message_about_a_trace_shows_the_beginning_of_a_long_line(tmp_path: Path):
    for content, message in (("z" * 10**6, "is no whole number"), ("9" * 10**6, "... ms is not within 49 days")):
        (tmp_path / "long.down").write_text(content)
        with pytest.raises(mp.UserError, match=message) as caught:
            mp.Link(trace=tmp_path / "long.down")
        assert len(str(caught.value)) < 400 + len(str(tmp_path))
    with pytest.raises(mp.UserError, match="a number of thousands of digits ms is not within 49 days"):
        mp.Link(trace=[10**5000])


def test_devices_and_pipes_are_refused_as_traces_without_blocking(tmp_path: Path):
    with pytest.raises(mp.UserError, match='"/dev/zero" has more than 16 MB'):
        mp.Link(trace="/dev/zero")
    os.mkfifo(tmp_path / "pipe.down")
    with pytest.raises(mp.UserError, match="is a pipe: name a file"):
        mp.Link(trace=tmp_path / "pipe.down")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2.5\n", 'bad.down, line 2: "2.5" is no whole number of milliseconds'),
        ("1\n-2\n", 'bad.down, line 2: "-2" is no whole number'),
        ("1\n99999999999\n", "bad.down, line 2: 99999999999 ms is not within 49 days"),
        ("5\n\n3\n", "opportunity 2 at 3 ms is before the previous one: sort them"),
        ("", "has no opportunity after 0 ms"),
        ("0\n0\n", "has no opportunity after 0 ms"),
        ("1\n" * 1_000_001, "has 1000001 opportunities: give 1000000 or less"),
        ("9" * 17_000_000, "has more than 16 MB: cut it"),
        ("\u00e4\n", "cannot be read (it is no ASCII text)"),
        (None, "cannot be read (No such file or directory)"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_in_one_line(tmp_path: Path, text: str | None, message: str):
    file = tmp_path / "bad.down"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(mp.UserError) as error:
        mp.Link(trace=str(file))
    assert str(error.value).startswith("trace: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (mp.Link, "rate: missing: give it a value"),
        (lambda: mp.Link(trace=[1], rate="5 Mbit/s"), "trace: determines the rate, but the link also has a rate"),
        (
            lambda: mp.Link(trace=[1], events=[mp.Event(at="1 s", rate="5 Mbit/s")]),
            "trace: determines the rate, but an event changes the rate",
        ),
        (lambda: mp.Link(trace=[1, "x"]), 'trace: number 2: "x" is no whole number of milliseconds'),
    ],
)
def test_a_link_has_a_rate_or_a_trace(make, message: str):
    with pytest.raises(mp.UserError) as error:
        make()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", '"0" has no opportunity after 0 ms and cannot repeat'),
        ("0*5 0", '"0*5 0" has no opportunity after 0 ms'),
        ("1*0", '"1*0" has no opportunity after 0 ms'),
        ("1*9999999", '"1*9999999" has 9999999 opportunities: give 1000000 or less'),
        ("1*600000 2*600000", '"1*600000 2*600000" has 1200000 opportunities'),
        ("9999999999", '"9999999999" lasts 9999999999 ms, which is not within 49 days: cut it'),
        ("4000000000 4000000000", '"4000000000 4000000000" lasts 8000000000 ms'),
        ("4000000000", '"4000000000" has a mean rate below 1 bit/s: give more opportunities'),
        ("lte\0.down", '"lte\\u0000.down" has a NUL character'),
    ],
)
def test_gaps_that_the_engine_refuses_are_refused_by_the_link(text: str, message: str):
    with pytest.raises(mp.UserError) as error:
        mp.Link(trace=text)
    assert str(error.value).startswith(f"trace: {message}")
    assert "\n" not in str(error.value)


def test_a_trace_of_a_million_lines_is_counted_once(tmp_path: Path):
    file = tmp_path / "long.down"
    file.write_text("".join(f"{place}\n{place}\n" for place in range(0, 1_500_000, 3)))
    traces._size.cache_clear()
    link = mp.Link(trace=file)
    assert link.rate == 1_000_000 * 1507 * 8 * 1000 // 1_499_997
    assert link.but(overhead="0 B").rate == 1_000_000 * 1500 * 8 * 1000 // 1_499_997
    assert traces._size.cache_info().misses == 1


def test_an_even_trace_carries_as_much_as_a_constant_rate():
    even = mp.Link(trace=[1], delay="10 ms")
    constant = mp.Link(rate=f"{even.rate} bit/s", delay="10 ms")
    times = {"warmup": "5 s", "measure": "20 s"}
    recorded, steady = (mp.run(over(link, **times)) for link in (even, constant))
    assert recorded.goodput["f"] == pytest.approx(1452 * 8 / 1000, rel=0.002)
    assert recorded.goodput["f"] == pytest.approx(steady.goodput["f"], rel=0.002)
    assert recorded.links.loc["a", "utilisation"] == pytest.approx(1, abs=0.002)


def test_links_of_the_example_carry_as_much_as_its_trace_allows():
    scenario = mp.Scenario.from_file(ROOT / "examples" / "recorded_link.toml")
    link = scenario.network.links["lte"]
    millis = [int(line) for line in (ROOT / "examples" / "lte.down").read_text().split()]
    assert (link.trace, link.rate) == (mp.Link(trace=millis).trace, len(millis) * 1507 * 8)
    result = mp.run(scenario)
    assert 0.5 < result.links["utilisation"].to_dict()["lte"] < 1.001
    assert mp.run(scenario).digest == result.digest
