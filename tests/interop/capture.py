"""Captures of every path, and their analysis by tshark."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from network import PATIENCE, Host, Network


@contextmanager
def capturing(network: Network, folder: Path) -> Iterator[list[Path]]:
    """Capture the packets that each host sends on each path, before a link can damage them.

    The files are complete at the end.
    """
    hosts = (network.left, network.right)
    files = [folder / "left.pcap", folder / "right.pcap"]
    captures = [_start(host, file) for host, file in zip(hosts, files, strict=True)]
    try:
        for capture in captures:
            _wait_until_ready(capture)
        yield files
        for host, other, file in zip(hosts, reversed(hosts), files, strict=True):
            _wait_until_complete(host, other, file)
    finally:
        printed = [_end(capture) for capture in captures]
    for each in printed:
        assert "\n0 packets dropped by kernel" in each, f"the capture is not complete: {each}"


def _start(host: Host, file: Path) -> subprocess.Popen[str]:
    # Packets are written without buffering, else the last ones would be missing. Whole packets are captured. The buffer
    # of the kernel has room for 47,000 packets, all those of the largest test: tcpdump may be late.
    options = ["-i", "any", "-Q", "out", "-U", "--immediate-mode", "-B", "98304", "-s", "2048", "-Z", "root"]
    line = host.command("tcpdump", *options, "-w", str(file), "udp or sctp")
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def _wait_until_ready(capture: subprocess.Popen[str]) -> None:
    printed = ""
    for line in cast("IO[str]", capture.stderr):
        printed += line
        if "listening on" in line:
            return
    raise AssertionError(f"tcpdump ended early: {printed}")


def _wait_until_complete(host: Host, other: Host, file: Path) -> None:
    # A last packet marks the end: if the file has it, all earlier ones are there. tcpdump loses its buffer when killed.
    subprocess.run(host.command("bash", "-c", f"echo '{LAST}' > /dev/udp/{other.ipv4[0]}/9"), check=True)
    until = time.monotonic() + PATIENCE
    while LAST.encode() not in _tail(file):
        assert time.monotonic() < until, "tcpdump does not write down what it captures"
        time.sleep(0.01)


def _end(capture: subprocess.Popen[str]) -> str:
    capture.send_signal(signal.SIGINT)
    return capture.communicate(timeout=PATIENCE)[1]


def _tail(file: Path) -> bytes:
    with file.open("rb") as content:
        content.seek(-min(200, file.stat().st_size), os.SEEK_END)
        return content.read()


def decode(files: list[Path], udp: int | None) -> list[dict[str, str]]:
    """Decode captures. Return the fields `FIELDS` of each packet; several values of a field are separated by commas."""
    ports = ["-d", f"udp.port=={udp},sctp"] if udp else []
    words = [
        "tshark",
        "-n",
        "-Y",
        f'not frame contains "{LAST}"',
        *ports,
        "-T",
        "fields",
        *(word for field in FIELDS for word in ("-e", field)),
    ]
    for preference in PREFERENCES:
        words += ["-o", preference]
    packets = []
    for file in files:
        done = subprocess.run([*words, "-r", str(file)], check=True, capture_output=True, text=True)
        packets += [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]
    return packets


def chunks_of(packet: dict[str, str]) -> list[int]:
    """Return the types of a packet's chunks."""
    return [int(chunk) for chunk in packet["sctp.chunk_type"].split(",") if chunk]


def tsns_of(packet: dict[str, str]) -> set[str]:
    """Return the TSNs of a packet's DATA chunks."""
    return {tsn for tsn in packet["sctp.data_tsn_raw"].split(",") if tsn}


def source_of(packet: dict[str, str]) -> str:
    """Return the source address of a packet."""
    return packet["ip.src"] or packet["ipv6.src"]


def time_of(packet: dict[str, str]) -> float:
    """Return the time of a packet in seconds. All hosts have the same clock."""
    return float(packet["frame.time_epoch"])


def _ends(packet: dict[str, str]) -> bool:
    """Return whether an association ends with this packet."""
    types = chunks_of(packet)
    return SHUTDOWN_COMPLETE in types or (ABORT in types and not _answers_out_of_the_blue(packet))


def _answers_out_of_the_blue(packet: dict[str, str]) -> bool:
    """Return whether the packet is an ABORT with a reflected tag, as RFC 9260 §8.4 answers packets out of the blue.

    All stacks send it for packets that were queued while their association ended.
    """
    return chunks_of(packet) == [ABORT] and packet["sctp.abort_t_bit"] in {"1", "True"}


def examine(
    packets: list[dict[str, str]], allowed: frozenset[int], empty_heartbeats: frozenset[str] = frozenset()
) -> Counter[int]:
    """Check every packet, and return the number of chunks of each type.

    Answers to packets that arrived after the end of their association are checked but not counted.

    Parameters
    ----------
    allowed
        Allowed types of chunks.
    empty_heartbeats
        Source addresses of allowed HEARTBEATs without Heartbeat Info.

    Raises
    ------
    AssertionError
        If a packet is malformed, has a wrong checksum, or has an unexpected chunk.
    """
    assert packets, "no packet was captured"
    end = min((time_of(packet) for packet in packets if _ends(packet)), default=math.inf)
    chunks: Counter[int] = Counter()
    for packet in packets:
        types = chunks_of(packet)
        if types == [HEARTBEAT] and source_of(packet) in empty_heartbeats:
            pass
        elif PKTDROP in types:
            # The rest of the packet is the damaged packet that it reports.
            types = types[: types.index(PKTDROP) + 1]
        else:
            assert not packet["_ws.malformed"], f"malformed: {packet}"
            assert ERROR not in packet["_ws.expert.severity"].split(","), f"an error for tshark: {packet}"
        assert packet["sctp.checksum.status"].split(",")[0] == GOOD, f"no right checksum: {packet}"
        if _answers_out_of_the_blue(packet) and time_of(packet) > end:
            continue
        assert allowed.issuperset(types), f"unexpected chunk: {packet}"
        chunks.update(types)
    return chunks


def forgets_data(packets: list[dict[str, str]], sender: tuple[str, ...], seconds: float = 10) -> bool:
    """Return whether a sender does not retransmit missing data although its peer's receive window has room.

    The condition: the last acknowledgement of data reports a gap, and the sender sends no data for at least `seconds`
    after it.
    """
    packets = sorted(packets, key=time_of)
    acknowledged = [packet for packet in packets if source_of(packet) not in sender and SACK in chunks_of(packet)]
    if not acknowledged or time_of(packets[-1]) - time_of(acknowledged[-1]) < seconds:
        return False
    last = acknowledged[-1]
    sent_later = any(
        DATA in chunks_of(packet) and source_of(packet) in sender and time_of(packet) > time_of(last)
        for packet in packets
    )
    gaps, room = (last[name].split(",")[-1] for name in ("sctp.sack_number_of_gap_blocks", "sctp.sack_a_rwnd"))
    return not sent_later and int(gaps) > 0 and int(room) > 0


LAST = "the capture ends here"
"""The payload of the last packet of a capture."""

FIELDS = (
    "frame.number",
    "frame.time_epoch",
    "ip.src",
    "ipv6.src",
    "sctp.chunk_type",
    "sctp.abort_t_bit",
    "sctp.data_tsn_raw",
    "sctp.sack_number_of_gap_blocks",
    "sctp.sack_a_rwnd",
    "sctp.checksum.status",
    "_ws.malformed",
    "_ws.expert.severity",
    "_ws.expert.message",
)
"""The fields of a packet that tshark prints."""

PREFERENCES = ("sctp.checksum:CRC 32c", "sctp.ulp_dissection:FALSE", "sctp.reassembly:FALSE")
"""Options of tshark: verify checksums, and do not decode payload."""

GOOD = "1"
"""The status of a correct checksum in tshark."""

ERROR = str(0x0080_0000)
"""The severity of errors in tshark's expert information."""

DATA, INIT, INIT_ACK, SACK, HEARTBEAT, HEARTBEAT_ACK, ABORT, SHUTDOWN, SHUTDOWN_ACK, ERRORS = range(10)
COOKIE_ECHO, COOKIE_ACK, SHUTDOWN_COMPLETE, NR_SACK = 10, 11, 14, 16
PKTDROP, RE_CONFIG, PAD, FORWARD_TSN = 0x81, 0x82, 0x84, 0xC0
I_DATA = 0x40

HANDSHAKE = (INIT, INIT_ACK, COOKIE_ECHO, COOKIE_ACK)
TRANSFER = (DATA, SACK, HEARTBEAT, HEARTBEAT_ACK, PAD)
END = (SHUTDOWN, SHUTDOWN_ACK, SHUTDOWN_COMPLETE)
ALWAYS = frozenset((*HANDSHAKE, *TRANSFER, *END))
"""Chunk types that are allowed in every association."""
