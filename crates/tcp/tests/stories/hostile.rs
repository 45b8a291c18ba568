//! Segments that a correct peer does not send. RFC 5961, RFC 9293 §3.10.7

use bytes::Bytes;
use manypath_core::{Packet as _, Span};
use manypath_tcp::{Flags, SackBlock, Segment};

use crate::stage::{A, FIRST, Pair, Z, pattern};

/// A connected pair with known sequence numbers: the next bytes of A and Z have the numbers 1001 and 5001.
fn known() -> Pair {
    let mut pair = Pair::configured(|side, config| {
        config.initial_sequence = Some(if side == A { 1000 } else { 5000 });
    });
    pair.connect();
    pair
}

fn forged(seq: u32, ack: u32, flags: Flags) -> Segment {
    Segment { seq, ack, flags, window: 4000, ..Segment::default() }
}

/// The connection still carries data both ways.
fn assert_alive(pair: &mut Pair) {
    pair.network.log.clear();
    pair.write(A, 20_000);
    pair.drive_until_read(Z, 20_000);
    pair.write(Z, 20_000);
    pair.drive_until_read(A, 20_000);
    assert_eq!((pair.close_reason(A), pair.close_reason(Z)), (None, None));
}

#[test]
fn a_blind_reset_within_the_window_is_challenged_and_an_exact_one_believed() {
    let mut pair = known();
    pair.inject(Z, forged(1001 + 500, 0, Flags::RST));
    assert_eq!(pair.arrows(), ["Z -> ACK -> A"]);
    pair.inject(Z, forged(1001 + 2_000_000, 0, Flags::RST));
    pair.inject(Z, forged(900, 0, Flags::RST));
    assert_eq!(pair.arrows(), [""; 0]);
    assert_eq!(pair.stats(Z).challenge_acks_sent, 1);
    assert_alive(&mut pair);
    pair.inject(Z, forged(21_001, 0, Flags::RST));
    assert!(pair.close_reason(Z).is_some());
}

#[test]
fn a_syn_in_the_middle_is_challenged() {
    let mut pair = known();
    pair.inject(Z, forged(1001 + 500, 0, Flags::SYN));
    pair.inject(Z, forged(77, 0, Flags::SYN));
    assert_eq!(pair.arrows(), ["Z -> ACK -> A", "Z -> ACK -> A"]);
    assert_alive(&mut pair);
}

#[test]
fn data_outside_of_the_window_is_answered_and_not_taken() {
    let mut pair = known();
    for seq in [1001 + 1_100_000, 1 << 31, 3 << 30] {
        let mut segment = forged(seq, 5001, Flags::ACK);
        segment.payload.push(Bytes::from_static(b"evil"));
        pair.inject(Z, segment);
    }
    assert_eq!(pair.stats(Z).refused_segments, 2);
    assert_eq!(pair.endpoint(Z).unread(FIRST), 0);
    assert_alive(&mut pair);
}

#[test]
fn data_that_overlaps_the_edge_of_the_window_is_cut() {
    let mut pair = Pair::configured(|side, config| {
        config.initial_sequence = Some(if side == A { 1000 } else { 5000 });
        config.receive_buffer = 1000;
    });
    pair.connect();
    let mut segment = forged(1001, 5001, Flags::ACK.with(Flags::FIN));
    segment.payload.push(pattern(A, 0, 900));
    segment.payload.push(pattern(A, 900, 900));
    pair.inject(Z, segment);
    assert_eq!(pair.read(Z), 1000);
    assert_eq!(pair.events(Z), [manypath_tcp::Event::Readable(FIRST)], "no FIN");
}

#[test]
fn acknowledgements_of_unsent_data_are_answered_and_ignored() {
    let mut pair = known();
    pair.write(A, 3000);
    pair.network.log.clear();
    for ack in [1001 + 3001, 1001 + 1_000_000, 1 << 31] {
        pair.inject(A, forged(5001, ack, Flags::ACK));
    }
    assert_eq!(pair.path_stats(A).bytes_acked, 0);
    assert_eq!(pair.stats(A).challenge_acks_sent, 3);
    pair.drive_until_read(Z, 3000);
    assert_alive(&mut pair);
}

#[test]
fn sides_that_no_longer_understand_each_other_fall_silent() {
    let mut pair = known();
    let mut forgery = forged(1001, 5001, Flags::ACK);
    forgery.payload.push(Bytes::from_static(b"!"));
    pair.inject(Z, forgery);
    pair.drive(Span::from_secs(60));
    // Z acknowledges data that A never sent, and A's sequence numbers are below what Z expects
    let answers = pair.arrows().len();
    assert!(answers > 2 && answers <= 21, "{answers}");
    assert_eq!(pair.stats(A).challenge_acks_sent, 10);
    pair.drive(Span::from_secs(3600));
    assert_eq!(pair.arrows(), [""; 0]);
}

#[test]
fn reports_of_nonsense_change_nothing() {
    let mut pair = known();
    pair.write(A, 10 * 1460);
    let before = pair.path_stats(A).outstanding;
    for (start, end) in [(900, 1000), (1001 + 20_000, 1001 + 30_000), (3000, 2000), (1001, 1001)] {
        let mut segment = forged(5001, 1001, Flags::ACK);
        segment.options.sack.push(SackBlock { start, end });
        pair.inject(A, segment);
    }
    assert_eq!(pair.path_stats(A).outstanding, before);
    assert_eq!(pair.path_stats(A).window_cuts, 0);
    pair.drive_until_read(Z, 10 * 1460);
}

#[test]
fn sack_blocks_that_cover_parts_of_segments_leave_the_counters_consistent() {
    let mut pair = known();
    pair.write(A, 10 * 1460);
    let reports =
        [(1001 + 2000, 1001 + 2500), (1001 + 5000, 1001 + 9000), (1001 + 100, 1001 + 3000)];
    for (start, end) in reports {
        let mut segment = forged(5001, 1001, Flags::ACK);
        segment.options.sack.push(SackBlock { start, end });
        pair.inject(A, segment);
    }
    let mut partly = forged(5001, 1001 + 700, Flags::ACK);
    partly.options.sack.push(SackBlock { start: 1001 + 800, end: 1001 + 900 });
    pair.inject(A, partly);
    pair.drive_until_read(Z, 10 * 1460);
    assert_alive(&mut pair);
}

#[test]
fn a_receiver_that_takes_its_reports_back_gets_the_data_again() {
    let mut pair = known();
    pair.network.cut(0);
    pair.write(A, 10 * 1460);
    let mut lie = forged(5001, 1001, Flags::ACK);
    lie.options.sack.push(SackBlock { start: 1001 + 1460, end: 1001 + 10 * 1460 });
    pair.inject(A, lie);
    // The acknowledgement of the first segment is forged, too; that segment is injected below, the others are lost
    pair.inject(A, forged(5001, 1001 + 1460, Flags::ACK));
    pair.network.restore(0);
    let mut first = forged(1001, 5001, Flags::ACK);
    first.payload.push(pattern(A, 0, 1460));
    pair.inject(Z, first);
    pair.drive_until_read(Z, 10 * 1460);
    assert!(pair.stats(A).timeouts >= 1);
}

#[test]
fn segments_without_an_acknowledgement_are_dropped() {
    let mut pair = known();
    let mut segment = forged(1001, 0, Flags::default());
    segment.payload.push(Bytes::from_static(b"evil"));
    pair.inject(Z, segment);
    assert_eq!(pair.arrows(), [""; 0]);
    assert_alive(&mut pair);
}

#[test]
fn out_of_the_blue_segments_are_reset_and_out_of_the_blue_resets_ignored() {
    let mut pair = Pair::new();
    pair.inject(Z, forged(7, 9, Flags::ACK));
    pair.inject(Z, forged(7, 0, Flags::FIN));
    pair.inject(Z, forged(7, 9, Flags::RST));
    let resets: Vec<(u32, u32)> =
        pair.network.log.iter().map(|sent| (sent.seq, sent.ack)).collect();
    assert_eq!(resets, [(9, 0), (0, 8)]);
}

#[test]
fn any_segment_at_all_leaves_the_connection_standing_or_ends_it_properly() {
    let mut pair = known();
    let mut random = manypath_core::Streams::new(3, 0).stream("noise");
    pair.write(A, 300_000);
    for _ in 0..20_000 {
        pair.drive(Span::from_micros(20));
        let to = if random.chance(0.5) { A } else { Z };
        let near = |random: &mut manypath_core::Random, from: u32| {
            from.wrapping_add(random.below(400_000) as u32).wrapping_sub(50_000)
        };
        let (seq, ack) = if to == A { (5001, 1001) } else { (1001, 5001) };
        // No RST: one with the exact sequence number rightly ends the connection
        let bits = [Flags::ACK, Flags::FIN, Flags::SYN, Flags::ACK.with(Flags::SYN)];
        let flags = bits[random.below(4) as usize];
        let (seq, ack) = (near(&mut random, seq), near(&mut random, ack));
        let mut segment = forged(seq, ack, flags);
        if random.chance(0.5) {
            let (start, length) = (near(&mut random, ack), random.below(5000) as u32);
            segment.options.sack.push(SackBlock { start, end: start.wrapping_add(length) });
        }
        assert!(segment.size() < 100);
        pair.inject(to, segment);
    }
    assert_eq!((pair.close_reason(A), pair.close_reason(Z)), (None, None));
}
