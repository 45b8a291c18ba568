"""`manypath expect`: the expected goodput of a connection over described paths."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from manypath._native import engine_version
from manypath.cli import main
from manypath.errors import UserError
from manypath.expect import Description, Expectation, expect
from manypath.expect.expectation import scenario
from manypath.run import check

WORDS = ["wlan: 20 Mbit/s, 20 ms", "lte: 10 Mbit/s, 60 ms, 1 %"]


def test_a_path_in_words_has_rate_round_trip_time_loss_and_competitors():
    description = Description.from_words(
        WORDS, shared=["15 Mbit/s: wlan, lte"], tcp=["lte=2"], queue="red", buffer="50 ms"
    )
    wlan, lte = description.paths.values()
    assert (wlan.rate, wlan.rtt, wlan.loss, wlan.tcp) == (20_000_000, 20_000_000, 0.0, 0)
    assert (lte.rate, lte.rtt, lte.loss, lte.tcp) == (10_000_000, 60_000_000, 0.01, 2)
    assert description.links("lte") == ["lte", "shared1"]
    assert description.drain("wlan") == 0.05
    assert list(Description.from_words(["1 Mbit/s, 1 ms", "2 Mbit/s, 2 ms"]).paths) == ["path1", "path2"]
    shares = Description.from_words(["1 Mbit/s, 1 ms, 0.01", "1 Mbit/s, 1 ms, .5", "1 Mbit/s, 1 ms, 1e-3"]).paths
    assert [share.loss for share in shares.values()] == [0.01, 0.5, 0.001]
    for wrong in ("nan", "inf", "2"):
        with pytest.raises(UserError, match="loss"):
            Description.from_words([f"1 Mbit/s, 1 ms, {wrong}"])


def test_a_file_and_arguments_give_equal_descriptions(tmp_path: Path):
    file = tmp_path / "paths.toml"
    file.write_text("""
        queue = "red"
        [paths.wlan]
        rate = "20 Mbit/s"
        rtt = "20 ms"
        [paths.lte]
        rate = "10 Mbit/s"
        rtt = "60 ms"
        loss = 0.01
        tcp = 2
        [shared.shared1]
        rate = "15 Mbit/s"
        paths = ["wlan", "lte"]
    """)
    words = Description.from_words(WORDS, shared=["15 Mbit/s: wlan, lte"], tcp=["lte=2"], queue="red")
    assert Description.from_file(file) == words


def test_the_simulated_network_is_the_described_one():
    description = Description.from_words(WORDS, shared=["15 Mbit/s: wlan, lte"], tcp=["lte=2"])
    built = scenario(description, "lia")
    assert set(built.flows) == {"multipath", "tcp 1 on lte", "tcp 2 on lte"}
    assert built.network.paths["lte"].forward == ("lte", "shared1")
    assert built.network.paths["lte"].reverse == ("shared1/back", "lte/back")
    link = built.network.links["lte"]
    assert (link.rate, link.delay, link.loss.kind) == (10_000_000, 30_000_000, "bernoulli")
    assert built.network.links["lte/back"].loss.kind == "none"


@pytest.mark.parametrize("cc", ["newreno", "lia"])
def test_theory_and_simulation_agree_if_a_queue_drops_packets_of_all_flows_alike(cc: str):
    paths = Description.from_words(["10 Mbit/s, 40 ms", "10 Mbit/s, 40 ms"], tcp=["path2=1"], queue="red")
    (found,) = expect(paths, [cc], runs=4, measure="60 s", store=None, progress=False)
    assert found.theory is not None
    assert found.total.mean == pytest.approx(sum(found.theory.goodput.values()), rel=0.15)
    assert found.share.mean == pytest.approx(found.theory.share, rel=0.15)
    assert found.single[0] < found.total.low < found.total.mean < found.total.high < found.single[1]


def test_scenarios_without_a_fluid_prediction_are_simulated():
    paths = Description.from_words(["5 Mbit/s, 20 ms"])
    (found,) = expect(paths, ["cubic"], runs=1, measure="5 s", store=None, progress=False)
    assert found.theory is None
    assert found.total.mean > 4
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    assert document["fluid"] is None
    assert document["simulated"]["single_run"] is None
    assert document["simulated"]["total"]["half_width"] is None


FAR = ("dsl: 50 Mbit/s, 20 ms", "edge: 1 Mbit/s, 800 ms")
"""Two paths. The slow one has by far the longer round-trip time."""


def test_host_buffers_limit_no_flow_over_unequal_paths():
    (found,) = expect(Description.from_words(FAR), ["cubic"], runs=2, measure="60 s", store=None, progress=False)
    assert found.total.mean > 0.9 * 51 * 1460 / 1500
    assert found.buffers_limit == 0.0


def test_a_limit_by_socket_buffers_is_reported_with_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    words = [word for path in FAR for word in ("--path", path)]
    common = (*words, "--cc", "cubic", "--runs", "2", "--measure", "60 s", "--measured", "48 Mbit/s")
    assert command(monkeypatch, *common, "--socket-buffer", "1.8 MB") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "cubic: host buffers of 1.8 MB stopped a path for" in printed
    assert "48 Mbit/s is above each range: likely causes are" in printed
    assert command(monkeypatch, *common) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "stopped a path" not in printed
    assert "host buffers 40.8 MB" in printed


def test_a_measured_rate_below_all_ranges_has_its_likely_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert command(monkeypatch, *SHORT, "--cc", "lia", "--runs", "2", "--measured", "1 Mbit/s") == 0
    assert "1 Mbit/s is below each range: likely causes are socket buffers" in capsys.readouterr().out


def test_sctp_and_schedulers_are_simulated():
    paths = ["10 Mbit/s, 20 ms", "10 Mbit/s, 40 ms"]
    over_sctp = Description.from_words(paths, transport="sctp")
    (found,) = expect(over_sctp, ["newreno"], runs=2, measure="20 s", store=None, progress=False)
    assert found.total.mean == pytest.approx(20 * 1452 / 1500, rel=0.05)
    assert found.theory is not None
    assert sum(found.theory.goodput.values()) == pytest.approx(20 * 1452 / 1500, rel=0.01)
    redundant = Description.from_words(paths, scheduler="redundant")
    (found,) = expect(redundant, ["newreno"], runs=2, measure="20 s", store=None, progress=False)
    assert found.total.mean < 10
    with pytest.raises(UserError, match="scheduler: only Multipath TCP has one: leave it out"):
        Description.from_words(paths, transport="sctp", scheduler="redundant")


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run `manypath expect` in this process, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["manypath", "expect", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


SHORT = ("--path", "5 Mbit/s, 20 ms, 0.1 %", "--measure", "5 s")
"""Arguments with a quick result."""


def test_a_single_run_has_no_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert command(monkeypatch, *SHORT, "--cc", "lia", "--tcp", "path1=1", "--runs", "1", "--measured", "4 Mbit/s") == 0
    printed = capsys.readouterr().out
    assert "nan" not in printed
    assert "±" not in printed
    assert "simulated: one run, no interval; delivered payload; seed 1, 1 replication, engine " in printed
    assert "; measure 5 s; queue drop-tail" in printed


def test_a_document_has_all_rates_in_one_unit_and_its_assumptions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    options = ("--cc", "lia", "--runs", "2", "--seed", "7", "--measured", "4 Mbit/s", "--json")
    assert command(monkeypatch, *SHORT, *options) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["units"] == {"rates": "bit/s", "times": "ns", "losses and shares": "1"}
    given = {"measure": "5 s", "queue": "drop-tail", "host buffers": "1 MB"}
    expected = {"seed": 7, "replications": 2, "engine": engine_version(), "settings": given}
    assert document["simulation"] == expected
    link = document["description"]["paths"]["path1"]["rate"]
    (row,) = document["expectations"]
    low, high = row["simulated"]["single_run"]
    rates = [*row["fluid"]["goodput"].values(), row["simulated"]["total"]["mean"], row["measured"]["rate"], low, high]
    assert link == 5_000_000
    assert all(0.5 * link < rate < 1.1 * link for rate in rates)
    assert row["simulated"]["goodput"]["path1"] == row["simulated"]["total"]


def test_the_seed_selects_the_simulated_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)

    def simulated(seed: int) -> object:
        words = ("--path", "5 Mbit/s, 20 ms, 1 %", "--measure", "5 s", "--cc", "lia", "--runs", "2")
        assert command(monkeypatch, *words, "--seed", str(seed), "--json") == 0
        return json.loads(capsys.readouterr().out)["expectations"][0]["simulated"]["total"]

    assert simulated(7) == simulated(7)
    assert simulated(7) != simulated(8)


def test_windows_that_do_not_settle_are_reported_beside_the_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["manypath.theory.equilibrium"], "LONGEST", 0.1)
    assert command(monkeypatch, *SHORT, "--cc", "olia", "--cc", "lia", "--cc", "cubic", "--runs", "2") == 0
    printed = capsys.readouterr().out
    assert "no fluid number for olia, lia: it does not converge" in printed
    assert "no fluid number for cubic: the fluid model has no formulas of it" in printed


def test_competing_connections_without_formulas_have_no_fluid_prediction():
    paths = Description.from_words(["5 Mbit/s, 20 ms"], tcp=["path1=1"], tcp_cc="cubic")
    found: list[Expectation] = expect(paths, ["lia"], runs=1, measure="2 s", store=None, progress=False)
    assert found[0].theory is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paths": []}, "paths: is empty: give 1 or more"),
        (
            {"paths": ["a: 1 Mbit/s, 1 ms", "b: 1 Mbit/s, 1 ms"], "shared": ["5 Mbit/s: a"]},
            "shared.shared1.paths: has only 1: give 2 or more",
        ),
        ({"paths": ["10 Mbit/s"]}, 'path: "10 Mbit/s" is no path: write rate, round-trip time and optionally loss'),
        ({"paths": ["10 Mbit/s, 40 ms, 1 %, 3"]}, "is no path"),
        ({"paths": ["10 Mbps, 40 ms"]}, 'write "10 Mbit/s"'),
        ({"paths": [": 10 Mbit/s, 40 ms"]}, 'has no name before its colon: write "wlan: 10 Mbit/s, 40 ms"'),
        ({"paths": ["-10 Mbit/s, 40 ms"]}, "is negative"),
        ({"paths": ["0 bit/s, 40 ms"]}, "paths.path1.rate: 0 bit/s is too small"),
        ({"paths": ["10 Mbit/s, 0 ms"]}, "paths.path1.rtt: 0 ms is too small"),
        ({"paths": ["10 Mbit/s, 40 ms, 1 percent"]}, '"1 percent" is no probability: write a number from 0 to 1'),
        ({"paths": ["10 Mbit/s, 40 ms, 100 %"]}, "give less than 1"),
        ({"paths": ["a: 1 Mbit/s, 1 ms", "a: 1 Mbit/s, 1 ms"]}, '"a" occurs twice'),
        ({"paths": WORDS, "tcp": ["lt=1"]}, 'tcp: "lt" is no path: did you mean "lte"'),
        ({"paths": WORDS, "tcp": ["lte"]}, 'write "lte=1"'),
        ({"paths": WORDS, "tcp": ["lte=-1"]}, 'write "lte=1"'),
        ({"paths": WORDS, "tcp": ["lte=1001"]}, "give 1000 or less"),
        ({"paths": WORDS, "shared": ["15 Mbit/s"]}, "is no shared link: write its rate and paths"),
        ({"paths": WORDS, "shared": ["15 Mbit/s: wlan, lt"]}, '"lt" is no path: did you mean "lte"'),
        ({"paths": WORDS, "shared": ["15 Mbit/s: wlan"]}, "give 2 or more"),
        ({"paths": WORDS, "queue": "red-ish"}, 'did you mean "red"'),
        ({"paths": WORDS, "tcp_cc": "cubik"}, 'did you mean "cubic"'),
        ({"paths": WORDS, "socket_buffer": "0 B"}, "socket_buffer: 0 B is too small: give 1460 B or more"),
        ({"paths": WORDS, "socket_buffer": "1459 B"}, "socket_buffer: 1459 B is too small: give 1460 B or more"),
        (
            {"paths": WORDS, "transport": "sctp", "socket_buffer": "1451 B"},
            "socket_buffer: 1451 B is too small: give 1452 B or more",
        ),
        (
            {"paths": WORDS, "transport": "sctp", "tcp": ["lte=1"], "socket_buffer": "1452 B"},
            "socket_buffer: 1452 B is too small: give 1460 B or more",
        ),
        ({"paths": WORDS, "buffer": "1000 h"}, "paths.wlan: the queue has more than 1 TB: give a shorter buffer"),
        ({"paths": ["400 Gbit/s, 100 s"]}, "paths.path1: the queue has more than 1 TB: give a shorter rtt"),
        ({"paths": WORDS, "socket_buffer": "2 GB"}, "socket_buffer: 2 GB is too large: give 1073741824 B or less"),
    ],
)
def test_a_wrong_description_is_reported_in_one_line(arguments: dict[str, object], message: str):
    with pytest.raises(UserError) as caught:
        Description.from_words(**arguments)  # pyright: ignore[reportArgumentType] - the mistake is the point
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "least"),
    [({}, 1460), ({"transport": "sctp"}, 1452), ({"transport": "sctp", "tcp": ["lte=1"]}, 1460)],
)
def test_every_socket_buffer_in_the_stated_range_can_be_simulated(settings: dict[str, Any], least: int):
    for size in (least, 2**30):
        check(scenario(Description.from_words(WORDS, socket_buffer=f"{size} B", **settings), "newreno"))


def test_an_empty_name_in_a_file_is_refused_too(tmp_path: Path):
    (tmp_path / "mine.toml").write_text('[paths.""]\nrate = "10 Mbit/s"\nrtt = "40 ms"\n')
    with pytest.raises(UserError, match=r'mine\.toml: paths: "" is no name: give a visible one'):
        Description.from_file(tmp_path / "mine.toml")


@pytest.mark.parametrize(
    ("measured", "message"), [("1 Mbit/s", "below"), ("4.85 Mbit/s", "within"), ("6 Mbit/s", "above")]
)
def test_a_measured_rate_is_compared_with_single_runs(
    measured: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    words = ["--path", "5 Mbit/s, 20 ms", "--cc", "newreno", "--runs", "3", "--measure", "10 s", "--measured", measured]
    monkeypatch.setattr(sys, "argv", ["manypath", "expect", *words, "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    (row,) = json.loads(capsys.readouterr().out)["expectations"]
    assert row["measured"]["is"] == message
    low, high = row["simulated"]["single_run"]
    assert low <= row["simulated"]["total"]["mean"] <= high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--path", "1 Mbit/s, 10 ms", "--cc", "liar"], 'did you mean "lia"'),
        (["--path", "1 Mbit/s, 10 ms", "--measure", "3 parsec"], "measure: "),
        (
            ["--path", "1 Mbit/s, 2 h"],
            "measure: 100 s is less than 10 of the longest round trips: give 72000 s or more",
        ),
        (["--path", "1 Mbit/s, 10 ms", "--measured", "3 MB"], "measured: "),
        (["--path", "1 Mbit/s, 10 ms", "--runs", "0"], "give 1 or more"),
        (["absent.toml"], "there is no such file"),
        (["some.toml", "--queue", "red"], "give either a file or options"),
        ([], "--path: missing: give --path"),
    ],
)
def test_wrong_options_exit_with_2_and_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["manypath", "expect", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert message in line
