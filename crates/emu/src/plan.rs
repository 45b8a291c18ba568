//! The network of a document: links, attached hosts, names and addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use indexmap::IndexMap;
use manypath_core::Streams;
use manypath_link::{LinkConfig, Pipe};

use crate::config::{Document, Pair};
use crate::router::Router;

/// The plan of an emulation, before anything is created.
#[derive(Debug)]
pub(crate) struct Plan {
    /// All links by name: core links, then access links.
    pub(crate) links: IndexMap<String, LinkConfig>,
    /// Number of core links.
    pub(crate) core: usize,
    /// The attachment points of hosts, alternately the left and the right end of a path.
    pub(crate) ports: Vec<Port>,
}

/// One end of a path: an interface of a host.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    /// Index of the pair in the document.
    pub(crate) pair: usize,
    /// Index of the path in its pair.
    pub(crate) path: usize,
    /// The side of the host in its pair.
    pub(crate) side: Side,
    /// The name of the host's namespace.
    pub(crate) namespace: String,
    /// The name of the interface there.
    pub(crate) interface: String,
    /// The links that a packet crosses from here to the other end.
    pub(crate) route: Vec<usize>,
}

/// The side of a host in its pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The host that usually connects.
    Left,
    /// The host that usually listens.
    Right,
}

impl Plan {
    pub(crate) fn new(document: &Document) -> Self {
        let links = document.network.links.clone();
        let mut plan = Self { core: links.len(), links, ports: Vec::new() };
        for (index, (name, pair)) in document.pairs.iter().enumerate() {
            plan.add_pair(document, index, name, pair);
        }
        plan
    }

    /// Creates the network, with the ports in their order.
    pub(crate) fn router(&self, document: &Document) -> Router {
        let mut router = Router::new(document.mtu as usize);
        let streams = Streams::new(document.seed, 0);
        for (name, link) in &self.links {
            router.add_link(Pipe::new(link, &streams, name));
        }
        for (index, port) in self.ports.iter().enumerate() {
            router.add_port(&port.route, index ^ 1);
        }
        router
    }

    /// The ports of one pair, alternately left and right.
    pub(crate) fn ports_of(&self, pair: usize) -> impl Iterator<Item = &Port> {
        self.ports.iter().filter(move |port| port.pair == pair)
    }

    fn add_pair(&mut self, document: &Document, index: usize, name: &str, pair: &Pair) {
        for (place, path) in pair.paths.iter().enumerate() {
            let ways = &document.network.paths[path];
            let mut access = |side: &str, direction| {
                // The simulator's names, so that they draw the same random numbers
                let link = document.network.access.clone()?;
                let name = format!("access/{name}/{side}/{path}/{direction}");
                Some(self.links.insert_full(name, link).0)
            };
            let forward_ends = (access("source", "out"), access("sink", "in"));
            let reverse_ends = (access("sink", "out"), access("source", "in"));
            for (side, core, ends) in [
                (Side::Left, &ways.forward, forward_ends),
                (Side::Right, &ways.reverse, reverse_ends),
            ] {
                let core = core.iter().filter_map(|link| self.links.get_index_of(link));
                let route = ends.0.into_iter().chain(core).chain(ends.1).collect();
                let namespace = namespace(document, name, pair, side);
                let interface = self.interface(&namespace, path, index, place);
                self.ports.push(Port {
                    pair: index,
                    path: place,
                    side,
                    namespace,
                    interface,
                    route,
                });
            }
        }
    }

    /// The name of the path if it is a valid interface name and unique on the host; otherwise a generated name.
    fn interface(&self, namespace: &str, path: &str, pair: usize, place: usize) -> String {
        let is_taken = |port: &Port| port.namespace == namespace && port.interface == path;
        let is_name = path.len() <= LONGEST_INTERFACE
            && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
            && !RESERVED.contains(&path);
        if is_name && !self.ports.iter().any(is_taken) {
            path.to_owned()
        } else {
            format!("emu{pair}-{place}")
        }
    }
}

impl Port {
    /// 10.3.1.1 is the left host of the fourth pair on its second path, 10.3.1.2 the right one, as in the simulator.
    pub(crate) fn ipv4(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, self.pair as u8, self.path as u8, self.number())
    }

    /// fd6d:70:3:1::1 is the left host of the fourth pair on its second path. The prefix is a unique local one.
    pub(crate) fn ipv6(&self) -> Ipv6Addr {
        let [pair, path] = [self.pair as u16, self.path as u16];
        Ipv6Addr::new(0xfd6d, 0x70, pair, path, 0, 0, 0, u16::from(self.number()))
    }

    /// The routing table for packets from this address.
    pub(crate) fn table(&self) -> usize {
        FIRST_TABLE + 256 * self.pair + self.path
    }

    const fn number(&self) -> u8 {
        match self.side {
            Side::Left => 1,
            Side::Right => 2,
        }
    }
}

/// The namespace of one host.
fn namespace(document: &Document, name: &str, pair: &Pair, side: Side) -> String {
    let (given, side) = match side {
        Side::Left => (&pair.left, "left"),
        Side::Right => (&pair.right, "right"),
    };
    match given {
        Some(given) => given.clone(),
        None if name.is_empty() => format!("{}-{side}", document.name),
        None => format!("{}-{name}-{side}", document.name),
    }
}

/// Linux has 16 bytes for a name, and the last one is zero.
const LONGEST_INTERFACE: usize = 15;
/// Names with a special meaning among the settings of interfaces.
const RESERVED: [&str; 3] = ["lo", "all", "default"];
/// Lower table numbers are left to the owner of an existing namespace.
const FIRST_TABLE: usize = 7000;

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(pairs: &str) -> Plan {
        let link = r#"{"rate": 1000000, "delay": 0, "queue": {"kind": "drop-tail", "packets": 9}}"#;
        let json = format!(
            r#"{{"name": "lab", "pairs": {pairs}, "network": {{
                "links": {{"there": {link}, "back": {link}, "more": {link}}},
                "paths": {{"one": {{"forward": ["there"], "reverse": ["back"]}},
                           "all": {{"forward": ["there", "more"], "reverse": ["back"]}}}},
                "access": {link}}}}}"#
        );
        Plan::new(&Document::parse(&json).expect("a document"))
    }

    #[test]
    fn a_pair_without_a_name_has_the_hosts_left_and_right() {
        let plan = plan("{}");
        let names: Vec<_> =
            plan.ports.iter().map(|port| (&*port.namespace, &*port.interface)).collect();
        let expected = [
            ("lab-left", "one"),
            ("lab-right", "one"),
            ("lab-left", "emu0-1"),
            ("lab-right", "emu0-1"),
        ];
        assert_eq!(names, expected, "no interface may be called `all`");
    }

    #[test]
    fn pairs_share_only_the_links_of_the_core() {
        let plan = plan(r#"{"a": {"paths": ["one"]}, "b": {"paths": ["one"], "right": "gate"}}"#);
        assert_eq!((plan.core, plan.links.len()), (3, 11));
        let routes: Vec<_> = plan.ports.iter().map(|port| port.route.clone()).collect();
        assert_eq!(routes, [[3, 0, 4], [5, 1, 6], [7, 0, 8], [9, 1, 10]]);
        assert_eq!(plan.links.get_index(3).expect("a link").0, "access/a/source/one/out");
        assert_eq!(plan.ports[3].namespace, "gate");
        assert_eq!(plan.ports[2].namespace, "lab-b-left");
    }

    #[test]
    fn addresses_contain_pair_path_and_side() {
        let plan = plan(r#"{"a": {"paths": ["one"]}, "b": {"paths": ["all", "one"]}}"#);
        let last = &plan.ports[5];
        assert_eq!(last.ipv4().to_string(), "10.1.1.2");
        assert_eq!(last.ipv6().to_string(), "fd6d:70:1:1::2");
        assert_eq!(last.table(), 7257);
    }

    #[test]
    fn two_pairs_may_share_a_host() {
        let plan = plan(
            r#"{"a": {"paths": ["one"], "left": "here"}, "b": {"paths": ["one"], "left": "here"}}"#,
        );
        assert_eq!([&*plan.ports[0].interface, &*plan.ports[2].interface], ["one", "emu1-0"]);
    }
}
