"""Captures of TCP and Multipath TCP: segments as decoded by tshark agree with the engine's counters."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import manypath as mp

SIZE = 3_000_000
FIN, SYN, ACK = 0x01, 0x02, 0x10
RETRANSMISSION = "tcp.analysis.retransmission or tcp.analysis.fast_retransmission or tcp.analysis.out_of_order"
"""Tshark's names of a retransmission; soon after another segment it may be taken for an out-of-order segment."""
MPTCP_COMPLAINTS = " or ".join(
    [
        "mptcp.connection.echoed_key_mismatch",
        "mptcp.connection.missing_algorithm",
        "mptcp.connection.unsupported_algorithm",
        "mptcp.dss.infinite_mapping",
    ]
)


def around_source(*paths: str) -> list[str]:
    """Return the access links of the source on these paths."""
    return [f"access/file/source/{path}/{way}" for path in paths for way in ("out", "in")]


def file_over(flow: partial[mp.Tcp] | partial[mp.Mptcp], **south: Any) -> mp.Scenario:
    """A scenario with the whole transfer of a file over two unequal paths with losses."""
    links = {
        "south": mp.Link(rate="5 Mbit/s", delay="5 ms", queue=mp.DropTail(packets=30)).but(**south),
        "north": mp.Link(rate="10 Mbit/s", delay="20 ms", loss=mp.Bernoulli(p=0.01)),
    }
    file = flow(app=mp.Transfer(size=f"{SIZE} B"))
    return mp.Scenario(network=mp.disjoint(**links), flows={"file": file}, warmup="0 s", measure="30 s")


TCP = partial(mp.Tcp, path="north")
MPTCP = partial(mp.Mptcp, paths=["south", "north"])


def tshark(file: Path, *arguments: str) -> str:
    if shutil.which("tshark") is None:
        pytest.skip("this test needs tshark: .ci/prepare --tests installs it, or sudo apt-get install tshark")
    command = ["tshark", "-r", str(file), "-o", "tcp.check_checksum:TRUE", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def frames(file: Path, fields: list[str], those: str = "tcp") -> list[list[str]]:
    """Return fields of the packets that match a display filter."""
    named = [argument for field in fields for argument in ("-e", field)]
    lines = tshark(file, "-Y", those, "-T", "fields", *named).splitlines()
    return [line.split("\t") for line in lines]


@dataclass(frozen=True)
class Segment:
    """A segment as tshark reads it."""

    link: str
    flags: int
    seq: int
    """Relative sequence number; that of the SYN is 0."""
    ack: int
    length: int

    @property
    def carries(self) -> bool:
        """Whether the segment takes sequence numbers of the stream: data, or the FIN."""
        return self.length > 0 or bool(self.flags & FIN)


@cache
def segments(file: Path) -> list[Segment]:
    read = frames(file, ["frame.interface_name", "tcp.flags", "tcp.seq", "tcp.ack", "tcp.len"])
    return [Segment(link, int(flags, 16), int(seq), int(ack), int(length)) for link, flags, seq, ack, length in read]


@dataclass(frozen=True)
class Captured:
    """A run, and the capture of all packets from and to its source."""

    result: mp.Result
    file: Path

    @property
    def flow(self) -> Any:
        """The counters of the engine."""
        return self.result.flows.loc["file"]

    @property
    def length(self) -> int:
        """The length of the file in bytes: whole messages."""
        return int(self.flow["delivered_bytes"])


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """A file over TCP."""
    file = tmp_path_factory.mktemp("capture") / "tcp.pcapng"
    return Captured(mp.run(file_over(TCP), capture=file, links=around_source("north")), file)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """A file over Multipath TCP."""
    file = tmp_path_factory.mktemp("capture") / "mptcp.pcapng"
    return Captured(mp.run(file_over(MPTCP), capture=file, links=around_source("south", "north")), file)


def check_well_formed(file: Path) -> None:
    """Check that all segments are well-formed and have the right checksum."""
    statuses = Counter(status for (status,) in frames(file, ["tcp.checksum.status"]))
    assert set(statuses) == {"1"}
    assert statuses["1"] > SIZE / 1460
    assert frames(file, ["frame.number"], "_ws.malformed or tcp.suboption_malformed or tcp.bogus_header_length") == []


def test_every_segment_of_tcp_is_well_formed(single: Captured):
    check_well_formed(single.file)


def test_syn_and_syn_ack_have_equal_mss_window_scale_and_sack(single: Captured):
    fields = ["tcp.flags", "tcp.options.mss_val", "tcp.options.wscale.shift", "tcp.seq", "tcp.ack"]
    syns = frames(single.file, fields, "tcp.flags.syn == 1 and tcp.options.sack_perm")
    # A lost SYN is retransmitted.
    assert {(int(flags, 16), *others) for flags, *others in syns} == {
        (SYN, "1460", "4", "0", "0"),
        (SYN | ACK, "1460", "4", "0", "1"),
    }


def test_sent_segments_and_retransmissions_equal_the_counters(single: Captured):
    out = [segment for segment in segments(single.file) if segment.link.endswith("/out") and segment.carries]
    assert sum(segment.length > 0 for segment in out) == single.flow["data_packets"]
    again = len(out) - len({segment.seq for segment in out})
    assert again == single.flow["retransmitted_chunks"]
    assert again > 10
    assert len(frames(single.file, ["tcp.seq"], f"({RETRANSMISSION}) and not tcp.flags.syn == 1")) == again


def test_the_whole_file_is_in_the_capture(single: Captured):
    out = sorted((s.seq, s.length) for s in segments(single.file) if s.link.endswith("/out") and s.length)
    once = sorted(set(out))
    assert once[0][0] == 1
    assert all(seq + length == after for (seq, length), (after, _) in pairwise(once))
    assert sum(length for _, length in once) == single.length


def test_acknowledgements_report_gaps_and_end_with_the_file(single: Captured):
    back = [segment for segment in segments(single.file) if segment.link.endswith("/in")]
    assert len(back) == single.result.links["delivered"]["north/back"]
    assert all(segment.flags & ACK for segment in back)
    assert max(segment.ack for segment in back) == single.length + 2
    reports = frames(single.file, ["tcp.options.sack.count", "tcp.options.sack_le", "tcp.ack"], "tcp.options.sack_le")
    assert len(reports) > 10
    assert all(int(count) == len(edges.split(",")) for count, edges, _ in reports)
    assert all(int(edge) > int(ack) for _, edges, ack in reports for edge in edges.split(","))


def test_both_sides_send_a_fin(single: Captured):
    ends = {(s.link.rsplit("/", 1)[1], s.seq + s.length) for s in segments(single.file) if s.flags & FIN}
    assert ends == {("out", single.length + 1), ("in", 1)}
    assert single.flow["closed"] == "finished"


def test_every_segment_of_multipath_tcp_is_well_formed_and_decoded(several: Captured):
    check_well_formed(several.file)
    assert frames(several.file, ["frame.number"], MPTCP_COMPLAINTS) == []


def test_both_subflows_belong_to_one_connection_by_keys_and_tokens(several: Captured):
    assert {tuple(ids) for ids in frames(several.file, ["mptcp.stream", "tcp.stream"])} == {("0", "0"), ("0", "1")}
    fields = ["tcp.options.mptcp.sendkey", "tcp.options.mptcp.recvkey", "mptcp.expected_token"]
    opening = frames(several.file, fields, "tcp.options.mptcp.subtype == 0")
    (client, _, names_client), (server, _, names_server), *confirmations = opening
    assert confirmations == [[client, server, names_client]]
    joins = frames(several.file, ["tcp.flags", "tcp.options.mptcp.recvtok"], "tcp.options.mptcp.subtype == 1")
    named = {(int(flags, 16), token) for flags, token in joins}
    assert named == {(SYN, names_server), (SYN | ACK, names_client)}


@dataclass(frozen=True)
class Mapping:
    """A mapping of a data sequence signal, as tshark reads it."""

    link: str
    data: int
    """Relative data sequence number; that of the handshake is 0."""
    length: int
    """Length in bytes, including DATA_FIN."""
    place: int
    seq: int
    payload: int
    ends: bool


def mappings(file: Path) -> list[Mapping]:
    fields = ["frame.interface_name", "mptcp.dss.dsn", "tcp.options.mptcp.datalvllen"]
    fields += ["tcp.options.mptcp.subflowseqno", "tcp.seq", "tcp.len", "tcp.options.mptcp.datafin.flag"]
    read = frames(file, fields, "mptcp.dss.dsn")
    return [
        Mapping(link, int(data), int(length), int(place), int(seq), int(payload), end == "1")
        for link, data, length, place, seq, payload, end in read
    ]


def test_mappings_cover_the_file_on_both_subflows(several: Captured):
    out = [mapping for mapping in mappings(several.file) if mapping.link.endswith("/out")]
    assert all(mapping.length == mapping.payload + mapping.ends for mapping in out)
    assert all(mapping.place == (mapping.seq if mapping.payload else 0) for mapping in out)
    assert all(mapping.ends == (mapping.data + mapping.length == several.length + 2) for mapping in out)
    pieces = sorted({(mapping.data, mapping.payload) for mapping in out if mapping.payload})
    assert pieces[0][0] == 1
    assert all(data + payload == after for (data, payload), (after, _) in pairwise(pieces))
    assert sum(payload for _, payload in pieces) == several.length
    carried = Counter(mapping.link for mapping in out if mapping.payload)
    assert min(carried.values()) > 100
    assert len(carried) == 2


def test_each_path_has_the_segments_that_the_engine_counted(several: Captured):
    out = [segment for segment in segments(several.file) if segment.link.endswith("/out") and segment.carries]
    sent = Counter(segment.link for segment in out if segment.length > 0)
    counted = several.result.paths.loc["file"]["data_packets"]
    assert sent == {f"access/file/source/{path}/out": counted[path] for path in ("south", "north")}
    again = len(out) - len({(segment.link, segment.seq) for segment in out})
    assert again == several.flow["retransmitted_chunks"]
    assert again > 10


def test_data_are_acknowledged_up_to_the_end_of_the_stream(several: Captured):
    back = [int(ack) for (ack,) in frames(several.file, ["mptcp.ack"], "mptcp.ack and ip.src == 10.0.0.2")]
    assert all(before <= after for before, after in pairwise(back))
    assert len(back) > 100
    assert back[-1] == several.length + 2


def test_the_capture_of_one_subflow_equals_its_part_of_both(several: Captured, tmp_path: Path):
    alone = tmp_path / "north.pcapng"
    mp.run(file_over(MPTCP), capture=alone, links=around_source("north"))
    fields = ["tcp.seq_raw", "tcp.options.mptcp.recvtok", "tcp.options.mptcp.rawdataseqno"]
    fields += ["tcp.options.mptcp.rawdataack", "tcp.checksum"]
    north = frames(several.file, fields, 'frame.interface_name contains "/north/"')
    assert frames(alone, fields) == north
    assert len(north) > 1000


def test_a_segment_that_a_link_damaged_has_a_wrong_checksum(tmp_path: Path):
    file = tmp_path / "damaged.pcapng"
    links = ["access/file/sink/south/in"]
    mp.run(file_over(MPTCP, loss=mp.BitError(rate=1e-6)), capture=file, links=links)
    header = 20
    damaged = frames(file, ["frame.comment", "tcp.checksum.status"], 'frame.comment contains "damaged"')
    assert len(damaged) > 3
    assert all(status == "0" for comment, status in damaged if int(comment.rsplit(" ", 1)[1]) >= header)


def test_multipath_tcp_without_option_space_is_captured_without_signals(tmp_path: Path):
    file = tmp_path / "short.pcapng"
    mp.run(file_over(partial(MPTCP, option_bytes="12 B")), capture=file, links=around_source("south", "north"))
    check_well_formed(file)
    assert frames(file, ["frame.number"], "tcp.options.mptcp.subtype == 2") == []
    assert len(frames(file, ["frame.number"], "tcp.options.mptcp.subtype == 0")) == 2
