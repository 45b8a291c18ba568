//! Network namespaces for tests, removed when they are dropped.

use std::fs::File;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sched::{CloneFlags, setns};

/// A network namespace, removed when the value is dropped.
pub(crate) struct Namespace(String);

impl Namespace {
    /// A namespace with its loopback interface up; `None`, with a message, without root rights.
    pub(crate) fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let namespace = Self(format!("mp-net-{}-{number}", std::process::id()));
        let made = Command::new("ip").args(["netns", "add", &namespace.0]).output();
        if !made.is_ok_and(|made| made.status.success()) {
            eprintln!("not run: it needs root, and the program `ip`");
            std::mem::forget(namespace);
            return None;
        }
        namespace.ip("link set lo up");
        Some(namespace)
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    /// Runs `ip` with these arguments inside.
    pub(crate) fn ip(&self, words: &str) {
        self.configure("ip", words);
    }

    /// Runs `tc` with these arguments inside.
    pub(crate) fn tc(&self, words: &str) {
        self.configure("tc", words);
    }

    /// Runs a program of iproute2.
    fn configure(&self, program: &str, words: &str) {
        let mut command = Command::new(program);
        command.args(["-n", &self.0]).args(words.split(' '));
        let done = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{program} {words}: {said}");
    }

    /// Number of bytes sent by an interface.
    pub(crate) fn transmitted(&self, link: &str) -> u64 {
        let place = format!("/sys/class/net/{link}/statistics/tx_bytes");
        let mut command = Command::new("ip");
        let output = command.args(["netns", "exec", &self.0, "cat", &place]).output();
        let output = output.expect("ip is there");
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
    }

    /// Enables forwarding between its interfaces.
    pub(crate) fn forward(&self) {
        self.switch(&["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"]);
    }

    /// Disables IPv6 on interfaces that are created later, so that the system reports no link-local addresses of them.
    pub(crate) fn without_ipv6(&self) {
        self.switch(&["net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"]);
    }

    fn switch(&self, switches: &[&str]) {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.0, "sysctl", "-q", "-w"]).args(switches);
        assert!(command.status().expect("sysctl is there").success());
    }

    /// Runs a task inside, on its own thread and runtime.
    pub(crate) fn run<T: Send>(&self, task: impl AsyncFnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(|| self.enter(task)).join().expect("it succeeds"))
    }

    fn enter<T>(&self, task: impl AsyncFnOnce() -> T) -> T {
        let namespace = File::open(format!("/run/netns/{}", self.0)).expect("it is there");
        setns(namespace, CloneFlags::CLONE_NEWNET).expect("this thread may enter it");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(task())
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
    left.ip(&format!("link add {name} type veth peer name {name} netns {}", right.name()));
    for (side, address) in [(left, left_ip), (right, right_ip)] {
        // An IPv6 address is unusable until duplicate address detection ends, which `nodad` skips
        let known = if address.contains(':') { " nodad" } else { "" };
        side.ip(&format!("address add {address}/{prefix} dev {name}{known}"));
        side.ip(&format!("link set {name} up"));
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "delete", &self.0]).output();
    }
}
