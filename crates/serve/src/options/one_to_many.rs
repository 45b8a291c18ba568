//! Options that only one-to-many sockets have. Linux refuses them on one-to-one sockets with `EOPNOTSUPP`.

use manypath_posix::abi::Layout;
use nix::errno::Errno;

use super::target::Target;
use crate::socket::Style;

type Value = Result<Vec<u8>, Errno>;
type Done = Result<(), Errno>;

fn must_be_many(at: &Target<'_>) -> Done {
    if at.socket.style == Style::One { Err(Errno::EOPNOTSUPP) } else { Ok(()) }
}

pub(super) fn autoclose(at: &Target<'_>, _: &[u8]) -> Value {
    must_be_many(at)?;
    Ok(at.options().autoclose.encode())
}

/// The time in seconds, 0 for never. RFC 6458 §8.1.8
pub(super) fn set_autoclose(at: &Target<'_>, bytes: &[u8]) -> Done {
    must_be_many(at)?;
    if bytes.len() != u32::SIZE {
        return Err(Errno::EINVAL);
    }
    let seconds = u32::decode(bytes).ok_or(Errno::EINVAL)?;
    at.socket.state().options.autoclose = seconds.min(LONGEST_AUTOCLOSE);
    Ok(())
}

/// The number of associations. RFC 6458 §8.2.5
pub(super) fn association_count(at: &Target<'_>, _: &[u8]) -> Value {
    must_be_many(at)?;
    Ok((at.socket.associations().len() as u32).encode())
}

/// The count of all associations, then their numbers. RFC 6458 §8.2.6
pub(super) fn association_numbers(at: &Target<'_>, _: &[u8]) -> Value {
    must_be_many(at)?;
    let all = at.socket.associations();
    let mut bytes = (all.len() as u32).encode();
    bytes.extend(all.iter().flat_map(|connected| connected.number.encode()));
    Ok(bytes)
}

/// Largest time of `SCTP_AUTOCLOSE` in seconds: that of a `long` in units of 10 ms. net.sctp.max_autoclose
const LONGEST_AUTOCLOSE: u32 = i32::MAX as u32 / 100;
