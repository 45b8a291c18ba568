//! Blocking, time limits, signals and edge-triggered events.

use crate::daemon::Daemon;
use crate::program::python;

#[test]
fn a_non_blocking_connection_gives_one_edge_when_it_is_made() {
    let daemon = Daemon::start();
    daemon.hold_connections();
    python(
        &daemon,
        "
listener = listening()
client = stream()
client.setblocking(False)
events = select.epoll()
events.register(client, select.EPOLLOUT | select.EPOLLIN | select.EPOLLET)
events.poll(0)
assert client.connect_ex(listener.getsockname()) == errno.EINPROGRESS
assert events.poll(0.1) == []
assert not select.select([], [client], [], 0)[1]
release()
assert events.poll(PATIENCE) == [(client.fileno(), select.EPOLLOUT)]
assert client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
assert events.poll(0.1) == []
server, _ = listener.accept()
server.send(b'hello')
assert events.poll(PATIENCE)[0][1] & select.EPOLLIN
assert client.recv(100) == b'hello'
fails(errno.EAGAIN, client.recv, 100)
",
    );
}

#[test]
fn a_non_blocking_connection_that_fails_is_writable_and_has_its_error() {
    let daemon = Daemon::start();
    daemon.hold_connections();
    python(
        &daemon,
        "
client = stream()
client.setblocking(False)
assert client.connect_ex(('127.0.0.1', 9)) == errno.EINPROGRESS
assert not select.select([], [client], [], 0.1)[1]
release()
assert select.select([], [client], [], PATIENCE)[1]
assert client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNREFUSED
assert client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
",
    );
}

#[test]
fn a_blocking_connection_waits_until_a_signal_or_its_time_limit() {
    let daemon = Daemon::start();
    daemon.hold_connections();
    // The calls of libc: those of Python continue after a signal. The daemon never makes these connections. The signal is
    // repeated, because the first one may arrive before the call
    python(
        &daemon,
        "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
listener = listening()
address = struct.pack('=H', socket.AF_INET) + struct.pack('!H4s8x', listener.getsockname()[1], bytes([127, 0, 0, 1]))
def connect(client):
    assert libc.connect(client.fileno(), address, 16) == -1
    return ctypes.get_errno()
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
assert connect(stream()) == errno.EINTR
signal.setitimer(signal.ITIMER_REAL, 0)
limited = stream()
limited.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack('ll', 0, 200_000))
assert connect(limited) == errno.EINPROGRESS
",
    );
}

#[test]
fn a_blocking_connection_is_made_while_another_thread_closes_the_descriptor() {
    let daemon = Daemon::start();
    daemon.hold_connections();
    python(
        &daemon,
        "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
listener = listening()
address = struct.pack('=H', socket.AF_INET) + struct.pack('!H4s8x', listener.getsockname()[1], bytes([127, 0, 0, 1]))
client, results = stream(), []
number = client.detach()
thread = threading.Thread(target=lambda: results.append(libc.connect(number, address, 16)))
thread.start()
duplicates = lambda: [fd for fd in map(int, os.listdir('/proc/self/fd')) if fd >= 512]
while not duplicates():
    time.sleep(0.001)
os.close(number)
release()
thread.join()
assert results == [0]
server, _ = listener.accept()
assert server.recv(100) == b''
assert not duplicates()
",
    );
}

#[test]
fn receiving_and_accepting_wait_as_long_as_the_descriptor_says() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
listener = listening()
client = stream()
client.connect(listener.getsockname())
server, _ = listener.accept()
for waiting, action in ((server, lambda: server.recv(10)), (listener, listener.accept)):
    waiting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack('ll', 0, 200_000))
    start = time.monotonic()
    fails(errno.EAGAIN, action)
    assert time.monotonic() - start > 0.19
    waiting.setblocking(False)
    fails(errno.EAGAIN, action)
def later():
    time.sleep(0.2)
    client.send(b'late')
server.setblocking(True)
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, bytes(16))
thread = threading.Thread(target=later)
thread.start()
assert server.recv(100) == b'late'
thread.join()
",
    );
}

#[test]
fn a_sender_whose_peer_does_not_read_waits_or_is_told() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
client.setblocking(False)
sent = 0
try:
    for _ in range(1000):
        sent += client.send(bytes(10_000))
        time.sleep(0.001)
except BlockingIOError:
    pass
assert 100_000 < sent < 5_000_000
received = 0
while received < sent:
    received += len(server.recv(3_000))
assert select.select([], [client], [], PATIENCE)[1]
client.send(b'again')
assert server.recv(100) == b'again'
",
    );
}
