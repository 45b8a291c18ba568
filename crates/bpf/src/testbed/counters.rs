//! The kernel's counters in a namespace.

use std::fs;

use super::Namespace;
use crate::Error;

/// A counter of `/proc/net/netstat`, such as `MPTcpExt` and `MPJoinSynAckRx`.
///
/// # Errors
/// If the kernel has no such counter.
pub fn counter(namespace: &Namespace, group: &str, name: &str) -> Result<u64, Error> {
    let unknown = || Error::failed(format!("this kernel does not count {group} {name}"));
    let text = namespace
        .inside(|| fs::read_to_string("/proc/thread-self/net/netstat"))
        .map_err(|error| Error::failed(format!("the counters cannot be read: {error}")))?;
    // Each group has two lines: names and values.
    let mut lines = text.lines().filter(|line| line.split(':').next() == Some(group));
    let (names, values) = lines.next().zip(lines.next()).ok_or_else(unknown)?;
    let mut pairs = names.split_whitespace().zip(values.split_whitespace());
    let (_, value) = pairs.find(|(found, _)| *found == name).ok_or_else(unknown)?;
    value.parse().map_err(|_| unknown())
}

/// The TCP sockets that use `congestion_control`, as `ss` displays them, one line each.
///
/// # Errors
/// If there is no program `ss`.
pub fn subflows(namespace: &Namespace, congestion_control: &str) -> Result<Vec<String>, Error> {
    let text = namespace.run("ss -tinOH")?;
    let has_it = |line: &&str| line.split_whitespace().any(|word| word == congestion_control);
    Ok(text.lines().filter(has_it).map(str::to_owned).collect())
}
