//! Options of the levels `SOL_SOCKET`, `IPPROTO_IP` and `IPPROTO_IPV6`.

use manypath_net::Config;
use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::IPPROTO_SCTP;
use nix::errno::Errno;

use super::only::number;
use super::target::Target;
use crate::socket::Phase;

type Value = Result<Vec<u8>, Errno>;
type Done = Result<(), Errno>;

pub(super) fn kind(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(at.socket.style.kind().encode())
}

pub(super) fn protocol(_: &Target<'_>, _: &[u8]) -> Value {
    Ok(IPPROTO_SCTP.encode())
}

pub(super) fn domain(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(i32::from(at.socket.domain).encode())
}

/// Reading the error clears it.
pub(super) fn error(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(at.socket.state().error.take().map_or(0, |errno| errno as i32).encode())
}

pub(super) fn listens(at: &Target<'_>, _: &[u8]) -> Value {
    let listens = match &at.socket.state().phase {
        Phase::Listening(..) => true,
        Phase::Many(many) => many.listens(),
        _ => false,
    };
    Ok(i32::from(listens).encode())
}

pub(super) fn linger(at: &Target<'_>, _: &[u8]) -> Value {
    let (on, seconds) = at.socket.state().options.linger;
    Ok([on.encode(), seconds.encode()].concat())
}

pub(super) fn set_linger(at: &Target<'_>, bytes: &[u8]) -> Done {
    let on = i32::decode(bytes).ok_or(Errno::EINVAL)?;
    let seconds = bytes.get(4..).and_then(i32::decode).ok_or(Errno::EINVAL)?;
    at.socket.state().options.linger = (on, seconds);
    Ok(())
}

pub(super) fn receive_buffer(at: &Target<'_>, _: &[u8]) -> Value {
    let options = &at.socket.state().options;
    let default = || Config::for_real_networks().receive_buffer.min(options.largest_buffer);
    size(options.receive_buffer.unwrap_or_else(default))
}

pub(super) fn set_receive_buffer(at: &Target<'_>, bytes: &[u8]) -> Done {
    let options = &mut at.socket.state().options;
    options.receive_buffer = Some(doubled(bytes, options.largest_buffer)?);
    Ok(())
}

pub(super) fn send_buffer(at: &Target<'_>, _: &[u8]) -> Value {
    let options = &at.socket.state().options;
    let default = || Config::for_real_networks().send_buffer.min(options.largest_buffer);
    size(options.send_buffer.unwrap_or_else(default))
}

pub(super) fn set_send_buffer(at: &Target<'_>, bytes: &[u8]) -> Done {
    let options = &mut at.socket.state().options;
    options.send_buffer = Some(doubled(bytes, options.largest_buffer)?);
    Ok(())
}

pub(super) fn reuse(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(i32::from(at.socket.state().options.reuse).encode())
}

/// Has no effect: there is no TIME-WAIT that it could shorten.
pub(super) fn set_reuse(at: &Target<'_>, bytes: &[u8]) -> Done {
    at.socket.state().options.reuse = i32::decode(bytes).ok_or(Errno::EINVAL)? != 0;
    Ok(())
}

pub(super) fn only_v6(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(i32::from(at.socket.state().options.only_v6).encode())
}

/// Cannot be set after `bind`. ipv6(7)
pub(super) fn set_only_v6(at: &Target<'_>, bytes: &[u8]) -> Done {
    let mut state = at.socket.state();
    if state.port != 0 || !matches!(state.phase, Phase::Closed) {
        return Err(Errno::EINVAL);
    }
    state.options.only_v6 = i32::decode(bytes).ok_or(Errno::EINVAL)? != 0;
    Ok(())
}

/// `SO_KEEPALIVE`
pub(super) const KEEPALIVE: u8 = 1;
/// `SO_BROADCAST`
pub(super) const BROADCAST: u8 = 2;
/// `SO_OOBINLINE`
pub(super) const URGENT: u8 = 4;

/// An option that is stored and has no effect.
pub(super) fn flag<const BIT: u8>(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(i32::from(at.socket.state().options.flags & BIT != 0).encode())
}

pub(super) fn set_flag<const BIT: u8>(at: &Target<'_>, bytes: &[u8]) -> Done {
    let is_on = i32::decode(bytes).ok_or(Errno::EINVAL)? != 0;
    let flags = &mut at.socket.state().options.flags;
    *flags = if is_on { *flags | BIT } else { *flags & !BIT };
    Ok(())
}

/// An option with one supported value.
pub(super) fn constant<const VALUE: i32>(_: &Target<'_>, _: &[u8]) -> Value {
    Ok(VALUE.encode())
}

/// Sets an option to a value that is supported, which changes nothing.
pub(super) fn set_constant(_: &Target<'_>, bytes: &[u8]) -> Done {
    number(bytes).map(drop).ok_or(Errno::EINVAL)
}

fn size(bytes: usize) -> Value {
    Ok(i32::try_from(bytes).unwrap_or(i32::MAX).encode())
}

/// The size that Linux makes of a wanted one: twice as much, within limits. socket(7)
fn doubled(bytes: &[u8], largest: usize) -> Result<usize, Errno> {
    let wanted = i32::decode(bytes).ok_or(Errno::EINVAL)?;
    Ok((usize::try_from(wanted).unwrap_or(0) * 2).clamp(LEAST_BUFFER, largest))
}

const LEAST_BUFFER: usize = 4608;
