//! `SCTP_STATUS`: numbers of an association.

use std::sync::atomic::{AtomicBool, Ordering};

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::option::Status;
use nix::libc;

use crate::guest::{Guest, Pair, Read, until};

fn status(guest: &Guest) -> Status {
    let bytes = guest.get(IPPROTO_SCTP, SCTP_STATUS, &[0; Status::SIZE]).expect("a status");
    Status::decode(&bytes).expect("a status")
}

#[test]
fn the_window_of_a_peer_that_does_not_read_closes_and_delays_a_shutdown() {
    let pair = Pair::new();
    let fresh = status(&pair.opened);
    assert_eq!((fresh.state, fresh.penddata), (SCTP_ESTABLISHED, 0));
    assert!(fresh.rwnd > 1_000_000, "{}", fresh.rwnd);
    // More than the peer's receive buffer of 4 MiB, and less than that and the send buffer
    for _ in 0..50 {
        pair.opened.send(0, 0, &[7; 100_000]).expect("it is connected");
    }
    until(|| status(&pair.opened).rwnd < fresh.rwnd / 100);
    pair.opened.shutdown(libc::SHUT_WR);
    until(|| status(&pair.opened).state == SCTP_SHUTDOWN_PENDING);
    for _ in 0..50 {
        assert!(matches!(pair.accepted.receive(), Read::Message { .. }));
    }
    assert_eq!(pair.accepted.receive(), Read::End);
}

#[test]
fn chunks_are_unacknowledged_while_data_are_under_way() {
    let pair = Pair::new();
    let (opened, accepted) = (&pair.opened, &pair.accepted);
    let stops = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stops.load(Ordering::Relaxed) {
                opened.send(0, 0, &[7; 100_000]).expect("it is connected");
            }
            opened.send(0, 0, b"last").expect("it is connected");
        });
        scope.spawn(|| {
            let is_last = |read| matches!(read, Read::Message { bytes, .. } if bytes == b"last");
            while !is_last(accepted.receive()) {}
        });
        until(|| status(opened).unackdata > 0);
        stops.store(true, Ordering::Relaxed);
    });
    until(|| status(opened).unackdata == 0);
    // The last acknowledgement may be older than the last read
    until(|| {
        opened.send(0, 0, b"more").expect("it is connected");
        accepted.receive();
        status(opened).rwnd > 1_000_000
    });
}
