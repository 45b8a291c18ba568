//! Which values of options are supported. Each function returns the value if it is not supported.

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::option::{AssocValue, PaddrParams};

use super::length::{OLD_PADDR_PARAMS, complete_parameters};

/// A number. Options of IP may have one byte. net/ipv4/ip_sockglue.c
pub(super) fn number(bytes: &[u8]) -> Option<i32> {
    match bytes {
        [one] => Some(i32::from(*one)),
        _ => i32::decode(bytes),
    }
}

/// The option cannot be on.
pub(super) fn off(bytes: &[u8]) -> Option<i32> {
    number(bytes).filter(|value| *value != 0)
}

/// The option cannot be off.
pub(super) fn on(bytes: &[u8]) -> Option<i32> {
    number(bytes).filter(|value| *value == 0)
}

/// The system's default, which -1 stands for.
pub(super) fn default_or<const VALUE: i32>(bytes: &[u8]) -> Option<i32> {
    number(bytes).filter(|value| *value != VALUE && *value != -1)
}

/// The discovery of the path MTU cannot be switched off: `IP_PMTUDISC_WANT` and `IP_PMTUDISC_DO`.
pub(super) fn discovery(bytes: &[u8]) -> Option<i32> {
    number(bytes).filter(|value| !matches!(value, 1 | 2))
}

/// The path MTU decides. A program may pass a number alone, as older header files have it.
pub(super) fn segment(bytes: &[u8]) -> Option<i32> {
    let value = match bytes.len() {
        u32::SIZE => u32::decode(bytes)?,
        _ => AssocValue::decode(bytes)?.value,
    };
    (value != 0).then_some(value.cast_signed())
}

/// Flags of paths that have no effect. Contradictory ones are an error of their own.
pub(super) fn path_flags(bytes: &[u8]) -> Option<i32> {
    let PaddrParams { flags, .. } = complete_parameters(bytes)?;
    let refused = flags & UNSUPPORTED;
    (refused != 0 && !is_contradictory(flags, bytes.len())).then_some(refused.cast_signed())
}

/// Whether flags contradict each other, or their fields are missing in the structure of an older header file.
pub(super) fn is_contradictory(flags: u32, length: usize) -> bool {
    let is_both = |both| flags & both == both;
    is_both(SPP_HB_ENABLE | SPP_HB_DISABLE)
        || is_both(SPP_PMTUD_ENABLE | SPP_PMTUD_DISABLE)
        || is_both(SPP_SACKDELAY_ENABLE | SPP_SACKDELAY_DISABLE)
        || length == OLD_PADDR_PARAMS && flags & (SPP_DSCP | SPP_IPV6_FLOWLABEL) != 0
}

const UNSUPPORTED: u32 = SPP_HB_DEMAND | SPP_PMTUD_DISABLE | SPP_IPV6_FLOWLABEL | SPP_DSCP;
