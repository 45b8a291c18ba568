//! The requirements of the algorithms, and whether this machine meets them.

use std::fs;
use std::path::Path;

use libbpf_rs::btf::Btf;
use nix::sys::utsname::uname;

use crate::{ALGORITHMS, Loaded, Object, group};

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The name of the requirement.
    pub name: &'static str,
    /// The result of the check, in a few words.
    pub found: String,
    /// What to do if it is missing; `None` if it is met.
    pub remedy: Option<String>,
    /// Whether only the command `run` has it.
    pub is_only_for_run: bool,
}

/// Capabilities by their bits in `/proc/self/status`.
const NET_ADMIN: u64 = 1 << 12;
const SYS_ADMIN: u64 = 1 << 21;
const PERFMON: u64 = 1 << 38;
const BPF: u64 = 1 << 39;

/// All requirements, met or not.
#[must_use]
pub fn needs() -> Vec<Need> {
    let mut needs = vec![kernel(), btf(), multipath(), compiler(), structures(), capabilities()];
    if needs.iter().all(|need| need.remedy.is_none()) {
        needs.push(programs());
    }
    needs.push(groups());
    needs
}

fn need(name: &'static str, found: impl Into<String>, is_there: bool, remedy: &str) -> Need {
    let remedy = (!is_there).then(|| remedy.to_owned());
    Need { name, found: found.into(), remedy, is_only_for_run: false }
}

fn kernel() -> Need {
    let release =
        uname().map_or_else(|_| "?".to_owned(), |it| it.release().to_string_lossy().into_owned());
    let is_there = version(&release).is_some_and(|version| version >= (6, 4));
    need(
        "kernel",
        release,
        is_there,
        "Linux 6.4 or newer is needed: it brought links of struct_ops",
    )
}

/// Major and minor number of a release such as `6.18.44-fc`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(['.', '-', '+']).map(str::parse::<u32>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn btf() -> Need {
    let is_there = Path::new("/sys/kernel/btf/vmlinux").exists();
    let remedy = "a kernel with CONFIG_DEBUG_INFO_BTF=y is needed, as distributions ship it";
    need("types of the kernel (BTF)", yes(is_there), is_there, remedy)
}

fn multipath() -> Need {
    match fs::read_to_string("/proc/sys/net/mptcp/enabled") {
        Ok(text) if text.trim() == "1" => need("Multipath TCP", "enabled", true, ""),
        Ok(_) => need("Multipath TCP", "disabled", false, "sysctl -w net.mptcp.enabled=1"),
        Err(_) => need("Multipath TCP", "no", false, "a kernel with CONFIG_MPTCP=y is needed"),
    }
}

fn compiler() -> Need {
    // Kernels with CONFIG_BPF_JIT_ALWAYS_ON let only root read it, and it is on.
    let text = fs::read_to_string("/proc/sys/net/core/bpf_jit_enable").unwrap_or_default();
    let is_there = text.trim() != "0" && Path::new("/proc/sys/net/core/bpf_jit_enable").exists();
    let remedy = "sysctl -w net.core.bpf_jit_enable=1; if there is no such setting, a kernel with CONFIG_BPF_JIT=y";
    need("compiler of programs (JIT)", yes(is_there), is_there, remedy)
}

fn structures() -> Need {
    let has = |btf: &Btf<'_>| {
        let known: Option<libbpf_rs::btf::types::Struct<'_>> =
            btf.type_by_name("bpf_struct_ops_tcp_congestion_ops");
        known.is_some()
    };
    let is_there = Btf::from_vmlinux().is_ok_and(|btf| has(&btf));
    let remedy = "a kernel with CONFIG_BPF_SYSCALL=y, CONFIG_BPF_JIT=y and CONFIG_INET=y is needed";
    need("congestion control by programs (struct_ops)", yes(is_there), is_there, remedy)
}

fn capabilities() -> Need {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap_or_default();
    let held = u64::from_str_radix(line.trim(), 16).unwrap_or_default();
    let is_there =
        held & NET_ADMIN > 0 && (held & SYS_ADMIN > 0 || held & (BPF | PERFMON) == BPF | PERFMON);
    need(
        "rights",
        yes(is_there),
        is_there,
        "run it as root, or with CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN",
    )
}

/// The final check: every algorithm that is not loaded already is loaded once, so that the verifier checks it.
fn programs() -> Need {
    let refusal = |algorithm| Loaded::verify(&Object::from(algorithm)).err();
    let refusals: Vec<_> = ALGORITHMS.iter().filter_map(refusal).collect();
    let taken = ALGORITHMS.len() - refusals.len();
    let remedy = refusals.first().map(ToString::to_string).unwrap_or_default();
    need(
        "algorithms that it takes",
        format!("{taken} of {}", ALGORITHMS.len()),
        refusals.is_empty(),
        &remedy,
    )
}

/// The requirement of [`Group`](crate::Group).
fn groups() -> Need {
    let place = group::mount_point();
    let found =
        place.as_ref().map_or_else(|_| "no".to_owned(), |place| place.display().to_string());
    let name = "control groups of version 2, for `run`";
    Need { is_only_for_run: true, ..need(name, found, place.is_ok(), group::REMEDY) }
}

fn yes(is_there: bool) -> &'static str {
    if is_there { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::{groups, version};

    #[test]
    fn a_machine_without_control_groups_is_told_how_to_mount_them() {
        let need = groups();
        let is_mounted = crate::group::mount_point().is_ok();
        assert_eq!(need.remedy.is_none(), is_mounted);
        assert_eq!(need.remedy.as_deref().unwrap_or(crate::group::REMEDY), crate::group::REMEDY);
        assert!(need.is_only_for_run);
    }

    #[test]
    fn releases_are_read_as_distributions_write_them() {
        assert_eq!(version("6.18.44-fc-v595"), Some((6, 18)));
        assert_eq!(version("6.4-rc1+"), Some((6, 4)));
        assert_eq!(version("5.10.0-28-amd64"), Some((5, 10)));
        assert_eq!(version("next"), None);
    }
}
