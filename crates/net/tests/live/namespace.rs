//! Network namespaces for tests, which disappear when they are dropped.

use std::fs;
use std::net::IpAddr;

/// A network namespace, which disappears when the value is dropped.
pub(crate) struct Namespace(manypath_namespace::Namespace);

impl Namespace {
    /// A namespace with its loopback interface up; `None`, with a message, without root rights.
    pub(crate) fn new() -> Option<Self> {
        let made = manypath_namespace::Namespace::new();
        made.inspect_err(|error| eprintln!("not run: it needs root: {error}")).ok().map(Self)
    }

    /// Runs `ip` with these arguments inside.
    pub(crate) fn ip(&self, words: &str) {
        self.0.run(&format!("ip {words}")).expect("it succeeds");
    }

    /// Adds an address to an interface.
    pub(crate) fn add_address(&self, address: IpAddr, prefix: u8, interface: &str) {
        self.0.add_address(address, prefix, interface).expect("it succeeds");
    }

    /// Runs `tc` with these arguments inside.
    pub(crate) fn tc(&self, words: &str) {
        self.0.run(&format!("tc {words}")).expect("it succeeds");
    }

    /// Number of bytes sent by an interface.
    pub(crate) fn transmitted(&self, link: &str) -> u64 {
        let table = self.0.inside(|| fs::read_to_string("/proc/thread-self/net/dev"));
        let table = table.expect("the kernel has it");
        let line =
            table.lines().find_map(|line| line.trim_start().strip_prefix(link)?.strip_prefix(':'));
        let sent = line.and_then(|line| line.split_ascii_whitespace().nth(SENT));
        sent.expect("the interface exists").parse().expect("a number")
    }

    /// Enables forwarding between its interfaces.
    pub(crate) fn forward(&self) {
        self.switch(&["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"]);
    }

    /// Disables IPv6 on interfaces that are created later, so that the system reports no link-local addresses of them.
    pub(crate) fn without_ipv6(&self) {
        self.switch(&["net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.default.disable_ipv6"]);
    }

    fn switch(&self, keys: &[&str]) {
        keys.iter().for_each(|key| self.0.set(key, "1").expect("it exists"));
    }

    /// Runs a task inside, on its own thread and runtime.
    pub(crate) fn run<T: Send>(&self, task: impl AsyncFnOnce() -> T + Send) -> T {
        self.0.inside(|| {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_all().build().unwrap().block_on(task())
        })
    }
}

/// A veth pair between two namespaces.
pub(crate) fn cable(
    left: &Namespace,
    left_ip: &str,
    right: &Namespace,
    right_ip: &str,
    prefix: u8,
    name: &str,
) {
    left.ip(&format!(
        "link add {name} type veth peer name {name} netns {}",
        right.0.path().display()
    ));
    for (side, address) in [(left, left_ip), (right, right_ip)] {
        side.add_address(address.parse().expect("an address"), prefix, name);
        side.ip(&format!("link set {name} up"));
    }
}

/// Column of bytes sent in `/proc/net/dev`.
const SENT: usize = 8;
