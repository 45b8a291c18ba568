//! Limits of users and sockets, and the answers of a daemon that is full or ending.

use std::os::fd::OwnedFd;

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::{SCTP_COMM_LOST, SCTP_SHUTDOWN_COMP};
use manypath_posix::record::{Answer, Call, Operation, Request};
use manypath_serve::Limits;
use nix::libc;
use rustix::net::RecvFlags;

use crate::guest::{Guest, Host, Pair, Read, free_port, plain, read, until, write};
use crate::many_guest::{Got, SERVER, Trio};

fn host_with(limits: Limits, most_sockets: usize) -> Host {
    Host::with(&["127.0.0.1"], free_port(), |settings| {
        settings.limits = limits;
        settings.most_sockets = most_sockets;
    })
}

fn refused(host: &Host) -> i32 {
    Guest::open(&host.path, libc::AF_INET).expect_err("it is full")
}

#[test]
fn a_user_has_a_limit_of_sockets() {
    let host = host_with(Limits { sockets_per_user: Some(2), ..Limits::default() }, 4);
    let kept = [host.socket(), host.socket()];
    assert_eq!(refused(&host), libc::EMFILE);
    drop(kept);
    host.until(|daemon| daemon.sockets() == 0);
    drop(host.socket());
}

#[test]
fn accepted_sockets_count_and_those_beyond_the_limit_are_shut_down() {
    let udp = free_port();
    let server = Host::with(&["127.0.0.1"], udp, |settings| settings.most_sockets = 2);
    let client = Host::new(&["127.0.0.2"], udp);
    let listener = server.listening("127.0.0.1:5001");
    let opened: Vec<Guest> = (0..2)
        .map(|_| {
            let guest = client.socket();
            guest.connect("127.0.0.1:5001").expect("it listens");
            guest
        })
        .collect();
    let (accepted, _) = listener.accept().expect("it is connected");
    assert_eq!(opened[1].receive(), Read::End);
    // The place of a closed socket serves the next association
    drop(accepted);
    server.until(|daemon| daemon.sockets() == 1);
    let third = client.socket();
    third.connect("127.0.0.1:5001").expect("it listens");
    let (accepted, _) = listener.accept().expect("it is connected");
    accepted.send(0, 0, b"hello").expect("it is connected");
    assert_eq!(third.text(), "hello");
}

#[test]
fn associations_of_one_to_many_sockets_count_for_their_user() {
    let udp = free_port();
    let limits = Limits { sockets_per_user: Some(3), ..Limits::default() };
    let server_host = Host::with(&["127.0.0.1"], udp, |settings| settings.limits = limits);
    let client_host = Host::new(&["127.0.0.2"], udp);
    let server = server_host.many();
    server.bind(SERVER).expect("it is free");
    server.listen(1).expect("it is bound");
    let clients = [client_host.many(), client_host.many(), client_host.many()];
    let mut numbers = Vec::new();
    for client in &clients[..2] {
        client.send_to(SERVER, "hello").expect("it listens");
        client.comes_up();
        numbers.push(server.comes_up());
        server.got_text("hello");
    }
    // The socket and two associations are all that the user may have
    clients[2].send_to(SERVER, "hello").expect("it listens");
    let number = clients[2].comes_up();
    assert_eq!(clients[2].received(), Got::Change { of: number, state: SCTP_COMM_LOST });
    assert_eq!(refused(&server_host), libc::EMFILE);
    assert_eq!(server.connect("127.0.0.2:7"), Err(libc::ENOBUFS));
    assert_eq!(server.peel_off(numbers[0], 0).expect_err("it needs a socket"), libc::EMFILE);
    assert_eq!(server.numbers(), numbers);
    // An association that has ended leaves its place
    drop(clients);
    while server.received() != (Got::Change { of: numbers[1], state: SCTP_SHUTDOWN_COMP }) {}
    until(|| server.numbers().is_empty());
    let client = client_host.many();
    client.send_to(SERVER, "hello").expect("it listens");
    client.comes_up();
    until(|| server.numbers().len() == 1);
    // The place of an association that was peeled off is that of its socket
    let peeled = server.peel_off(server.numbers()[0], 0).expect("there is a place");
    let another = server_host.socket();
    assert_eq!(refused(&server_host), libc::EMFILE);
    drop((peeled, another));
}

#[test]
fn silent_connections_have_a_limit_and_the_daemon_remains_usable() {
    // A user has 64 calls beside its sockets
    let host = host_with(Limits { sockets_per_user: Some(2), ..Limits::default() }, 4);
    let socket = host.socket();
    let silent: Vec<OwnedFd> = (0..66).map(|_| plain(&host.path)).collect();
    let bind = || {
        let control = plain(&host.path);
        let call = Request::Call(Call::new(Operation::SocketName)).encode();
        write(&control, &call, Some(&socket.fd)).expect("it is accepted");
        let (bytes, _) = read(&control, RecvFlags::empty()).expect("an answer");
        match Answer::decode(&bytes).expect("an answer") {
            Answer::Reply { errno, .. } => errno,
            answer => panic!("{answer:?}"),
        }
    };
    until(|| bind() == libc::ENOBUFS);
    drop(silent);
    until(|| bind() == 0);
}

#[test]
fn buffers_have_a_largest_size() {
    let host = host_with(Limits { buffer: 300_000, ..Limits::default() }, 4);
    let guest = host.socket();
    for option in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
        let size = || {
            let bytes = guest.get(libc::SOL_SOCKET, option, &[]).expect("a size");
            i32::decode(&bytes).expect("a number")
        };
        assert_eq!(size(), 300_000, "the default is reduced, too");
        for (wanted, is) in [(100_000, 200_000), (200_000, 300_000), (i32::MAX, 300_000)] {
            guest.set(libc::SOL_SOCKET, option, &wanted.encode()).expect("valid");
            assert_eq!(size(), is);
        }
    }
}

#[test]
fn a_daemon_that_ends_refuses_new_sockets_and_associations_while_existing_ones_continue() {
    let pair = Pair::new();
    let idle = pair.server.socket();
    pair.server.daemon.open_no_more();
    assert_eq!(refused(&pair.server), libc::EPROTONOSUPPORT, "as without a daemon");
    let late = pair.client.socket();
    assert_eq!(late.connect("127.0.0.1:5001"), Err(libc::ECONNREFUSED));
    pair.opened.send(0, 0, b"still here").expect("it is connected");
    assert_eq!(pair.accepted.text(), "still here");
    assert_eq!(idle.connect("127.0.0.2:5001"), Err(libc::ENETDOWN));
    assert_eq!(idle.listen(1), Err(libc::ENETDOWN));
    let Pair { server, opened, accepted, listener, client } = pair;
    drop((opened, accepted));
    // Open sockets without association do not delay the end
    server.drains_without_aborts();
    drop((idle, listener, late, client, server));
}

#[test]
fn a_daemon_that_ends_opens_no_associations_of_one_to_many_sockets() {
    let (trio, numbers, [own, _]) = Trio::connected();
    let idle = trio.server_host.many();
    trio.server_host.daemon.open_no_more();
    let late = trio.client_host.socket();
    assert_eq!(late.connect(SERVER), Err(libc::ECONNREFUSED));
    assert_eq!(trio.server.connect("127.0.0.2:7"), Err(libc::ENETDOWN));
    assert_eq!(idle.listen(1), Err(libc::ENETDOWN));
    trio.clients[0].send_on(own, 0, "still here").expect("it is connected");
    assert_eq!(trio.server.got_text("still here"), numbers[0]);
    let Trio { server, clients, server_host, client_host, .. } = trio;
    drop(clients);
    let is_over = |number| Got::Change { of: number, state: SCTP_SHUTDOWN_COMP };
    let mut open = 2;
    while open > 0 {
        let got = server.received();
        open -= usize::from(numbers.map(is_over).contains(&got));
    }
    // Sockets without associations do not delay the end
    server_host.drains_without_aborts();
    drop((server, idle, late, client_host, server_host));
}
