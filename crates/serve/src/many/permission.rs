//! Whether a message may be sent: the checks that `sendmsg` of Linux makes before it accepts a message.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use manypath_posix::abi::constants::{SCTP_ABORT, SCTP_ADDR_OVER, SCTP_EOF, SCTP_SENDALL};
use manypath_posix::record::{ALL_SENT, Call, NOTHING_SENT, Request, SEND_RECORD, SendInfo, Sent};
use nix::errno::Errno;

use super::opening::open;
use crate::associations::Associations;
use crate::connected::Connected;
use crate::limits::Usage;
use crate::names;
use crate::one_to_many::Found;
use crate::ports::Ports;
use crate::socket::{Phase, Socket};

/// Answers [`manypath_posix::record::Operation::Send`]. Aborts at once, and opens an association for a new address.
pub(crate) async fn permission(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Associations,
    socket: &Arc<Socket>,
    call: &Call<'_>,
) -> Result<i32, Errno> {
    let Ok(Request::Data(sent)) = Request::decode(call.bytes) else { return Err(Errno::EINVAL) };
    if !socket.is_many() {
        return Ok(SEND_RECORD);
    }
    let flags = sent.info.map_or(0, |info| info.flags);
    if flags & SCTP_ADDR_OVER != 0 && sent.destination.is_none() {
        return Err(Errno::EINVAL);
    }
    if flags & SCTP_SENDALL != 0 {
        return for_all(socket, &sent);
    }
    let found = match (sent.destination, &socket.state().phase) {
        (Some(to), Phase::Many(many)) => {
            many.find(names::canonical(socket.domain, &to)?, to.port())
        }
        (Some(_), _) => None,
        (None, Phase::Many(many)) => {
            let number = sent.info.unwrap_or_default().association;
            Some(many.association(number).map(Found::Here).ok_or(Errno::EPIPE)?)
        }
        (None, _) => return Err(Errno::EPIPE),
    };
    match (found, sent.destination) {
        (Some(Found::Here(connected)), None) => for_one(&connected, &sent),
        (Some(Found::Here(connected)), _) if !connected.is_over() => for_one(&connected, &sent),
        (Some(Found::Peeled(connected)), _) if !connected.is_over() => Err(Errno::EADDRNOTAVAIL),
        (_, Some(to)) => for_new(ports, usage, associations, socket, &sent, to, call).await,
        (_, None) => Err(Errno::EPIPE),
    }
}

/// A message to all associations.
fn for_all(socket: &Socket, sent: &Sent<'_>) -> Result<i32, Errno> {
    let flags = sent.info.map_or(0, |info| info.flags);
    let mut permission = NOTHING_SENT;
    for connected in socket.associations() {
        if !connected.is_established() || connected.is_over() {
            continue;
        }
        match for_one(&connected, sent) {
            Ok(one) => permission = if one == SEND_RECORD { one } else { permission },
            Err(_) if flags & (SCTP_ABORT | SCTP_EOF) != 0 => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(permission)
}

/// A message to an association.
fn for_one(connected: &Connected, sent: &Sent<'_>) -> Result<i32, Errno> {
    let info = connected.send_info(sent);
    if connected.is_over() {
        return Err(Errno::EPIPE);
    }
    if info.flags & SCTP_EOF != 0 {
        connected.outlet.will_close();
        return Ok(SEND_RECORD);
    }
    if info.flags & SCTP_ABORT != 0 {
        connected.association.abort(Bytes::copy_from_slice(sent.bytes));
        return Ok(NOTHING_SENT);
    }
    if connected.is_closing() {
        return Err(Errno::ESHUTDOWN);
    }
    has_stream(info, connected.outbound_streams())
}

fn has_stream(info: SendInfo, count: u16) -> Result<i32, Errno> {
    if info.stream < count { Ok(SEND_RECORD) } else { Err(Errno::EINVAL) }
}

/// Handles a message to an address without association. The message is accepted even if the association cannot be
/// established, because a notification reports this to the program.
async fn for_new(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Associations,
    socket: &Arc<Socket>,
    sent: &Sent<'_>,
    to: SocketAddr,
    call: &Call<'_>,
) -> Result<i32, Errno> {
    let info = {
        let state = socket.state();
        let info = sent.info.unwrap_or_else(|| state.options.send_info());
        let own = sent.init.map_or(0, |init| init.num_ostreams);
        has_stream(info, if own == 0 { state.options.outbound_streams() } else { own })?;
        info
    };
    if info.flags & (SCTP_EOF | SCTP_ABORT) != 0 {
        return Err(Errno::EINVAL);
    }
    let connected = match open(ports, usage, associations, socket, &[to], sent.init).await {
        Ok(connected) => connected,
        // Another thread of the program was faster
        Err(Errno::EISCONN | Errno::EALREADY) => return Ok(SEND_RECORD),
        Err(errno) => return Err(errno),
    };
    if !call.non_blocking && connected.association.connected().await.is_err() {
        return Ok(ALL_SENT);
    }
    Ok(SEND_RECORD)
}
