"""`manypath decode`: its output agrees with the engine's counters and with tshark."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import forks
import manypath as mp
from manypath import _native

ROOT = Path(__file__).parents[2]
OUT_OF_SOURCE = [f"access/cmt/source/{path}/out" for path in ("south", "north")]
INTO_SOURCE = [f"access/cmt/source/{path}/in" for path in ("south", "north")]
DATA, SACK, NR_SACK = "0", "3", "16"


def decode(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = forks.manypath(["decode", *map(str, arguments)], environment={"COLUMNS": "200"})
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def tshark(file: Path, *arguments: str) -> list[list[str]]:
    if shutil.which("tshark") is None:
        pytest.fail("this test needs tshark: .ci/prepare --tests installs it, or sudo apt-get install tshark")
    fields = [word for name in arguments for word in ("-e", name)]
    options = ["-o", "sctp.relative_tsns:FALSE", "-T", "fields", "-E", "occurrence=a"]
    command = ["tshark", "-r", str(file), *options, *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def packets(file: Path, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in decode(file, "--json", *options).stdout.splitlines()]


def summary(file: Path, *options: str) -> dict[str, Any]:
    return json.loads(decode(file, "--summary", "--json", *options).stdout)


def paths(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [path for association in found["associations"] for path in association["paths"]]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[mp.Result, Path]:
    """A run of the example with all times divided by ten and no warm-up, and the capture of all its links."""
    folder = tmp_path_factory.mktemp("decode")
    text = (ROOT / "examples" / "two_paths.toml").read_text(encoding="utf-8")
    text = text.replace('0 s"', ' s"').replace('warmup = "2 s"', 'warmup = "0 s"')
    (folder / "short.toml").write_text(text, encoding="utf-8")
    scenario, file = mp.Scenario.from_file(folder / "short.toml"), folder / "two_paths.pcapng"
    return mp.run(scenario, capture=file), file


@pytest.fixture(scope="module")
def rough(tmp_path_factory: pytest.TempPathFactory) -> tuple[mp.Result, Path]:
    """A run of a flow over paths that lose and damage packets, and the capture of its source's access links."""
    file = tmp_path_factory.mktemp("decode") / "rough.pcapng"
    south = mp.Link(rate="5 Mbit/s", delay="1 ms", loss=mp.BitError(rate=1e-6))
    north = mp.Link(rate="10 Mbit/s", delay="20 ms", loss=mp.Bernoulli(p=0.01))
    flow = mp.Sctp(paths=["south", "north"], app=mp.Saturated(message=("1 B", "4 kB")))
    network = mp.disjoint(south=south, north=north)
    scenario = mp.Scenario(network=network, flows={"cmt": flow}, warmup="0 s", measure="5 s")
    return mp.run(scenario, capture=file, links=[*OUT_OF_SOURCE, *INTO_SOURCE]), file


def test_every_chunk_of_the_example_equals_that_of_tshark(example: tuple[mp.Result, Path]):
    _, file = example
    theirs = tshark(file, "frame.number", "sctp.verification_tag", "sctp.chunk_type", "sctp.data_tsn_raw")
    ours = packets(file)
    assert len(ours) == len(theirs) > 1000
    for packet, (number, tag, kinds, tsns) in zip(ours, theirs, strict=True):
        assert packet["number"] == int(number)
        assert packet["tag"] == int(tag, 16)
        assert len(packet["chunks"]) == len(kinds.split(","))
        seen = [str(chunk["tsn"]) for chunk in packet["chunks"] if chunk["type"] == "DATA"]
        assert seen == [tsn for tsn in tsns.split(",") if tsn]


def test_the_summary_of_the_example_counts_what_its_links_delivered(example: tuple[mp.Result, Path]):
    result, file = example
    found = summary(file)
    assert found["frames"] == found["packets"] == result.links["delivered"].sum()
    assert len(found["associations"]) == 2
    assert all(association["established"] for association in found["associations"])
    kinds = Counter(kind for (kinds,) in tshark(file, "sctp.chunk_type") for kind in kinds.split(","))
    counted = {name: sum(path[name] for path in paths(found)) for name in ("data_chunks", "sacks", "heartbeats")}
    assert counted == {"data_chunks": kinds[DATA], "sacks": kinds[SACK] + kinds[NR_SACK], "heartbeats": kinds["4"]}


def test_captured_retransmissions_of_a_source_equal_the_counters(rough: tuple[mp.Result, Path]):
    result, file = rough
    found = paths(summary(file))
    under_way = result.flows["data_packets"]["cmt"] - len([p for p in packets(file) if "DATA" in _types(p)])
    seen_again = sum(path["retransmissions"] for path in found)
    counted = result.flows["retransmitted_chunks"]["cmt"]
    assert seen_again == counted or (seen_again < counted and 0 < under_way <= 2)
    tsns = [tsn for (tsns,) in tshark(file, "sctp.data_tsn_raw") for tsn in tsns.split(",") if tsn]
    assert seen_again == len(tsns) - len(set(tsns)) > 10
    assert 10 < sum(path["losses"] for path in found) <= seen_again


def _types(packet: dict[str, Any]) -> set[str]:
    return {chunk["type"] for chunk in packet["chunks"]}


def test_round_trips_lie_above_those_of_the_links(rough: tuple[mp.Result, Path]):
    times = {path["source"]: path for path in paths(summary(rough[1])) if path["data_chunks"]}
    assert times["10.0.0.1"]["rtt_data"]["min"] > 2e6
    # An acknowledgement may return on the faster path
    assert times["10.0.1.1"]["rtt_data"]["min"] > 21e6


def test_a_heartbeat_of_the_sink_is_answered_at_once_at_the_source(rough: tuple[mp.Result, Path]):
    probed = [path["rtt_heartbeat"] for path in paths(summary(rough[1])) if path["rtt_heartbeat"]["count"]]
    assert probed
    assert all(0 <= times["min"] <= times["mean"] <= times["max"] < 1e6 for times in probed)


def test_packets_and_the_summary_are_printed_as_text(example: tuple[mp.Result, Path]):
    printed = decode(example[1]).stdout
    first = printed.splitlines()[0]
    assert re.match(r" +1 0\.000000000 \S+ 10\.\d\.0\.1:\d+ > 10\.\d\.0\.2:\d+ tag 0x00000000 INIT tag 0x", first), (
        first
    )
    assert re.search(r"DATA tsn \d+ stream \d+ ssn \d+ ppid \d+ BEU \d+ B", printed)
    for word in ("association 2:", "gap blocks", "seen again", "open at the end of the capture"):
        assert word in printed
    assert decode(example[1], "--summary").stdout == printed[printed.index("\n\n") + 1 :]


def test_the_summary_of_json_lines_is_printed_separately(example: tuple[mp.Result, Path]):
    done = decode(example[1], "--json")
    assert all(line.startswith("{") for line in done.stdout.splitlines())
    assert "association 1:" in done.stderr


def test_every_name_in_the_json_is_documented(rough: tuple[mp.Result, Path]):
    page = (ROOT / "docs" / "reference" / "decode.md").read_text(encoding="utf-8")
    pending: list[Any] = [*packets(rough[1]), summary(rough[1])]
    names: set[str] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            names |= {str(name) for name in value if not str(name).isdecimal()}
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    assert len(names) > 50
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_one_interface_can_be_chosen(example: tuple[mp.Result, Path]):
    result, file = example
    assert summary(file, "--interface", "south")["packets"] == result.links["delivered"]["south"]
    printed = decode(file, "--summary", "--interface", "soth", code=2).stderr
    assert '--interface: "soth" has no frames in' in printed
    assert 'did you mean "south"?' in printed


def test_a_truncated_file_shows_earlier_packets_and_one_error(rough: tuple[mp.Result, Path], tmp_path: Path):
    whole = rough[1].read_bytes()
    file = tmp_path / "cut.pcapng"
    file.write_bytes(whole[: len(whole) // 2])
    done = decode(file, "--json", code=2)
    assert len(done.stdout.splitlines()) > 100
    error = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(error) == 1
    assert "cut.pcapng: ends within a block that begins at byte" in error[0]


def test_a_file_without_sctp_is_reported_in_one_line(tmp_path: Path):
    (tmp_path / "text").write_text("no capture at all")
    assert "text: is no capture: give a pcapng or a pcap file" in decode(tmp_path / "text", code=2).stderr
    assert "none: there is no such file" in decode(tmp_path / "none", code=2).stderr
    right = "give the path of a pcapng or pcap file"
    (tmp_path / "loop").symlink_to("loop")
    assert "loop: cannot be read: Too many levels of symbolic links" in decode(tmp_path / "loop", code=2).stderr
    assert decode(tmp_path, code=2).stderr == f"error: {tmp_path}: is a folder: {right}\n"
    header = bytes.fromhex("d4c3b2a1 02000400 00000000 00000000 ffff0000")
    (tmp_path / "empty").write_bytes(header + (101).to_bytes(4, "little"))
    done = decode(tmp_path / "empty")
    assert "remark:" in done.stderr
    assert "no SCTP in 0 frames" in done.stderr
    (tmp_path / "usb").write_bytes(header + (220).to_bytes(4, "little") + bytes(8) + b"\4\0\0\0" * 2 + bytes(4))
    printed = decode(tmp_path / "usb").stderr
    assert "remark:" in printed
    assert "frames of link type 220 are skipped (1 of 1): raw IP (101, 228, 229)" in printed


def test_a_file_that_ends_before_its_first_packet_has_an_error_and_no_remark(tmp_path: Path):
    file = tmp_path / "short"
    file.write_bytes(bytes.fromhex("d4c3b2a1 02000400 00000000 00000000 ffff0000 65000000 0000"))
    printed = decode(file, code=2).stderr
    assert "error: " in printed
    assert "ends within a block" in printed
    assert "remark:" not in printed


def test_packets_of_many_short_chunks_are_not_kept_in_memory(tmp_path: Path):
    # 16,000 chunks of an unknown type in each of 50 packets: 600 kB of JSON a packet
    sctp = bytes.fromhex("1389138a 00000001 00000000") + bytes.fromhex("c0000004") * 16_000
    packet = bytes.fromhex("45000000 00000000 40840000 0a000001 0a000002") + sctp
    packet = packet[:2] + len(packet).to_bytes(2, "big") + packet[4:]
    header = bytes.fromhex("d4c3b2a1 02000400 00000000 00000000 ffff0000 65000000")
    frame = bytes(8) + len(packet).to_bytes(4, "little") * 2 + packet
    file = tmp_path / "short.pcap"
    file.write_bytes(header + frame * 50)
    sizes = [len(lines) for lines in _native.Capture(file, "json", 9899, None, True)]
    assert sum(sizes) > 30_000_000
    assert max(sizes) < 1_000_000


def test_a_closed_output_ends_the_command_silently(example: tuple[mp.Result, Path]):
    command = [sys.executable, "-m", "manypath", "decode", str(example[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_ctrl_c_is_one_line(example: tuple[mp.Result, Path]):
    command = [sys.executable, "-m", "manypath", "decode", str(example[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        # The command blocks, because the pipe has no room for all lines
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate()
    assert process.returncode == 130
    assert printed == "stopped before the end of the capture\n"


def test_system_errors_are_told_without_their_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, called):
    (tmp_path / "mine.pcap").write_bytes(b"")

    def refuse(*_: object) -> None:
        raise _native.DecodeError("cannot be read: Permission denied (os error 13)")

    monkeypatch.setattr(_native, "Capture", refuse)
    said = called("decode", str(tmp_path / "mine.pcap"), code=2).err
    assert said == (
        f"error: {tmp_path / 'mine.pcap'}: cannot be read: Permission denied: give the path of a pcapng or pcap file\n"
    )


def test_ctrl_c_ends_the_wait_for_a_pipe_without_a_writer(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-m", "manypath", "decode", str(tmp_path / "pipe")]
    # Python does not handle Ctrl-C if a shell has started it in the background, where the signal is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    program = subprocess.Popen(command)
    signal.signal(signal.SIGINT, before)
    try:
        deadline = time.monotonic() + 300
        while not is_in_decode(program.pid):
            assert program.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=300) == -signal.SIGINT
    finally:
        program.kill()


def is_in_decode(process: int) -> bool:
    """Whether the process has loaded the engine, and leaves Ctrl-C to the system."""
    status = Path(f"/proc/{process}/status").read_text()
    (caught,) = (int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    has_engine = "_native" in Path(f"/proc/{process}/maps").read_text()
    return has_engine and not caught >> (signal.SIGINT - 1) & 1
