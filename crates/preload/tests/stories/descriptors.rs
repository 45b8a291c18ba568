//! Descriptors that are duplicated, inherited, passed and replaced.

use crate::daemon::Daemon;
use crate::program::{c, python, python_at};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn the_last_close_ends_the_association() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
copy = client.dup()
client.close()
child = os.fork()
if child == 0:
    copy.send(b'from the child')
    os._exit(0)
os.waitpid(child, 0)
assert server.recv(100) == b'from the child'
fails(errno.EAGAIN, server.recv, 100, socket.MSG_DONTWAIT)
reader, _ = os.pipe()
os.dup2(reader, copy.fileno())
assert server.recv(100) == b''
",
    );
}

#[test]
fn a_program_uses_the_sockets_that_it_inherits() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
os.dup2(client.fileno(), 57)
client.close()
code = 'import socket; s = socket.socket(fileno=57); s.send(b\"from %d\" % s.proto); s.shutdown(1)'
status = os.spawnvp(os.P_WAIT, 'python3', ['python3', '-c', code])
assert status == 0
assert server.recv(100) == b'from 132'
assert server.recv(100) == b''
",
    );
}

#[test]
fn the_environment_names_the_daemon_by_any_path_that_leads_to_it() {
    let daemon = Daemon::start();
    let folder = daemon.path().parent().expect("a folder");
    let link = folder.join("link");
    std::os::unix::fs::symlink(daemon.path(), &link).expect("a link");
    for path in [&link, Path::new("sctp"), Path::new("./link")] {
        python_at(
            folder,
            path,
            "
home = os.getcwd()
# What a relative path means is decided at the start
os.chdir('/')
client, server = pair()
client.send(b'from here')
assert server.recv(100) == b'from here'
os.dup2(client.fileno(), 57)
client.close()
os.chdir(home)
code = 'import socket; s = socket.socket(fileno=57); s.send(b\"from %d\" % s.proto)'
assert os.spawnvp(os.P_WAIT, 'python3', ['python3', '-c', code]) == 0
assert server.recv(100) == b'from 132'
",
        );
    }
}

#[test]
fn a_socket_of_exec_is_closed_if_it_has_cloexec() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
child = os.fork()
if child == 0:
    os.execvp('sleep', ['sleep', '1000'])
client.close()
assert server.recv(100) == b''
os.kill(child, signal.SIGKILL)
",
    );
}

#[test]
fn children_accept_from_the_listening_socket_of_their_parent() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
listener = listening()
children = set()
for _ in range(3):
    child = os.fork()
    if child == 0:
        server, _ = listener.accept()
        server.send(b'%d' % os.getpid())
        os._exit(0)
    children.add(child)
clients = [stream() for _ in children]
for client in clients:
    client.connect(listener.getsockname())
assert {int(client.recv(100)) for client in clients} == children
for _ in children:
    assert os.wait()[1] == 0
",
    );
}

#[test]
fn a_process_uses_a_socket_that_another_passed() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
left, right = socket.socketpair()
os.set_inheritable(right.fileno(), True)
code = '''import socket, sys
unix = socket.socket(fileno=int(sys.argv[1]))
[passed] = socket.recv_fds(unix, 1, 1)[1]
socket.socket(fileno=passed).send(b'passed')'''
child = os.spawnvp(os.P_NOWAIT, 'python3', ['python3', '-c', code, str(right.fileno())])
client, server = pair()
socket.send_fds(left, [b'x'], [client.fileno()])
client.close()
assert os.waitpid(child, 0)[1] == 0
assert server.recv(100) == b'passed'
",
    );
}

#[test]
fn a_process_uses_a_socket_that_came_with_several_messages() {
    let daemon = Daemon::start();
    c(
        &daemon,
        "
#include <arpa/inet.h>
#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int ends[2], listener, client, server, status;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    char space[CMSG_SPACE(sizeof(int))], byte;
    struct iovec place = {&byte, 1};
    if (!fork()) {
        // It has had no SCTP socket so far
        struct mmsghdr in[2] = {{.msg_hdr = {.msg_iov = &place, .msg_iovlen = 1}}};
        in[1] = in[0];
        in[1].msg_hdr.msg_control = space;
        in[1].msg_hdr.msg_controllen = sizeof space;
        assert(recvmmsg(ends[0], in, 2, 0, NULL) == 2);
        struct cmsghdr *head = CMSG_FIRSTHDR(&in[1].msg_hdr);
        int passed;
        memcpy(&passed, CMSG_DATA(head), sizeof passed);
        assert(write(passed, \"passed\", 6) == 6);
        return 0;
    }
    listener = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    assert(!bind(listener, (struct sockaddr *)&address, length) && !listen(listener, 5));
    assert(!getsockname(listener, (struct sockaddr *)&address, &length));
    client = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    assert(!connect(client, (struct sockaddr *)&address, length));
    server = accept(listener, NULL, NULL);
    struct msghdr out = {.msg_iov = &place, .msg_iovlen = 1};
    assert(sendmsg(ends[1], &out, 0) == 1);
    out.msg_control = space;
    out.msg_controllen = sizeof space;
    struct cmsghdr *head = CMSG_FIRSTHDR(&out);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof client);
    memcpy(CMSG_DATA(head), &client, sizeof client);
    assert(sendmsg(ends[1], &out, 0) == 1 && !close(client));
    char text[10];
    assert(read(server, text, sizeof text) == 6 && !memcmp(text, \"passed\", 6));
    assert(wait(&status) > 0 && status == 0);
    return 0;
}
",
    );
}

#[test]
fn a_child_reads_although_other_threads_were_reading_at_the_fork() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
client, server = pair()
done = False
def poll():
    while not done:
        try:
            server.recv(1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass
threads = [threading.Thread(target=poll) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(100):
    if os.fork() == 0:
        signal.alarm(PATIENCE)
        fails(errno.EAGAIN, client.recv, 1, socket.MSG_DONTWAIT)
        os._exit(0)
    assert os.wait()[1] == 0
done = True
",
    );
}

#[test]
fn the_death_of_the_daemon_ends_every_call() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
listener = listening()
client = stream()
client.connect(listener.getsockname())
server, _ = listener.accept()
threading.Timer(0.3, lambda: client.send(b'daemon, die')).start()
assert server.recv(100) == b''
fails(errno.EPIPE, server.send, b'x')
fails(errno.ECONNRESET, client.getpeername)
# The daemon's descriptors are closed one after the other
assert select.select([listener], [], [], PATIENCE)[0]
fails(errno.EINVAL, listener.accept)
fails(errno.EPROTONOSUPPORT, stream)
",
    );
}

#[test]
fn five_hundred_sockets_leave_nothing() {
    let daemon = Daemon::start();
    python(
        &daemon,
        "
before = len(os.listdir('/proc/self/fd'))
sockets = [stream() for _ in range(500)]
assert len({each.getsockname() for each in sockets}) == 500
for each in sockets:
    each.close()
assert len(os.listdir('/proc/self/fd')) == before
",
    );
    let limit = Instant::now() + Duration::from_secs(300);
    while daemon.sockets() > 0 {
        assert!(Instant::now() < limit, "{} sockets", daemon.sockets());
        std::thread::sleep(Duration::from_millis(10));
    }
}
