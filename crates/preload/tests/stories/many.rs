//! One-to-many sockets in the program's process.

use crate::daemon::Daemon;
use crate::program::python;

/// A one-to-many socket, `SCTP_SNDINFO`, and `getsockopt` with a value that is read too.
const MANY: &str = "
import ctypes
many = socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, SCTP)
many.settimeout(PATIENCE)
many.setblocking(True)
def info(association, flags=0):
    return [(SCTP, 2, struct.pack('=HHIIi', 0, flags, 0, 0, association))]
def get(option, value):
    buffer, length = ctypes.create_string_buffer(value, len(value)), ctypes.c_int(len(value))
    result = ctypes.CDLL(None, use_errno=True).getsockopt(
        many.fileno(), SCTP, option, buffer, ctypes.byref(length))
    return result, buffer.raw[:length.value]
";

#[test]
fn a_message_fails_at_once_if_its_association_does_not_exist() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
signals = []
signal.signal(signal.SIGPIPE, lambda number, _: signals.append(number))
fails(errno.EPIPE, many.sendmsg, [b'x'], info(7))
time.sleep(0)
assert signals == [signal.SIGPIPE]
fails(errno.EPIPE, many.sendmsg, [b'x'], info(7), socket.MSG_NOSIGNAL)
time.sleep(0)
assert signals == [signal.SIGPIPE]
assert many.sendmsg([b'there'], info(1)) == 5
assert many.recv(100) == b'there'
"
        ),
    );
}

#[test]
fn a_socket_without_association_does_not_wait_for_messages_and_sends_none() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
for _ in range(2):
    fails(errno.ENOTCONN, many.recv, 100)
fails(errno.EAGAIN, many.recv, 100, socket.MSG_DONTWAIT)
fails(errno.EPIPE, many.send, b'to nobody')
assert many.sendmsg([b'there'], info(1)) == 5
assert many.recv(100) == b'there'
"
        ),
    );
}

#[test]
fn the_daemon_may_take_a_message_without_a_record() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
assert many.sendmsg([b'the ', b'reason'], info(1, 4)) == 0
assert many.recv(100) == b'the reason'
assert many.sendmsg([bytes(5000)], info(1, 4)) == 0
assert many.recv(10_000) == bytes(1500)
assert many.sendto(b'no answer', ('127.0.0.1', 9)) == 9
assert many.sendto(b'an answer', ('127.0.0.1', 7)) == 9
assert many.recvfrom(100) == (b'an answer', ('127.0.0.1', 7))
"
        ),
    );
}

#[test]
fn accept_fails_and_takes_no_message() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
fails(errno.EOPNOTSUPP, many.accept)
many.sendto(b'unread', ('127.0.0.1', 7))
select.select([many], [], [])
fails(errno.EOPNOTSUPP, many.accept)
assert many.recv(2) == b'un'
fails(errno.EOPNOTSUPP, many.accept)
assert many.recv(100) == b'read'
client, server = pair()
client.send(b'kept')
select.select([server], [], [])
fails(errno.EINVAL, server.accept)
assert server.recv(100) == b'kept'
"
        ),
    );
}

#[test]
fn a_peeled_off_association_has_a_descriptor_with_the_wanted_flags() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
many.sendto(b'half and half', ('127.0.0.1', 7))
assert many.recv(4) == b'half'
PEELOFF, PEELOFF_FLAGS = 102, 122
fd, argument = get(PEELOFF, struct.pack('ii', 5, -1))
assert struct.unpack('ii', argument) == (5, fd) and fd > many.fileno()
# A head of 64 bytes and those that were read
peeled = socket.socket(fileno=fd)
assert peeled.recv(100) == b'68'
assert fcntl.fcntl(fd, fcntl.F_GETFD) == 0 and not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK
assert peeled.type == socket.SOCK_SEQPACKET
flags = socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
fd, argument = get(PEELOFF_FLAGS, struct.pack('iiI', 5, -1, flags))
assert struct.unpack('iiI', argument) == (5, fd, flags)
assert fcntl.fcntl(fd, fcntl.F_GETFD) == fcntl.FD_CLOEXEC
assert fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK
assert many.recv(100) == b' and half'
assert get(PEELOFF, bytes(4)) == (-1, bytes(4)) and ctypes.get_errno() == errno.EINVAL
"
        ),
    );
}

#[test]
fn a_fork_does_not_wait_for_the_daemon_that_peels_off() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
peeled = []
thread = threading.Thread(target=lambda: peeled.append(get(102, struct.pack('ii', 6, -1))[0]))
thread.start()
select.select([many], [], [])
if os.fork() == 0:
    # The daemon answers the other thread of the parent after this call
    many.getsockname()
    os._exit(0)
thread.join()
assert os.wait()[1] == 0
assert peeled[0] >= 0, peeled
assert many.recv(100) == b'waits'
"
        ),
    );
}

#[test]
fn the_last_message_of_an_association_is_read_although_it_has_ended_meanwhile() {
    let daemon = Daemon::start();
    python(
        &daemon,
        &format!(
            "{MANY}
many.bind(('127.0.0.1', 11))
# It arrives after the first look, and before the daemon tells that there is no association
assert many.recv(100) == b'the last'
"
        ),
    );
}
