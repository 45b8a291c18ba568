//! A sender, a router and a receiver with several paths between them.

use std::net::IpAddr;

use super::Namespace;
use crate::Error;

/// A sender with one link per path to a router, and one or more links, the exits, from the router to a receiver.
///
/// Path i enters at the sender's interface `path{i}`; exit j is the router's interface `out{j}`. The receiver has one
/// address, on its loopback interface. The router chooses the exit by the source address.
#[derive(Debug)]
pub struct Network {
    /// The host with an address per path.
    pub sender: Namespace,
    /// The host that forwards.
    pub router: Namespace,
    /// The host with one address.
    pub receiver: Namespace,
    family: Family,
    paths: usize,
}

/// The IP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// The address of a host in the network with this number.
    fn host(self, network: usize, host: u8) -> String {
        match self {
            Self::V4 => format!("10.77.{network}.{host}"),
            Self::V6 => format!("fd77:{network:x}::{host:x}"),
        }
    }

    const fn prefix(self) -> u8 {
        match self {
            Self::V4 => 24,
            Self::V6 => 64,
        }
    }

    const fn flag(self) -> &'static str {
        match self {
            Self::V4 => "-4",
            Self::V6 => "-6",
        }
    }

    const fn host_prefix(self) -> u8 {
        match self {
            Self::V4 => 32,
            Self::V6 => 128,
        }
    }
}

/// Number of the network of the receiver's address. Path i has number 1 + i, exit j has 101 + j.
const RECEIVER: usize = 100;

impl Network {
    /// `paths` paths that share one exit of the router, optionally shaped by `tc`'s `tbf` with these parameters.
    ///
    /// # Errors
    /// If root privileges, `ip`, `tc` or `ethtool` are missing.
    pub fn shared(paths: usize, family: Family, tbf: Option<&str>) -> Result<Self, Error> {
        Self::new(paths, &[tbf], family)
    }

    /// One path per exit of the router, each optionally shaped.
    ///
    /// # Errors
    /// As [`shared`](Self::shared).
    pub fn disjoint(family: Family, tbf: &[Option<&str>]) -> Result<Self, Error> {
        Self::new(tbf.len(), tbf, family)
    }

    fn new(paths: usize, exits: &[Option<&str>], family: Family) -> Result<Self, Error> {
        let (sender, router, receiver) = (Namespace::new()?, Namespace::new()?, Namespace::new()?);
        let network = Self { sender, router, receiver, family, paths };
        network.configure()?;
        network.receiver.add_address(network.receiver_address(), family.host_prefix(), "lo")?;
        for (exit, tbf) in exits.iter().enumerate() {
            network.exit(exit, *tbf)?;
        }
        for path in 0..paths {
            network.path(path, path.min(exits.len() - 1))?;
        }
        network.add_subflow_endpoints()?;
        Ok(network)
    }

    /// The receiver's address.
    ///
    /// # Panics
    /// Never: the address is a constant.
    #[must_use]
    pub fn receiver_address(&self) -> IpAddr {
        self.family.host(RECEIVER, 1).parse().expect("an address")
    }

    /// Sets the kernel parameters, so that results do not depend on the host.
    fn configure(&self) -> Result<(), Error> {
        for namespace in [&self.sender, &self.router, &self.receiver] {
            // A new namespace may have any default, such as BBR.
            namespace.set("net.ipv4.tcp_congestion_control", "reno")?;
            namespace.set("net.ipv4.conf.all.rp_filter", "0")?;
            namespace.set("net.ipv4.conf.default.rp_filter", "0")?;
            namespace.set("net.ipv6.conf.all.accept_dad", "0")?;
            namespace.set("net.ipv6.conf.default.accept_dad", "0")?;
            // Stored metrics of one run must not change the next one.
            namespace.set("net.ipv4.tcp_no_metrics_save", "1")?;
            namespace.set("net.mptcp.enabled", "1")?;
        }
        self.router.set("net.ipv4.ip_forward", "1")?;
        Ok(self.router.set("net.ipv6.conf.all.forwarding", "1")?)
    }

    /// Connects the interface `near` of one namespace with `far` of another, without offloads, so that each packet is
    /// sent separately.
    fn link(&self, near: (&Namespace, &str), far: (&Namespace, &str)) -> Result<(), Error> {
        near.0.run(&format!(
            "ip link add {} type veth peer name {} netns {}",
            near.1,
            far.1,
            far.0.path().display()
        ))?;
        for (namespace, name) in [near, far] {
            namespace.run(&format!("ethtool -K {name} tso off gso off gro off tx off rx off"))?;
            namespace.run(&format!("ip link set {name} txqueuelen 1000 up"))?;
        }
        Ok(())
    }

    fn address(
        &self,
        namespace: &Namespace,
        network: usize,
        host: u8,
        name: &str,
    ) -> Result<(), Error> {
        let address = self.family.host(network, host).parse().expect("an address");
        Ok(namespace.add_address(address, self.family.prefix(), name)?)
    }

    fn exit(&self, exit: usize, tbf: Option<&str>) -> Result<(), Error> {
        let (out, into) = (format!("out{exit}"), format!("in{exit}"));
        self.link((&self.router, &out), (&self.receiver, &into))?;
        self.address(&self.router, 101 + exit, 1, &out)?;
        self.address(&self.receiver, 101 + exit, 2, &into)?;
        if let Some(tbf) = tbf {
            self.router.run(&format!("tc qdisc replace dev {out} root tbf {tbf}"))?;
        }
        Ok(())
    }

    fn path(&self, path: usize, exit: usize) -> Result<(), Error> {
        let Self { sender, router, receiver, family, .. } = self;
        let (near, far) = (format!("path{path}"), format!("from{path}"));
        self.link((sender, &near), (router, &far))?;
        self.address(sender, 1 + path, 1, &near)?;
        self.address(router, 1 + path, 2, &far)?;
        let ip = format!("ip {}", family.flag());
        let (own, target) = (family.host(1 + path, 1), self.receiver_address());
        let (gateway, table) = (family.host(1 + path, 2), 1 + path);
        sender.run(&format!("{ip} route add default via {gateway} dev {near} table {table}"))?;
        sender.run(&format!("{ip} rule add from {own} table {table}"))?;
        if path == 0 {
            // For sockets that are not bound to an address
            sender.run(&format!("{ip} route add default via {gateway} dev {near}"))?;
        }
        let onward = family.host(101 + exit, 2);
        router.run(&format!("{ip} route add {target} via {onward} table {table}"))?;
        router.run(&format!("{ip} rule add from {own} table {table}"))?;
        let back = family.host(101 + exit, 1);
        receiver.run(&format!("{ip} route add {own} via {back}"))?;
        Ok(())
    }

    /// Adds the addresses of all paths but the first as endpoints of Multipath TCP, and raises its limits.
    fn add_subflow_endpoints(&self) -> Result<(), Error> {
        for namespace in [&self.sender, &self.receiver] {
            namespace.run("ip mptcp limits set subflows 8 add_addr_accepted 8")?;
        }
        for path in 1..self.paths {
            let address = self.family.host(1 + path, 1);
            self.sender.run(&format!("ip mptcp endpoint add {address} dev path{path} subflow"))?;
        }
        Ok(())
    }
}
