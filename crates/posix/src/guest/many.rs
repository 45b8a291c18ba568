//! One-to-many sockets. RFC 6458 §3
//!
//! Linux refuses a message at once if its association does not exist, and opens an association before a message to a
//! new address. So the library asks the daemon before it sends the record of such a message. A message that names no
//! association fails without a question, and messages of other sockets need none.

use super::control::{Failure, Reply, call, waiting_call};
use super::lock::RECORDS;
use super::receive;
use super::system::{self, Owned, Result};
use crate::abi::Layout as _;
use crate::abi::constants::{
    IPPROTO_SCTP, SCTP_ABORT, SCTP_ADDR_OVER, SCTP_EOF, SCTP_GET_ASSOC_NUMBER, SCTP_SENDALL,
    SCTP_SOCKOPT_PEELOFF_FLAGS,
};
use crate::abi::option::PeeloffArg;
use crate::record::{ALL_SENT, Call, NOTHING_SENT, Operation, Request, Sent};
use libc::c_int;

/// The largest part of an abort's reason that is sent. A packet has no room for more.
pub(super) const LONGEST_REASON: usize = 1500;
/// Flags of messages that need a question.
const ASKING: u16 = SCTP_ADDR_OVER | SCTP_ABORT | SCTP_EOF | SCTP_SENDALL;

/// Whether a message of a one-to-many socket names an association. Others fail with `EPIPE`.
pub(super) fn has_target(sent: &Sent<'_>) -> bool {
    let names_association =
        sent.info.is_some_and(|info| info.association != 0 || info.flags & ASKING != 0);
    names_association || sent.destination.is_some()
}

/// Whether a one-to-many socket listens or has associations.
pub(super) fn may_receive(fd: c_int) -> Result<bool> {
    let asked = [(libc::SOL_SOCKET, libc::SO_ACCEPTCONN), (IPPROTO_SCTP, SCTP_GET_ASSOC_NUMBER)];
    for (level, option) in asked {
        let mut number = [0; 4];
        let request = Call { level, option, room: 4, ..Call::new(Operation::GetOption) };
        call(fd, &request, &mut number)?;
        if i32::from_ne_bytes(number) != 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Asks the daemon whether a message of `length` bytes may be sent. A message to a new address opens the association,
/// and waits for its end or its beginning if the call may block. Returns the result of the call if no record follows.
pub(super) fn ask(
    fd: c_int,
    sent: &Sent<'_>,
    length: usize,
    non_blocking: bool,
) -> Result<Option<usize>> {
    let bytes = Request::Data(sent.clone()).encode();
    let option = length as c_int;
    let call = Call { option, non_blocking, bytes: &bytes, ..Call::new(Operation::Send) };
    match waiting_call(fd, &call, &mut []) {
        Ok(Reply { value: NOTHING_SENT, .. }) => Ok(Some(0)),
        Ok(Reply { value: ALL_SENT, .. }) => Ok(Some(length)),
        // The time limit of the socket ends the wait, not the message
        Ok(_) | Err(Failure::Late) => Ok(None),
        Err(Failure::Interrupted) => Err(libc::EINTR),
        Err(Failure::Refused(errno)) => Err(errno),
    }
}

/// `sctp_peeloff`: `given` has the argument, `answer` gets it with the new descriptor, which is returned too.
pub(super) fn peel_off(
    fd: c_int,
    option: c_int,
    given: &[u8],
    answer: &mut [u8],
) -> Result<(c_int, usize)> {
    let has_flags = option == SCTP_SOCKOPT_PEELOFF_FLAGS;
    let size = PeeloffArg::SIZE + if has_flags { size_of::<u32>() } else { 0 };
    let argument = PeeloffArg::decode(given).filter(|_| given.len() >= size);
    let PeeloffArg { associd, .. } = argument.ok_or(libc::EINVAL)?;
    let flags = u32::decode(&given[PeeloffArg::SIZE..]).filter(|_| has_flags).unwrap_or(0);
    let flags = flags.cast_signed();
    // No other thread may read a record that the daemon takes back
    let guard = RECORDS.take()?;
    let room = u32::try_from(receive::offset(fd)?).map_err(|_| libc::EINVAL)?;
    let request = Call { option: associd, room, ..Call::new(Operation::PeelOff) };
    let reply = call(fd, &request, &mut []);
    drop(guard);
    let socket: Owned = reply?.descriptor.ok_or(libc::EMFILE)?;
    if flags & libc::SOCK_CLOEXEC == 0 {
        system::control(socket.fd(), libc::F_SETFD, 0)?;
    }
    system::set_non_blocking(socket.fd(), flags & libc::SOCK_NONBLOCK != 0)?;
    answer[..size].copy_from_slice(&given[..size]);
    let sd = socket.release();
    PeeloffArg { associd, sd }.put(&mut answer[..PeeloffArg::SIZE]);
    Ok((sd, size))
}
