//! The default congestion control of new sockets in this network namespace.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use manypath_core::remedy;
use nix::sys::stat::stat;

use crate::{ALGORITHMS, Error};

const SETTING: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
const MEMORY: &str = "/run/manypath";

/// The default of this namespace.
///
/// # Errors
/// If the kernel does not report it.
pub fn current() -> Result<String, Error> {
    let text = fs::read_to_string(SETTING).map_err(|error| unreadable(&error))?;
    Ok(text.trim().to_owned())
}

/// Makes `name` the default and stores the previous default.
///
/// # Errors
/// If there is no such congestion control, or without root.
pub fn change(name: &str) -> Result<(), Error> {
    let before = current()?;
    if before == name {
        return Ok(());
    }
    write(name)?;
    // If the previous default is one of our algorithms, the default stored before it is kept.
    if before.starts_with("mp_") {
        return Ok(());
    }
    remember(&before).inspect_err(|_| {
        let _ = write(&before);
    })
}

fn remember(before: &str) -> Result<(), Error> {
    let memory = memory()?;
    let written = fs::create_dir_all(MEMORY).and_then(|()| fs::write(&memory, before));
    written
        .map_err(|error| Error::failed(format!("{} cannot be written: {error}", memory.display())))
}

/// Undoes [`change`] if `name` is the default; returns the new default.
///
/// # Errors
/// If the kernel refuses.
pub fn restore(name: &str) -> Result<Option<String>, Error> {
    if current()? != name {
        return Ok(None);
    }
    let memory = memory()?;
    let before = fs::read_to_string(&memory).unwrap_or_else(|_| "reno".to_owned());
    write(&before)?;
    // The file is missing if `change` did not write it. The folder stays while it contains files of other namespaces.
    let _ = fs::remove_file(memory);
    let _ = fs::remove_dir(MEMORY);
    Ok(Some(before))
}

fn write(name: &str) -> Result<(), Error> {
    // The kernel ignores an empty name
    if name.trim().is_empty() {
        return Err(Error::usage(unknown(name)));
    }
    fs::write(SETTING, name).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::usage(unknown(name)),
        _ => {
            let line = format!("net.ipv4.tcp_congestion_control cannot be {name:?}: {error}");
            Error::failed(line)
        }
    })
}

/// The error that the kernel has no congestion control `name`, with the most similar name.
fn unknown(name: &str) -> String {
    let known = fs::read_to_string(AVAILABLE).unwrap_or_default();
    let ours = ALGORITHMS.iter().map(|it| it.name);
    let remedy = remedy(name, known.split_whitespace().chain(ours));
    format!("there is no congestion control {name:?}: {remedy}")
}

/// One file per network namespace, named after the namespace's number.
fn memory() -> Result<PathBuf, Error> {
    let namespace = stat("/proc/thread-self/ns/net").map_err(|error| unreadable(&error))?;
    Ok(PathBuf::from(format!("{MEMORY}/default-{}", namespace.st_ino)))
}

fn unreadable(error: &dyn std::fmt::Display) -> Error {
    Error::failed(format!("net.ipv4.tcp_congestion_control cannot be read: {error}"))
}
