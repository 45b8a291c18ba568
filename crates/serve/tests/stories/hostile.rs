//! Programs that send something else than records.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use manypath_posix::record::{Answer, Call, HEAD, Operation, Request, Sent};
use nix::libc;
use rustix::net::{RecvFlags, sockopt};

use crate::guest::{Guest, Host, Pair, Read, free_port, plain, read, silent, write, write_with};

/// Whether the daemon has closed a connection.
fn is_cut_off(fd: &rustix::fd::OwnedFd) -> bool {
    match read(fd, RecvFlags::empty()) {
        Ok((bytes, _)) => bytes.is_empty(),
        Err(errno) => errno == libc::ECONNRESET,
    }
}

#[test]
fn a_malformed_first_record_ends_its_connection_alone() {
    let pair = Pair::new();
    let path = &pair.client.path;
    let open = Request::Open { domain: libc::AF_INET, kind: libc::SOCK_STREAM, protocol: 132 };
    let call = Request::Call(Call::new(Operation::Listen));
    let mut records = vec![
        vec![0; 1],
        vec![0xff; HEAD],
        vec![0; 4096],
        Request::Shutdown { how: 1 }.encode(),
        // Without a descriptor
        open.encode(),
        call.encode(),
    ];
    records.push(open.encode()[..HEAD - 1].to_vec());
    for record in records {
        let fd = plain(path);
        write(&fd, &record, None).expect("the daemon accepts it");
        assert!(is_cut_off(&fd), "{record:?}");
    }
    pair.opened.send(0, 0, b"unharmed").expect("it is connected");
    assert_eq!(pair.accepted.text(), "unharmed");
}

#[test]
fn a_malformed_record_aborts_the_association_of_its_socket_alone() {
    let pair = Pair::new();
    let other = pair.client.socket();
    other.connect("127.0.0.1:5001").expect("it listens");
    let (accepted, _) = pair.listener.accept().expect("it is connected");
    write(&pair.opened.fd, &[0xff; HEAD], None).expect("the daemon reads it");
    assert_eq!(pair.accepted.receive(), Read::Error(libc::ECONNRESET));
    assert!(is_cut_off(&pair.opened.fd));
    other.send(0, 0, b"unharmed").expect("it is connected");
    assert_eq!(accepted.text(), "unharmed");
    pair.client.until(|daemon| daemon.sockets() == 1);
}

#[test]
fn a_descriptor_of_no_socket_gets_an_error() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let file = std::fs::File::open("/dev/null").expect("a file").into();
    for descriptor in [&file, &plain(&host.path)] {
        let control = plain(&host.path);
        let call = Request::Call(Call::new(Operation::SocketName)).encode();
        write(&control, &call, Some(descriptor)).expect("the daemon reads it");
        let (bytes, _) = read(&control, RecvFlags::empty()).expect("an answer");
        let answer = Answer::decode(&bytes).expect("an answer");
        assert!(matches!(answer, Answer::Reply { errno: libc::ENOTCONN, .. }), "{answer:?}");
    }
}

#[test]
fn a_second_connection_cannot_take_over_a_socket() {
    let pair = Pair::new();
    let open = Request::Open { domain: libc::AF_INET, kind: libc::SOCK_STREAM, protocol: 132 };
    let thief = plain(&pair.client.path);
    write(&thief, &open.encode(), Some(&pair.opened.fd)).expect("the daemon reads it");
    assert!(is_cut_off(&thief));
    pair.opened.send(0, 0, b"mine").expect("it is connected");
    assert_eq!(pair.accepted.text(), "mine");
}

#[test]
fn a_daemon_has_a_limit_of_sockets() {
    let host = Host::with(&["127.0.0.1"], free_port(), |settings| settings.most_sockets = 2);
    let kept = [host.socket(), host.socket()];
    let refused = Guest::open(&host.path, libc::AF_INET);
    assert_eq!(refused.expect_err("two sockets are there"), libc::ENFILE);
    drop(kept);
    host.until(|daemon| daemon.sockets() == 0);
    assert!(Guest::open(&host.path, libc::AF_INET6).is_ok());
    let unix = Guest::open(&host.path, libc::AF_UNIX);
    assert_eq!(unix.expect_err("not of the Internet"), libc::EAFNOSUPPORT);
}

/// The answer to a call with these descriptors; `None` if the daemon has closed the connection.
fn answer_to(host: &Host, passed: &[&OwnedFd]) -> Option<i32> {
    let control = plain(&host.path);
    let call = Request::Call(Call::new(Operation::SocketName)).encode();
    write_with(&control, &call, passed).expect("the daemon reads it");
    let (bytes, _) = read(&control, RecvFlags::empty()).expect("an answer or the end");
    match Answer::decode(&bytes) {
        Ok(Answer::Reply { errno, .. }) => Some(errno),
        _ => None,
    }
}

#[test]
fn surplus_descriptors_are_refused() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let guest = host.socket();
    assert_eq!(answer_to(&host, &[&guest.fd]), Some(0));
    for count in [2, 253] {
        assert_eq!(answer_to(&host, &vec![&guest.fd; count]), Some(libc::ENOTCONN));
    }
    let open = Request::Open { domain: libc::AF_INET, kind: libc::SOCK_STREAM, protocol: 132 };
    for count in [2, 253] {
        let fd = plain(&host.path);
        write_with(&fd, &open.encode(), &vec![&fd; count]).expect("the daemon reads it");
        assert!(is_cut_off(&fd));
    }
    assert_eq!(host.daemon.sockets(), 1);
}

#[test]
fn a_message_with_a_descriptor_aborts_the_association() {
    let file: OwnedFd = std::fs::File::open("/dev/null").expect("a file").into();
    for passes_own in [true, false] {
        let pair = Pair::new();
        let sent = Request::Data(Sent { bytes: b"odd", ..Sent::default() }).encode();
        let passed = if passes_own { &pair.opened.fd } else { &file };
        write(&pair.opened.fd, &sent, Some(passed)).expect("the daemon reads it");
        assert_eq!(pair.accepted.receive(), Read::Error(libc::ECONNRESET));
        assert!(is_cut_off(&pair.opened.fd));
    }
}

#[test]
fn a_socket_of_another_family_becomes_no_sctp_socket() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let udp: OwnedFd = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port").into();
    let open = Request::Open { domain: libc::AF_INET, kind: libc::SOCK_STREAM, protocol: 132 };
    let fd = plain(&host.path);
    write(&fd, &open.encode(), Some(&udp)).expect("the daemon reads it");
    assert!(is_cut_off(&fd));
    assert_eq!(host.daemon.sockets(), 0);
}

/// A TCP socket whose last close waits for `LINGER`, and its peer, which does not read.
fn lingering() -> (OwnedFd, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut socket = TcpStream::connect(listener.local_addr().expect("a port")).expect("listens");
    let (peer, _) = listener.accept().expect("it is connected");
    socket.set_nonblocking(true).expect("a socket");
    while socket.write(&[0; 65_536]).is_ok() {}
    sockopt::set_socket_linger(&socket, Some(LINGER)).expect("a socket");
    (socket.into(), peer)
}

/// How long a socket lingers: far longer than the test on a busy machine, and longer than its waits.
const LINGER: Duration = Duration::from_secs(600);

/// Leaves the last copy of a socket to the daemon. If the daemon was faster, this copy is the last one and lingers, in a
/// thread of its own.
fn leave(socket: OwnedFd) {
    drop(std::thread::spawn(move || drop(socket)));
}

#[test]
fn a_lingering_socket_of_a_program_stops_no_other_socket() {
    let (pair, begun) = (Pair::new(), Instant::now());
    let call = Request::Call(Call::new(Operation::SocketName)).encode();
    let open = Request::Open { domain: libc::AF_INET, kind: libc::SOCK_STREAM, protocol: 132 };
    let data = Request::Data(Sent { bytes: b"odd", ..Sent::default() }).encode();
    let mut peers = Vec::new();
    for record in [call.clone(), open.encode(), vec![0xff; HEAD]] {
        let (socket, peer) = lingering();
        let control = plain(&pair.client.path);
        write(&control, &record, Some(&socket)).expect("the daemon reads it");
        leave(socket);
        peers.push((peer, control));
    }
    let (socket, peer) = lingering();
    let odd = pair.client.socket();
    write(&odd.fd, &data, Some(&socket)).expect("the daemon reads it");
    leave(socket);
    peers.push((peer, odd.fd));
    // A record that the daemon closes unread: while the socket connects, it reads none
    let (_silent, udp) = silent("127.0.0.9");
    let waiting = Host::new(&["127.0.0.1"], udp);
    let guest = waiting.socket();
    assert_eq!(guest.connect_later("127.0.0.9:7"), Err(libc::EINPROGRESS));
    let (socket, peer) = lingering();
    write(&guest.fd, &data, Some(&socket)).expect("there is room");
    leave(socket);
    drop(guest);
    waiting.until(|daemon| daemon.sockets() == 0);
    for host in [&pair.client, &waiting] {
        let other = host.socket();
        assert_eq!(other.error(), 0);
    }
    pair.opened.send(0, 0, b"unharmed").expect("it is connected");
    assert_eq!(pair.accepted.text(), "unharmed");
    assert!(begun.elapsed() < LINGER, "something waited for a lingering socket");
    // With their peers, the sockets stop to linger
    drop((peers, peer));
}
