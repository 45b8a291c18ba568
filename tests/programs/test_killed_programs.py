"""Programs and daemons that are killed, full, many, or of another user."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest
from network import Network
from served import LIBRARY, UNPRIVILEGED, Daemons
from wrapped import PATIENCE, PROGRAM

pytestmark = pytest.mark.programs


def kills(daemons: Daemons, network: Network, moments: int, seed: int) -> dict[str, int]:
    """Kill many programs at random moments, and return how the server saw the ends of their associations."""
    server = daemons().start("python3", "-c", SERVER, network.right.ipv4[0])
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"
    client = daemons(host=network.left)
    idle = client.descriptors()
    words = ["python3", "-c", KILLER, network.right.ipv4[0], str(moments), str(seed)]
    killer = client.start(*words)
    _, errors = killer.communicate(timeout=PATIENCE + moments / 10)
    assert killer.returncode == 0, errors
    out, errors = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0, errors
    client.settles(idle)
    return json.loads(out)


def test_the_associations_of_programs_that_are_killed_at_any_moment_end(network, daemons) -> None:
    ends = kills(daemons, network, moments=60, seed=1)
    assert ends["open"] == 0, ends
    # Every fifth was killed after it had been accepted; six others ended well. Many were killed earlier.
    assert ends["closed"] + ends["reset"] >= 60 // 5 + 6, ends


@pytest.mark.parametrize("moment", [0.02, 0.1, 0.3])
def test_programs_end_when_their_daemon_is_killed(moment: float, network, daemons, start, tmp_path: Path) -> None:
    server = daemons().start("python3", "-c", SERVER, network.right.ipv4[0])
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"
    words = ["python3", "-c", BUSY, network.right.ipv4[0]]
    wrapped = start(network.left, "udp", 1, *words, into=tmp_path / "client")
    wrapped.until("begins")
    program = int(wrapped.said().split()[1])
    time.sleep(moment)
    wrapped.process.kill()
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{program}").exists():
        assert time.monotonic() < end, f"the program has not noticed: {wrapped.said()}"
        time.sleep(0.01)
    assert "ends" in wrapped.said()
    server.kill()
    server.communicate()


def test_programs_of_a_killed_daemon_end_and_its_successor_serves_others(network, daemons) -> None:
    daemon = daemons()
    pair = daemon.start("python3", "-c", PAIR, network.right.ipv4[0])
    assert pair.stdout is not None
    assert pair.stdout.readline() == "connected\n"
    daemon.kill()
    out, errors = pair.communicate(timeout=PATIENCE)
    assert (pair.returncode, out) == (0, "ended\n"), errors
    other = daemons().start("python3", "-c", PAIR, network.right.ipv4[0])
    assert other.stdout is not None
    assert other.stdout.readline() == "connected\n"
    other.kill()
    other.communicate()


def test_a_program_holds_more_sockets_than_a_daemon_has_descriptors_at_first(network, daemons) -> None:
    # The usual limits of a shell
    few = ["prlimit", "--nofile=256:4096"]
    server = daemons(before=few)
    client = daemons(host=network.left, before=few)
    idle = server.descriptors(), client.descriptors()
    listener = server.start("python3", "-c", CROWD_SERVER, network.right.ipv4[0], "1000")
    assert listener.stdout is not None
    assert listener.stdout.readline() == "listening\n"
    crowd = client.start("python3", "-c", CROWD, network.right.ipv4[0], "1000")
    _, errors = crowd.communicate(timeout=2 * PATIENCE)
    assert crowd.returncode == 0, errors
    _, errors = listener.communicate(timeout=PATIENCE)
    assert listener.returncode == 0, errors
    for daemon, before in zip((server, client), idle, strict=True):
        # The sockets of the listening port may stay
        daemon.settles(before + 4)


def repeats(daemons: Daemons, network: Network, count: int) -> tuple[int, int]:
    """Open and close many associations, and return by how many bytes the memory of both daemons has grown."""
    server, client = daemons(), daemons(host=network.left)
    listener = server.start("python3", "-c", REPEAT_SERVER, network.right.ipv4[0])
    assert listener.stdout is not None
    assert listener.stdout.readline() == "listening\n"

    def connections(number: int) -> None:
        program = client.start("python3", "-c", REPEAT, network.right.ipv4[0], str(number))
        _, errors = program.communicate(timeout=PATIENCE + number / 50)
        assert program.returncode == 0, errors

    connections(200)
    client.settles(client.descriptors())
    before = [(daemon.descriptors(), daemon.memory()) for daemon in (server, client)]
    connections(count)
    for daemon, (descriptors, _) in zip((server, client), before, strict=True):
        daemon.settles(descriptors)
    listener.kill()
    listener.communicate()
    grown = [daemon.memory() - memory for daemon, (_, memory) in zip((server, client), before, strict=True)]
    return grown[0], grown[1]


def test_connections_leave_no_descriptor_and_no_memory(network, daemons) -> None:
    assert max(repeats(daemons, network, 500)) < 8_000_000


def test_a_full_daemon_refuses_sockets_and_serves_those_that_it_has(network, daemons) -> None:
    server = daemons("--limit", "3").start("python3", "-c", FULL_SERVER, network.right.ipv4[0])
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"
    client = daemons(host=network.left).start("python3", "-c", FULL_CLIENT, network.right.ipv4[0])
    assert client.stdout is not None
    assert server.stdin is not None
    assert client.stdout.readline() == "refused\n"
    print("refused", file=server.stdin, flush=True)
    _, errors = client.communicate(timeout=PATIENCE)
    assert client.returncode == 0, errors
    _, errors = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0, errors


def test_a_daemon_serves_its_own_user_and_root(daemons, public: Path) -> None:
    program, library = public / "manypath-net", public / "library.so"
    shutil.copy(PROGRAM, program)
    shutil.copy(LIBRARY, library)
    daemon = daemons(folder=public, before=UNPRIVILEGED, program=program)
    for user in ([], UNPRIVILEGED):
        done = daemon.start(*user, "perl", "-MSocket", "-e", OPENS, library=library)
        _, errors = done.communicate(timeout=PATIENCE)
        assert done.returncode == 0, errors
    daemon.kill()
    daemon.socket.unlink()
    other = daemons(folder=public, program=program)
    refused = other.start(*UNPRIVILEGED, "perl", "-MSocket", "-e", OPENS, library=library)
    _, errors = refused.communicate(timeout=PATIENCE)
    assert refused.returncode != 0
    assert "Permission denied" in errors, errors


@pytest.mark.long
def test_a_thousand_moments(network, daemons) -> None:
    ends = kills(daemons, network, moments=1000, seed=2)
    assert ends["open"] == 0, ends


@pytest.mark.long
def test_ten_thousand_connections(network, daemons) -> None:
    assert max(repeats(daemons, network, 10_000)) < 8_000_000


SERVER = """
import json, select, socket, sys, threading, time
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 5000))
listener.listen(1000)
print("listening", flush=True)
ends, threads, last = {"closed": 0, "reset": 0}, [], threading.Event()
def serve(accepted):
    accepted.send(b"welcome")
    try:
        while part := accepted.recv(65536):
            if part == b"last":
                last.set()
        end = "closed"
    except ConnectionResetError:
        end = "reset"
    except BrokenPipeError:
        end = "closed"
    ends[end] += 1
while not last.is_set():
    if select.select([listener], [], [], 0.1)[0]:
        try:
            accepted, _ = listener.accept()
        except OSError as error:
            print("accept:", error, file=sys.stderr)
            continue
        threads.append(threading.Thread(target=serve, args=(accepted,), daemon=True))
        threads[-1].start()
until = time.monotonic() + 300
for thread in threads:
    thread.join(max(0, until - time.monotonic()))
ends["open"] = sum(thread.is_alive() for thread in threads)
print(json.dumps(ends), flush=True)
import os
os._exit(0)
"""
"""Counts the ends of associations until one of them has sent its last words."""

KILLER = """
import os, random, signal, socket, sys, time
address, moments = (sys.argv[1], 5000), int(sys.argv[2])
random.seed(int(sys.argv[3]))
def connect():
    connected = socket.socket(proto=socket.IPPROTO_SCTP)
    connected.connect(address)
    return connected
def takes():
    begin = time.monotonic()
    with connect() as connected:
        assert connected.recv(100) == b"welcome"
    return time.monotonic() - begin
# Many children are killed before they have connected, and many after it, on a fast machine and on a slow one
usual = max(0.01, 2 * sorted(takes() for _ in range(5))[2])
for moment in range(moments):
    # Every fifth child is killed after the other end has accepted it, however busy the machine is
    reads, is_welcome = moment % 2, moment % 5 == 0
    told, tells = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        connected = connect()
        if is_welcome:
            assert connected.recv(100) == b"welcome"
            os.write(tells, b"x")
        while True:
            connected.send(bytes(20_000))
            if reads:
                try:
                    connected.recv(100, socket.MSG_DONTWAIT)
                except BlockingIOError:
                    pass
    os.close(tells)
    if is_welcome:
        assert os.read(told, 1) == b"x"
    os.close(told)
    time.sleep(random.expovariate(1 / usual))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
last = connect()
assert last.recv(100) == b"welcome"
last.send(b"last")
"""
"""Forks children that connect and send, and kills them. Every second child also reads."""

BUSY = """
import os, socket, sys
print("begins", os.getpid(), flush=True)
try:
    while True:
        with socket.socket(proto=socket.IPPROTO_SCTP) as connected:
            connected.connect((sys.argv[1], 5000))
            connected.send(bytes(10_000))
            if not connected.recv(100):
                break
except OSError as error:
    print(error, file=sys.stderr)
print("ends", flush=True)
"""
"""Connects again and again until its daemon is gone."""

PAIR = """
import errno, select, socket, sys
def fails(errors, action, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        assert error.errno in errors, error
    else:
        raise AssertionError("no error")
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 5000))
listener.listen(1)
client = socket.socket(proto=socket.IPPROTO_SCTP)
client.connect((sys.argv[1], 5000))
accepted, _ = listener.accept()
print("connected", flush=True)
assert client.recv(100) == accepted.recv(100) == b""
fails({errno.EPIPE, errno.ECONNRESET}, client.send, b"x")
fails({errno.ECONNRESET}, client.getpeername)
assert select.select([listener], [], [], 300)[0]
fails({errno.EINVAL}, listener.accept)
fails({errno.EPROTONOSUPPORT}, lambda: socket.socket(proto=socket.IPPROTO_SCTP))
print("ended", flush=True)
"""
"""An association of a program with itself, until its daemon is gone."""

CROWD_SERVER = """
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 5000))
# The crowd may connect faster than this program accepts
listener.listen(int(sys.argv[2]))
print("listening", flush=True)
accepted = [listener.accept()[0] for _ in range(int(sys.argv[2]))]
for each in accepted:
    each.sendall(each.recv(100))
for each in accepted:
    assert each.recv(100) == b""
"""

CROWD = """
import resource, select, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
sockets = []
for _ in range(int(sys.argv[2])):
    sockets.append(socket.socket(proto=socket.IPPROTO_SCTP))
    sockets[-1].connect((sys.argv[1], 5000))
for number, each in enumerate(sockets):
    each.send(b"%d" % number)
left = set(sockets)
while left:
    # All descriptors are below FD_SETSIZE
    for each in select.select(left, [], [], 60)[0]:
        assert each.recv(100) == b"%d" % sockets.index(each)
        left.discard(each)
"""

REPEAT_SERVER = """
import socket, sys
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 5000))
listener.listen(100)
print("listening", flush=True)
while True:
    accepted, _ = listener.accept()
    with accepted:
        while part := accepted.recv(100):
            accepted.send(part)
"""

REPEAT = """
import os, socket, sys
descriptors = lambda: len(os.listdir("/proc/self/fd"))
def once():
    with socket.socket(proto=socket.IPPROTO_SCTP) as connected:
        connected.connect((sys.argv[1], 5000))
        connected.send(b"hello")
        assert connected.recv(100) == b"hello"
once()
before = descriptors()
for _ in range(int(sys.argv[2])):
    once()
assert descriptors() == before, (before, descriptors())
"""

FULL_SERVER = """
import errno, socket, sys
def stream():
    return socket.socket(proto=socket.IPPROTO_SCTP)
listener, first, second = stream(), stream(), stream()
listener.bind((sys.argv[1], 5000))
listener.listen(10)
for _ in range(3):
    try:
        stream()
    except OSError as error:
        assert error.errno == errno.ENFILE, error
    else:
        raise AssertionError("a fourth socket")
print("listening", flush=True)
# The first association finds no place
assert sys.stdin.readline() == "refused\\n"
listener.setblocking(False)
try:
    listener.accept()
except BlockingIOError:
    pass
else:
    raise AssertionError("accepted without a place")
listener.setblocking(True)
second.close()
accepted, _ = listener.accept()
accepted.send(accepted.recv(100))
assert accepted.recv(100) == b""
"""

FULL_CLIENT = """
import socket, sys, time
def connect():
    connected = socket.socket(proto=socket.IPPROTO_SCTP)
    connected.connect((sys.argv[1], 5000))
    return connected
with connect() as refused:
    assert refused.recv(100) == b""
print("refused", flush=True)
def answer():
    with connect() as connected:
        try:
            connected.send(b"served")
            return connected.recv(100)
        except (BrokenPipeError, ConnectionResetError):
            return b""
# The server makes room
while answer() != b"served":
    time.sleep(0.01)
"""

OPENS = """
socket(my $opened, AF_INET, SOCK_STREAM, 132) or die "socket: $!";
bind($opened, sockaddr_in(0, INADDR_ANY)) or die "bind: $!";
(sockaddr_in(getsockname($opened)))[0] > 0 or die "no port";
"""
"""A program in Perl, which every user can read."""
