//! Messages: boundaries, partial reads, ancillary data and the end.

use crate::daemon::Daemon;
use crate::program::python;

#[test]
fn a_short_read_keeps_the_rest_and_only_the_end_has_eor() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
client.send(b'first message')
client.send(b'second')
select.select([server], [], [])
def unread():
    return struct.unpack('i', fcntl.ioctl(server, termios.FIONREAD, bytes(4)))[0]
assert unread() == 13
assert server.recvmsg(5)[::2] == (b'first', 0)
assert unread() == 8
assert server.recv(100, socket.MSG_PEEK) == b' message'
assert server.recv(3, socket.MSG_PEEK) == b' me'
assert select.select([server], [], [], 0)[0]
assert server.recvmsg(3)[::2] == (b' me', 0)
assert server.recvmsg(100)[::2] == (b'ssage', socket.MSG_EOR)
assert server.recv(100, socket.MSG_PEEK) == b'second'
assert server.recvmsg(6)[::2] == (b'second', socket.MSG_EOR)
assert not select.select([server], [], [], 0)[0]
fails(errno.EAGAIN, server.recv, 1, socket.MSG_DONTWAIT)
",
    );
}

#[test]
fn a_process_reads_on_where_its_parent_stopped() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
client.send(b'for parent and child')
client.send(b'next')
assert server.recv(10) == b'for parent'
if os.fork() == 0:
    assert server.recv(100) == b' and child'
    os._exit(0)
assert os.wait()[1] == 0
assert server.recv(100) == b'next'
",
    );
}

#[test]
fn threads_receive_each_message_once_and_whole() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
received, count = [], 400
def receive():
    while True:
        message = server.recv(1000)
        if not message:
            return
        received.append(message)
threads = [threading.Thread(target=receive) for _ in range(4)]
for thread in threads:
    thread.start()
sent = [b'%d ' % number * (number % 50 + 1) for number in range(count)]
for message in sent:
    client.send(message)
client.close()
for thread in threads:
    thread.join()
assert sorted(received) == sorted(sent)
",
    );
}

#[test]
fn ancillary_data_contain_stream_and_payload_protocol() {
    let daemon = Daemon::start();
    // The structures of <linux/sctp.h>
    python(
        &daemon,
        "
SNDRCV, SNDINFO, RCVINFO, CTRUNC = 1, 2, 3, socket.MSG_CTRUNC
client, server = pair()
client.sendmsg([b'plain'])
assert server.recvmsg(100, 500)[1] == []
server.setsockopt(SCTP, 11, bytes([1] + 13 * [0]))
server.setsockopt(SCTP, 32, struct.pack('i', 1))
info = struct.pack('=HHIIi', 7, 1, 0x11223344, 9, 0)
for _ in range(2):
    client.sendmsg([b'on ', b'stream 7'], [(SCTP, SNDINFO, info)])
text, ancillary, flags, source = server.recvmsg(100, 500)
assert text == b'on stream 7' and flags == socket.MSG_EOR and source == server.getpeername()
received = {kind: data for level, kind, data in ancillary if level == SCTP}
assert struct.unpack('=HHHxxIIIIi', received[RCVINFO]) == (7, 0, 1, 0x11223344, 0, 0, 0, 1)
assert struct.unpack('=HHHxxIIIIIi', received[SNDRCV]) == (7, 0, 1, 0x11223344, 0, 0, 0, 0, 1)
text, ancillary, flags, _ = server.recvmsg(100, socket.CMSG_SPACE(28))
assert [kind for _, kind, _ in ancillary] == [RCVINFO] and flags == socket.MSG_EOR | CTRUNC
fails(errno.EINVAL, client.sendmsg, [b'x'], [(SCTP, SNDINFO, info[1:])])
fails(errno.EINVAL, client.sendmsg, [b'x'], [(SCTP, SNDINFO, struct.pack('=HHIIi', 0, 0x400, 0, 0, 0))])
",
    );
}

#[test]
fn an_abort_resets_the_connection_and_writing_fails_with_a_signal() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
abort = struct.pack('=HHIIi', 0, 4, 0, 0, 0)
client.send(b'last words')
client.sendmsg([b'cause'], [(SCTP, 2, abort)])
assert server.recv(100) == b'last words'
fails(errno.ECONNRESET, server.recv, 100)
assert server.recv(100) == b''
signals = []
signal.signal(signal.SIGPIPE, lambda number, _: signals.append(number))
fails(errno.EPIPE, server.send, b'too late')
# Python runs handlers at the next call
time.sleep(0)
assert signals == [signal.SIGPIPE]
fails(errno.EPIPE, server.send, b'too late', socket.MSG_NOSIGNAL)
time.sleep(0)
assert signals == [signal.SIGPIPE]
",
    );
}

#[test]
fn a_file_is_sent_from_its_offset() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
import tempfile
client, server = pair()
with tempfile.TemporaryFile() as file:
    content = os.urandom(150_000)
    file.write(content)
    file.seek(10)
    receiver = bytearray()
    def receive():
        while part := server.recv(50_000):
            receiver.extend(part)
    thread = threading.Thread(target=receive)
    thread.start()
    assert os.sendfile(client.fileno(), file.fileno(), None, 100_000) == 100_000
    assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 100_010
    assert os.sendfile(client.fileno(), file.fileno(), 100_010, 100_000) == 49_990
    client.close()
    thread.join()
    assert receiver == content[10:]
",
    );
}

#[test]
fn the_last_byte_of_a_message_is_read_by_its_own_call() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
client.send(b'abc')
client.send(b'next')
text, _, flags, _ = server.recvmsg(2)
assert text == b'ab' and not flags & socket.MSG_EOR
text, _, flags, _ = server.recvmsg(10)
assert text == b'c' and flags & socket.MSG_EOR
assert server.recv(10) == b'next'
",
    );
}

#[test]
fn a_message_needs_a_stream_of_its_association() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
def on(stream):
    return client.sendmsg([b'x'], [(SCTP, 2, struct.pack('=HHIIi', stream, 0, 0, 0, 0))])
# The daemon of the tests has 10 streams
fails(errno.EINVAL, on, 10)
assert on(9) == 1
assert server.recv(10) == b'x'
",
    );
}

#[test]
fn sendfile_moves_the_offset_that_it_was_given_and_not_that_of_the_file() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
import ctypes, tempfile
client, server = pair()
with tempfile.TemporaryFile() as file:
    file.write(bytes(range(100)))
    file.seek(7)
    offset = ctypes.c_long(20)
    sendfile = ctypes.CDLL(None).sendfile
    assert sendfile(client.fileno(), file.fileno(), ctypes.byref(offset), ctypes.c_size_t(30)) == 30
    assert offset.value == 50 and file.tell() == 7
assert server.recv(100) == bytes(range(20, 50))
",
    );
}
