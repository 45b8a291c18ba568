//! Ports for programs that must be told one.
//!
//! A port that the system chose and that is free again may be chosen for another socket before a program has it. So
//! these ports are outside of the range from which the system chooses, and no two tests on this machine have the same:
//! a Unix socket with the number of the port in its name is held until the end of the process.

use std::net::{IpAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// A port that is free for UDP and TCP on these addresses, and stays so but for those who are told it.
pub(crate) fn free_port(addresses: &[IpAddr]) -> u16 {
    let [low, high] = chosen_by_the_system();
    let outside = (FIRST..=u16::MAX).filter(|port| !(low..=high).contains(port));
    let mut ports: Vec<u16> = outside.collect();
    if ports.is_empty() {
        ports = (FIRST..=u16::MAX).collect();
    }
    // Processes begin at different places, so that few of them try the same ports
    let begin = std::process::id() as usize * 37 % ports.len();
    let mut turned = ports[begin..].iter().chain(&ports[..begin]).copied();
    let is_free = |port: &u16| {
        addresses.iter().all(|&address| {
            UdpSocket::bind((address, *port)).is_ok() && TcpListener::bind((address, *port)).is_ok()
        })
    };
    turned.find(|port| reserve(*port) && is_free(port)).expect("a free port")
}

/// Whether no other test has the port. It is this process's from then on.
fn reserve(port: u16) -> bool {
    let name =
        SocketAddr::from_abstract_name(format!("manypath-test-port-{port}")).expect("a name");
    let reserved = UnixDatagram::bind_addr(&name);
    reserved.map(std::mem::forget).is_ok()
}

/// The first and the last port of the range from which the system chooses. ip(7)
fn chosen_by_the_system() -> [u16; 2] {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range");
    let range = range.expect("Linux has it");
    let mut words = range.split_whitespace().map(|word| word.parse().expect("a port"));
    std::array::from_fn(|_| words.next().expect("two ports"))
}

/// Above the ports of known services, among them the UDP port of SCTP, 9899.
const FIRST: u16 = 10_000;
