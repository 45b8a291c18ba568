"""Programs with thousands of descriptors, sockets and associations, and programs of several users."""

from __future__ import annotations

import grp
import shutil
from pathlib import Path

import pytest
from network import Network
from served import LIBRARY, Daemons
from wrapped import PATIENCE

pytestmark = pytest.mark.programs

MEMBERS = {"supplementary": ["--regid=65533", "--groups"], "primary": ["--clear-groups", "--regid"]}
"""Options of setpriv that make a program a member of the group whose number follows."""


def opens(daemon, public: Path, *user: str) -> str:
    """Let a program of a user open sockets, and return what it prints."""
    library = public / "library.so"
    if not library.exists():
        shutil.copy(LIBRARY, library)
    program = daemon.start("setpriv", "--reuid=65533", *user, "perl", "-MSocket", "-e", OPENS, library=library)
    out, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, errors
    return out


@pytest.mark.parametrize("kind", MEMBERS)
def test_members_of_the_group_are_served_and_other_users_are_not(kind: str, daemons, public: Path) -> None:
    group = grp.getgrgid(1)
    daemon = daemons("--group", group.gr_name, folder=public)
    first, last = MEMBERS[kind]
    joined = [f"{last}={group.gr_gid}"]
    assert opens(daemon, public, first, *joined) == "bound\n"
    assert opens(daemon, public, "--clear-groups", "--regid=65533") == "socket: Permission denied\n"


def test_users_have_limits_of_their_own(daemons, public: Path) -> None:
    daemon = daemons("--group", grp.getgrgid(1).gr_name, "--limit", "20", "--limit-per-user", "12", folder=public)
    hoarder = daemon.start("python3", "-c", HOARDER, "100")
    assert hoarder.stdout is not None
    assert hoarder.stdout.readline() == "12 sockets, then EMFILE\n"
    assert opens(daemon, public, "--clear-groups", "--regid=1") == "bound\n"
    hoarder.communicate("", timeout=PATIENCE)
    assert hoarder.returncode == 0


def test_one_program_takes_thousands_of_sockets_up_to_the_limit(daemons) -> None:
    daemon = daemons("--limit", "3000")
    idle = daemon.descriptors()
    for _ in range(2):
        hoarder = daemon.start("python3", "-c", HOARDER, "5000")
        assert hoarder.stdout is not None
        assert hoarder.stdout.readline() == "3000 sockets, then ENFILE\n"
        other = daemon.start("python3", "-c", HOARDER, "1")
        out, errors = other.communicate("", timeout=PATIENCE)
        assert out == "0 sockets, then ENFILE\n", errors
        hoarder.communicate("", timeout=PATIENCE)
        assert hoarder.returncode == 0
        daemon.settles(idle)


def test_descriptors_beyond_fd_setsize_are_those_of_the_kernel(network, daemons) -> None:
    program = daemons().start("python3", "-c", HIGH, network.right.ipv4[0])
    _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, errors


def opens_and_closes(daemons: Daemons, network: Network, count: int) -> int:
    """Open and close associations of one one-to-many socket; return by how much the memory of the daemons has grown."""
    server, client = daemons(), daemons(host=network.left)
    echo = server.start("python3", "-c", MANY_SERVER, network.right.ipv4[0])
    assert echo.stdout is not None
    assert echo.stdout.readline() == "listening\n"
    program = client.start("python3", "-c", MANY_CLIENT, network.right.ipv4[0], str(count))
    assert program.stdout is not None
    # After the first associations, memory of the daemons is in use
    assert program.stdout.readline() == "warm\n", program.communicate()[1]
    before = [(daemon, daemon.memory(), daemon.descriptors()) for daemon in (server, client)]
    out, errors = program.communicate(timeout=PATIENCE + count / 20)
    assert program.returncode == 0, errors
    assert out == f"{count} associations\n"
    for daemon, _, descriptors in before:
        daemon.settles(descriptors)
    echo.kill()
    echo.communicate()
    return max(daemon.memory() - memory for daemon, memory, _ in before)


def test_associations_of_a_one_to_many_socket_leave_nothing(network, daemons) -> None:
    assert opens_and_closes(daemons, network, 300) < 8_000_000


@pytest.mark.long
def test_ten_thousand_associations_of_a_one_to_many_socket(network, daemons) -> None:
    assert opens_and_closes(daemons, network, 10_000) < 8_000_000


OPENS = """
if (!socket(my $opened, AF_INET, SOCK_STREAM, 132)) {
    print "socket: $!\\n";
} elsif (!bind($opened, sockaddr_in(0, INADDR_ANY))) {
    print "bind: $!\\n";
} else {
    print "bound\\n";
}
"""
"""A program in Perl, which every user can read."""

HOARDER = """
import errno, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held = []
try:
    while len(held) < int(sys.argv[1]):
        held.append(socket.socket(proto=socket.IPPROTO_SCTP))
    end = "enough"
except OSError as error:
    end = errno.errorcode[error.errno]
print(len(held), "sockets, then", end, flush=True)
sys.stdin.read()
"""
"""Opens sockets until an error, and holds them until the end of its input."""

HIGH = """
import ctypes, fcntl, os, resource, select, socket, struct, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 0))
listener.listen(5)
client = socket.socket(proto=socket.IPPROTO_SCTP)
client.connect(listener.getsockname())
accepted, _ = listener.accept()
high = fcntl.fcntl(client, fcntl.F_DUPFD, 1500)
assert high == 1500
client.close()
# Python refuses it as the macros of C do
try:
    select.select([high], [], [], 0)
except ValueError as error:
    assert "out of range" in str(error)
else:
    raise AssertionError("no error")
# The kernel takes larger sets
libc = ctypes.CDLL(None, use_errno=True)
def selected():
    bits = bytearray(256)
    bits[high // 8] |= 1 << high % 8
    readable = (ctypes.c_char * 256).from_buffer(bits)
    count = libc.select(high + 1, readable, None, None, struct.pack("ll", 0, 0))
    return count, bool(bits[high // 8] & 1 << high % 8)
assert selected() == (0, False)
poll = select.poll()
poll.register(high, select.POLLIN)
accepted.send(b"to a high descriptor")
assert poll.poll(300_000) == [(high, select.POLLIN)]
assert selected() == (1, True)
assert os.read(high, 100) == b"to a high descriptor"
os.write(high, b"back")
assert accepted.recv(100) == b"back"
again = socket.socket(fileno=os.dup2(high, 1600))
os.close(high)
again.send(b"again")
assert accepted.recv(100) == b"again"
"""

MANY_SERVER = """
import socket, sys
server = socket.socket(type=socket.SOCK_SEQPACKET, proto=socket.IPPROTO_SCTP)
server.bind((sys.argv[1], 5000))
server.listen(100)
print("listening", flush=True)
while True:
    text, peer = server.recvfrom(100)
    server.sendto(text, peer)
"""

MANY_CLIENT = """
import socket, struct, sys
SCTP, EVENTS, EOF, NOTIFICATION = socket.IPPROTO_SCTP, 11, 0x200, 0x8000
ASSOC_CHANGE, UP, OVER = 0x8001, 0, 3
server, count = (sys.argv[1], 5000), int(sys.argv[2])
client = socket.socket(type=socket.SOCK_SEQPACKET, proto=SCTP)
client.setsockopt(SCTP, EVENTS, bytes([1, 1]))
def change(wanted):
    text, _, flags, _ = client.recvmsg(200, 100)
    kind, _, _, state, _, _, _, number = struct.unpack_from("=HHIHHHHi", text)
    assert flags & NOTIFICATION and (kind, state) == (ASSOC_CHANGE, wanted), (kind, state)
    return number
numbers = set()
for index in range(100 + count):
    if index == 100:
        print("warm", flush=True)
    client.sendto(b"%d" % index, server)
    number = change(UP)
    assert number not in numbers
    numbers.add(number)
    text, _, flags, _ = client.recvmsg(200, 100)
    assert text == b"%d" % index and not flags & NOTIFICATION
    ends = struct.pack("=HHIIi", 0, EOF, 0, 0, number)
    client.sendmsg([], [(SCTP, 2, ends)])
    assert change(OVER) == number
print(len(numbers) - 100, "associations", flush=True)
"""
