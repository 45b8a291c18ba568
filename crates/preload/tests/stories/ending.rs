//! Sending after the end of an association.

use crate::daemon::Daemon;
use crate::program::python;

/// Waits until a socket's association has ended.
const UNTIL_ENDED: &str = "
def until_ended(ended):
    events = select.poll()
    events.register(ended, select.POLLRDHUP)
    assert events.poll(1000 * PATIENCE)
";

#[test]
fn the_first_message_after_a_shutdown_of_the_peer_fails_with_a_signal() {
    let daemon = Daemon::start();
    let script = "
client, server = pair()
server.send(b'last words')
server.shutdown(socket.SHUT_WR)
until_ended(client)
signals = []
signal.signal(signal.SIGPIPE, lambda number, _: signals.append(number))
fails(errno.EPIPE, client.send, b'too late', socket.MSG_NOSIGNAL)
assert signals == []
fails(errno.EPIPE, client.send, b'too late')
fails(errno.EPIPE, os.write, client.fileno(), b'too late')
assert client.recv(5) == b'last '
fails(errno.EPIPE, client.send, b'too late')
assert client.recv(100) == b'words'
assert client.recv(100) == b''
assert signals == [signal.SIGPIPE] * 3
";
    python(&daemon, &format!("{UNTIL_ENDED}{script}"));
}

#[test]
fn the_first_message_after_an_abort_fails_with_its_reason_once() {
    let daemon = Daemon::start();
    // SCTP_SNDRCV with SCTP_ABORT
    let script = "
client, server = pair()
server.sendmsg([b'enough'], [(SCTP, 1, struct.pack('=HHHxxIIIIIi', 0, 0, 4, 0, 0, 0, 0, 0, 0))])
until_ended(client)
fails(errno.ECONNRESET, client.send, b'too late')
fails(errno.EPIPE, client.send, b'too late')
assert client.recv(100) == b''
";
    python(&daemon, &format!("{UNTIL_ENDED}{script}"));
}
