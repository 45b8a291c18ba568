//! Programs that send something else than records.

use manypath_posix::record::{Answer, Call, HEAD, Operation, Request};
use nix::libc;
use rustix::net::RecvFlags;

use crate::guest::{Guest, Host, Pair, Read, free_port, plain, read, write};

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
