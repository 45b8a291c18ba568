//! The hosts of an emulation: their namespaces, interfaces, addresses and routes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::net::IpAddr;
use std::path::Path;

use crate::config::Document;
use crate::error::EmulationError;
use crate::ledger::Ledger;
use crate::namespace::{Lines, Namespace};
use crate::plan::{Plan, Port, Side};
use crate::tun::Tun;

/// All namespaces of an emulation. Dropping this value removes everything that was created in them.
#[derive(Debug)]
pub(crate) struct Hosts {
    namespaces: Vec<Namespace>,
    /// For existing namespaces: `ip` commands that undo changes which do not disappear with the interfaces.
    undo: Vec<Lines>,
    ledger: Ledger,
}

impl Hosts {
    /// Creates the hosts of a plan, and their interfaces in the order of the ports.
    pub(crate) fn create(
        document: &Document,
        plan: &Plan,
    ) -> Result<(Self, Vec<Tun>), EmulationError> {
        let mut hosts = Self {
            namespaces: Vec::new(),
            undo: Vec::new(),
            ledger: Ledger::open(&document.name)?,
        };
        for port in &plan.ports {
            let pair = &document.pairs[port.pair];
            let given = if port.side == Side::Left { &pair.left } else { &pair.right };
            hosts.add(&port.namespace, given.is_some())?;
        }
        let tuns =
            plan.ports.iter().map(|port| Tun::create(hosts.host(&port.namespace), &port.interface));
        let tuns = tuns.collect::<Result<Vec<_>, _>>()?;
        for index in 0..hosts.namespaces.len() {
            hosts.configure(index, document, plan)?;
        }
        for (index, pair) in document.pairs.values().enumerate() {
            for port in plan.ports_of(index).filter(|port| port.path == 0) {
                set(hosts.host(&port.namespace), &pair.sysctl)?;
            }
        }
        Ok((hosts, tuns))
    }

    /// The namespace with this name.
    ///
    /// # Panics
    /// If the plan has no such host.
    pub(crate) fn host(&self, name: &str) -> &Namespace {
        let host = self.namespaces.iter().find(|namespace| namespace.name() == name);
        host.unwrap_or_else(|| panic!("no host has the namespace {name}"))
    }

    fn add(&mut self, name: &str, is_given: bool) -> Result<(), EmulationError> {
        if self.namespaces.iter().any(|namespace| namespace.name() == name) {
            return Ok(());
        }
        let namespace = match (Namespace::exists(name), is_given) {
            (true, true) => Namespace::existing(name),
            (true, false) => return Err(EmulationError::Taken { name: name.to_owned() }),
            (false, _) => {
                self.ledger.note(name)?;
                Namespace::create(name)?
            }
        };
        self.namespaces.push(namespace);
        self.undo.push(Lines::default());
        Ok(())
    }

    /// Configures the addresses and routes of a host.
    fn configure(
        &mut self,
        index: usize,
        document: &Document,
        plan: &Plan,
    ) -> Result<(), EmulationError> {
        let host = &self.namespaces[index];
        let mut lines = Lines { ipv4: "link set lo up\n".to_owned(), ..Lines::default() };
        let ports = || plan.ports.iter().filter(|port| port.namespace == host.name());
        for port in ports() {
            attach(&mut lines, port, document.mtu);
        }
        for port in ports().filter(|port| port.side == Side::Left) {
            route_by_source(&mut lines, &mut self.undo[index], port);
        }
        if host.is_ours() && Path::new("/proc/sys/net/mptcp").exists() {
            offer_subflows(&mut lines, ports());
        }
        if !host.is_ours() {
            self.ledger.note_undo(host.name(), &self.undo[index])?;
        }
        host.configure(&lines)?;
        host.await_addresses(&ports().map(Port::ipv6).collect::<Vec<_>>())
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for (namespace, undo) in self.namespaces.iter().zip(&self.undo) {
            if !namespace.is_ours() {
                namespace.take_back(undo);
            }
        }
    }
}

/// Adds the commands that create the interface with its addresses and disable packets that the kernel sends by itself.
fn attach(Lines { ipv4, ipv6 }: &mut Lines, port: &Port, mtu: u32) {
    let interface = &port.interface;
    let _ = writeln!(ipv4, "link set dev {interface} addrgenmode none");
    // This queue is before the emulated one and must not drop packets.
    let _ = writeln!(ipv4, "link set dev {interface} mtu {mtu} txqueuelen {QUEUE} up");
    let _ = writeln!(ipv4, "address add {}/24 dev {interface}", port.ipv4());
    let _ = writeln!(ipv6, "address add {}/64 dev {interface} nodad", port.ipv6());
}

/// Packets use the path of their left address, independently of their right address. On the right side the subnet
/// ensures this, on the left side a routing rule.
fn route_by_source(lines: &mut Lines, undo: &mut Lines, port: &Port) {
    let (interface, table) = (&port.interface, port.table());
    let route = |lines: &mut String, undo: &mut String, source: IpAddr| {
        let _ = writeln!(lines, "route add default dev {interface} table {table}");
        let _ = writeln!(lines, "rule add from {source} table {table}");
        let _ = writeln!(undo, "rule delete from {source} table {table}");
    };
    route(&mut lines.ipv4, &mut undo.ipv4, port.ipv4().into());
    route(&mut lines.ipv6, &mut undo.ipv6, port.ipv6().into());
}

/// Multipath TCP: the left host opens a subflow on every further path, and the right one accepts it.
fn offer_subflows<'a>(lines: &mut Lines, ports: impl Iterator<Item = &'a Port>) {
    let limits = format!("mptcp limits set subflows {SUBFLOWS} add_addr_accepted {SUBFLOWS}");
    let _ = writeln!(lines.ipv4, "{limits}");
    let add = |lines: &mut String, address: IpAddr, interface: &str| {
        let _ = writeln!(lines, "mptcp endpoint add {address} dev {interface} subflow");
    };
    for port in ports.filter(|port| port.side == Side::Left && port.path > 0) {
        add(&mut lines.ipv4, port.ipv4().into(), &port.interface);
        add(&mut lines.ipv6, port.ipv6().into(), &port.interface);
    }
}

/// Writes kernel settings in a namespace.
fn set(host: &Namespace, settings: &BTreeMap<String, String>) -> Result<(), EmulationError> {
    for (name, value) in settings {
        let file = Path::new("/proc/sys").join(name.replace('.', "/"));
        host.within(|| fs::write(file, value))?.map_err(|error| EmulationError::Setting {
            name: name.clone(),
            value: value.clone(),
            error,
        })?;
    }
    Ok(())
}

/// Packets that may wait in an interface for the router: several milliseconds of a burst.
const QUEUE: usize = 10_000;
/// The kernel's limit.
const SUBFLOWS: usize = 8;
