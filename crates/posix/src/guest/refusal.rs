//! Reports unsupported options and values: one line on standard error, once per process.

use super::system;
use crate::abi::constants::{IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS};
use crate::abi::option_names::name;
use libc::c_int;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The levels whose options are named one by one. The options of all other levels count as one option.
const LEVELS: [c_int; 4] = [IPPROTO_SCTP, libc::SOL_SOCKET, libc::IPPROTO_IP, libc::IPPROTO_IPV6];
/// The options that were named, by level and number.
static NAMED: [[AtomicU64; 4]; LEVELS.len() + 1] =
    [const { [const { AtomicU64::new(0) }; 4] }; LEVELS.len() + 1];

/// An unsupported feature that is no socket option.
pub(super) struct Once {
    what: &'static str,
    named: AtomicBool,
}

impl Once {
    pub(super) const fn new(what: &'static str) -> Self {
        Self { what, named: AtomicBool::new(false) }
    }

    /// Reports the feature at the first call.
    pub(super) fn name(&self) {
        if !self.named.swap(true, Ordering::Relaxed) {
            say(format_args!("{}", self.what));
        }
    }
}

/// Reports an unsupported socket option at the first call.
pub(super) fn option(level: c_int, option: c_int) {
    if !is_first(level, option) {
        return;
    }
    match name(level, option) {
        Some(name) => say(format_args!("socket option {name} is not supported")),
        None if level == IPPROTO_SCTP => say(format_args!("SCTP has no socket option {option}")),
        None => say(format_args!("socket option {option} of level {level} is not supported")),
    }
}

/// Reports an unsupported value of a socket option, if the option has not been reported.
pub(super) fn value(level: c_int, option: c_int, value: c_int) {
    let name = name(level, option).unwrap_or_default();
    if !is_first(level, option) {
        return;
    }
    if (level, option) == (IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS) {
        return say(format_args!("flags {value:#x} of socket option {name} are not supported"));
    }
    say(format_args!("value {value} of socket option {name} is not supported"));
}

/// Whether a socket option has not been reported; marks it as reported. On a level, options with equal numbers modulo 256
/// count as one.
fn is_first(level: c_int, option: c_int) -> bool {
    let place = LEVELS.iter().position(|known| *known == level);
    let numbers = &NAMED[place.unwrap_or(LEVELS.len())];
    let number = match place {
        Some(_) => option.cast_unsigned() as usize % (64 * numbers.len()),
        None => 0,
    };
    let bit = 1 << (number % 64);
    numbers[number / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0
}

/// Writes a line without allocating.
fn say(text: std::fmt::Arguments<'_>) {
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    // A longer line is cut
    let _ = writeln!(rest, "manypath: {text}");
    let length = 256 - rest.len();
    system::say(&line[..length]);
}
