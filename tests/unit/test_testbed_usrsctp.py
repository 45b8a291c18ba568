"""The contestant usrsctp: arguments of its program, refusals, compilation, and short runs over emulated links."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import manypath as mp
from lists import cases
from manypath import testbed
from manypath.campaign import Campaign
from manypath.errors import UserError
from manypath.testbed.contestants import Part, usrsctp
from manypath.testbed.contestants.compiled import Program, cache
from manypath.testbed.contestants.usrsctp import PROGRAM, Usrsctp, counted, refusals, settings
from real_time import disturbed, needs_stack, needs_usrsctp, undisturbed


def flow(**changes: Any) -> mp.Sctp:
    """Return an association over two paths with settings that usrsctp supports."""
    return mp.Sctp(**{"paths": ("a", "b"), "app": mp.Saturated(message="1400 B"), **changes})


def document(association: mp.Sctp) -> Mapping[str, Any]:
    """The flow in the document of a scenario."""
    network = mp.disjoint(a=mp.Link(rate="5 Mbit/s"), b=mp.Link(rate="5 Mbit/s"))
    scenario = mp.Scenario(network=network, flows={"f": association})
    return json.loads(scenario.document())["flows"]["f"]


def words(**changes: Any) -> dict[str, int]:
    pairs = (word.partition("=") for word in settings(document(flow(**changes))))
    return {name: int(value) for name, _, value in pairs}


@pytest.mark.parametrize(
    ("changes", "mode"),
    [
        ({"paths": ("a",)}, 0),
        ({}, 1),
        ({"concurrent": False}, 0),
        ({"cc": "cmt-rpv1"}, 2),
        ({"cc": "cmt-rpv2"}, 3),
        ({"cc": "mptcp-like"}, 4),
        ({"cc": "cmt-rpv2", "paths": ("a",)}, 3),
    ],
)
def test_a_congestion_control_is_a_mode_of_cmt(changes: dict[str, Any], mode: int):
    # The numbers are SCTP_CMT_OFF to SCTP_CMT_MPTCP of usrsctp.h.
    assert words(**changes)["sctp_cmt_on_off"] == mode


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"udp_encapsulation": True}, {"udp": 9899}),
        ({"udp_encapsulation": False}, {"udp": 0}),
        ({"app": mp.Saturated(message="700 B", ordered=True)}, {"message": 700, "unordered": 0}),
        ({"app": mp.Saturated(message="700 B", ordered=False)}, {"unordered": 1, "message_min": 700}),
        ({"app": mp.Saturated()}, {"message_min": 500, "message": 1452}),
        ({"streams": 7, "mtu": "1480 B", "nagle": False}, {"streams": 7, "mtu": 1480, "nodelay": 1}),
        ({"send_buffer": "300 kB", "receive_buffer": "200 kB"}, {"send_buffer": 300_000, "receive_buffer": 200_000}),
        ({"nr_sack": False, "dac": False}, {"sctp_nrsack_enable": 0, "sctp_cmt_use_dac": 0}),
        ({"nr_sack": True, "dac": True}, {"sctp_nrsack_enable": 1, "sctp_cmt_use_dac": 1}),
        ({"never_renege": True}, {"sctp_do_drain": 0}),
        ({"never_renege": False}, {"sctp_do_drain": 1}),
        ({"packet_drop_reports": True}, {"sctp_pktdrop_enable": 1}),
        ({"buffer_split": "none"}, {"sctp_buffer_splitting": 0}),
        ({"buffer_split": "sender"}, {"sctp_buffer_splitting": 1}),
        ({"buffer_split": "receiver"}, {"sctp_buffer_splitting": 2}),
        ({"buffer_split": "both"}, {"sctp_buffer_splitting": 3}),
        (
            {"rto": mp.Rto(initial="2 s", min="500 ms", max="30 s")},
            {"sctp_rto_initial_default": 2000, "sctp_rto_min_default": 500, "sctp_rto_max_default": 30_000},
        ),
        (
            {"sack_delay": "100 ms", "sack_every": 3},
            {"sctp_delayed_sack_time_default": 100, "sctp_sack_freq_default": 3},
        ),
        ({"heartbeat_interval": "5 s"}, {"sctp_heartbeat_interval_default": 5000}),
        (
            {"path_max_retransmissions": 3, "association_max_retransmissions": 8},
            {"sctp_path_rtx_max_default": 3, "sctp_assoc_rtx_max_default": 8, "sctp_path_pf_threshold": 65_535},
        ),
        ({"potentially_failed_after": 0}, {"sctp_path_pf_threshold": 0}),
        ({"burst": "none"}, {"sctp_max_burst_default": 0, "sctp_use_cwnd_based_maxburst": 0}),
        (
            {"burst": "max-burst", "max_burst": 6},
            {"sctp_max_burst_default": 6, "sctp_use_cwnd_based_maxburst": 0},
        ),
        (
            {"burst": "use-it-or-lose-it", "max_burst": 5},
            {"sctp_max_burst_default": 5, "sctp_use_cwnd_based_maxburst": 1},
        ),
    ],
)
def test_a_setting_of_the_flow_is_a_word_of_the_program(changes: dict[str, Any], expected: dict[str, int]):
    found = words(**changes)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"app": mp.Cbr(rate="1 Mbit/s", message="1 kB")}, "f.app: the testbed does not support cbr: give saturated"),
        (
            {"app": mp.Saturated(message="1453 B")},
            "f.app.message: 1453 B stalls usrsctp directly in IP with an MTU of 1500 B: give 1452 B or less",
        ),
        (
            {"app": mp.Saturated(message="1401 B"), "udp_encapsulation": True},
            "f.app.message: 1401 B stalls usrsctp inside UDP with an MTU of 1500 B: give 1400 B or less",
        ),
        (
            {"mtu": "1400 B"},
            "f.app.message: 1400 B stalls usrsctp directly in IP with an MTU of 1400 B: give 1352 B or less",
        ),
        ({"cc": "lia"}, 'f.cc: usrsctp has no "lia": known: newreno, cmt-rpv1, cmt-rpv2, mptcp-like'),
        ({"cc": "mptcp-like:2011"}, 'f.cc: usrsctp has no "mptcp-like:2011": did you mean "mptcp-like"?'),
        (
            {"cc": "cmt-rpv2", "concurrent": False},
            'f.cc: usrsctp has "cmt-rpv2" only with concurrent paths: give newreno',
        ),
        ({"pacing": True}, "f.pacing: usrsctp does not have true: give false"),
        ({"rescheduling": "threshold"}, "f.rescheduling: usrsctp does not have threshold: give none"),
        ({"path_blocking": "rto"}, "f.path_blocking: usrsctp does not have rto: give none"),
        ({"cuc": "v1"}, "f.cuc: usrsctp does not have v1: give v2"),
        ({"sfr": False}, "f.sfr: usrsctp does not have false: give true"),
        ({"path_fast_recovery": False}, "f.path_fast_recovery: usrsctp does not have false: give true"),
        ({"split_by": "buffered"}, "f.split_by: usrsctp does not have buffered: give outstanding"),
        ({"rto": mp.Rto(min="1500 us")}, "f.rto.min: 1.5 ms is not a time of usrsctp: give whole milliseconds"),
        ({"heartbeat_interval": "2 h"}, "f.heartbeat_interval: 7.2e+06 ms is not a time of usrsctp: give whole"),
        ({"receive_buffer": "4095 B"}, "f.receive_buffer: 4095 B is not a buffer of usrsctp: give 4096 to"),
        ({"send_buffer": "101 MB"}, "f.send_buffer: 101000000 B is not a buffer of usrsctp: give 4096 to"),
    ],
)
def test_an_unsupported_setting_is_refused_in_one_line(changes: dict[str, Any], text: str):
    first = next(refusals("f", document(flow(**changes))), "")
    assert first.startswith(text)
    assert "\n" not in first


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"paths": ("a",), "cuc": "none", "sfr": False, "path_fast_recovery": False, "split_by": "buffered"},
        {"buffer_split": "none", "split_by": "buffered"},
        {"udp_encapsulation": True, "cc": "mptcp-like"},
        {"app": mp.Saturated(message="1452 B"), "profile": "rfc9260", "t3_path": "same", "sack_path": "primary"},
        {"concurrent": False, "rescheduling": "inet"},
    ],
)
def test_supported_settings_and_settings_without_effect_are_accepted(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(usrsctp, "KERNEL_SCTP", (tmp_path / "none",))
    assert list(refusals("f", document(flow(**changes)))) == []


def test_the_sctp_of_the_kernel_disturbs_only_packets_directly_in_ip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(usrsctp, "KERNEL_SCTP", (tmp_path / "none", tmp_path))
    (refusal,) = refusals("f", document(flow()))
    assert refusal.startswith("f.udp_encapsulation: false: the SCTP of this kernel answers packets of usrsctp")
    assert not list(refusals("f", document(flow(udp_encapsulation=True))))


def test_counters_cover_the_window_and_states_are_means_over_the_window():
    # Instant, retransmissions, packets of fast retransmissions, timeouts; for each path window, RTT in ms, is active.
    rows = np.array(
        [
            [10.0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [11.0002, 5, 2, 1, 999, 999, 1, 999, 999, 1],
            [11.1002, 6, 2, 1, 3000, 20, 1, 5000, 40, 1],
            [12.0002, 9, 4, 1, 5000, 40, 1, 7000, 60, 0],
            [12.1002, 99, 9, 9, 999, 999, 1, 999, 999, 1],
        ]
    )
    total, paths = counted(rows, ["a", "b"], (11.0, 12.0))
    assert total == {"retransmitted_chunks": 4, "fast_retransmitted_packets": 2, "timeouts": 0}
    assert paths == {
        "a": {"cwnd": 4000, "srtt": pytest.approx(0.03), "active": 1},
        "b": {"cwnd": 6000, "srtt": pytest.approx(0.05), "active": 0.5},
    }


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Use an empty cache, and return its folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache()


def only(tools: Mapping[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restrict PATH to these names, each linked to a program."""
    folder.mkdir()
    for name, program in tools.items():
        (folder / name).symlink_to(str(shutil.which(program)))
    monkeypatch.setenv("PATH", str(folder))


@needs_usrsctp
@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ({"pkg-config": "pkg-config"}, "usrsctp: there is no C compiler cc: install the Debian packages gcc, "),
        ({"cc": "cc"}, "usrsctp: there is no pkg-config, which finds the library: install the Debian packages gcc, "),
        ({"cc": "cc", "pkg-config": "false"}, "usrsctp: the library is not installed: install the Debian packages "),
        ({"cc": "false", "pkg-config": "pkg-config"}, "usrsctp: its program cannot be compiled: cc failed: install "),
    ],
)
def test_without_compiler_or_library_the_debian_packages_are_named(
    tools: dict[str, str], message: str, cached: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    only(tools, tmp_path / "tools", monkeypatch)
    with pytest.raises(UserError) as raised:
        PROGRAM.path()
    assert str(raised.value).startswith(message)
    assert "libusrsctp-dev" in str(raised.value)
    assert not list(cached.glob("*"))


@needs_usrsctp
def test_the_program_is_compiled_once_even_if_several_processes_need_it(
    cached: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    paths: list[str] = []
    threads = [Thread(target=lambda: paths.append(PROGRAM.path())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (program,) = cached.iterdir()
    assert paths == [str(program)] * 3
    result = subprocess.run([program, "receive", "a=b"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "a=b: is no word of this program\n")
    only({"pkg-config": "pkg-config"}, tmp_path / "tools", monkeypatch)
    assert PROGRAM.path() == str(program)


@needs_usrsctp
def test_changed_sources_change_the_key_of_the_program(cached: Path, tmp_path: Path):
    copy = tmp_path / "sources"
    shutil.copytree(PROGRAM.sources, copy)
    program = Program(PROGRAM.name, copy, PROGRAM.packages)
    assert program.key() == PROGRAM.key()
    (copy / "main.c").write_text((copy / "main.c").read_text() + "/* a remark */\n")
    assert program.key() != PROGRAM.key()


@needs_usrsctp
def test_an_unwritable_cache_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(UserError, match=r"cannot be written: Not a directory: set XDG_CACHE_HOME to another folder"):
        PROGRAM.path()


def test_a_relative_cache_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache() == tmp_path / ".cache" / "manypath" / "programs"


@needs_usrsctp
@pytest.mark.parametrize("word", ["sctp_cmt_on_off", "message=x", "streams=70000", "local=1.2.3", "sctp_hashtblsize=1"])
def test_the_program_refuses_a_wrong_word(word: str, cached: Path):
    done = subprocess.run([PROGRAM.path(), "send", word], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{word}: ")


@needs_usrsctp
def test_the_program_refuses_a_minimum_message_size_above_the_maximum(cached: Path):
    words = ["local=127.0.0.1", "remote=127.0.0.1", "message_min=5", "message=4"]
    done = subprocess.run([PROGRAM.path(), "send", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "message_min: give a number from 1 to that of message\n")


@needs_usrsctp
def test_the_program_fails_if_the_library_refuses_a_value(cached: Path):
    ends = [
        "local=127.0.0.1", "remote=127.0.0.1", "end=1", "message_min=1", "message=1", "streams=1", "mtu=1500",
        "send_buffer=5000", "receive_buffer=5000", "udp=9899", "sctp_cmt_on_off=9",
    ]  # fmt: skip
    # In the namespace of other tests, the program would take their UDP port and answer their SCTP packets
    line = ["unshare", "--map-root-user", "--net", PROGRAM.path(), "send", *ends]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (1, "sctp_cmt_on_off=9: Invalid argument\n")


def scenario(udp: bool = False, **changes: Any) -> mp.Scenario:
    """One association over two links of 10 Mbit/s, for four seconds."""
    link = mp.Link(rate="10 Mbit/s", delay="10 ms", overhead="0 B")
    start = mp.Start(latest="0 s")
    association = flow(udp_encapsulation=udp, start=start, send_buffer="500 kB", **changes)
    network = mp.disjoint(a=link, b=link).but(access=None)
    return mp.Scenario(network=network, flows={"f": association}, warmup="2 s", measure="2 s")


def measured(whole: mp.Scenario, stacks: Mapping[str, str]) -> Mapping[str, Any]:
    """The outcome of one run."""
    runner = testbed.Testbed(stacks=stacks)
    ((_, outcome),) = Campaign(whole, replications=1, runner=runner).run(None, 1, progress=False).outcomes
    return outcome


def on_one_path(measure: str) -> Mapping[str, Any]:
    """The outcome of one run over one path, with a window of this length."""
    return measured(scenario(paths=("a",)).but(measure=measure), {"": "usrsctp"})


def nothing_is_left() -> bool:
    """Whether all namespaces and usrsctp programs of this process are removed."""
    names = [path.name for path in Path("/run/netns").glob(f"m{os.getpid()}-*")]
    return not names and not programs()


def programs() -> list[int]:
    """The processes of usrsctp that this process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            program, status = (folder / "exe").readlink(), (folder / "stat").read_text("ascii")
        except OSError:
            continue
        parent = int(status.rpartition(")")[2].split()[1])
        if parent == os.getpid() and program.name.startswith("usrsctp-"):
            found.append(int(folder.name))
    return found


@needs_stack
@needs_usrsctp
def test_one_path_directly_in_ip_carries_data():
    whole = scenario(paths=("a",), app=mp.Saturated(message="1452 B"))

    def carries_data(flow: Any) -> bool:
        path = flow["paths"]["a"]
        return (
            1e6 < flow["goodput"] < 10.1e6
            and path["data_packets"] > 100
            and path["cwnd"] > 1452
            and 0.02 <= path["srtt"] < 1
            and path["active"] == 1
        )

    undisturbed(lambda: measured(whole, {"f": "usrsctp"})["flows"]["f"], carries_data)
    assert nothing_is_left()


@needs_stack
@needs_usrsctp
@pytest.mark.parametrize("stack", cases(["manypath", "usrsctp"], long=lambda stack: stack == "manypath"))
def test_throughput_has_the_bytes_of_the_packets_in_the_window_only(stack: str):
    whole = scenario(paths=("a",), app=mp.Saturated(message="500 B"))
    outcome = undisturbed(
        lambda: measured(whole.but(warmup="4 s"), {"f": stack})["flows"]["f"],
        # A packet has at most 1000 bytes of payload, and at least 48 bytes of headers
        lambda flow: flow["goodput"] > 0 and 1.0 < flow["throughput"] / flow["goodput"] < 1.2,
    )
    assert outcome["throughput"] == outcome["paths"]["a"]["throughput"]
    assert nothing_is_left()


@needs_stack
@needs_usrsctp
def test_both_paths_of_cmt_inside_udp_carry_data():
    whole = scenario(udp=True, cc="cmt-rpv2")
    undisturbed(
        lambda: measured(whole, {"": "usrsctp"})["flows"]["f"],
        lambda flow: (
            2e6 < flow["goodput"] < 20.2e6
            and all(path["data_packets"] > 100 and path["active"] == 1 for path in flow["paths"].values())
        ),
    )
    assert nothing_is_left()


@needs_stack
@needs_usrsctp
def test_usrsctp_and_our_stack_share_a_bottleneck():
    link = mp.Link(rate="10 Mbit/s", delay="10 ms", overhead="0 B")
    app = mp.Saturated(message=mp.Sizes(min="500 B", max="1400 B"))
    shared = mp.Scenario(
        network=mp.bottleneck(link, paths=2).but(access=None),
        flows={
            name: flow(paths=(path,), app=app, start=mp.Start(latest="0 s"), send_buffer="500 kB")
            for name, path in (("theirs", "path1"), ("ours", "path2"))
        },
        warmup="1 s",
        measure="3 s",
    )

    def rates(flows: Mapping[str, Any]) -> list[float]:
        return [each["goodput"] for each in flows.values()]

    flows = undisturbed(
        lambda: measured(shared, {"theirs": "usrsctp"})["flows"],
        lambda flows: min(rates(flows)) > 1e5 and sum(rates(flows)) < 10.1e6,
    )
    # Only our stack reports the goodput of paths.
    assert "goodput" in flows["ours"]["paths"]["path2"]
    assert "goodput" not in flows["theirs"]["paths"]["path1"]


@needs_stack
@needs_usrsctp
@pytest.mark.parametrize("side", cases(["sender", "receiver"], long=lambda side: side == "sender"))
def test_a_killed_end_is_reported_and_the_run_is_cleaned_up(side: str, monkeypatch: pytest.MonkeyPatch):
    def kill(_: Part, ends: Any) -> None:
        getattr(ends, side).send_signal(signal.SIGKILL)

    said = f"flow f: its {side} failed: it was killed by SIGKILL"
    disturbed(on_one_path, Usrsctp, kill, said, monkeypatch, later=0.0)
    assert nothing_is_left()


@needs_stack
@needs_usrsctp
def test_a_delayed_end_marks_its_run(monkeypatch: pytest.MonkeyPatch):
    def delay(_: Part, ends: Any) -> None:
        ends.receiver.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        ends.receiver.send_signal(signal.SIGCONT)

    disturbed(on_one_path, Usrsctp, delay, "flow f: its receiver was delayed by ", monkeypatch, later=0.0)


@needs_stack
@needs_usrsctp
def test_the_ends_have_real_time_priority_and_end_with_the_testbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The process of the testbed is killed during a run."""
    script = tmp_path / "run.py"
    script.write_text(
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_testbed_usrsctp import measured, scenario\n"
        "measured(scenario(paths=('a',)).but(measure='600 s'), {'': 'usrsctp'})\n"
    )
    with subprocess.Popen([sys.executable, script, *Path(__file__).parents[:2]], process_group=0) as process:
        monkeypatch.setattr(os, "getpid", lambda: process.pid)
        deadline = time.monotonic() + 300
        while len(ends := programs()) < 2 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [os.sched_getscheduler(end) for end in ends] == [os.SCHED_FIFO] * 2
        process.kill()
    # Otherwise the ends would continue until their window ends, minutes later.
    deadline = time.monotonic() + 300
    while any(map(is_running, ends)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, ends))


def is_running(process: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_grid_refuses_a_stack_for_another_flow(called):
    (line,) = called("measure", "sctp", "--stack", "tcp=usrsctp", code=2).err.splitlines()
    assert line == 'error: --stack: there is no flow "tcp": known: sctp'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shared", "--stack", "usrsct"], '--stack: there is no "usrsct": did you mean "usrsctp"? (known: kernel, '),
        (["shared", "--stack", "udp=kernel"], '--stack: there is no flow "udp": known: mptcp, tcp'),
        (["shared", "--stack", "tcp=usrsctp"], "--stack: usrsctp does not run tcp, the transport of flow tcp: give k"),
        (["shared", "--stack", "usrsctp"], "--stack: usrsctp does not run mptcp and tcp, the transports of the flows"),
        (["shared", "--stack", "=usrsctp"], '--stack: "=usrsctp" has no flow before the sign =: give FLOW=usrsctp'),
        (["shared", "--stack", "tcp=a", "--stack", "tcp=b"], "--stack: flow tcp has two stacks, a and b: give one"),
        (["shared", "--stack", "a", "--stack", "b"], "--stack: all flows has two stacks"),
        (["sctp", "--stack", "usrsct"], '--stack: there is no "usrsct": did you mean "usrsctp"?'),
    ],
)
def test_a_wrong_choice_of_stacks_gives_one_line(
    words: list[str], message: str, called, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (line,) = called("measure", *words, code=2).err.splitlines()
    assert line.startswith(f"error: {message}")


TWO_STACKS = """
warmup = "1 s"
measure = "2 s"
flows.one = { transport = "sctp", paths = ["path1"], app = { kind = "saturated", message = "1400 B" } }
flows.two = { transport = "tcp", path = "path2" }
network.bottleneck = { link = { rate = "5 Mbit/s", delay = "10 ms" }, paths = 2 }
"""


@needs_stack
@needs_usrsctp
@pytest.mark.long
def test_the_table_has_the_stack_of_each_flow(called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("mixed.toml").write_text(TWO_STACKS)
    options = ("--runs", "1", "--simulations", "1", "--stack", "one=usrsctp", "--json")
    document = json.loads(called("measure", "mixed.toml", *options).out)
    rows = document["rows"]
    assert {row["kind"] for row in document["calibration"]["rows"]} >= {"rate"}
    assert list(Path("runs/calibrations").glob("*.json"))
    assert {row["flow"]: row["stack"] for row in rows} == {"one": "usrsctp", "two": "kernel", "share": ""}
    table = [line.split()[:3] for line in called("measure", "mixed.toml", *options[:-1]).out.splitlines()]
    assert ["cc", "flow", "stack"] in table
    assert ["newreno", "one", "usrsctp"] in table
