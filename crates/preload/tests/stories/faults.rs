//! Calls that must fail or end instead of waiting, and processes that share a socket.

use crate::daemon::Daemon;
use crate::program::{c, python};

#[test]
fn a_socket_without_association_does_not_wait_for_messages() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def receives(fd):
    return libc.recv(fd, ctypes.create_string_buffer(10), 10, 0), ctypes.get_errno()
alone, listener = stream(), listening()
for waiting in (alone, listener):
    assert fcntl.ioctl(waiting, termios.FIONREAD, bytes(4)) == bytes(4)
    for _ in range(2):
        assert receives(waiting.fileno()) == (-1, errno.ENOTCONN)
    fails(errno.EAGAIN, waiting.recv, 10, socket.MSG_DONTWAIT)
    waiting.setblocking(False)
    fails(errno.EAGAIN, waiting.recv, 10)
    waiting.setblocking(True)
alone.connect(listener.getsockname())
fails(errno.ENOTCONN, listener.recv, 10)
server, _ = listener.accept()
threading.Timer(0.1, lambda: server.send(b'waited for')).start()
assert alone.recv(100) == b'waited for'
fails(errno.ENOTCONN, listener.recv, 10)
",
    );
}

#[test]
fn a_program_that_shuts_reading_down_reads_the_end_and_writes_on() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
client.shutdown(socket.SHUT_RD)
assert client.recv(100) == b''
assert select.select([client], [], [], 0)[0]
client.send(b'still here')
assert server.recv(100) == b'still here'
client.shutdown(socket.SHUT_RDWR)
assert server.recv(100) == b''
",
    );
}

#[test]
fn messages_of_a_program_that_reads_no_more_need_no_calls() {
    let daemon = Daemon::start();
    let script = |messages: u32| {
        format!(
            "
client, server = pair()
client.shutdown(socket.SHUT_RD)
for number in range({messages}):
    client.send(b'%d' % number)
    assert server.recv(100) == b'%d' % number
client.shutdown(socket.SHUT_WR)
client.shutdown(socket.SHUT_RD)
fails(errno.ESHUTDOWN, client.send, b'late')
"
        )
    };
    python(&daemon, &script(1));
    let few = daemon.calls();
    python(&daemon, &script(50));
    assert_eq!(daemon.calls(), 2 * few);
}

#[test]
fn bytes_are_not_spliced_but_copied() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
reader, writer = os.pipe()
os.write(writer, b'by pipe')
server.send(b'by SCTP')
select.select([client], [], [])
fails(errno.EINVAL, os.splice, reader, client.fileno(), 100)
fails(errno.EINVAL, os.splice, client.fileno(), writer, 100)
assert os.splice(reader, os.open('/dev/null', os.O_WRONLY), 100) == 7
assert client.recv(100) == b'by SCTP'
",
    );
}

#[test]
fn messages_of_two_processes_on_one_socket_arrive_whole() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
children = []
for letter in b'ab':
    children.append(os.fork())
    if children[-1] == 0:
        for number in range(300):
            client.sendall(bytes([letter]) * (number * 20 + 1))
        os._exit(0)
client.close()
received = {b'a': [], b'b': []}
while message := server.recv(10_000):
    assert message == message[:1] * len(message)
    received[message[:1]].append(len(message))
assert list(received.values()) == [[number * 20 + 1 for number in range(300)]] * 2
for child in children:
    assert os.waitpid(child, 0)[1] == 0
",
    );
}

#[test]
fn the_end_of_an_association_is_an_empty_message_of_recvmmsg() {
    let daemon = Daemon::start();
    let source = "
int main(void) {
    connect_pair();
    assert(write(client, \"last\", 4) == 4 && !close(client));
    char buffers[2][10];
    struct iovec places[2] = {{buffers[0], 10}, {buffers[1], 10}};
    struct mmsghdr in[2];
    memset(in, 0, sizeof in);
    for (int i = 0; i < 2; i++) {
        in[i].msg_hdr.msg_iov = &places[i];
        in[i].msg_hdr.msg_iovlen = 1;
        in[i].msg_len = 7;
    }
    assert(recvmmsg(server, in, 2, 0, NULL) == 2);
    assert(in[0].msg_len == 4 && in[1].msg_len == 0);
    return 0;
}
";
    c(&daemon, &format!("{PAIR}{source}"));
}

/// net/socket.c, `__sys_recvfrom`
#[test]
fn recvfrom_needs_a_length_for_an_address_and_ignores_it_without_one() {
    let daemon = Daemon::start();
    let source = "
int main(void) {
    struct sockaddr *at = (struct sockaddr *)&address;
    socklen_t length, *volatile none = NULL;
    char bytes[10];
    connect_pair();
    for (const char *word = \"abcd\"; *word; word++)
        assert(write(client, word, 1) == 1);
    memset(&address, 0, sizeof address);
    assert(recvfrom(server, bytes, 10, 0, at, none) == -1 && errno == EFAULT);
    assert(recvfrom(server, bytes, 10, 0, at, (socklen_t *)8) == -1 && errno == EFAULT);
    // Both messages were taken
    length = 77;
    assert(recvfrom(server, bytes, 10, 0, NULL, &length) == 1 && bytes[0] == 'c' && length == 77);
    length = sizeof address;
    assert(recvfrom(server, bytes, 10, 0, at, &length) == 1 && bytes[0] == 'd');
    assert(length == sizeof address && address.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    assert(!close(client));
    assert(recvfrom(server, bytes, 10, 0, at, none) == -1 && errno == EFAULT);
    assert(recvfrom(server, bytes, 10, 0, at, &length) == 0 && length == 0);
    return 0;
}
";
    c(&daemon, &format!("{PAIR}{source}"));
}

#[test]
fn a_call_that_waits_keeps_its_socket_while_another_thread_closes_the_descriptor() {
    let daemon = Daemon::start();
    let printed = c(&daemon, include_str!("closed.c"));
    assert_eq!(printed.out, "every socket is kept\n");
}

/// The begin of a C program: its sockets `client` and `server` are connected by `connect_pair`.
const PAIR: &str = "
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static struct sockaddr_in address;
static int client, server;
static void connect_pair(void) {
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert(!bind(listener, (struct sockaddr *)&address, length) && !listen(listener, 5));
    assert(!getsockname(listener, (struct sockaddr *)&address, &length));
    client = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    assert(!connect(client, (struct sockaddr *)&address, length));
    server = accept(listener, NULL, NULL);
}
";
