//! Detection of the kernel's SCTP, which would answer raw packets itself.

use std::path::Path;

use crate::Error;

/// Refuses raw IP if the kernel's SCTP is loaded, because it answers packets to unknown ports with ABORT.
pub(super) fn refuse_beside_kernel() -> Result<(), Error> {
    let is_there = SIGNS.iter().any(|sign| Path::new(sign).exists());
    if is_there { Err(Error::KernelSctp) } else { Ok(()) }
}

/// Paths that exist while it is loaded, as a module or built into the kernel.
const SIGNS: [&str; 2] = ["/proc/net/sctp", "/sys/module/sctp"];
