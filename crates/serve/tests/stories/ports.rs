//! The SCTP ports of sockets, which share the UDP port of their daemon.

use std::net::UdpSocket;

use manypath_net::metrics::Source;
use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::{IPPROTO_SCTP, SCTP_INITMSG, SCTP_STATUS};
use manypath_posix::abi::message::InitMsg;
use manypath_posix::abi::option::Status;
use manypath_posix::record::Operation;
use nix::libc;

use crate::guest::{Guest, Host, Pair, Read, free_port, until};

/// Connects a socket and accepts it; returns the accepted one.
fn connect(opened: &Guest, listener: &Guest, address: &str) -> Guest {
    opened.connect(address).expect("it listens");
    listener.accept().expect("it is connected").0
}

/// Sends a word in both directions.
fn talk(one: &Guest, other: &Guest, word: &str) {
    for (from, to) in [(one, other), (other, one)] {
        from.send(0, 0, word.as_bytes()).expect("it is connected");
        assert_eq!(to.text(), word);
    }
}

#[test]
fn sockets_of_several_programs_listen_on_different_ports_at_once() {
    let pair = Pair::new();
    let second = pair.server.listening("127.0.0.1:5002");
    let opened = pair.client.socket();
    let accepted = connect(&opened, &second, "127.0.0.1:5002");
    talk(&opened, &accepted, "second");
    talk(&pair.opened, &pair.accepted, "first");
    let taken = pair.server.socket();
    assert_eq!(taken.bind("127.0.0.1:5002"), Err(libc::EADDRINUSE));
    drop(second);
    pair.server.until(|daemon| daemon.sockets() == 4);
    assert_eq!(pair.client.socket().connect("127.0.0.1:5002"), Err(libc::ECONNREFUSED));
    assert_eq!(pair.client.socket().connect("127.0.0.1:5001"), Ok(()));
    talk(&opened, &accepted, "its association stays");
}

#[test]
fn a_client_and_a_server_of_one_daemon_are_connected() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let listener = host.listening("127.0.0.1:5001");
    let clients = [host.socket(), host.socket()];
    let accepted = clients.each_ref().map(|it| connect(it, &listener, "127.0.0.1:5001"));
    for (number, (opened, accepted)) in clients.iter().zip(&accepted).enumerate() {
        talk(opened, accepted, &format!("client {number}"));
        assert_eq!(accepted.name(Operation::PeerName), opened.name(Operation::SocketName));
    }
}

#[test]
fn sockets_on_different_addresses_may_listen_on_the_same_port() {
    let udp = free_port();
    let server = Host::new(&["127.0.0.1", "127.0.0.3"], udp);
    let client = Host::new(&["127.0.0.2"], udp);
    let first = server.listening("127.0.0.1:5001");
    let second = server.listening("127.0.0.3:5001");
    let third = server.socket();
    assert_eq!(third.bind("0.0.0.0:5001"), Err(libc::EADDRINUSE));
    for (listener, address) in [(&first, "127.0.0.1:5001"), (&second, "127.0.0.3:5001")] {
        let opened = client.socket();
        let accepted = connect(&opened, listener, address);
        talk(&opened, &accepted, address);
        let name = accepted.name(Operation::SocketName).expect("a name");
        assert_eq!(name.to_string(), address);
    }
}

#[test]
fn a_socket_has_its_port_from_the_beginning_of_a_connection_attempt() {
    let pair = Pair::new();
    let opened = pair.client.socket();
    assert_eq!(opened.name(Operation::SocketName).map(|it| it.port()), Ok(0));
    assert_eq!(opened.connect("127.0.0.1:5009"), Err(libc::ECONNREFUSED));
    // As in Linux, the port stays with the socket after a failure
    let port = opened.name(Operation::SocketName).expect("a name").port();
    assert_ne!(port, 0);
    let other = pair.client.socket();
    assert_eq!(other.bind(&format!("127.0.0.2:{port}")), Err(libc::EADDRINUSE));
    let accepted = connect(&opened, &pair.listener, "127.0.0.1:5001");
    assert_eq!(accepted.name(Operation::PeerName).map(|it| it.port()), Ok(port));
}

#[test]
fn a_port_can_be_used_again_as_soon_as_its_socket_is_closed() {
    let pair = Pair::new();
    for number in 0..20 {
        let opened = pair.client.socket();
        let local = "127.0.0.2:4000";
        until(|| opened.bind(local) != Err(libc::EADDRINUSE));
        // The shutdown of the earlier association may still be under way
        until(|| opened.connect("127.0.0.1:5001") != Err(libc::EADDRNOTAVAIL));
        let (accepted, _) = pair.listener.accept().expect("it is connected");
        talk(&opened, &accepted, &format!("{number}"));
        assert_eq!(accepted.name(Operation::PeerName), Ok(local.parse().expect("an address")));
        // The side that closes first waits for the other one
        drop(accepted);
        assert_eq!(opened.receive(), Read::End);
    }
}

#[test]
fn a_socket_that_listens_on_the_port_of_an_earlier_one_has_options_of_its_own() {
    let mut pair = Pair::new();
    drop(std::mem::replace(&mut pair.listener, pair.server.socket()));
    pair.server.until(|daemon| daemon.sockets() == 2);
    let init = InitMsg { num_ostreams: 3, max_instreams: 3, ..InitMsg::default() };
    pair.listener.set(IPPROTO_SCTP, SCTP_INITMSG, &init.encode()).expect("valid");
    pair.listener.bind("127.0.0.1:5001").expect("the port is free");
    pair.listener.listen(1).expect("it is bound");
    let opened = pair.client.socket();
    let accepted = connect(&opened, &pair.listener, "127.0.0.1:5001");
    let streams = |guest: &Guest| {
        let bytes = guest.get(IPPROTO_SCTP, SCTP_STATUS, &[0; Status::SIZE]).expect("a status");
        Status::decode(&bytes).expect("a status").outstrms
    };
    assert_eq!(streams(&accepted), 3);
    assert_ne!(streams(&pair.accepted), 3, "the earlier association keeps its own");
    talk(&pair.opened, &pair.accepted, "the earlier one stays");
}

#[test]
fn a_daemon_whose_udp_port_is_in_use_connects_and_listens_once_it_is_free() {
    let udp = free_port();
    let server = Host::new(&["127.0.0.1"], udp);
    let listener = server.listening("127.0.0.1:5001");
    let taken = UdpSocket::bind(("127.0.0.2", udp)).expect("it is free");
    let client = Host::new(&["127.0.0.2"], udp);
    let opened = client.socket();
    let accepted = connect(&opened, &listener, "127.0.0.1:5001");
    talk(&opened, &accepted, "from another UDP port");
    let listens = client.socket();
    listens.bind("127.0.0.2:5002").expect("the SCTP port is free");
    assert_eq!(listens.listen(1), Err(libc::EADDRINUSE));
    drop(taken);
    assert_eq!(listens.listen(1), Ok(()));
    let back = server.socket();
    let accepted_back = connect(&back, &listens, "127.0.0.2:5002");
    talk(&back, &accepted_back, "to the wanted UDP port");
    talk(&opened, &accepted, "the earlier one stays");
    let metrics = client.daemon.metrics();
    for name in [opened.name(Operation::SocketName), listens.name(Operation::SocketName)] {
        let name = name.expect("it has a port");
        let sample = format!("manypath_endpoint_associations{{endpoint=\"{name}\"}} 1\n");
        assert!(metrics.contains(&sample), "{name}: {metrics}");
    }
}

#[test]
fn without_named_addresses_a_socket_can_be_bound_to_any_address_of_the_machine() {
    let udp = free_port();
    let server = Host::new(&[], udp);
    let listener = server.listening("127.0.0.9:5001");
    assert_eq!(server.socket().bind("192.0.2.1:5001"), Err(libc::EADDRNOTAVAIL));
    let opened = server.socket();
    let accepted = connect(&opened, &listener, "127.0.0.9:5001");
    talk(&opened, &accepted, "not listed by an interface");
    let everywhere = server.listening("0.0.0.0:5002");
    let opened = server.socket();
    let accepted = connect(&opened, &everywhere, "127.0.0.1:5002");
    talk(&opened, &accepted, "on all addresses");
}
