"""Logs that the explorer follows, without a browser: sources, lines, curves in bounded memory, payload, and charts."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manypath as mp
from manypath.errors import UserError
from manypath.explore.live import curve, log, marks, plots, source, tables
from manypath.explore.live.curve import Counter, Curve, Spent, Total
from manypath.explore.live.follower import BATCH, Follower, Phase, State
from manypath.explore.live.log import Log
from manypath.explore.live.marks import Marks
from manypath.explore.live.payload import HALF, Arrived, Sent, Serial


def metrics(at: float, cwnd: int, flow: str = "f", host: str = "source", path: str = "p") -> dict[str, Any]:
    """Return an event with a congestion window."""
    event = {"time": at, "flow": flow, "host": host, "path": path, "name": "recovery:metrics_updated"}
    return {**event, "data": {"cwnd": cwnd}}


def packet(at: float, host: str, kind: str, *chunks: dict[str, Any], path: str = "p") -> dict[str, Any]:
    """Return an event of a packet of SCTP."""
    data = {"length": 1500, "chunks": chunks}
    return {"time": at, "flow": "f", "host": host, "path": path, "name": f"transport:packet_{kind}", "data": data}


def data(tsn: int, payload: int = 1000) -> dict[str, Any]:
    return {"type": "data", "tsn": tsn, "stream": 0, "payload": payload}


def sack(cumulative: int, *gaps: tuple[int, int]) -> dict[str, Any]:
    return {"type": "sack", "cumulative": cumulative, "window": 100_000, "gaps": [list(gap) for gap in gaps]}


def line(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode() + b"\n"


def read(*events: dict[str, Any] | bytes) -> Log:
    """Return the log of some events or lines."""
    found = Log()
    found.take(each if isinstance(each, bytes) else line(each) for each in events)
    return found


def until(condition: Any, patience: float = 300.0) -> None:
    """Wait for a condition."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def follow() -> Iterator[Any]:
    """Return a function that follows a log until the end of the test."""
    started: list[Follower] = []

    def start(place: Path) -> Follower:
        started.append(Follower(place))
        started[-1].start()
        return started[-1]

    yield start
    for follower in started:
        follower.close()


def events_of(follower: Follower) -> int:
    with follower.log() as found:
        return found.events


# Curves


def test_a_long_curve_keeps_its_extremes_in_bounded_memory():
    found = Curve()
    for number in range(100_000):
        found.add(number / 100, {5_000: 900.0, 77_777: 1.0}.get(number, 50.0 + number % 7))
    times, values = found.between(0.0, 1000.0)
    assert len(times) <= 3 * curve.WHOLE_SPANS + 1
    assert (values.max(), values.min()) == (900.0, 1.0)
    assert times[values.argmax()] == pytest.approx(50.0)
    assert times[values.argmin()] == pytest.approx(777.77)
    assert np.all(np.diff(times) >= 0)


def test_the_last_minute_of_a_curve_is_exact():
    found = Curve()
    for number in range(20_000):
        found.add(number / 10, float(number))
    times, values = found.between(1995.0, 1999.9)
    assert values.tolist() == [*range(19_950, 20_000), 19_999]
    assert times[0] == 1995.0
    assert times[-1] == 1999.9


def test_the_last_of_many_values_at_about_one_instant_holds_afterwards():
    found = Curve()
    for at, value in ((1.0, 10.0), (1.001, 20.0), (1.002, 15.0)):
        found.add(at, value)
    assert found.at(np.array([0.5, 1.01, 60.0])).tolist() == [0.0, 15.0, 15.0]
    assert found.between(0.0, 60.0)[1].tolist() == [10.0, 20.0, 15.0, 15.0]


def test_rates_are_means_between_edges_and_zero_in_a_pause():
    found = Total()
    for number in range(1, 1001):
        found.count(number / 100, 500)
    for number in range(1, 1001):
        found.count(20.0 + number / 100, 500)
    rates = found.rates(np.linspace(0.0, 30.0, 7))
    assert rates == pytest.approx([50_000, 50_000, 0, 0, 50_000, 50_000], rel=0.02)
    assert found.sum == 1_000_000


def test_the_rate_of_a_steady_link_is_steady_whatever_the_interval_of_its_counters():
    found = Counter()
    for number in range(1, 101):
        found.count(number / 5, 400_000)
    assert found.rates(np.linspace(1.0, 20.0, 71)) == pytest.approx(np.full(70, 2e6), rel=1e-6)


def test_the_share_of_blocked_time_lies_where_its_part_lies():
    found = Spent()
    found.add(0.0, 1.0, 0.5)
    found.add(5.0, 6.0, 1.0)
    assert found.shares(np.arange(8.0)) == pytest.approx([0.5, 0, 0, 0, 0, 1.0, 0])


def test_times_that_jump_far_and_back_are_kept_in_bounded_memory():
    found = Curve()
    for at in (0.0, 1e9, 5.0, 1e9 - 1.0, 1e9):
        found.add(at, at)
    times, values = found.between(0.0, 1e9)
    assert np.all(np.diff(times) >= 0)
    assert values[0] == 0.0


# Payload


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8)), max_size=60))
def test_each_number_is_new_once(parts: list[tuple[int, int]]):
    arrived, model = Arrived(), set()
    for first, more in parts:
        numbers = set(range(first, first + more + 1))
        assert arrived.take(first, first + more) == len(numbers - model)
        model |= numbers


@given(st.lists(st.integers(-1000, 1000), max_size=50))
def test_serial_numbers_go_on_beyond_their_wrap(steps: list[int]):
    serial, true = Serial(), 2 * HALF - 5
    assert serial.extended(true) == true
    for step in steps:
        true = max(true + step, 2 * HALF - 2000)
        assert serial.extended(true % (2 * HALF)) == true


def test_an_acknowledged_chunk_counts_once_for_the_path_that_sent_it_last():
    sent = Sent()
    for tsn, path in ((1, "a"), (2, "b"), (3, "a"), (4, "b")):
        sent.send(tsn, 100 * tsn, path)
    assert list(sent.acknowledge(1, [[3, 4]])) == [(100, "a"), (300, "a"), (400, "b")]
    sent.send(2, 200, "a")
    assert list(sent.acknowledge(1, [[3, 4]])) == []
    assert list(sent.acknowledge(4, [])) == [(200, "a")]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> tuple[mp.Result, list[bytes]]:
    """A run of every protocol with losses, and the lines of its events."""
    network = mp.disjoint(
        wire=mp.Link(rate="10 Mbit/s", delay="5 ms", queue=mp.DropTail(packets=20)),
        radio=mp.Link(rate="4 Mbit/s", delay="20 ms", loss=mp.Bernoulli(p=0.02)),
    )
    paths = ["wire", "radio"]
    flows = {
        "cmt": mp.Sctp(paths=paths),
        "file": mp.Sctp(paths=paths, app=mp.Transfer(size="300 kB")),
        "tcp": mp.Tcp(path="wire"),
        "mptcp": mp.Mptcp(paths=paths),
    }
    scenario = mp.Scenario(network=network, flows=flows, warmup="0 s", measure="6 s")
    file = tmp_path_factory.mktemp("live") / "run.jsonl"
    result = mp.run(scenario, events=file, series="event")
    return result, file.read_bytes().splitlines(keepends=True)


def test_the_goodput_of_a_log_is_the_payload_that_arrived_in_the_run(simulated: tuple[mp.Result, list[bytes]]):
    result, lines = simulated
    found = read(*lines)
    assert found.refused == 0
    arrivals = result.series["arrivals"].groupby(["flow", "path"])["received_bytes"].max()
    for name, flow in found.flows.items():
        counted = {path: total.sum for path, total in flow.carried("source").items()}
        assert counted == {path: arrivals[name, path] for path in counted}, name


def test_a_log_of_the_sender_alone_has_the_acknowledged_payload(simulated: tuple[mp.Result, list[bytes]]):
    result, lines = simulated
    found = read(*(each for each in lines if json.loads(each).get("host") == "source"))
    carried = found.flows["file"].carried("source")
    arrivals = result.series["arrivals"].query("flow == 'file'").groupby("path")["received_bytes"].max()
    # The transfer has ended, so that everything that arrived is acknowledged.
    assert sum(total.sum for total in carried.values()) == arrivals.sum()
    assert set(carried) == {"wire", "radio"}


# Lines


def test_windows_are_those_of_the_run(simulated: tuple[mp.Result, list[bytes]]):
    result, lines = simulated
    end = read(*lines).flows["cmt"].sides["source"].paths["wire"]
    changes = result.series["paths"].query("flow == 'cmt' and path == 'wire'")
    assert end.last("cwnd") == changes["cwnd"].iloc[-1]
    assert end.curves["cwnd"].between(0.0, 6.0)[1].max() == changes["cwnd"].max()
    assert end.counts["window_cuts"] == result.paths["window_cuts"]["cmt", "wire"]


@pytest.mark.parametrize(
    "wrong",
    [
        b"no json",
        b"[1]",
        b"null",
        b'{"time": 1}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        line({**metrics(1.0, 5), "time": float("nan")}),
        line({**metrics(1.0, 5), "time": -1}),
        line({**metrics(1.0, 5), "time": 1e300}),
        line({**metrics(1.0, 5), "time": "1"}),
        line({**metrics(1.0, 5), "data": {"cwnd": float("inf")}}),
        line({**metrics(1.0, 5), "data": {"cwnd": 10**400}}),
        line({**metrics(1.0, 5), "data": {"cwnd": {}}}),
        line({**metrics(1.0, 5), "data": []}),
        line({**metrics(1.0, 5), "host": "middle"}),
        line({**metrics(1.0, 5), "flow": ["f"]}),
        line({**metrics(1.0, 5), "path": 7}),
        line({**metrics(1.0, 5), "name": "recovery:window_cut", "data": {"count": "many"}}),
        line(packet(1.0, "sink", "received", {"type": "data", "tsn": -4, "payload": 1})),
        line(packet(1.0, "sink", "received", {"type": "data", "tsn": 4, "payload": -1})),
        line(packet(1.0, "sink", "received", {"tsn": 4})),
        line({"file_schema": "urn:other:1"}),
        line({"time": 1, "name": "link:metrics_updated", "data": {"link": "a", "queue": 1}}),
    ],
)
def test_a_line_that_is_no_event_is_counted_and_named(wrong: bytes):
    found = read(metrics(0.5, 3000), wrong, metrics(0.7, 4000))
    assert (found.lines, found.refused) == (3, 1)
    assert found.why_refused.startswith("line 2 is no ")
    assert found.flows["f"].sides["source"].paths["p"].last("cwnd") == 4000
    assert tables.link_table(found) == "", "a link without counters is not kept"


def test_a_long_name_is_cut_and_stays_one_flow():
    found = read(*(metrics(0.1 * number, 3000 + number, flow="x" * 300) for number in range(3)))
    assert list(found.flows) == ["x" * log.MOST_NAME]
    assert found.flows["x" * log.MOST_NAME].sides["source"].paths["p"].last("cwnd") == 3002
    assert found.events == 3


def test_a_header_begins_a_new_run():
    header = {"file_schema": "urn:manypath:events:1", "title": "SCTP", "generator": {"name": "manypath"}}
    found = read(header, metrics(9.0, 3000), header, metrics(0.5, 4000, flow="g"))
    assert (found.runs, found.end, list(found.flows), found.title) == (2, 0.5, ["g"], "SCTP")


def test_memory_is_bounded_for_any_number_of_flows_paths_marks_and_links():
    found = Log()
    lost = {"name": "recovery:loss_timer_expired", "data": {"count": 1}}
    for number in range(1000):
        at, name = number / 10, f"f{number}"
        closed = {"name": "connectivity:connection_closed", "data": {"reason": "shutdown"}}
        found.take([line(metrics(at, 5000, flow=name)), line({**metrics(at, 0, flow=name), **closed})])
        found.take([line(metrics(at, 5000, flow="many paths", path=f"p{number}"))])
        found.take([line({**metrics(at, 0, flow="marks"), **lost}) for _ in range(5)])
        counters = dict.fromkeys(log.COUNTERS, number)
        found.take([line({"time": at, "name": "link:metrics_updated", "data": {"link": f"l{number}", **counters}})])
    assert len(found.flows) == log.MOST_FLOWS
    assert found.forgotten == 1002 - log.MOST_FLOWS
    assert len(found.links) == log.MOST_LINKS
    kept = found.flows["marks"]
    assert len(kept.marks) <= marks.RECENT_EVENTS + marks.MOST_SPANS
    assert sum(mark.count for mark in kept.marked(0.0, 100.0)) == 5_000
    assert found.flows["many paths"].closed == ""
    assert found.refused == 0


def test_open_flows_are_not_replaced_by_further_ones():
    found = read(*(metrics(1.0, 5000, flow=f"f{number}") for number in range(log.MOST_FLOWS + 5)))
    assert list(found.flows) == [f"f{number}" for number in range(log.MOST_FLOWS)]
    assert found.left_out == 5


def test_marks_close_in_time_are_one_mark_with_their_number_and_reason():
    found = Marks()
    for number in range(10):
        found.add(1.0 + number / 1e4, "p", "link:packet_dropped", "full", 1)
    found.add(5.0, "p", "recovery:marked_for_retransmit", "fast_retransmission", 3)
    shown = found.between("f", 0.0, 10.0)
    assert [(mark.time, mark.count, mark.reason) for mark in shown] == [
        (1.0, 10, "the queue was full"),
        (5.0, 3, "fast retransmission"),
    ]


# Charts and words


def view(found: Log, flow: str = "") -> plots.View:
    return plots.View(flow, found.begin, found.end)


def names(option: plots.Option | None) -> list[str]:
    assert option is not None
    json.dumps(option, allow_nan=False)
    return [series["name"] for series in option["series"]]


def test_the_picture_of_a_run_has_what_its_events_have(simulated: tuple[mp.Result, list[bytes]]):
    found = read(*simulated[1])
    shown = names(plots.picture(found, view(found, "cmt"), plots_theme(), narrow=False))
    curves = {"window on radio", "ssthresh on wire", "RTT of radio", "goodput", "goodput on wire"}
    rivals = {"window of file on wire", "window of tcp on wire", "window of mptcp on radio"}
    assert curves | rivals | {"losses", "retransmissions"} <= set(shown)
    said = plots.missing(found)
    assert "queues" in said
    assert "goodput" not in said


def test_what_a_log_lacks_is_named_and_not_drawn(simulated: tuple[mp.Result, list[bytes]]):
    only = [each for each in simulated[1] if b'"recovery:' in each]
    found = read(*only)
    shown = names(plots.picture(found, view(found, "cmt"), plots_theme(), narrow=True))
    assert "window on radio" in shown
    assert not any(name.startswith("goodput") for name in shown)
    assert "goodput (transport:packet_sent" in plots.missing(found)
    assert plots.missing(Log()) == ""


def test_an_emulation_has_queues_and_rates_of_links():
    counters = dict.fromkeys(log.COUNTERS, 0)
    found = read(
        *(
            {
                "time": float(number),
                "name": "link:metrics_updated",
                "data": {**counters, "link": "south", "queue": number, "bytes_delivered": 125_000 * number},
            }
            for number in range(11)
        )
    )
    option = plots.picture(found, view(found), plots_theme(), narrow=False)
    assert names(option) == ["queue of south", "carried by south"]
    assert option is not None
    assert np.mean([value for _, value in option["series"][1]["data"]]) == pytest.approx(1.0, rel=0.05)
    assert "flows" in plots.missing(found)
    assert ">south</th>" in tables.link_table(found)


def test_tables_have_the_mean_rate_of_the_last_second():
    sent, events = 0, []
    for number in range(1, 101):
        at = number / 10
        size = 1000 if at <= 9.0 else 2000 if at <= 9.5 else 4000
        sent += size
        counters = {**dict.fromkeys(log.COUNTERS, 0), "link": "south", "bytes_delivered": sent}
        events.append({"time": at, "name": "link:metrics_updated", "data": counters})
        events += [metrics(at, 5000), packet(at, "sink", "received", data(number, size))]
    found = read(*events)
    # 30,000 bytes in the last second. The last half second is faster, and the second before is slower.
    assert ">0.24</td>" in tables.link_table(found)
    assert ">0.24</td>" in tables.path_table(found.flows["f"], found.end)
    # A log of half a second has the mean since its start: 5 messages of 1000 bytes.
    short = read(*events[:15])
    assert ">0.08</td>" in tables.path_table(short.flows["f"], short.end)


def test_blocked_time_is_a_strip():
    blocked = {"name": "recovery:sending_blocked", "data": {"since": 0.0, "window": 0.25, "receive_window": 0.75}}
    found = read(metrics(0.0, 5000), {**metrics(1.0, 0), **blocked})
    shown = names(plots.picture(found, view(found), plots_theme(), narrow=False))
    assert "blocked by the congestion window" in shown
    assert "blocked by the peer's receive window" in shown
    assert "what blocks" not in plots.missing(found)


def test_a_file_that_is_no_log_is_called_so():
    state = State(Phase.LIVE, 0.0, 0, 0, 0, 0.0, "", 1)
    poem = read(b"Whose woods these are", b"I think I know")
    assert tables.remarks(poem, state) == ["Left out: 2 lines. The last one: line 2 is no JSON: I think I know"]
    assert tables.empty(poem, state, "poem.txt") == f"poem.txt: {tables.NO_LOG}"
    assert tables.empty(read(), state, "new.jsonl") == "new.jsonl: live"
    assert tables.empty(read(b"no event", metrics(1.0, 5000)), state, "run.jsonl") == ""


def test_a_file_without_an_end_of_a_line_is_no_log_either(tmp_path: Path, follow: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("manypath.explore.live.follower.QUIET", 0.1)
    file = tmp_path / "scenario.json"
    file.write_bytes(b'{"network": {}}')
    follower = follow(file)
    until(lambda: follower.state().phase in (Phase.QUIET, Phase.ENDED))
    with follower.log() as found:
        assert tables.empty(found, follower.state(), "scenario.json") == f"scenario.json: {tables.NO_LOG}"
    with file.open("wb") as writer:
        writer.write(line(metrics(1.0, 3000)))
    until(lambda: events_of(follower) == 1)
    with follower.log() as found:
        assert tables.empty(found, follower.state(), "scenario.json") == ""


def test_the_begin_of_a_line_may_become_an_event():
    begun = State(Phase.LIVE, 0.0, 7, 7, 7, 0.0, "", 1)
    assert tables.empty(read(), begun, "run.jsonl") == "run.jsonl: live"


def test_hostile_names_are_escaped_in_tables():
    found = read(metrics(1.0, 5000, path="<script>alert(1)</script>"))
    shown = tables.path_table(found.flows["f"], 1.0)
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def plots_theme():
    from manypath.explore.charts import LIGHT

    return LIGHT


# Sources


def test_a_file_is_followed_while_it_grows_also_within_a_line(tmp_path: Path, follow: Any):
    file = tmp_path / "log"
    whole = line(metrics(2.0, 4000))
    file.write_bytes(line(metrics(1.0, 3000)) + whole[:20])
    with file.open("ab") as writer:
        follower = follow(file)
        until(lambda: events_of(follower) == 1)
        assert follower.state().rest == 20
        writer.write(whole[20:])
        writer.flush()
        until(lambda: events_of(follower) == 2)
        assert follower.state().phase is Phase.LIVE
    with follower.log() as found:
        assert found.refused == 0


def test_a_file_without_a_writer_has_ended_and_one_with_a_writer_is_quiet(tmp_path: Path):
    file = tmp_path / "log"
    with file.open("wb") as writer:
        writer.write(line(metrics(1.0, 3000)))
        writer.flush()
        opened = os.open(file, os.O_RDONLY)
        assert source.is_written(opened) is True
    # The system lists open files of other users to root only.
    assert source.is_written(opened) is (False if os.geteuid() == 0 else None)
    os.close(opened)


def test_the_end_of_the_writer_is_noticed(tmp_path: Path, follow: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(source, "is_written", lambda _: False)
    monkeypatch.setattr("manypath.explore.live.follower.QUIET", 0.1)
    monkeypatch.setattr("manypath.explore.live.follower.LOOK_FOR_WRITER", 0.1)
    file = tmp_path / "log"
    file.write_bytes(line(metrics(1.0, 3000)) + b'{"time"')
    follower = follow(file)
    until(lambda: follower.state().phase is Phase.ENDED)
    with follower.log() as found:
        assert tables.remarks(found, follower.state()) == ["The last line is incomplete (7 bytes)."]
    with file.open("ab") as writer:
        writer.write(b"x\n" + line(metrics(2.0, 3000)))
    until(lambda: events_of(follower) == 2)


@pytest.mark.parametrize("way", ["emptied", "rewritten", "moved away"])
def test_a_file_that_begins_again_begins_a_new_run(tmp_path: Path, follow: Any, way: str):
    file = tmp_path / "log"
    file.write_bytes(b"".join(line(metrics(at, 3000, flow="old")) for at in (1.0, 2.0)))
    follower = follow(file)
    until(lambda: events_of(follower) == 2)
    new = b"".join(line(metrics(at, 3000, flow="newer")) for at in (0.25, 0.5, 0.75))
    match way:
        case "emptied":
            file.write_bytes(b"")
            until(lambda: events_of(follower) == 0)
            file.write_bytes(new)
        case "rewritten":
            file.write_bytes(new)
        case _:
            file.rename(tmp_path / "log.1")
            file.write_bytes(new)
    until(lambda: events_of(follower) == 3)
    with follower.log() as found:
        assert (list(found.flows), found.end) == (["newer"], 0.75)


@pytest.mark.parametrize("way", ["rewritten", "replaced"])
def test_the_lines_of_a_new_file_are_counted_from_its_begin(tmp_path: Path, follow: Any, way: str):
    header = line({"file_schema": "urn:manypath:events:1"})
    file = tmp_path / "log"
    file.write_bytes(header + line(metrics(1.0, 3000)) + b"no json\n" + header + line(metrics(2.0, 3000)))
    follower = follow(file)
    until(lambda: follower.state().end == 2.0)
    with follower.log() as found:
        # A run that begins within the file does not begin its lines again.
        assert (found.lines, found.refused, found.runs) == (5, 1, 2)
    new = header + line(metrics(0.5, 4000)) + b"wrong\n" + line(metrics(0.75, 4000))
    if way == "rewritten":
        file.write_bytes(new)
    else:
        (tmp_path / "new").write_bytes(new)
        (tmp_path / "new").rename(file)
    until(lambda: follower.state().end == 0.75)
    with follower.log() as found:
        assert (found.lines, found.refused, found.runs) == (4, 1, 1)
        said = tables.remarks(found, follower.state())
    assert said == ["Left out: 1 line. The last one: line 3 is no JSON: wrong"]


def test_a_file_that_was_emptied_waits_for_its_first_events(
    tmp_path: Path, follow: Any, monkeypatch: pytest.MonkeyPatch
):
    # In this test, no program has the file open: an empty file has no writer that could have ended.
    monkeypatch.setattr(source, "is_written", lambda _: False)
    monkeypatch.setattr("manypath.explore.live.follower.QUIET", 0.1)
    monkeypatch.setattr("manypath.explore.live.follower.LOOK_FOR_WRITER", 0.1)
    file = tmp_path / "log"
    header = line({"file_schema": "urn:manypath:events:1"})
    file.write_bytes(2 * (header + line(metrics(1.0, 3000)) + b"no json\n"))
    follower = follow(file)
    until(lambda: follower.state().phase is Phase.ENDED)
    before = follower.state().version
    file.write_bytes(b"")
    until(lambda: follower.state().version > before)
    for _ in range(50):
        assert follower.state().phase is Phase.WAITING
        time.sleep(0.02)
    state = follower.state()
    with follower.log() as found:
        assert tables.remarks(found, state) == []
        assert tables.empty(found, state, "log") == "log: waiting for the first events"


def test_a_fifo_waits_for_its_writer_and_goes_on_with_the_next(tmp_path: Path, follow: Any):
    place = tmp_path / "fifo"
    os.mkfifo(place)
    follower = follow(place)
    assert follower.state().phase is Phase.WAITING
    for number in (1, 2):
        with place.open("wb") as writer:
            # The end of each writer cuts its last line, which the next writer does not complete.
            writer.write(line(metrics(float(number), 3000)) + b'{"time": 9')
        until(lambda number=number: events_of(follower) == number)
        until(lambda: follower.state().phase is Phase.ENDED)
        with follower.log() as found:
            assert found.refused == 0


def test_the_end_of_the_writer_of_a_fifo_stays_until_the_next_one_writes(
    tmp_path: Path, follow: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("manypath.explore.live.follower.QUIET", 0.1)
    monkeypatch.setattr("manypath.explore.live.follower.LOOK_FOR_WRITER", 0.1)
    place = tmp_path / "fifo"
    os.mkfifo(place)
    follower = follow(place)

    def stays_ended() -> None:
        for _ in range(50):
            state = follower.state()
            assert state.phase is Phase.ENDED
            with follower.log() as found:
                assert tables.remarks(found, state) == ["The last line is incomplete (5 bytes)."]
            time.sleep(0.02)

    with place.open("wb") as writer:
        writer.write(line(metrics(1.0, 3000)) + b'{"tim')
        writer.flush()
        until(lambda: follower.state().phase is Phase.QUIET)
    until(lambda: follower.state().phase is Phase.ENDED)
    stays_ended()
    with place.open("wb") as writer:
        # A writer that has not written yet changes nothing.
        stays_ended()
        writer.write(line(metrics(2.0, 3000)))
        writer.flush()
        until(lambda: events_of(follower) == 2)
        until(lambda: follower.state().phase is Phase.QUIET)


def test_a_socket_and_standard_input_end_with_their_writer(
    tmp_path: Path, follow: Any, monkeypatch: pytest.MonkeyPatch
):
    place = tmp_path / "events.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        by_socket = follow(place)
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"no json\n" + line(metrics(1.5, 3000)))
    reading, writing = os.pipe()
    with os.fdopen(reading) as standard, monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", standard)
        by_pipe = follow(Path("-"))
    os.write(writing, line(metrics(1.5, 3000)))
    os.close(writing)
    for follower, refused in ((by_socket, 1), (by_pipe, 0)):
        until(lambda follower=follower: follower.state().phase is Phase.ENDED)
        with follower.log() as found:
            assert (found.events, found.refused) == (1, refused)
    assert by_pipe.name == "standard input"


def test_a_line_without_an_end_takes_bounded_memory(tmp_path: Path, follow: Any):
    file = tmp_path / "log"
    file.write_bytes(b"x" * 5_000_000 + b"\n" + line(metrics(1.0, 3000)))
    follower = follow(file)
    until(lambda: events_of(follower) == 1)
    with follower.log() as found:
        assert (found.lines, found.refused) == (2, 1)
        assert found.why_refused.startswith("line 1 is too long: xxx")


def test_a_page_waits_for_one_batch_of_a_large_file_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "log"
    file.write_bytes(b"".join(line(metrics(number / 1000, 3000 + number)) for number in range(50_000)))
    batches: list[int] = []
    waited: list[int] = []
    take = Log.take

    class Counted:
        """A lock that counts the batches for which a page waits."""

        def __init__(self) -> None:
            self._lock = threading.Lock()

        def __enter__(self) -> None:
            before = len(batches)
            self._lock.acquire()
            if threading.current_thread() is threading.main_thread():
                waited.append(len(batches) - before)

        def __exit__(self, *_: object) -> None:
            self._lock.release()

    monkeypatch.setattr(Log, "take", lambda found, lines: batches.append(len(lines)) or take(found, lines))
    follower = Follower(file)
    monkeypatch.setattr(follower, "_lock", Counted())
    follower.start()
    end = time.monotonic() + 300
    try:
        while events_of(follower) < 50_000:
            assert time.monotonic() < end, "the follower has not read the file"
    finally:
        follower.close()
    assert len(batches) >= 100
    assert max(batches) <= BATCH
    # The one that was about to begin; the page has asked before the next one.
    assert max(waited) <= 1


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path):
    silent = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(silent))
        for place in (tmp_path / "none", tmp_path, silent, Path("/dev/zero"), Path("/dev/null")):
            with pytest.raises(UserError, match=r"^--attach: .* cannot be read \(.*\): give a file of events, [^\n]*$"):
                Follower(place)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that can be opened and not be read")
def test_a_file_that_fails_is_said(follow: Any):
    follower = follow(Path("/proc/self/mem"))
    until(lambda: follower.state().phase is Phase.FAILED)
    with follower.log() as log:
        said = tables.status(log, follower.state(), "mem", is_paused=False)
    assert said.endswith("reading has failed: Input/output error")


def test_threads_end_with_their_sources(tmp_path: Path):
    (tmp_path / "log").touch()
    follower = Follower(tmp_path / "log")
    follower.start()
    follower.close()
    until(lambda: not any(thread.name == "explore-follow" for thread in threading.enumerate()))
