//! What these tests need of the machine.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use manypath_bpf::{Loaded, Object};

/// A turn of this test, beside others or alone: the kernel has one list of algorithms for the whole machine. The tests of
/// the wheel take turns by the same lock.
pub(crate) struct Turn {
    _lock: File,
}

/// A turn beside other tests that load algorithms under names of their own, if there is such a kernel.
pub(crate) fn kernel() -> Option<Turn> {
    has_kernel().then(|| {
        let lock = lock();
        lock.lock_shared().unwrap();
        Turn { _lock: lock }
    })
}

/// Whether this machine can run programs in its kernel; says plainly why not.
fn has_kernel() -> bool {
    let lacks = [
        (!nix::unistd::geteuid().is_root(), "root"),
        (!Path::new("/sys/kernel/btf/vmlinux").exists(), "a kernel with BTF"),
        (!Path::new("/proc/sys/net/mptcp/enabled").exists(), "a kernel with Multipath TCP"),
    ];
    let lacks: Vec<_> = lacks.iter().filter(|(is_missing, _)| *is_missing).map(|it| it.1).collect();
    if !lacks.is_empty() {
        // Past the test harness, which would swallow it.
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
