//! The requirements of these tests.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use manypath_bpf::{Loaded, Object};

/// A shared or exclusive lock for a test: the kernel has one list of algorithms for the whole machine. The tests of the
/// Python wheel use the same lock.
pub(crate) struct Turn {
    _lock: File,
}

/// A shared lock, for tests that load algorithms under unique names; `None` if the kernel does not support them.
pub(crate) fn kernel() -> Option<Turn> {
    has_kernel().then(|| {
        let lock = lock();
        lock.lock_shared().unwrap();
        Turn { _lock: lock }
    })
}

/// Whether this machine can run BPF programs; prints what is missing.
fn has_kernel() -> bool {
    let lacks = [
        (!nix::unistd::geteuid().is_root(), "root"),
        (!Path::new("/sys/kernel/btf/vmlinux").exists(), "a kernel with BTF"),
        (!Path::new("/proc/sys/net/mptcp/enabled").exists(), "a kernel with Multipath TCP"),
    ];
    let lacks: Vec<_> = lacks.iter().filter(|(is_missing, _)| *is_missing).map(|it| it.1).collect();
    if !lacks.is_empty() {
        // Bypasses the test harness, which would capture it.
        let _ = writeln!(std::io::stderr(), "skipped, because it needs {}", lacks.join(" and "));
    }
    lacks.is_empty()
}

/// Loads an algorithm under a unique name.
pub(crate) fn load(algorithm: &str) -> Loaded {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("mt{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    Loaded::load_as(&Object::named(algorithm).unwrap(), &name).unwrap()
}

fn lock() -> File {
    File::create(std::env::temp_dir().join("manypath-kernel-tests.lock")).unwrap()
}

/// The exclusive use of the kernel, if it supports our programs and no other process uses our algorithms.
pub(crate) fn turn() -> Option<Turn> {
    if !has_kernel() {
        return None;
    }
    let lock = lock();
    lock.lock().unwrap();
    let loaded = manypath_bpf::inventory::registered().unwrap();
    if let Some(one) = loaded.first() {
        let _ = writeln!(
            std::io::stderr(),
            "skipped, because {} is loaded; manypath-kernel unload takes it from {}",
            one.name,
            one.kept_by()
        );
        return None;
    }
    Some(Turn { _lock: lock })
}
