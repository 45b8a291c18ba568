//! The SCTP of the operating system, which would answer raw packets itself.

use std::path::Path;

use crate::Error;

/// Refuses raw IP where the kernel has SCTP loaded: it answers packets to ports that it does not know with ABORT.
pub(super) fn refuse_beside_kernel() -> Result<(), Error> {
    let is_there = SIGNS.iter().any(|sign| Path::new(sign).exists());
    if is_there { Err(Error::KernelSctp) } else { Ok(()) }
}

/// What exists while it is loaded, as a module or as a part of the kernel.
const SIGNS: [&str; 2] = ["/proc/net/sctp", "/sys/module/sctp"];
