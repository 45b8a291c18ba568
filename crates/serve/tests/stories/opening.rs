//! Binding, listening, connecting and accepting.

use manypath_posix::abi::Layout;
use manypath_posix::abi::address::encode_all;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::message::InitMsg;
use manypath_posix::abi::option::{RtoInfo, Status};
use manypath_posix::record::{Call, Operation};
use nix::libc;

use crate::guest::{Guest, Host, Pair, free_port, silent, until};

#[test]
fn both_ends_of_a_connection_know_their_names() {
    let pair = Pair::new();
    let local = pair.opened.name(Operation::SocketName).expect("a name");
    assert_eq!(local.ip().to_string(), "127.0.0.2");
    assert_eq!(pair.accepted.name(Operation::PeerName), Ok(local));
    let server = "127.0.0.1:5001".parse().expect("an address");
    assert_eq!(pair.accepted.name(Operation::SocketName), Ok(server));
    assert_eq!(pair.opened.name(Operation::PeerName), Ok(server));
    assert_eq!(pair.listener.name(Operation::SocketName), Ok(server));
    assert_eq!(pair.listener.name(Operation::PeerName), Err(libc::ENOTCONN));
    assert_eq!(pair.opened.error(), 0);
}

#[test]
fn a_bound_socket_has_a_port_that_no_other_socket_gets() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let (first, second) = (host.socket(), host.socket());
    assert_eq!(first.bind("127.0.0.1:0"), Ok(()));
    let name = first.name(Operation::SocketName).expect("a name");
    assert_ne!(name.port(), 0);
    assert_eq!(second.bind(&name.to_string()), Err(libc::EADDRINUSE));
    assert_eq!(first.bind("127.0.0.1:7"), Err(libc::EINVAL), "it is bound");
    assert_eq!(second.bind("192.0.2.1:7"), Err(libc::EADDRNOTAVAIL));
    drop(first);
    host.until(|daemon| daemon.sockets() == 1);
    assert_eq!(second.bind(&name.to_string()), Ok(()));
}

#[test]
fn several_addresses_make_several_paths() {
    let udp = free_port();
    let server = Host::new(&["127.0.0.1", "127.0.0.3"], udp);
    let client = Host::new(&["127.0.0.2", "127.0.0.4"], udp);
    let (listener, opened) = (server.socket(), client.socket());
    listener.bind("127.0.0.1:5001").expect("it is free");
    listener.bindx(&["127.0.0.3:5001"]).expect("it is local");
    assert_eq!(listener.bindx(&["127.0.0.9:5001"]), Err(libc::EADDRNOTAVAIL));
    listener.listen(1).expect("it is bound");
    let peers = ["127.0.0.1:5001", "127.0.0.3:5001"].map(|it| it.parse().expect("an address"));
    let bytes = encode_all(&peers);
    let connectx = Call {
        level: IPPROTO_SCTP,
        option: SCTP_SOCKOPT_CONNECTX,
        bytes: &bytes,
        ..Call::new(Operation::SetOption)
    };
    let (number, _) = opened.call(connectx).expect("it listens");
    assert!(number > SCTP_ALL_ASSOC, "{number}");
    let (accepted, _) = listener.accept().expect("it is connected");
    let addresses = |guest: &Guest, option| {
        let mut all: Vec<String> =
            guest.addresses(option).iter().map(ToString::to_string).collect();
        all.sort_unstable();
        all
    };
    let (ours, theirs) = (["127.0.0.1", "127.0.0.3"], ["127.0.0.2", "127.0.0.4"]);
    assert_eq!(addresses(&accepted, SCTP_GET_LOCAL_ADDRS), ours);
    assert_eq!(addresses(&accepted, SCTP_GET_PEER_ADDRS), theirs);
    assert_eq!(addresses(&opened, SCTP_GET_LOCAL_ADDRS), theirs);
    assert_eq!(addresses(&opened, SCTP_GET_PEER_ADDRS), ours);
}

#[test]
fn removing_addresses_fails_as_in_linux() {
    let host = Host::new(&["127.0.0.1", "127.0.0.3"], free_port());
    let guest = host.socket();
    let remove = |addresses: &[&str]| {
        let all: Vec<_> = addresses.iter().map(|it| it.parse().expect("an address")).collect();
        guest.set(IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_REM, &encode_all(&all))
    };
    assert_eq!(remove(&["127.0.0.1:0"]), Err(libc::EBUSY));
    guest.bindx(&["127.0.0.1:7001", "127.0.0.3:7001"]).expect("they are local");
    assert_eq!(remove(&["127.0.0.9:7001"]), Err(libc::EINVAL));
    assert_eq!(remove(&["127.0.0.3:7002"]), Err(libc::EINVAL));
    assert_eq!(remove(&["127.0.0.3:7001", "127.0.0.1:7001"]), Err(libc::EBUSY));
    assert_eq!(guest.addresses(SCTP_GET_LOCAL_ADDRS).len(), 2);
    assert_eq!(remove(&["127.0.0.1:0"]), Ok(()));
    assert_eq!(
        guest.addresses(SCTP_GET_LOCAL_ADDRS),
        ["127.0.0.3".parse::<std::net::IpAddr>().expect("one")]
    );
    assert_eq!(remove(&["127.0.0.3:7001"]), Err(libc::EBUSY));
}

#[test]
fn a_port_without_a_listening_socket_refuses() {
    let udp = free_port();
    let server = Host::new(&["127.0.0.1"], udp);
    let client = Host::new(&["127.0.0.2"], udp);
    let _listener = server.listening("127.0.0.1:5001");
    let opened = client.socket();
    assert_eq!(opened.connect("127.0.0.1:5002"), Err(libc::ECONNREFUSED));
    assert_eq!(opened.connect("127.0.0.1:5001"), Ok(()), "the same socket may try again");
    assert_eq!(opened.connect("127.0.0.1:5001"), Err(libc::EISCONN));
}

#[test]
fn a_socket_that_stops_listening_refuses_while_its_association_goes_on() {
    let Pair { server: _server, client, listener, opened, accepted } = Pair::new();
    assert_eq!(listener.listen(0), Ok(()));
    assert_eq!(client.socket().connect("127.0.0.1:5001"), Err(libc::ECONNREFUSED));
    accepted.send(0, 0, b"goes on").expect("it is connected");
    assert_eq!(opened.text(), "goes on");
    assert_eq!(listener.listen(5), Ok(()));
    assert_eq!(client.socket().connect("127.0.0.1:5001"), Ok(()));
}

#[test]
fn a_silent_peer_times_out() {
    // A UDP socket that does not answer
    let (_silent, udp) = silent("127.0.0.1");
    let client = Host::new(&["127.0.0.2"], udp);
    let opened = client.socket();
    let rto = RtoInfo { initial: 50, max: 50, min: 50, assoc_id: 0 };
    opened.set(IPPROTO_SCTP, SCTP_RTOINFO, &rto.encode()).expect("valid");
    let init = InitMsg { max_attempts: 2, ..InitMsg::default() };
    opened.set(IPPROTO_SCTP, SCTP_INITMSG, &init.encode()).expect("valid");
    assert_eq!(opened.connect("127.0.0.1:5001"), Err(libc::ETIMEDOUT));
    assert_eq!(opened.error(), 0, "the call has told it");
    assert_eq!(opened.connect_later("127.0.0.1:5001"), Err(libc::EINPROGRESS));
    until(|| is_writable(&opened));
    assert_eq!(opened.error(), libc::ETIMEDOUT);
    let waiting = client.socket();
    let rto = RtoInfo { initial: 600_000, max: 600_000, min: 600_000, ..rto };
    waiting.set(IPPROTO_SCTP, SCTP_RTOINFO, &rto.encode()).expect("valid");
    assert_eq!(waiting.connect_later("127.0.0.1:5001"), Err(libc::EINPROGRESS));
    assert!(!is_writable(&waiting), "the attempt lasts longer than this test");
}

#[test]
fn a_non_blocking_connection_attempt_ends_with_a_writable_descriptor() {
    let udp = free_port();
    let server = Host::new(&["127.0.0.1"], udp);
    let client = Host::new(&["127.0.0.2"], udp);
    let _listener = server.listening("127.0.0.1:5001");
    for (port, error) in [(5001, 0), (5002, libc::ECONNREFUSED)] {
        let opened = client.socket();
        let begun = opened.connect_later(&format!("127.0.0.1:{port}"));
        assert_eq!(begun, Err(libc::EINPROGRESS));
        // The daemon has read the record that filled the buffer
        until(|| is_writable(&opened));
        assert_eq!(opened.error(), error, "{port}");
        assert_eq!(opened.error(), 0, "it was read");
    }
}

/// Whether a record can be sent.
fn is_writable(guest: &Guest) -> bool {
    let mut waits = [rustix::event::PollFd::new(&guest.fd, rustix::event::PollFlags::OUT)];
    let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut waits, Some(&now)) == Ok(1)
}

#[test]
fn streams_are_those_of_initmsg() {
    let pair = Pair::with(|guest| {
        let init = InitMsg { num_ostreams: 7, max_instreams: 5, ..InitMsg::default() };
        guest.set(IPPROTO_SCTP, SCTP_INITMSG, &init.encode()).expect("valid");
    });
    for guest in [&pair.opened, &pair.accepted] {
        let bytes = guest.get(IPPROTO_SCTP, SCTP_STATUS, &[0; Status::SIZE]).expect("a status");
        let status = Status::decode(&bytes).expect("a status");
        assert_eq!((status.outstrms, status.instrms), (5, 5));
        assert_eq!(status.state, SCTP_ESTABLISHED);
        assert_eq!(status.primary.state, SCTP_ACTIVE);
    }
    let unbound = pair.client.socket();
    assert_eq!(unbound.get(IPPROTO_SCTP, SCTP_STATUS, &[0; Status::SIZE]), Err(libc::EINVAL));
}

#[test]
fn a_port_can_be_listened_on_again_while_associations_of_the_old_socket_last() {
    let mut pair = Pair::new();
    drop(std::mem::replace(&mut pair.listener, pair.server.socket()));
    pair.server.until(|daemon| daemon.sockets() == 2);
    let refused = pair.client.socket();
    assert_eq!(refused.connect("127.0.0.1:5001"), Err(libc::ECONNREFUSED));
    pair.listener.bind("127.0.0.1:5001").expect("the port is free");
    pair.listener.listen(5).expect("the endpoint is there");
    assert_eq!(refused.connect("127.0.0.1:5001"), Ok(()));
    let (again, _) = pair.listener.accept().expect("it is connected");
    refused.send(0, 0, b"new").expect("it is connected");
    assert_eq!(again.text(), "new");
    pair.opened.send(0, 0, b"old").expect("it is connected");
    assert_eq!(pair.accepted.text(), "old");
}

#[test]
fn descriptors_of_accepted_associations_keep_the_options_of_the_listening_socket() {
    let pair = Pair::with(|guest| {
        guest.set(IPPROTO_SCTP, SCTP_NODELAY, &1_i32.encode()).expect("valid");
    });
    let value = pair.accepted.get(IPPROTO_SCTP, SCTP_NODELAY, &[]).expect("a value");
    assert_eq!(i32::decode(&value), Some(1));
    let kind = pair.accepted.get(libc::SOL_SOCKET, libc::SO_TYPE, &[]).expect("a value");
    assert_eq!(i32::decode(&kind), Some(libc::SOCK_STREAM));
    assert_eq!(pair.accepted.call(Call::new(Operation::Accept)), Err(libc::EINVAL));
    assert_eq!(pair.listener.call(Call::new(Operation::Accept)).map(|it| it.0), Ok(0));
}
