//! Sending the messages of a one-to-many socket.

use bytes::Bytes;
use manypath_net::Message;
use manypath_posix::abi::constants::{SCTP_ABORT, SCTP_EOF, SCTP_SENDALL};
use manypath_posix::record::Sent;
use nix::errno::Errno;

use crate::connected::Connected;
use crate::names;
use crate::one_to_many::{Found, Many};
use crate::socket::{End, Phase, Socket};

/// Sends a message of the program. A message for an association that has ended meanwhile is dropped. The program had the
/// [permission](super::permission()), which has opened the association of a new address.
///
/// While the send buffer of an association is full, no message of the socket is sent. In Linux all associations of a
/// socket share one send buffer (`net.sctp.sndbuf_policy` 0).
pub(crate) async fn send(socket: &Socket, sent: &Sent<'_>, payload: &Bytes) -> Result<(), End> {
    let info = sent.info.unwrap_or_default();
    if info.flags & SCTP_SENDALL != 0 {
        for connected in socket.associations() {
            if connected.is_established() {
                send_on(socket, &connected, sent, payload).await;
            }
        }
        return Ok(());
    }
    let connected = match (sent.destination, info.association) {
        (Some(to), _) => {
            let Ok(ip) = names::canonical(socket.domain, &to) else { return Ok(()) };
            find(socket, |many| many.find(ip, to.port()))
        }
        // The library asks only for messages with an address or an association
        (None, 0) => return socket.refuse(Errno::EPIPE).await,
        (None, number) => find(socket, |many| many.numbered(number)),
    };
    if let Some(connected) = connected {
        send_on(socket, &connected, sent, payload).await;
    }
    Ok(())
}

/// An association that the socket has, or had when the program sent the message.
fn find(socket: &Socket, find: impl FnOnce(&Many) -> Option<Found>) -> Option<Connected> {
    let state = socket.state();
    let Phase::Many(many) = &state.phase else { return None };
    let (Found::Here(connected) | Found::Peeled(connected)) = find(many)?;
    // One that the program has aborted does not count
    Some(connected).filter(|connected| !connected.is_over())
}

async fn send_on(socket: &Socket, connected: &Connected, sent: &Sent<'_>, payload: &Bytes) {
    let info = connected.send_info(sent);
    if info.flags & SCTP_ABORT != 0 {
        connected.association.abort(payload.clone());
        return;
    }
    if !payload.is_empty() {
        let message = connected.message(sent, info, payload.clone());
        if waits(socket, connected.number) {
            postpone(socket, connected.number, message);
            return;
        }
        tokio::select! {
            biased;
            // Its failure is told by a notification
            _ = connected.association.send(message.clone()) => {}
            () = socket.connection.hung_up() => postpone(socket, connected.number, message),
        }
    }
    if info.flags & SCTP_EOF != 0 && !waits(socket, connected.number) {
        connected.outlet.will_close();
        connected.association.begin_shutdown();
    }
}

/// Lets a message wait until the socket is closed, so that it does not stop the other associations. The program has closed
/// its descriptor already.
fn postpone(socket: &Socket, number: i32, message: Message) {
    if let Phase::Many(many) = &mut socket.state().phase {
        many.rest.entry(number).or_default().push(message);
    }
}

/// Whether messages of an association wait until the socket is closed, which sends them and then shuts the association down.
fn waits(socket: &Socket, number: i32) -> bool {
    matches!(&socket.state().phase, Phase::Many(many) if many.rest.contains_key(&number))
}
