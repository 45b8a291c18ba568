"""Emulations: their files, the start and the reports of the emulator, and real packets as root."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import forks
import manypath as mp
from manypath.emulation import Emulation, Pair
from manypath.errors import UserError
from manypath.programs import program

ROOT = Path(__file__).parents[2]

GOOD = """
[network.disjoint]
south = { rate = "5 Mbit/s", delay = "10 ms" }
north = { rate = "10 Mbit/s", delay = "10 ms" }
"""

FAKE = """#!/bin/sh
echo "$@" > words
cat "$2" > document
shift 3
echo '{"event":"ready","interfaces":[{"pair":"","side":"left","path":"south","namespace":"two-left",
"interface":"south","addresses":["10.0.0.1","fd6d:70::1"]}],"refused":["no time"]}' | tr -d '\\n' > "$1"
echo >> "$1"
echo '{"event":"end","at":2.0,"links":{"south":{"arrived":9,"delivered":8,"damaged":0,"dropped":1,"dropped_early":0,
"lost":0,"bytes_arrived":900,"bytes_delivered":500000,"waiting":0}},"interfaces":[{"sent":9,"bytes_sent":900,"received":0,"refused":0,
"overrun":0}],"lateness":{"packets":8,"late":2,"bound":0.002,"median":1e-5,"p99":2e-5,"p999":3e-5,"max":4e-5},
"travelling":0,"lost_at_hosts":0,"marks":["too late"]}' | tr -d '\\n' >> "$1"
echo >> "$1"
exit 3
"""

REFUSING = """#!/bin/sh
echo 'error: the emulation cannot begin' >&2
exit 2
"""

KILLED = """#!/bin/sh
printf '{"event":"ready","interfa' > "$4"
kill -9 $$
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "two.toml").write_text(GOOD)
    return tmp_path


def manypath(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return forks.manypath(arguments, folder)


def test_simulation_and_emulation_of_a_recorded_link_use_the_same_file():
    example = ROOT / "examples/recorded_link.toml"
    link = json.loads(Emulation.from_file(example).document())["network"]["links"]["lte"]
    assert link == json.loads(mp.Scenario.from_file(example).document())["network"]["links"]["lte"]
    assert link["trace"].startswith("1 0 1 0 1*2 ")


def test_a_file_becomes_a_document_in_base_units(folder: Path):
    document = json.loads(Emulation.from_file(folder / "two.toml").document())
    assert document["name"] == "two"
    assert document["network"]["links"]["south"]["rate"] == 5_000_000
    assert document["network"]["links"]["north/back"]["delay"] == 10_000_000
    assert document["network"]["access"]["rate"] == 1_000_000_000
    assert document["bounds"] == {"late": 2_000_000, "share": 0.01}


def test_the_flows_of_a_scenario_become_pairs_of_hosts():
    emulation = Emulation.from_file(ROOT / "examples/two_paths.toml")
    scenario = mp.Scenario.from_file(ROOT / "examples/two_paths.toml")
    assert emulation.pairs == {"cmt": Pair(paths=("south", "north")), "single": Pair(paths=("south",))}
    assert json.loads(emulation.document())["network"] == json.loads(scenario.document())["network"]


def test_the_example_is_an_emulation():
    emulation = Emulation.from_file(ROOT / "examples/emulate_two_paths.toml")
    assert list(emulation.network.paths) == ["dsl", "lte"]


def test_settings_of_the_kernel_may_be_numbers():
    pair = Pair.model_validate({"paths": ["a"], "sysctl": {"net.mptcp.enabled": 1}})
    assert pair.sysctl == {"net.mptcp.enabled": "1"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[pairs.a]\npaths = ["sout"]', 'pairs.a.paths: "sout" is no path of the network: did you mean "south"?'),
        ("[pairs.a]\npaths = []", "pairs.a.paths: is empty: give 1 or more"),
        ('[bounds]\nlate = "2 Mbit/s"', "bounds.late: "),
        ("[bounds]\nshare = 2", "bounds.share: 2 is too large: give 1 or less"),
        ("[hosts]", "hosts: unknown key: "),
    ],
)
def test_a_mistake_in_a_file_is_reported_in_one_line(folder: Path, more: str, message: str):
    (folder / "two.toml").write_text(GOOD + more)
    with pytest.raises(UserError) as found:
        Emulation.from_file(folder / "two.toml")
    assert str(found.value).startswith(f"{folder / 'two.toml'}: {message}")


def test_a_name_that_is_invalid_for_a_namespace_is_refused():
    network = mp.disjoint(south=mp.Link(rate="5 Mbit/s"))
    with pytest.raises(UserError, match="name: "):
        Emulation(network=network, name="a b")


def test_a_missing_emulator_is_reported_with_its_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"manypath-emu: not installed: .*wheel for Linux.*`make emu`"):
        program("manypath-emu")


def test_the_emulator_gets_document_options_and_command_and_returns_its_exit_code(folder: Path):
    command = ("ping", "-c", "1", "x")
    result = _with_fake(folder, "emulate", "two.toml", "--pcapng", "out", "--no-realtime", "--", *command)
    assert result.returncode == 3
    words = (folder / "words").read_text().split()
    assert words[0] == "run"
    assert words[4:] == ["--interval", "1.0", "--no-realtime", "--source=two.toml", "--pcapng", "out", "--", *command]
    assert json.loads((folder / "document").read_text())["name"] == "two"


def test_hosts_counters_and_disturbances_are_printed(folder: Path):
    result = _with_fake(folder, "emulate", "two.toml")
    for word in ("two-left", "10.0.0.1", "fd6d:70::1", "2.000", "25.000 % more than 2 ms"):
        assert word in result.stdout
    assert "refused: no time" in result.stderr
    assert "marked: too late" in result.stderr
    report = json.loads(_with_fake(folder, "emulate", "two.toml", "--json").stdout)
    assert report["interfaces"][0]["namespace"] == "two-left"
    assert report["interfaces"][0]["sent"] == 9


def test_the_counters_of_links_are_events(folder: Path):
    result = _with_fake(folder, "emulate", "two.toml", "--events", "links.jsonl")
    assert result.returncode == 3
    schema = Draft202012Validator(json.loads((ROOT / "spec" / "events.schema.json").read_text()))
    header, *events = map(json.loads, (folder / "links.jsonl").read_text().splitlines())
    for each in (header, *events):
        schema.validate(each)
    assert header["links"] == ["south", "south/back", "north", "north/back"]
    (event,) = events
    assert (event["time"], event["name"], event["data"]["link"]) == (2.0, "link:metrics_updated", "south")
    assert (event["data"]["bytes_delivered"], event["data"]["queue"]) == (500_000, 0)
    refused = manypath("emulate", "two.toml", "--events", "two.toml", folder=folder)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_an_emulation_that_does_not_begin_leaves_earlier_events(folder: Path):
    assert _with_fake(folder, "emulate", "two.toml", "--events", "links.jsonl").returncode == 3
    before = (folder / "links.jsonl").read_bytes()
    refused = _with_fake(folder, "emulate", "two.toml", "--events", "links.jsonl", fake=REFUSING)
    assert (refused.returncode, refused.stderr) == (2, "error: the emulation cannot begin\n")
    assert (folder / "links.jsonl").read_bytes() == before
    _with_fake(folder, "emulate", "two.toml", "--events", "new.jsonl", fake=REFUSING)
    assert not (folder / "new.jsonl").exists()


def test_events_on_a_full_disk_are_reported_in_one_line(folder: Path):
    full = _with_fake(folder, "emulate", "two.toml", "--events", "/dev/full")
    lines = [line for line in full.stderr.splitlines() if line.startswith("error: ")]
    assert full.returncode == 1, full.stderr
    assert len(lines) == 1, full.stderr
    assert lines[0].startswith('error: --events: "/dev/full" cannot be written: No space left on device'), full.stderr
    assert "Traceback" not in full.stderr


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "inf", "1e300", "3600.5", "soon", ""])
def test_an_interval_outside_of_its_range_is_refused(folder: Path, interval: str):
    refused = manypath("emulate", "two.toml", "--interval", interval, folder=folder)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert refused.stderr.startswith("error: --interval: "), refused.stderr
    assert "3600.0" not in refused.stderr


@pytest.mark.parametrize(("command", "code"), [("no-such-program", 127), ("/", 126)])
def test_a_command_that_cannot_be_started_has_the_exit_code_of_shells(folder: Path, command: str, code: int):
    refused = manypath("emulate", "two.toml", "--events", "links.jsonl", "--", command, folder=folder)
    assert (refused.returncode, refused.stderr.count("\n")) == (code, 1), refused.stderr
    assert refused.stderr.startswith(f'error: COMMAND is "{command}": ')
    assert not (folder / "links.jsonl").exists()


def test_only_commands_that_emulate_require_a_file(folder: Path):
    result = manypath("emulate", folder=folder)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith("error: FILE: missing")
    result = manypath("emulate", "two.toml", "--clean", folder=folder)
    assert result.stderr.startswith("error: two.toml: --clean and --calibrate need no file")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--link", "south"], "error: --link: only valid with --pcapng: give --pcapng OUT, too\n"),
        (["--quick"], "error: --quick: only valid with --calibrate: give --calibrate, too\n"),
    ],
)
def test_an_option_without_its_required_option_is_refused(folder: Path, words: list[str], message: str):
    refused = manypath("emulate", "two.toml", *words, folder=folder)
    assert (refused.returncode, refused.stderr) == (2, message)


def test_an_emulator_killed_within_a_line_is_reported_in_one_line(folder: Path):
    result = _with_fake(folder, "emulate", "two.toml", fake=KILLED)
    assert (result.returncode, result.stdout) == (128 + 9, "")
    assert result.stderr.startswith(
        "error: manypath-emu was killed by SIGKILL: `manypath emulate --clean`, or the next"
    )
    assert result.stderr.count("\n") == 1


def _with_fake(folder: Path, *words: str, fake: str = FAKE) -> subprocess.CompletedProcess[str]:
    """Run a command with a fake emulator that only prints reports."""
    emulator = folder / "manypath-emu"
    emulator.write_text(fake)
    emulator.chmod(0o755)
    return forks.manypath(words, folder, executable=folder / "python")


INSIDE = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as left:
    left.bind(("10.0.0.1", 0))
    print(left.getsockname()[0])
"""
"""A program that succeeds only on the host with this address."""


@pytest.fixture
def live() -> None:
    """Skip the test if this machine cannot run emulations."""
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        pytest.skip("emulations need the rights of root and /dev/net/tun")
    try:
        program("manypath-emu")
    except UserError as lack:
        pytest.skip(str(lack))


def own(folder: Path) -> str:
    """Name the file after this process. Hosts get its name, and the same test may run twice on this machine."""
    return (folder / "two.toml").rename(folder / f"two-{os.getpid()}.toml").name


@pytest.mark.usefixtures("live")
def test_a_command_runs_among_real_hosts(folder: Path):
    (folder / "inside.py").write_text(INSIDE)
    result = manypath("emulate", own(folder), "--", sys.executable, "inside.py", folder=folder)
    assert (result.returncode, result.stdout) == (0, "10.0.0.1\n"), result.stderr


@pytest.mark.usefixtures("live")
def test_a_stopped_emulation_removes_everything(folder: Path):
    file = own(folder)
    left, right = (Path("/run/netns") / f"{Path(file).stem}-{side}" for side in ("left", "right"))
    command = [sys.executable, "-m", "manypath", "emulate", file]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        lines = iter(process.stdout or ())
        assert any("Ctrl-C ends the emulation" in line for line in lines)
        assert left.exists()
        process.terminate()
        # Read to the end, because closing the pipe early would stop the program.
        assert any("north/back" in line for line in list(lines))
    assert process.returncode == 0
    assert not left.exists()
    assert not right.exists()
