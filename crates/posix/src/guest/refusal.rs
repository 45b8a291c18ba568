//! Says what is not supported: one line on standard error, once per process.

use super::system;
use crate::abi::constants::{IPPROTO_SCTP, option_name};
use libc::c_int;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// SCTP's options that were named, by number.
static NAMED: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
/// Whether options of other levels were named.
static OTHER_NAMED: AtomicBool = AtomicBool::new(false);

/// Something that is not supported and has no number.
pub(super) struct Once {
    what: &'static str,
    named: AtomicBool,
}

impl Once {
    pub(super) const fn new(what: &'static str) -> Self {
        Self { what, named: AtomicBool::new(false) }
    }

    /// Names it, the first time.
    pub(super) fn name(&self) {
        if !self.named.swap(true, Ordering::Relaxed) {
            say(format_args!("{}", self.what));
        }
    }
}

/// Names a socket option, the first time.
pub(super) fn option(level: c_int, option: c_int) {
    if level != IPPROTO_SCTP {
        if !OTHER_NAMED.swap(true, Ordering::Relaxed) {
            say(format_args!("socket option {option} of level {level} is not supported"));
        }
        return;
    }
    let number = option.cast_unsigned() as usize % (64 * NAMED.len());
    let bit = 1 << (number % 64);
    if NAMED[number / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0 {
        match option_name(option) {
            Some(name) => say(format_args!("socket option {name} is not supported")),
            None => say(format_args!("SCTP has no socket option {option}")),
        }
    }
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
