//! Names, options, errors and refusals.

use crate::daemon::Daemon;
use crate::program::{c, python};

#[test]
fn two_programs_exchange_messages_and_see_the_end() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
listener = listening()
address = listener.getsockname()
if os.fork() == 0:
    client = stream()
    client.connect(address)
    assert client.getpeername() == address
    client.sendall(b'question')
    assert client.recv(100) == b'answer'
    client.shutdown(socket.SHUT_WR)
    assert client.recv(100) == b''
    os._exit(0)
server, peer = listener.accept()
assert server.getsockname() == address
assert server.getpeername() == peer and peer[0] == '127.0.0.1'
assert server.recv(100) == b'question'
server.send(b'answer')
assert server.recv(100) == b''
server.close()
assert os.wait()[1] == 0
",
    );
}

#[test]
fn a_socket_has_the_type_and_protocol_of_its_family() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
many = socket.socket(socket.AF_INET6, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC, SCTP)
for option, value in ((socket.SO_TYPE, socket.SOCK_SEQPACKET), (socket.SO_PROTOCOL, SCTP),
                      (socket.SO_DOMAIN, socket.AF_INET6), (socket.SO_ERROR, 0)):
    assert many.getsockopt(socket.SOL_SOCKET, option) == value
again = socket.socket(fileno=os.dup(many.fileno()))
assert (again.family, again.type, again.proto) == (socket.AF_INET6, socket.SOCK_SEQPACKET, SCTP)
",
    );
}

#[test]
fn errors_have_the_numbers_of_linux() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
alone = stream()
fails(errno.ENOTCONN, alone.getpeername)
fails(errno.ENOTCONN, alone.shutdown, socket.SHUT_WR)
fails(errno.EINVAL, alone.accept)
fails(errno.ECONNREFUSED, alone.connect, ('127.0.0.1', 9))
client, server = pair()
fails(errno.EINVAL, client.send, b'')
fails(errno.EMSGSIZE, client.send, bytes(200_001))
assert client.send(bytes(200_000)) == 200_000
assert len(server.recv(300_000)) == 200_000
fails(errno.ENOPROTOOPT, client.getsockopt, SCTP, 99)
import ctypes
libc, wrong = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p(8)
for result in (lambda: libc.send(client.fileno(), wrong, 4, 0), lambda: libc.setsockopt(client.fileno(), SCTP, 3, wrong, 4)):
    assert (result(), ctypes.get_errno()) == (-1, errno.EFAULT)
",
    );
}

#[test]
fn an_unsupported_option_is_named_once() {
    let daemon = Daemon::start();
    let printed = python(
        &daemon,
        "
alone = stream()
for _ in range(3):
    fails(errno.ENOPROTOOPT, alone.setsockopt, SCTP, 23, bytes(8))
fails(errno.EINVAL, alone.sendmsg, [b'x'], [(SCTP, 6, bytes(2))])
fails(errno.EINVAL, alone.sendmsg, [b'x'], [(SCTP, 6, bytes(2))])
",
    );
    assert_eq!(
        printed.err,
        "manypath: socket option SCTP_AUTH_KEY is not supported\n\
         manypath: ancillary data SCTP_AUTHINFO are not supported\n"
    );
}

#[test]
fn each_option_and_each_refused_value_is_named_once() {
    let daemon = Daemon::start();
    let printed = python(
        &daemon,
        "
for _ in range(3):
    alone = stream()
    fails(errno.EOPNOTSUPP, alone.setsockopt, SCTP, 18, 1)
    fails(errno.EOPNOTSUPP, alone.setsockopt, SCTP, 18, 2)
    fails(errno.EOPNOTSUPP, alone.setsockopt, SCTP, 9, struct.pack('=I152x', 2))
    fails(errno.EOPNOTSUPP, alone.setsockopt, socket.SOL_SOCKET, socket.SO_PRIORITY, -6)
    fails(errno.ENOPROTOOPT, alone.setsockopt, socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'lo')
    fails(errno.ENOPROTOOPT, alone.setsockopt, socket.SOL_SOCKET, 61, bytes(8))
    fails(errno.ENOPROTOOPT, alone.getsockopt, socket.SOL_SOCKET, 4444)
    fails(errno.ENOPROTOOPT, alone.setsockopt, socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    fails(errno.ENOPROTOOPT, alone.setsockopt, socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    fails(errno.ENOPROTOOPT, alone.getsockopt, SCTP, 99)
",
    );
    assert_eq!(
        printed.err,
        "manypath: value 1 of socket option SCTP_FRAGMENT_INTERLEAVE is not supported\n\
         manypath: flags 0x2 of socket option SCTP_PEER_ADDR_PARAMS are not supported\n\
         manypath: value -6 of socket option SO_PRIORITY is not supported\n\
         manypath: socket option SO_BINDTODEVICE is not supported\n\
         manypath: socket option SO_TXTIME is not supported\n\
         manypath: socket option 4444 of level 1 is not supported\n\
         manypath: socket option 1 of level 6 is not supported\n\
         manypath: SCTP has no socket option 99\n"
    );
}

#[test]
fn without_a_daemon_there_is_no_sctp_and_the_program_reports_the_reason() {
    let daemon = Daemon::start();
    std::fs::remove_file(daemon.path()).expect("the socket");
    let printed = python(&daemon, "for _ in range(2): fails(errno.EPROTONOSUPPORT, stream)\n");
    assert_eq!(printed.err, "manypath: the daemon of SCTP sockets cannot be reached\n");
}

#[test]
fn other_sockets_and_files_are_those_of_the_kernel() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
listener = socket.create_server(('127.0.0.1', 0))
here = socket.create_connection(listener.getsockname())
there, _ = listener.accept()
here.sendall(bytes(250_000))
received = 0
while received < 250_000:
    received += len(there.recv(65536))
assert there.getpeername() == here.getsockname()
assert here.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0
left, right = socket.socketpair()
left.send(b'by unix')
assert right.recv(100) == b'by unix'
reader, writer = os.pipe()
os.write(writer, b'by pipe')
assert os.read(reader, 100) == b'by pipe'
fails(errno.EBADF, os.read, 999, 1)
client.send(b'by SCTP')
assert server.recv(100) == b'by SCTP'
",
    );
}

#[test]
fn a_c_program_uses_the_vector_and_fortified_calls() {
    let daemon = Daemon::start();
    let printed = c(&daemon, include_str!("program.c"));
    assert_eq!(printed.out, "every call works\n");
}
