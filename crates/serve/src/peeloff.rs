//! `sctp_peeloff`: an association of a one-to-many socket gets a socket of its own. RFC 6458 §9.2
//!
//! The program may not have read all messages that were delivered to the one-to-many socket. The call has the program's
//! descriptor, so the daemon reads these messages from it, and delivers each one again to the socket that it belongs to.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use manypath_posix::record::{Answer, Call, HEAD, LARGEST_RECORD, Received};
use nix::errno::Errno;
use rustix::net::{RecvFlags, recv};
use tokio::time::sleep;

use super::limits::{Refusal, Usage};
use super::outlet::Owner;
use super::socket::{Phase, Socket, Style};
use super::table::Table;
use super::turn::Permit;

/// Moves an association to a socket of its own; returns the program's end.
pub(super) async fn peel_off(
    table: &Table,
    usage: &Arc<Usage>,
    socket: &Arc<Socket>,
    descriptor: &OwnedFd,
    call: &Call<'_>,
) -> Result<OwnedFd, Errno> {
    let number = call.option;
    if !socket.is_many() || socket.association(number).is_none() {
        return Err(Errno::EINVAL);
    }
    let inherited = socket.passes_on(Style::PeeledOff);
    let place = usage.socket(socket.user).map_err(Refusal::errno)?;
    let (program, peeled) = table.adopt(inherited, place, None).await.map_err(|_| Errno::ENFILE)?;
    let (mut permit, records) = pause(socket, descriptor, call.room as usize).await;
    let mut own_permit = peeled.turn.any().await;
    let moved = match &mut socket.state().phase {
        Phase::Many(many) => many.peel_off(number, Arc::clone(&peeled) as Arc<dyn Owner>),
        _ => None,
    };
    let Some(connected) = moved else {
        deliver_again(socket, records, permit);
        return Err(Errno::EINVAL);
    };
    permit.pass(number, Some(&mut own_permit));
    peeled.adopts(connected);
    let (own, others) = records.into_iter().partition(|it| of_association(it, number));
    deliver_again(socket, others, permit);
    deliver_again(&peeled, own, own_permit);
    Ok(program)
}

/// Stops all deliveries to a one-to-many socket. Returns the records that the program has not read, the first one without
/// the bytes before `offset`, which the program has read.
async fn pause(
    socket: &Socket,
    descriptor: &OwnedFd,
    offset: usize,
) -> (Permit, VecDeque<Vec<u8>>) {
    let mut records = VecDeque::new();
    let mut permit = pin!(socket.turn.any());
    let permit = loop {
        // A delivery may wait for room in the queue
        take_back(descriptor, &mut records);
        tokio::select! {
            biased;
            permit = &mut permit => break permit,
            () = sleep(Duration::from_millis(1)) => {}
        }
    };
    take_back(descriptor, &mut records);
    if let Some(first) = records.front_mut()
        && offset > HEAD
    {
        *first = rest(first, offset - HEAD);
    }
    (permit, records)
}

/// Reads all records from the program's end.
fn take_back(descriptor: &OwnedFd, records: &mut VecDeque<Vec<u8>>) {
    let mut buffer = vec![0; LARGEST_RECORD];
    while let Ok((length @ 1.., _)) = recv(descriptor, &mut buffer[..], RecvFlags::DONTWAIT) {
        records.push_back(buffer[..length].to_vec());
    }
}

/// A record without the first bytes of its message.
fn rest(record: &[u8], read: usize) -> Vec<u8> {
    match Answer::decode(record) {
        Ok(Answer::Data(received)) => {
            let bytes = &received.bytes[read.min(received.bytes.len())..];
            Answer::Data(Received { bytes, ..received }).encode()
        }
        _ => record.to_vec(),
    }
}

fn of_association(record: &[u8], number: i32) -> bool {
    let association = match Answer::decode(record) {
        Ok(Answer::Data(received)) => Some(received.association),
        _ => None,
    };
    association == Some(number)
}

/// Delivers records to a socket before all others.
fn deliver_again(socket: &Arc<Socket>, records: VecDeque<Vec<u8>>, permit: Permit) {
    let socket = Arc::clone(socket);
    tokio::spawn(async move {
        for record in records {
            // Fails if the program has closed its end
            if let Ok(answer) = Answer::decode(&record) {
                let _ = socket.connection.send(&answer, None).await;
            }
        }
        drop(permit);
    });
}
