"""Captures: packets as decoded by tshark agree with the engine's counters."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import forks
import manypath as mp

INTO_SINK = [f"access/cmt/sink/{path}/in" for path in ("south", "north")]
OUT_OF_SOURCE = [f"access/cmt/source/{path}/out" for path in ("south", "north")]
CORE = ["south", "south/back", "north", "north/back"]
DATA, NR_SACK, HEARTBEAT, HEARTBEAT_ACK, PKTDROP = 0, 16, 4, 5, 129
IP_HEADER = 20


def rough_paths(**switches: bool) -> mp.Scenario:
    """Return a flow with messages of many sizes over unequal paths that lose and damage packets, without warm-up."""
    south = mp.Link(rate="5 Mbit/s", delay="1 ms", queue=mp.DropTail(packets=30), loss=mp.BitError(rate=1e-6))
    north = mp.Link(rate="10 Mbit/s", delay="20 ms", loss=mp.Bernoulli(p=0.01))
    flow = mp.Sctp(paths=["south", "north"], app=mp.Saturated(message=("1 B", "4 kB")), **switches)
    return mp.Scenario(network=mp.disjoint(south=south, north=north), flows={"cmt": flow}, warmup="0 s", measure="5 s")


@dataclass(frozen=True)
class Chunk:
    """A DATA chunk as tshark reads it."""

    tsn: int
    message: int
    begins: bool
    ends: bool
    length: int


@dataclass(frozen=True)
class Frame:
    """A packet as tshark reads it."""

    link: str
    comment: str
    types: list[int]
    is_sound: bool
    is_malformed: bool
    data: list[Chunk]


def tshark(file: Path, *arguments: str) -> str:
    if shutil.which("tshark") is None:
        pytest.fail("this test needs tshark: .ci/prepare --tests installs it, or sudo apt-get install tshark")
    command = ["tshark", "-r", str(file), "-o", "sctp.checksum:CRC 32c", "-o", "sctp.relative_tsns:FALSE", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def frames(file: Path) -> list[Frame]:
    """Return every packet of a capture, in its order."""
    names = ["frame.interface_name", "frame.comment", "sctp.chunk_type", "sctp.chunk_length", "sctp.checksum.status"]
    names += ["_ws.malformed", "sctp.data_tsn_raw", "sctp.data_payload_proto_id", "sctp.data_b_bit", "sctp.data_e_bit"]
    fields = [argument for name in names for argument in ("-e", name)]
    lines = tshark(file, "-T", "fields", "-E", "occurrence=a", *fields).splitlines()
    return [_frame(line.split("\t")) for line in lines]


def _frame(columns: list[str]) -> Frame:
    link, comment, types, lengths, status, malformed, *of_data = columns
    kinds = [int(kind) for kind in types.split(",") if kind]
    sizes = [int(length) for kind, length in zip(kinds, lengths.split(","), strict=False) if kind == DATA]
    parts = [[int(part) for part in column.split(",") if part] for column in of_data]
    data = [
        Chunk(tsn, message, bool(begins), bool(ends), size - 16)
        for tsn, message, begins, ends, size in zip(*parts, sizes, strict=False)
    ]
    return Frame(link, comment, kinds, status.startswith("1"), bool(malformed), data)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[mp.Result, list[Frame]]:
    """A run, and tshark's decoding of its capture of the links in these tests."""
    file = tmp_path_factory.mktemp("capture") / "rough.pcapng"
    result = mp.run(rough_paths(), capture=file, links=[*CORE, *INTO_SINK, *OUT_OF_SOURCE])
    return result, frames(file)


def damaged_byte(frame: Frame) -> int:
    words, byte = frame.comment.rsplit(" ", 1)
    assert words == "damaged at byte"
    return int(byte)


def test_only_damaged_packets_have_a_wrong_checksum_or_cannot_be_read(run: tuple[mp.Result, list[Frame]]):
    _, seen = run
    whole = [frame for frame in seen if not frame.comment]
    assert len(whole) > 10_000
    assert all(frame.is_sound and not frame.is_malformed for frame in whole)
    damaged = [frame for frame in seen if frame.comment]
    assert len(damaged) > 10
    assert not any(frame.is_sound for frame in damaged if damaged_byte(frame) >= IP_HEADER)


def test_a_capture_has_the_packets_that_each_link_delivered(run: tuple[mp.Result, list[Frame]]):
    result, seen = run
    packets = Counter(frame.link for frame in seen)
    damaged = Counter(frame.link for frame in seen if frame.comment)
    for link, numbers in result.links.iterrows():
        assert packets[str(link)] == numbers["delivered"]
        assert damaged[str(link)] == numbers["damaged"]
    assert sum(damaged.values()) > 10


def test_the_transfer_has_losses_bundling_fragments_and_reordering(run: tuple[mp.Result, list[Frame]]):
    result, seen = run
    kinds = {kind for frame in seen for kind in frame.types}
    assert {DATA, NR_SACK, HEARTBEAT, HEARTBEAT_ACK} <= kinds
    arrived = [frame for frame in seen if frame.link in INTO_SINK and not frame.comment]
    assert any(len(frame.data) > 1 for frame in arrived), "bundled"
    chunks = [chunk for frame in arrived for chunk in frame.data]
    assert any(not chunk.begins and not chunk.ends for chunk in chunks), "fragments"
    assert any(after.tsn < before.tsn for before, after in pairwise(chunks)), "out of order"
    assert result.links["lost"].sum() > 0


def test_captured_sent_data_equals_the_counters(run: tuple[mp.Result, list[Frame]]):
    result, seen = run
    left = [frame for frame in seen if frame.link in OUT_OF_SOURCE and DATA in frame.types]
    under_way = result.flows["data_packets"]["cmt"] - len(left)
    assert 0 <= under_way <= len(OUT_OF_SOURCE), "in a transmitter when the run ends"
    chunks = [chunk.tsn for frame in left for chunk in frame.data]
    missing = result.flows["retransmitted_chunks"]["cmt"] - (len(chunks) - len(set(chunks)))
    assert missing == 0 or (missing > 0 and under_way > 0)


def test_captured_received_data_equals_the_counters(run: tuple[mp.Result, list[Frame]]):
    result, seen = run
    flow = result.flows.loc["cmt"]
    arrived = [frame for frame in seen if frame.link in INTO_SINK and not frame.comment]
    chunks = [chunk for frame in arrived for chunk in frame.data]
    by_tsn = {chunk.tsn: chunk for chunk in chunks}
    assert len(chunks) - len(by_tsn) == flow["duplicate_chunks"]
    lengths = [message_length(first, by_tsn) for first in by_tsn.values()]
    complete = [length for length in lengths if length is not None]
    assert len(complete) == flow["delivered_messages"]
    assert sum(complete) == flow["delivered_bytes"]


def message_length(first: Chunk, by_tsn: dict[int, Chunk]) -> int | None:
    """Return the length in bytes of the message that begins with a chunk, or None if it is incomplete."""
    if not first.begins:
        return None
    length, chunk = first.length, first
    while not chunk.ends:
        chunk = by_tsn.get((chunk.tsn + 1) % 2**32)
        if chunk is None:
            return None
        assert chunk.message == first.message
        length += chunk.length
    return length


def test_packets_damaged_on_the_way_to_the_sink_are_reported_dropped(tmp_path: Path):
    out_of_sink = [f"access/cmt/sink/{path}/out" for path in ("south", "north")]
    file = tmp_path / "reports.pcapng"
    mp.run(rough_paths(packet_drop_reports=True), capture=file, links=[*INTO_SINK, *out_of_sink])
    seen = frames(file)
    assert all(frame.is_sound and not frame.is_malformed for frame in seen if not frame.comment)
    damaged = [frame for frame in seen if frame.link in INTO_SINK and frame.comment]
    # Packets with damaged headers of IP, SCTP or the first chunk cannot be reported.
    usable = [frame for frame in damaged if damaged_byte(frame) >= IP_HEADER + 12 + 16]
    reports = [frame for frame in seen if frame.link in out_of_sink and PKTDROP in frame.types]
    assert len(reports) == len(usable)
    # tshark does not decode reports that were truncated to fit into a packet.
    read = [(report.data, frame.data) for report, frame in zip(reports, usable, strict=True) if report.data]
    assert len(read) > 2
    assert all([chunk.tsn for chunk in back] == [chunk.tsn for chunk in sent] for back, sent in read)


def test_a_capture_does_not_change_the_run(tmp_path: Path):
    scenario = rough_paths()
    assert mp.run(scenario, capture=tmp_path / "rough.pcapng").digest == mp.run(scenario).digest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"capture": "nowhere/run.pcapng"}, 'capture: "nowhere/run.pcapng" cannot be written: No such file'),
        ({"capture": "run.pcapng", "links": ["suoth"]}, 'links: "suoth" is no link: did you mean "south"?'),
        ({"links": ["south"]}, "links: only valid with capture: give the capture file, too"),
    ],
)
def test_an_invalid_capture_is_refused_in_one_line(
    arguments: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mp.UserError) as error:
        mp.run(rough_paths(), **arguments)
    assert str(error.value).startswith(message)
    assert len(str(error.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_captures_the_given_links(tmp_path: Path):
    (tmp_path / "rough.json").write_text(rough_paths().document())
    command = ["run", "rough.json", "--pcapng", "two.pcapng"]
    done = forks.manypath([*command, "--link", "north", "--link", "south/back"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "packets: two.pcapng" in done.stdout
    assert {frame.link for frame in frames(tmp_path / "two.pcapng")} == {"south/back", "north"}
    done = forks.manypath([*command[:-1], "/dev/full"], tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith('error: --pcapng: "/dev/full" cannot be written: No space left')
