//! Addresses of a namespace receive packets as soon as they are added.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use manypath_namespace::{Namespace, await_addresses};

#[test]
fn an_address_receives_the_first_packet_that_is_sent_to_it() {
    let Some(namespace) = with_interface() else { return };
    // Without the wait, the kernel drops about one of ten of these packets
    for last in 1..=100 {
        let address = IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, last, 0, 0, 0, 1));
        namespace.add_address(address, 64, "tun").expect("an address");
        let received = namespace.inside(|| passes(address));
        received.unwrap_or_else(|error| panic!("the first packet to {address}: {error}"));
    }
}

#[test]
#[ignore = "long: waits for ten seconds"]
fn an_address_that_does_not_exist_is_an_error() {
    let Some(namespace) = with_interface() else { return };
    let sought = [Ipv6Addr::LOCALHOST, "fd00::2".parse().expect("an address")];
    let error =
        namespace.inside(|| await_addresses(&sought)).expect_err("no interface has fd00::2");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(error.to_string().contains("fd00::2"), "{error}");
}

/// A namespace with the interface `tun`; `None`, with a message, without root rights.
fn with_interface() -> Option<Namespace> {
    let made = Namespace::new().inspect_err(|error| eprintln!("not run: it needs root: {error}"));
    let namespace = made.ok()?;
    namespace.run("ip tuntap add tun mode tun").expect("an interface");
    namespace.run("ip link set tun up").expect("it is up");
    Some(namespace)
}

/// Sends one datagram to a socket with this address.
fn passes(address: IpAddr) -> io::Result<()> {
    let receiver = UdpSocket::bind(SocketAddr::new(address, 0))?;
    // It bounds failures only
    receiver.set_read_timeout(Some(Duration::from_secs(300)))?;
    let sender = UdpSocket::bind("[::]:0")?;
    sender.send_to(&[7], receiver.local_addr()?)?;
    receiver.recv(&mut [0]).map(|_| ())
}
