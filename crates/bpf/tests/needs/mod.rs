//! What these tests need of the machine, and patience.

use std::path::Path;
use std::time::{Duration, Instant};

/// Whether this machine can run programs in its kernel; says plainly why not.
pub(crate) fn kernel() -> bool {
    let lacks = [
        (!nix::unistd::geteuid().is_root(), "root"),
        (!Path::new("/sys/kernel/btf/vmlinux").exists(), "a kernel with BTF"),
        (!Path::new("/proc/sys/net/mptcp/enabled").exists(), "a kernel with Multipath TCP"),
    ];
    let lacks: Vec<_> = lacks.iter().filter(|(is_missing, _)| *is_missing).map(|it| it.1).collect();
    if !lacks.is_empty() {
        eprintln!("skipped, because this test needs {}", lacks.join(" and "));
    }
    lacks.is_empty()
}

/// Waits up to five seconds until `holds`.
pub(crate) fn soon(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(5), "in five seconds: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
