"""The testbed: the kernel's stacks run scenarios in real time. Runs need root and the program manypath-emu."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manypath as mp
from manypath import testbed
from manypath.campaign import Campaign, Cell, Results
from manypath.campaign.runners import Halt
from manypath.cli.measure import _plain
from manypath.emulation import Emulation
from manypath.errors import UserError
from manypath.scenario import Mptcp, Tcp
from manypath.testbed import COMPARISONS
from manypath.testbed.comparisons import alone, shared, with_control
from manypath.testbed.congestion import KERNEL, available, kernel_name
from manypath.testbed.contestants.kernel import doubts
from manypath.testbed.contestants.stream import (
    INFINITE,
    INFO,
    MSS,
    PACING_RATE,
    RECOVERY,
    STATE,
    THRESHOLD,
    UNSENT,
    _control,
    _subflows,
    has_senseless_threshold,
    wanted,
)
from manypath.testbed.emulation import Sent, running
from manypath.testbed.runner import SETTLING, _emulated, _rate
from manypath.testbed.stacks import assigned
from real_time import needs_emulator, undisturbed


def refused(scenario: mp.Scenario, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the error message of a scenario that the kernel cannot run."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(UserError) as raised:
        testbed.Testbed().prepare([Cell({}, scenario.document(), 1, 0)], 1)
    return str(raised.value)


@pytest.mark.parametrize("name", COMPARISONS)
def test_each_comparison_has_a_scenario_for_each_congestion_control(name: str):
    comparison = COMPARISONS[name]
    for cc in comparison.controls:
        scenario = comparison.scenario(cc)
        assert {flow.cc for flow in scenario.flows.values() if flow.transport == "mptcp"} == {cc}


def test_every_congestion_control_of_the_kernel_exists_in_the_simulator_and_has_a_short_name():
    for cc, name in KERNEL.items():
        mp.run(with_control(alone("newreno"), cc).but(warmup="1 s", measure="2 s"))
        assert len(name) < 16


def test_a_congestion_control_that_the_kernel_lacks_is_reported():
    with pytest.raises(UserError, match=r'cc: the kernel has no "ewtcp": .*known: newreno, cubic, lia'):
        kernel_name("ewtcp")


def test_a_congestion_control_with_parameters_is_refused_with_the_load_command():
    with pytest.raises(UserError) as raised:
        kernel_name("weighted-aimd:weight=2")
    assert str(raised.value) == (
        'cc: "weighted-aimd:weight=2" has parameters, which the kernel does not support: give weighted-aimd, '
        "and its weight when it is loaded: manypath kernel load weighted --weight 2"
    )
    with pytest.raises(UserError, match=r"does not support: give lia$"):
        kernel_name("lia:a=1")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda flow: flow.but(app=mp.Cbr(rate="1 Mbit/s", message="1 kB")),
            "flows.mptcp.app: the testbed does not support cbr",
        ),
        (lambda flow: flow.but(cc="wvegas"), 'flows.mptcp.cc: "mp_wvegas" is not loaded in the kernel: load it'),
    ],
)
def test_flows_that_the_kernel_cannot_run_are_refused_before_any_run(
    change: Callable[[Any], mp.Sctp | mp.Mptcp], text: str, monkeypatch: pytest.MonkeyPatch
):
    scenario = alone("newreno")
    changed = scenario.but(flows={"mptcp": change(scenario.flows["mptcp"])})
    monkeypatch.setattr("manypath.testbed.contestants.kernel.available", lambda: {"reno", "cubic"})
    assert text in refused(changed, monkeypatch)


def test_other_systems_than_linux_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("manypath.testbed.congestion.AVAILABLE", tmp_path / "none")
    with pytest.raises(UserError, match="No such file or directory: the testbed needs Linux"):
        available()


def test_the_ratio_of_two_zeros_is_nan():
    row = testbed.MeasuredQuantity("lia", "mptcp", 0, 0, 0, 0, within=False, runs=1, simulations=1, marked=0)
    assert math.isnan(row.ratio)
    assert _plain(row)["ratio"] is None


def test_the_testbed_without_root_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UserError, match="needs root"):
        testbed.Testbed().prepare([], 1)


def test_a_rate_is_measured_within_the_window():
    notes = np.array([[10.0, 0], [11.0, 1000], [12.0, 3000], [12.5, 3000]])
    assert _rate(notes, (11.0, 12.0)) == 16_000
    assert _rate(notes, (10.5, 11.5)) == 8 * 1500
    assert _rate(notes, (12.0, 14.0)) == 0


def subflow(*, rate: float, unsent: int, state: int = 0, threshold: int = 10) -> bytes:
    """Return the kernel's TCP_INFO of a subflow. The rate is in segments of 1424 bytes per second."""
    info = bytearray(INFO)
    info[STATE] = state
    struct.pack_into("=I", info, MSS, 1448)
    struct.pack_into("=Q", info, PACING_RATE, round(1424 * rate))
    struct.pack_into("=I", info, UNSENT, unsent)
    struct.pack_into("=I", info, THRESHOLD, threshold)
    return bytes(info)


def test_a_sender_writes_full_segments_for_the_fastest_subflow_without_unsent_data():
    slow, fast = subflow(rate=10, unsent=0), subflow(rate=450, unsent=1424)
    assert wanted([slow]) == 1424
    assert wanted([slow, fast]) == wanted([fast, slow]) == 5 * 1424


def test_a_sender_writes_only_data_that_a_subflow_can_send():
    full = subflow(rate=450, unsent=5 * 1424)
    for state in (RECOVERY, RECOVERY + 1):
        assert wanted([full, subflow(rate=10, unsent=0, state=state)]) == 0
    assert wanted([]) == 0


def test_a_late_sender_and_a_skipped_congestion_control_program_mark_their_run():
    accounts = {
        "mptcp": {"naps": 1000, "late": 25, "longest": 0.01, "senseless": 0},
        "tcp": {"naps": 0, "late": 0, "longest": 0.0, "senseless": 0},
        "still": {"naps": 1000, "late": 1, "longest": 2.04, "senseless": 0},
        "other": {"naps": 1000, "late": 5, "longest": 0.1, "senseless": 1},
    }
    assert [doubt for name, account in accounts.items() for doubt in doubts(name, account)] == [
        "flow mptcp: its sender woke up late in 2.5 % of its sleeps",
        "flow still: its sender was delayed by 2.0 s",
        "flow other: the kernel did not call a BPF program of its congestion control",
    ]


@pytest.mark.parametrize(("tries", "kept"), [(1, 1), (2, 2), (4, 3)])
def test_a_marked_run_is_repeated_up_to_the_number_of_tries(tries: int, kept: int, monkeypatch: pytest.MonkeyPatch):
    marks = iter(["late", "late", "", "never reached"])
    measured = ({"number": number, "marks": mark} for number, mark in enumerate(marks, start=1))
    monkeypatch.setattr("manypath.testbed.runner._measure", lambda *_: next(measured))
    [outcome] = testbed.Testbed(tries).run([Cell({}, shared("lia").document(), 1, 0)], 1, Halt())
    assert isinstance(outcome, str)
    assert json.loads(outcome)["number"] == kept


def test_a_slow_start_threshold_above_the_maximum_of_linux_is_invalid():
    new, slow = subflow(rate=10, unsent=0, threshold=INFINITE), subflow(rate=10, unsent=0, threshold=2)
    assert not has_senseless_threshold([])
    assert not has_senseless_threshold([new, slow])
    assert has_senseless_threshold([slow, subflow(rate=10, unsent=0, threshold=0x81104110)])


def test_a_missing_congestion_control_is_not_replaced_by_the_default():
    if not Path("/proc/sys/net/mptcp/enabled").is_file():
        pytest.skip("this kernel has no Multipath TCP")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP) as connection:
        with pytest.raises(OSError, match="mp_none is not loaded in the kernel, which used "):
            _control(connection, "mp_none")
        _control(connection, "reno")


def test_a_connection_without_multipath_tcp_is_reported():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as plain,
        pytest.raises(OSError, match="the connection fell back from Multipath TCP to TCP: "),
    ):
        _subflows(plain)


EMULATED = """#!/bin/sh
test -n "$END" && trap 'printf "%s\\n" "$END" >> "$4"; exit' TERM || trap '' TERM
printf '{"event":"ready","interfaces":[{"pair":"a","side":"left","path":"p","namespace":"x-left",
"addresses":["10.0.0.1/24"]}]}' | tr -d '\\n' > "$4"
echo >> "$4"
test -n "$END" || { echo 'error: no time' >&2; kill -9 $$; }
while :; do sleep 0.01; done
"""
"""An emulator that prints its hosts, and `END` when it is stopped. Without `END` it fails at once."""


@pytest.fixture
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Emulation:
    """An emulation that runs with the fake emulator."""
    emulator = tmp_path / "manypath-emu"
    emulator.write_text(EMULATED)
    emulator.chmod(0o755)
    monkeypatch.setattr("manypath.programs.program", lambda _: str(emulator))
    return Emulation(network=mp.disjoint(p=mp.Link(rate="5 Mbit/s")))


def test_a_stopped_emulation_reports_what_its_hosts_sent_within_a_window(
    emulated: Emulation, monkeypatch: pytest.MonkeyPatch
):
    end = {"event": "end", "at": 10.0, "interfaces": [{"sent": 9, "bytes_sent": 9000}], "links": {"p": "x" * 100_000}}
    monkeypatch.setenv("END", json.dumps(end))
    monkeypatch.setattr("manypath.testbed.emulation.time", SimpleNamespace(monotonic=lambda: 1000.0))
    with running(emulated) as links:
        assert links.host("a", "left").command("ls") == ["ip", "netns", "exec", "x-left", "ls"]
        assert links.host("a", "left").addresses == {"p": "10.0.0.1"}
        ending = links.stop()
    assert ending == end
    # The report with 9 packets came 10 s after the begin, at the instant 1000
    assert links.sent((990.0, 1000.0)) == {"a": {"p": pytest.approx(Sent(9, 9000))}}
    assert links.sent((995.0, 1000.0)) == {"a": {"p": pytest.approx(Sent(4.5, 4500))}}


def test_a_failed_emulation_reports_its_error(emulated: Emulation, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("END", "")
    with pytest.raises(ValueError, match="manypath-emu ended early: error: no time"), running(emulated) as links:
        links.stop()


@needs_emulator
def test_both_subflows_of_a_connection_carry_data_and_their_hosts_are_removed():
    # Without warm-up, because data that arrived earlier and waited in a receiver would count as well.
    scenario = alone("newreno").but(warmup="0 s", measure="3 s")
    campaign = Campaign(scenario, replications=1, runner=testbed.Testbed())

    def packets(results: Results) -> list[int]:
        ((_, outcome),) = results.outcomes
        return [path["data_packets"] for path in outcome["flows"]["mptcp"]["paths"].values()]

    # The exact number depends on the load of this machine.
    results = undisturbed(lambda: campaign.run(None, 1, progress=False), lambda found: min(packets(found)) > 50)
    assert 0 < results.values("goodput", flow="mptcp").item() < 20
    assert not own_namespaces()


@needs_emulator
def test_flows_of_both_kinds_share_a_link_and_do_not_exceed_its_rate():
    scenario = shared("newreno").but(warmup="0 s", measure="3 s")
    campaign = Campaign(scenario, replications=1, runner=testbed.Testbed())

    def rates() -> list[float]:
        results = campaign.run(None, 1, progress=False)
        return [results.values("goodput", flow=flow).item() for flow in ("mptcp", "tcp")]

    assert sum(undisturbed(rates, lambda found: min(found) > 0)) < 10


ONE_RUN = """
import sys, threading
sys.path.append(sys.argv[2])
import real_time
from manypath.campaign import Campaign
from manypath.campaign.progress import Silent
from manypath.testbed import Testbed, runner
from manypath.testbed.comparisons import alone
interrupted, measure = threading.Event(), runner._measure
class Told(Silent):
    def say(self, text):
        interrupted.set()
def measure_until_interrupted(*arguments):
    outcome = measure(*arguments)
    assert interrupted.wait(300)
    return outcome
runner._measure = measure_until_interrupted
scenario = alone("newreno").but(warmup="1 s", measure="2 s")
Campaign(scenario, replications=1, runner=Testbed()).run(sys.argv[1], 1, progress=Told())
"""
"""A program that measures one run, and does not store it before it is interrupted."""


@needs_emulator
def test_ctrl_c_lets_the_current_run_finish_and_stores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Like a terminal, the test sends the signal to the whole process group.
    words = [sys.executable, "-c", ONE_RUN, tmp_path, Path(__file__).parents[1]]
    with subprocess.Popen(words, process_group=0) as process:
        hosts = f"m{process.pid}-*"
        while process.poll() is None and not list(Path("/run/netns").glob(hosts)):
            time.sleep(0.05)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
    assert not list(Path("/run/netns").glob(hosts))
    monkeypatch.setattr("manypath.testbed.runner._measure", lambda *_: pytest.fail("the run was not stored"))
    scenario = alone("newreno").but(warmup="1 s", measure="2 s")
    assert len(Campaign(scenario, replications=1, runner=testbed.Testbed()).run(tmp_path, 1, progress=False)) == 1


def own_namespaces() -> list[str]:
    """Return the names of the network namespaces that this process made."""
    return [path.name for path in Path("/run/netns").glob(f"m{os.getpid()}-*")]


def test_events_of_links_are_delayed_by_the_settling_time_of_the_hosts():
    scenario = json.loads(COMPARISONS["gonzalez2012-silence"].scenario("lia").document())
    before = [event["at"] for event in scenario["network"]["links"]["a"]["events"]]
    emulation = _emulated(scenario, assigned({}, scenario["flows"]), 1)
    after = [event.at for event in emulation.network.links["a"].events]
    assert before == [30_000_000_000, 60_000_000_000]
    assert [late - soon for soon, late in zip(before, after, strict=True)] == [round(SETTLING * 1e9)] * 2


def test_simulated_segments_have_as_many_option_bytes_as_those_of_linux():
    for name, comparison in COMPARISONS.items():
        flows = comparison.scenario("lia").flows
        filled = {
            kind: {flow.option_bytes for flow in flows.values() if isinstance(flow, kind)} for kind in (Mptcp, Tcp)
        }
        assert filled[Mptcp] == {36}, name
        assert filled[Tcp] <= {12}, name
