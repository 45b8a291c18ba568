"""Grids that are measured and simulated: verdicts, the page, output of senders and receivers, and one real cell."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manypath as mp
from lists import cases
from manypath import _native, testbed
from manypath.campaign import Campaign, Cell, Results
from manypath.campaign.runners import Halt, chance
from manypath.cli.measure_grid import plain
from manypath.errors import UserError
from manypath.report import measured as page
from manypath.report.measured_pages import pages_in
from manypath.settings import Settings
from manypath.testbed import GRIDS, Plan
from manypath.testbed.calibration import Calibration, calibrated, fastest, stored
from manypath.testbed.contestants import Part
from manypath.testbed.contestants.manypath import COUNTED, Manypath, arrivals, lateness, of_paths
from manypath.testbed.grid import cells, sctp, unequal_sctp
from manypath.testbed.paired import PAIRED
from manypath.testbed.verdict import judge
from real_time import disturbed, needs_stack, undisturbed


@pytest.mark.parametrize(
    ("measured", "simulated", "word"),
    [
        ([9.9, 10.0, 10.1], [10.0, 10.0, 10.0], "equivalent"),
        ([10.0, 10.0], [10.0, 10.0], "equivalent"),
        ([9.0, 10.0, 11.0], [10.0, 10.1, 9.9], "open"),
        ([8.0, 8.1, 7.9], [10.0, 10.1, 9.9], "different"),
        ([12.0, 12.1, 11.9], [10.0, 10.1, 9.9], "different"),
        ([12.0, 12.0], [10.0, 10.0], "different"),
        ([10.0], [10.0, 10.0], "open"),
        ([0.0, 0.0], [0.0, 0.0], "open"),
    ],
)
def test_a_verdict_is_the_result_of_two_one_sided_tests(measured: list[float], simulated: list[float], word: str):
    verdict = judge(measured, simulated)
    assert verdict.word == word
    assert (verdict.low > 0.9 and verdict.high < 1.1) == (word == "equivalent")


def test_a_verdict_has_means_intervals_and_the_number_of_runs():
    verdict = judge([9.0, 11.0], [10.0, 10.0, 10.0])
    assert (verdict.measured, verdict.simulated, verdict.ratio) == (10.0, 10.0, 1.0)
    assert verdict.measured_half_width == pytest.approx(12.706, abs=0.001)
    assert verdict.simulated_half_width == 0
    # Welch's test with one degree of freedom: t = 6.314, and the mean of two runs deviates by 1.
    assert (verdict.low, verdict.high) == pytest.approx((1 - 0.6314, 1 + 0.6314), abs=0.0001)
    assert verdict.measurements == (9.0, 11.0)
    assert math.isnan(judge([1.0], [1.0]).measured_half_width)


def test_runs_with_the_same_random_numbers_are_compared_in_pairs():
    simulated = [5.0, 10.0, 15.0, 10.0]
    measured = [4.9, 9.9, 15.1, 9.9]
    assert judge(measured, simulated).word == "open"
    verdict = judge(measured, simulated, paired=True)
    assert verdict.word == "equivalent"
    for end in (verdict.low, verdict.high):
        rest = np.array(measured) - end * np.array(simulated)
        # 2.353 is the 95 % point of Student's t with 3 degrees of freedom.
        assert abs(rest.mean() / (rest.std(ddof=1) / 2)) == pytest.approx(2.3534, abs=1e-4)
    assert verdict.low < verdict.ratio < verdict.high
    # A loss of goodput in the measurement alone makes the verdict "different".
    assert judge([2.5, 9.9, 15.1, 9.9], simulated, paired=True).word == "open"


def test_a_paired_simulation_has_the_seed_of_the_emulator():
    scenario = sctp("one path", "20 ms", "1 %").but(warmup="1 s", measure="2 s")
    cells = Campaign(scenario, replications=3, seed=7).cells
    found = [json.loads(str(outcome)) for outcome in PAIRED.run(cells, 1, Halt())]
    for cell, outcome in zip(cells, found, strict=True):
        (text, *_) = _native.run(cell.document, chance(cell), 0)
        assert outcome["digest"] == json.loads(text)["digest"]
    assert len({outcome["digest"] for outcome in found}) == 3


def outcome(goodput: float, marks: str = "", tries: int = 1) -> str:
    """Return the outcome of a run as JSON."""
    path = {"goodput": goodput, "timeouts": 2, "fast_retransmissions": 5, "cwnd": 15_000, "srtt": 0.02}
    flow = {"goodput": goodput, "streams": [], "paths": {"path1": path}}
    return json.dumps({"flows": {"sctp": flow}, "marks": marks, "tries": tries, "late_share": 0.001})


def results(goodputs: dict[tuple[str, str, str], list[float]], **last: Any) -> Results:
    """Return the runs of cells. `last` sets marks or tries of the last run of each cell."""
    return Results(
        [
            (
                Cell({"way": way, "rtt": rtt, "loss": loss}, "{}", 1, number),
                outcome(goodput, **(last if number == len(runs) - 1 else {})),
            )
            for (way, rtt, loss), runs in goodputs.items()
            for number, goodput in enumerate(runs)
        ]
    )


SIMULATED = {
    (way, rtt, loss): [10e6, 10.1e6, 9.9e6]
    for way in ("one path", "two paths newreno")
    for rtt in ("20 ms", "100 ms")
    for loss in ("0 %", "1 %")
}
"""Made-up goodput of the runs of each cell in bit/s."""

WORSE = ("one path", "100 ms", "1 %")
"""The cell in which the measurement differs."""

CALIBRATION = Calibration(
    "2026-11-23T07:00:00+00:00",
    "Linux 6.18, 2 processors",
    "0a1b2c3d",
    1.5,
    [
        {"kind": "rate", "load": False, "set": 10.0, "expected": 9.813, "measured": 9.81, "late": 0.2, "median": 40.0}
        | {"p99": 200.0, "p999": 900.0, "max": 1000.0},
        {"kind": "rate", "load": True, "set": 10.0, "expected": 9.813, "measured": 9.0, "late": 5.0, "median": 60.0}
        | {"p99": 900.0, "p999": 9000.0, "max": 10000.0},
    ],
)
"""Made-up calibration."""


def made_up() -> list[Any]:
    ours = {key: [8e6, 8.1e6, 7.9e6] if key == WORSE else runs for key, runs in SIMULATED.items()}
    measured = results(ours, marks="1.50 % of 100 packets left late", tries=3)
    return list(cells("sctp", measured, results(SIMULATED)))


def test_cells_have_verdicts_explanations_and_disturbed_runs():
    found = made_up()
    assert [cell.name for cell in found if cell.goodput.word != "equivalent"] == ["one path, rtt 100 ms, loss 1 %"]
    (worse,) = (cell for cell in found if tuple(cell.factors.values()) == WORSE)
    assert worse.goodput.ratio == pytest.approx(0.8)
    assert worse.measured["path1"] == {
        "goodput": 8.0,
        "timeouts": 2,
        "fast_retransmissions": 5,
        "cwnd": 15_000,
        "srtt": 0.02,
    }
    assert (worse.again, worse.marks) == (2, ("1.50 % of 100 packets left late",))
    row = json.loads(json.dumps(plain(found, "usrsctp"), allow_nan=False))[0]
    assert (row["stack"], row["goodput"]["ratio"]) == ("usrsctp", pytest.approx(1.0))


def test_the_page_names_differing_cells_and_shows_the_calibration_of_the_emulator(tmp_path: Path):
    plan = Plan(GRIDS["sctp"], quick=True)
    page.check("sctp", tmp_path)
    file = page.write("sctp", plan, made_up(), CALIBRATION, Settings(1, 3, "engine"), tmp_path)
    text = file.read_text("utf-8")
    assert file.name == "measured-sctp.html"
    others = text[text.index('id="others"') : text.index('id="calibration"')]
    assert "one path, rtt 100 ms, loss 1 %" in others
    assert "two paths" not in others
    assert "7 equivalent" in text
    assert "1 different" in text
    assert "1.50 % of 100 packets left late" in text
    assert "Linux 6.18, 2 processors" in text
    assert "delivered the expected payload." in text
    assert "<svg" in text
    assert (tmp_path / "figures" / "measured-sctp" / "goodput.svg").is_file()
    assert pages_in(tmp_path) == [("measured-sctp.html", "sctp")]


def test_paths_of_unequal_cells_differ_and_both_have_round_trip_times():
    """With a rule that wants the SACK on the path of the data, the slower path would have no sample."""
    size = GRIDS["sctp-unequal"].quick
    for paths in size.factors["paths"]:
        scenario = unequal_sctp("two paths cmt-rpv2", paths, "0 %").but(warmup="1 s", measure="4 s")
        links = scenario.network.links
        assert links["path1"].delay < links["path2"].delay
        found = mp.run(scenario).paths.loc["sctp"]
        for path in ("path1", "path2"):
            # SACKs return on any path.
            assert found["srtt"][path] > 1e-9 * (links[path].delay + links["path1"].delay)
            assert found["goodput"][path] > 0.1


def test_a_grid_whose_second_factor_has_words_names_them_in_its_figure(tmp_path: Path):
    words = {"20 ms": "20+60 ms", "100 ms": "20+200 ms"}
    renamed = {(way, words[rtt], loss): runs for (way, rtt, loss), runs in SIMULATED.items()}
    found = list(cells("sctp", results(renamed), results(renamed)))
    drawn = page.draw(found).save(tmp_path / "goodput.svg").read_text("utf-8")
    for word in words.values():
        assert f">{word}</text>" in drawn


def test_a_page_of_another_program_is_not_replaced(tmp_path: Path):
    (tmp_path / "measured-sctp.html").write_text("mine")
    with pytest.raises(UserError, match="manypath did not write it"):
        page.check("sctp", tmp_path)


def test_a_calibration_marks_a_rate_that_differs_from_the_setting():
    assert list(CALIBRATION.doubts(10.0)) == []
    bad = [{**CALIBRATION.rows[0], "measured": 9.0, "late": 3.0}]
    doubts = list(Calibration("", "", "", 0.0, bad).doubts(10.0))
    assert doubts == [
        "calibration: a link of 10 Mbit/s deviated by 8.3 % from its rate",
        "calibration: 3.0 % of the packets left a link of 10 Mbit/s 2 ms late",
    ]


def test_the_fastest_link_of_a_scenario_counts_changes_of_rates():
    event = mp.Event(at="1 s", rate="20 Mbit/s")
    links = {"a": mp.Link(rate="10 Mbit/s", delay="1 ms", events=[event]), "b": mp.Link(rate="5 Mbit/s", delay="1 ms")}
    flows = {"f": mp.Tcp(path="a")}
    assert fastest(mp.Scenario(network=mp.disjoint(**links), flows=flows, warmup="1 s", measure="1 s")) == 20
    links["a"] = links["b"].but(rate="6 Mbit/s")
    assert fastest(mp.Scenario(network=mp.disjoint(**links), flows=flows, warmup="1 s", measure="1 s")) == 6


def test_a_stored_calibration_is_used_until_the_emulator_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    emulator = tmp_path / "manypath-emu"
    monkeypatch.setattr("manypath.programs.program", lambda _: str(emulator))
    monkeypatch.setattr("manypath.testbed.calibration.program", lambda _: str(emulator))
    report: list[str] = []
    for number, made in ((1, 1), (1, 1), (2, 2)):
        emulator.write_text(f'#!/bin/sh\necho \'{{"kind": "loss", "number": {number}}}\'\n')
        emulator.chmod(0o755)
        found = calibrated(tmp_path, quick=True, tell=report.append)
        assert found.rows == [{"kind": "loss", "number": number}]
        assert len(report) == made
        time.sleep(1)  # Files are named by the second.
    assert [each.rows[0]["number"] for each in stored(tmp_path)] == [2, 1]


def start(seconds: int) -> dict[str, Any]:
    return {"event": "start", "data": {"timestamp": {"timesecs": seconds, "timenanosecs": 500_000_000}}}


def interval(end: float, size: int, **path: float) -> dict[str, Any]:
    counted = dict.fromkeys((*COUNTED, "bytes_received"), 0)
    numbers = {"path": 0, **counted, "snd_cwnd": 0, "rtt": 0, **path}
    return {"event": "interval", "data": {"sum": {"end": end, "bytes": size}, "paths": [numbers]}}


def test_received_bytes_over_time_are_read_from_the_output_of_a_receiver():
    notes = arrivals([start(1000), interval(0.1, 100), interval(0.2, 50), {"event": "error", "data": "x"}], 900.0)
    assert notes.tolist() == pytest.approx(np.array([[100.5, 0], [100.6, 100], [100.7, 150]]))
    assert arrivals([{"event": "error", "data": "nothing"}], 0.0).shape == (0, 2)


def test_a_sender_or_receiver_that_wakes_late_marks_its_run():
    good = [interval(0.1 * tick + 0.002, 0) for tick in range(1, 400)]
    assert not list(lateness("sctp", "sender", good))
    late = [interval(0.1 * tick + (0.02 if tick % 20 == 0 else 0), 0) for tick in range(1, 400)]
    assert list(lateness("sctp", "receiver", late)) == ["flow sctp: 4.8 % of the intervals of its receiver ended late"]


@pytest.mark.parametrize(("seconds", "is_marked"), [(0.05, False), (0.3, True), (2.0, True)])
def test_a_single_long_delay_of_a_sender_marks_its_run(seconds: float, is_marked: bool):
    """The next interval ends in time, so the share of late intervals stays low."""
    ends = [0.1 * tick + 0.002 for tick in range(1, 800)]
    still = [end for end in ends if not 30 < end < 30 + seconds]
    marks = list(lateness("sctp", "sender", [interval(end, 0) for end in still]))
    assert marks == ([f"flow sctp: its sender was delayed by {seconds:.1f} s"] if is_marked else [])


def measured_cell(way: str, measure: str, warmup: str = "1 s") -> Any:
    """Return the outcome of one run of a cell of the grid ``sctp``."""
    scenario = sctp(way, "20 ms", "0 %").but(warmup=warmup, measure=measure)
    ((_, outcome),) = Campaign(scenario, replications=1, runner=testbed.Testbed()).run(None, 1, progress=False).outcomes
    return outcome


@needs_stack
@pytest.mark.parametrize("side", cases(["sender", "receiver"], long=lambda side: side == "sender"))
def test_a_run_with_a_stopped_sender_or_receiver_is_marked(side: str, monkeypatch: pytest.MonkeyPatch):
    def stop(_: Part, ends: Any) -> None:
        end = getattr(ends, side).process
        end.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        end.send_signal(signal.SIGCONT)

    said = f"flow sctp: its {side} was delayed by "
    disturbed(lambda measure: measured_cell("one path", measure), Manypath, stop, said, monkeypatch)


def test_counters_of_paths_cover_the_window():
    counted = {"data_packets": 10, "timeouts": 1, "fast_retransmissions": 2, "retransmitted_chunks": 3}
    sent = [
        interval(1.0, 0, data_packets=9, timeouts=9),
        interval(2.0, 0, **counted, snd_cwnd=3000, rtt=20_000),
        interval(3.0, 0, data_packets=20, snd_cwnd=5000, rtt=40_000),
        interval(4.0, 0, data_packets=9, timeouts=9),
    ]
    came = [
        interval(1.0, 0, bytes_received=9),
        interval(2.0, 0, bytes_received=250),
        interval(3.0, 0, bytes_received=250),
    ]
    assert of_paths(sent, came, (1.0, 3.0)) == [
        {
            "data_packets": 30,
            "retransmitted_chunks": 3,
            "fast_retransmissions": 2,
            "timeouts": 1,
            "cwnd": 4000,
            "srtt": pytest.approx(0.03),
            "goodput": 2000,
        }
    ]


def test_a_packet_of_each_cell_is_full_with_and_without_udp():
    for udp in (False, True):
        flow = sctp("one path", "20 ms", "0 %", udp=udp).flows["sctp"]
        assert isinstance(flow, mp.Sctp)
        assert flow.app.message.max + 16 + 12 + 20 + (8 if udp else 0) == flow.mtu


def test_udp_encapsulation_reduces_the_goodput_of_a_link():
    goodput = {}
    for udp in (False, True):
        scenario = sctp("one path", "20 ms", "0 %", udp=udp).but(warmup="2 s", measure="5 s")
        goodput[udp] = mp.run(scenario).flows.goodput.item()
    assert goodput[False] == pytest.approx(10 * 1452 / 1500, rel=0.001)
    assert goodput[True] == pytest.approx(10 * 1444 / 1500, rel=0.001)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sctp", "--cc", "lia"], "--cc: sctp has its own congestion controls"),
        (["shared", "--quick"], "--quick: only valid for sctp, sctp-unequal, dreibholz2012"),
        (["shared", "--udp"], "--udp: only valid for sctp, sctp-unequal: leave it out"),
        (["sctpp"], 'did you mean "sctp"?'),
        (["dreibholz2012_testbed", "--quick"], 'there is no "dreibholz2012_testbed": did you mean "dreibholz2012"?'),
        (["sctp", "--fast"], "--fast"),
        (["sctp", "--report", "/proc/x"], 'error: --report: "/proc/x" cannot be written'),
        (
            ["sctp", "--quick", "--runs", "5", "--most", "3"],
            "error: --most: 3 is less than 5, the first number of runs",
        ),
        (["shared", "--store", "/proc/x"], 'error: --store: "/proc/x" cannot be written'),
        (["shared", "--cc", "renoo"], 'error: --cc: there is no congestion control "renoo"'),
        (["sctp", "--runs", "0"], "runs"),
        (["sctp", "--simulations", "9"], "--simulations: sctp simulates each run with the same seed"),
        (["shared", "--report", "page"], "--report: only valid for sctp, sctp-unequal, dreibholz2012"),
        (["shared", "--cc", "lia", "--cc", "lia"], '--cc: "lia" is given twice: give each congestion control once'),
        (["x" * 300], f'scenario: there is no "{"x" * 75}...": known: sctp, sctp-unequal, dreibholz2012'),
    ],
)
def test_a_wrong_argument_is_reported_in_one_line(arguments: list[str], message: str, called):
    (line,) = called("measure", *arguments, code=2).err.splitlines()
    assert message in line


@pytest.mark.parametrize(
    ("option", "most"),
    [("--runs", 1000), ("--most", 1000), ("--simulations", 5000), ("--at-once", 256), ("--tries", 100)],
)
@pytest.mark.parametrize("scenario", ["sctp", "shared"])
def test_too_large_numbers_are_refused_with_the_largest_valid_one(scenario: str, option: str, most: int, called):
    for much in (most + 1, 10**30):
        (line,) = called("measure", scenario, option, str(much), code=2).err.splitlines()
        assert line == f"error: {option}: {much} is too large: give {most} or less"


def test_a_congestion_control_for_no_flow_is_refused(called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(
        'warmup = "1 s"\nmeasure = "1 s"\nflows.tcp = { transport = "tcp", path = "a" }\n'
        'network.disjoint.a = { rate = "5 Mbit/s", delay = "1 ms" }\n'
    )
    (line,) = called("measure", "one.toml", "--cc", "lia", code=2).err.splitlines()
    assert line == "error: --cc: no flow of one.toml has several paths: leave it out"


def test_a_measurement_without_root_is_refused(called, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    (line,) = called("measure", "sctp", code=2).err.splitlines()
    assert "needs root" in line


@pytest.mark.parametrize("absent", ["manypath-emu", "manypath-net"])
def test_a_missing_program_is_reported(absent: str, called, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("manypath.programs.installed", lambda name: None if name == absent else "/bin/true")
    (line,) = called("measure", "sctp", code=2).err.splitlines()
    assert line.startswith(f"error: {absent}: not installed")


@needs_stack
def test_a_cell_is_measured():
    # Without warm-up, because data that arrived earlier and waited in the receiver would count as well.
    outcome = undisturbed(
        lambda: measured_cell("two paths newreno", "3 s", warmup="0 s"),
        lambda found: all(path["data_packets"] > 50 for path in found["flows"]["sctp"]["paths"].values()),
    )
    # Other load on this machine can lower the goodput. It cannot exceed the rate of the links.
    assert 0 < outcome["flows"]["sctp"]["goodput"] < 20.2e6
    assert not list(Path("/run/netns").glob(f"m{os.getpid()}-*"))
