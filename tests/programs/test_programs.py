"""iperf3, ncat, socat, lksctp-tools and Python with SCTP sockets of this stack, at both ends."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from wrapped import PATIENCE

pytestmark = pytest.mark.programs

MODES = pytest.mark.parametrize("mode", ["udp", "raw"])

LENGTH = 3_000_000

VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99"]
"""A command in front of another one, which reports wrong uses of memory, also in the library and in system calls."""


UNKNOWN = """\
manypath: SCTP has no socket option 9999
manypath: socket option 3 of level 12345 is not supported
"""
"""What the library prints if a program sets options that Linux does not have."""


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """Return a file with data that do not repeat within it."""
    file = tmp_path / "sent"
    file.write_bytes(b"".join(number.to_bytes(4, "big") for number in range(LENGTH // 4)))
    return file


@MODES
def test_iperf3(network, start, tmp_path: Path, mode: str) -> None:
    server = start(network.right, mode, 1, "iperf3", "-s", "-1", "--forceflush", into=tmp_path / "server")
    server.until("Server listening")
    words = ["iperf3", "--sctp", "-c", network.right.ipv4[0], "-n", "20M", "--json"]
    report = json.loads(start(network.left, mode, 1, *words, into=tmp_path / "client").ends_well())
    assert report["start"]["test_start"]["protocol"] == "SCTP"
    sent, received = (report["end"][which]["bytes"] for which in ("sum_sent", "sum_received"))
    # The server stops to count when the client's control connection, which is TCP, says that the test is over. The
    # buffers have room for less than the test sends.
    assert 0 < received <= sent
    server.ends_well()


@MODES
def test_ncat(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    address = network.right.ipv4[0]
    words = ["ncat", "-v", "--sctp", "--recv-only", "-l", address, "7000"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "received")
    server.until("Listening")
    words = ["ncat", "--sctp", "--send-only", address, "7000"]
    start(network.left, mode, 1, *words, feed=sent, into=tmp_path / "client").ends_well()
    server.ends_well()
    assert server.into.read_bytes() == sent.read_bytes()


def socat_transfers(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    """Send a file with socat from the left host to the right one and compare it."""
    address = network.right.ipv4[0]
    words = ["socat", "-d", "-d", "-u", f"SCTP4-LISTEN:7001,bind={address}", "STDOUT"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "received")
    server.until("listening on")
    words = ["socat", "-u", f"OPEN:{sent}", f"SCTP4-CONNECT:{address}:7001"]
    start(network.left, mode, 1, *words, into=tmp_path / "client").ends_well()
    server.ends_well()
    assert server.into.read_bytes() == sent.read_bytes()


@MODES
def test_socat(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    socat_transfers(network, start, tmp_path, sent, mode)


@MODES
def test_a_program_ends_while_its_data_wait_for_a_slow_path(
    network, start, tmp_path: Path, sent: Path, mode: str
) -> None:
    network.left.limit("100mbit")
    socat_transfers(network, start, tmp_path, sent, mode)


@MODES
def test_sockets_of_python(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    server = receives(network, start, tmp_path, mode, 1)
    words = ["python3", "-c", SENDER, network.right.ipv4[0]]
    start(network.left, mode, 1, *words, feed=sent, into=tmp_path / "client").ends_well()
    # The client's data have arrived at its end, but the server may not have written them.
    server.process.wait(timeout=PATIENCE)
    assert server.into.read_bytes() == sent.read_bytes()


@MODES
def test_a_transfer_goes_on_without_its_first_path(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    network.left.limit("2mbit")
    server = receives(network, start, tmp_path, mode, 2)
    words = ["python3", "-c", SENDER, network.right.ipv4[0]]
    client = start(network.left, mode, 2, *words, into=tmp_path / "client")
    loses_its_first_path(network, client, server, sent)
    client.ends_well()
    server.process.wait(timeout=PATIENCE)
    assert server.into.read_bytes() == sent.read_bytes()


def loses_its_first_path(network, client, server, sent: Path) -> None:
    """Feed a file to a client, and take its first path down when a tenth has arrived.

    The client has only half of the file before, so that the transfer cannot end.
    """
    data = sent.read_bytes()
    client.feeds(data[: LENGTH // 2])
    server.until_bytes(LENGTH // 10)
    network.right.set_link(0, "down")
    network.left.limit("20mbit")
    client.feeds(data[LENGTH // 2 :])
    client.types_no_more()


@MODES
@pytest.mark.parametrize("name", ["ncat", "socat"])
def test_a_file_arrives_without_its_first_path_by(
    name: str, network, start, tmp_path: Path, sent: Path, mode: str
) -> None:
    address = network.right.ipv4[0]
    listen, text, connect = {
        "ncat": (
            ["ncat", "-v", "-4", "--sctp", "--recv-only", "-l", "7000"],
            "Listening",
            ["ncat", "--sctp", "--send-only", address, "7000"],
        ),
        "socat": (
            ["socat", "-d", "-d", "-u", "SCTP4-LISTEN:7000", "STDOUT"],
            "listening on",
            ["socat", "-u", "STDIN", f"SCTP4-CONNECT:{address}:7000"],
        ),
    }[name]
    network.left.limit("2mbit")
    server = start(network.right, mode, 2, *listen, into=tmp_path / "received")
    server.until(text)
    client = start(network.left, mode, 2, *connect, into=tmp_path / "client")
    loses_its_first_path(network, client, server, sent)
    client.ends_well()
    server.ends_well()
    assert server.into.read_bytes() == sent.read_bytes()


@MODES
def test_checksctp_finds_sctp(network, start, tmp_path: Path, mode: str) -> None:
    check = start(network.left, mode, 1, "checksctp", into=tmp_path / "check")
    check.ends_well()
    assert check.said() == "SCTP supported\n"


@MODES
def test_sctp_darn(network, start, tmp_path: Path, mode: str) -> None:
    words = ["stdbuf", "-oL", "sctp_darn", "-H", network.right.ipv4[0], "-P", "7010", "-l"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "server")
    server.until("listening")
    text = tmp_path / "text"
    text.write_text("a line of text\n")
    words = ["sctp_darn", "-H", network.left.ipv4[0], "-P", "7011", "-h", network.right.ipv4[0], "-p", "7010", "-s"]
    client = start(network.left, mode, 1, *words, feed=text, into=tmp_path / "client")
    server.until("DATA(16):  a line of text.")
    server.until("SHUTDOWN_COMP")
    # The exit code of sctp_darn is the length of its last message.
    assert client.process.wait(timeout=PATIENCE) == 16


@MODES
def test_sctp_test(network, start, tmp_path: Path, mode: str) -> None:
    words = ["stdbuf", "-oL", "sctp_test", "-H", network.right.ipv4[0], "-P", "7012", "-l"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "server")
    server.until("Server: Receiving packets.")
    # 2 rounds of 10 messages of 1 byte
    words = ["sctp_test", "-H", network.left.ipv4[0], "-P", "7013", "-h", network.right.ipv4[0], "-p", "7012", "-s"]
    client = start(network.left, mode, 1, *words, "-c", "0", "-x", "2", into=tmp_path / "client")
    assert client.ends_well().count("1 bytes.") == 20
    server.until("SHUTDOWN_COMPLETE")
    assert server.said().count("Data 1 bytes.") == 20


@MODES
def test_one_to_many_sockets_of_python(network, start, tmp_path: Path, mode: str) -> None:
    server = start(network.right, mode, 1, "python3", "-c", ECHO, network.right.ipv4[0], into=tmp_path / "server")
    server.until("listening")
    start(network.left, mode, 1, "python3", "-c", ASKER, network.right.ipv4[0], into=tmp_path / "client").ends_well()
    server.ends_well()


@MODES
def test_libsctp(network, start, tmp_path: Path, mode: str) -> None:
    program = str(tmp_path / "one_to_many")
    source = Path(__file__).with_name("one_to_many.c")
    words = ["cc", "-Wall", "-Werror", str(source), "-lsctp", "-o", program]
    subprocess.run(words, check=True)
    address = network.right.ipv4[0]
    server = start(network.right, mode, 2, program, "serve", address, into=tmp_path / "server")
    server.until("listening")
    client = start(network.left, mode, 2, program, "ask", address, into=tmp_path / "client")
    assert client.ends_well() == "all answers are right\n"
    assert server.ends_well() == "listening\ntalked apart with 2 addresses\n"


@pytest.mark.parametrize(
    ("name", "last", "errors"),
    [
        ("answers", "all answers are right\n", ""),
        ("hostile", "every wrong call is refused\n", UNKNOWN),
        ("shared", "all sockets are shared as in Linux\n", ""),
    ],
    ids=["answers", "hostile", "shared"],
)
def test_calls_are_those_of_linux(name: str, last: str, errors: str, network, start, tmp_path: Path) -> None:
    program = str(tmp_path / name)
    source = Path(__file__).with_name(f"{name}.c")
    words = ["cc", "-Wall", "-Werror", str(source), "-lsctp", "-pthread", "-o", program]
    subprocess.run(words, check=True)
    started = start(network.left, "udp", 1, program, network.left.ipv4[0], into=tmp_path / "out")
    assert started.ends_well() == last
    assert started.errors.read_text() == errors


@pytest.mark.parametrize(("name", "last"), [("program", "every call works\n"), ("closed", "every socket is kept\n")])
def test_the_library_uses_memory_and_system_calls_rightly(name: str, last: str, network, start, tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / f"crates/preload/tests/stories/{name}.c"
    program = str(tmp_path / name)
    words = ["cc", "-g", "-O2", "-D_FORTIFY_SOURCE=2", "-D_GNU_SOURCE", "-pthread", str(source), "-o", program]
    subprocess.run(words, check=True)
    # These programs use the loopback interface
    words = [*VALGRIND, program]
    options = ["--local", "127.0.0.1"]
    started = start(network.left, "udp", 1, *words, options=options, into=tmp_path / "out")
    assert started.ends_well() == last
    assert not started.errors.read_text()


def receives(network, start, tmp_path: Path, mode: str, paths: int):
    """Start a program that writes what it receives."""
    words = ["python3", "-c", RECEIVER, network.right.ipv4[0] if paths == 1 else ""]
    server = start(network.right, mode, paths, *words, into=tmp_path / "received")
    server.until("listening")
    return server


RECEIVER = """
import socket, sys
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 7002))
listener.listen(1)
print("listening", file=sys.stderr, flush=True)
accepted, _ = listener.accept()
while part := accepted.recv(65536):
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
"""

SENDER = """
import socket, sys
connected = socket.socket(proto=socket.IPPROTO_SCTP)
connected.connect((sys.argv[1], 7002))
while part := sys.stdin.buffer.read1(30_000):
    connected.sendall(part)
connected.close()
"""

ECHO = """
import socket, struct, sys
SCTP = socket.IPPROTO_SCTP
server = socket.socket(type=socket.SOCK_SEQPACKET, proto=SCTP)
server.setsockopt(SCTP, 32, 1)
server.bind((sys.argv[1], 7014))
server.listen(1)
print("listening", file=sys.stderr, flush=True)
while True:
    text, ancillary, flags, peer = server.recvmsg(65536, 128)
    stream, _, _, ppid, _, _, _, association = struct.unpack("=HHHxxIIIIi", ancillary[0][2])
    server.sendmsg([text], [(SCTP, 2, struct.pack("=HHIIi", stream, 0, ppid, 0, association))])
    if text == b"the end":
        break
"""

ASKER = """
import socket, sys
server = (sys.argv[1], 7014)
client = socket.socket(type=socket.SOCK_SEQPACKET, proto=socket.IPPROTO_SCTP)
for number in range(30):
    text = b"%d" % number * 50
    assert client.sendto(text, server) == len(text)
    assert client.recvfrom(65536) == (text, server)
client.sendto(b"the end", server)
assert client.recv(100) == b"the end"
"""
