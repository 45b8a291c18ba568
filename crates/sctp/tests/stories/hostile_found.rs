//! Bugs that the fuzz targets have found.

use bytes::Bytes;
use manypath_core::{Encode as _, Packet as _, Span};
use manypath_sctp::{CloseReason, Control, Packet};

use crate::pair::{A, Fault, Pair, Z, message};

/// The peer has already released the association: an ABORT would turn a graceful end into a failure.
#[test]
fn a_drop_report_that_comes_after_the_end_is_not_answered() {
    let mut pair = Pair::configured(1, |_, config| config.packet_drop_reports = true);
    pair.connect();
    pair.network.once(Z, "SHUTDOWN COMPLETE", Fault::Lose);
    pair.shutdown(Z);
    pair.settle();
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
    let complete = pair.network.log.last().expect("SHUTDOWN COMPLETE").clone();
    // Only the common header arrives, so the chunk is unknown
    let lost = pair.forge(A, complete.tag, Control::ShutdownComplete { reflected: false });
    let mut bytes = Vec::new();
    lost.encode(A.via(0), &(), &mut bytes);
    let datagram = Bytes::from(bytes).slice(..12);
    let mut head = Packet::default();
    head.decode(&datagram, 20).expect_err("the checksum is that of the whole packet");
    assert_eq!(head.size(), 32);
    pair.arrows();
    pair.act(A, |endpoint, _| endpoint.handle_damaged_bytes(A.via(0), &head, &datagram, None));
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
    let expected =
        ["A -> PKTDROP -> Z", "A -> SHUTDOWN ACK -> Z", "Z -> SHUTDOWN COMPLETE (T) -> A"];
    assert_eq!(pair.arrows(), expected);
}

/// The overhead of a chunk is not in the window, so free space below the overhead is useless.
#[test]
fn an_association_outlives_a_reader_that_pauses_while_small_chunks_wait() {
    let mut pair = Pair::configured(2, |_, config| {
        config.receive_buffer = 5_000;
        config.chunk_overhead = 200;
    });
    pair.connect();
    let sizes = [4_047, 1, 1, 1, 1, 1];
    pair.send_all(A, sizes.map(message));
    pair.drive(Span::from_secs(600));
    assert_eq!([A, Z].map(|side| pair.close_reason(side)), [None, None]);
    pair.drive_until_read(Z, sizes.iter().sum());
}
