//! Damaged packets are reported and retransmitted without a congestion response. draft-stewart-sctp-pktdrprep

use manypath_core::{Encode as _, Packet as _, Span, Via};
use manypath_sctp::{
    CloseReason, Config, Control, Data, Event, Init, Packet, PacketDrop, PathStats, Stats,
};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Sent, Side, Z, path};
use crate::send::peer::{Peer, Report, alone, message};

/// An offset in the payload of a full packet, after the head of the first chunk of any packet.
const LATE: u32 = 1499;

fn reporting(paths: usize) -> Pair {
    let mut pair = Pair::configured(paths, |_, config| config.packet_drop_reports = true);
    pair.connect();
    pair
}

fn stats(pair: &mut Pair, side: Side) -> Stats {
    *pair.endpoint(side).stats(FIRST)
}

fn path_stats(pair: &mut Pair, side: Side) -> PathStats {
    pair.endpoint(side).path_stats(FIRST, path(0))
}

#[test]
fn a_damaged_packet_is_reported_and_its_data_retransmitted_at_once() {
    let mut pair = reporting(1);
    let before = path_stats(&mut pair, A);
    let start = pair.now;
    pair.network.once(A, "DATA", Fault::Damage(LATE));
    pair.send(A, 1400);
    pair.settle();
    let at = pair.data_packets(A).map(|sent| sent.at - start).collect::<Vec<_>>();
    assert_eq!(
        pair.arrows(),
        ["A -> DATA -> Z", "Z -> PKTDROP -> A", "A -> DATA -> Z", "Z -> SACK -> A"]
    );
    assert_eq!(pair.read(Z), 1400);
    // 10 ms each way, 1448 bytes there and 1476 back at 10 Mbit/s
    assert_eq!(at, [Span::ZERO, Span::from_nanos(20_000_000 + (1448 + 48 + 1428) * 800)]);
    let after = path_stats(&mut pair, A);
    assert_eq!((after.window_cuts, after.timeouts, after.fast_retransmissions), (0, 0, 0));
    assert_eq!((after.ssthresh, after.rto), (before.ssthresh, before.rto), "no sample either");
    let (sender, receiver) = (stats(&mut pair, A), stats(&mut pair, Z));
    assert_eq!((sender.drop_reports, sender.reported_chunks), (1, 1));
    assert_eq!((receiver.damaged_packets, receiver.drop_reports_sent), (1, 1));
    assert_eq!(receiver.duplicate_chunks, 0);
}

#[test]
fn both_sides_must_agree() {
    for offers in [[true, true], [true, false], [false, true], [false, false]] {
        let mut pair = Pair::configured(1, |side, config| {
            config.packet_drop_reports = offers[side as usize];
        });
        pair.open(A);
        pair.settle();
        let offered: Vec<bool> =
            pair.announcements().iter().map(|init| init.packet_drop_reports).collect();
        assert_eq!(offered, offers);
        pair.arrows();
        for side in [A, Z] {
            pair.network.once(side, "DATA", Fault::Damage(LATE));
            pair.send(side, 1400);
            pair.drive(Span::from_secs(4));
            let reported = pair.arrows().iter().any(|arrow| arrow.contains("PKTDROP"));
            assert_eq!(reported, offers == [true, true]);
            assert_eq!(pair.read(side.other()), 1400, "T3 retransmits unreported chunks");
            assert_eq!(stats(&mut pair, side.other()).damaged_packets, 1);
        }
    }
}

#[test]
fn the_offer_takes_room_in_init_together_with_that_of_nr_sack() {
    let size = |nr_sack, packet_drop_reports| {
        let init = Init { nr_sack, packet_drop_reports, ..Init::default() };
        let control = vec![Control::Init(Box::new(init))];
        Packet { control, ..Packet::default() }.size()
    };
    assert_eq!(
        [size(false, true), size(true, false), size(true, true)],
        [size(false, false) + 8; 3]
    );
}

#[test]
fn a_report_repeats_the_packet_up_to_one_mtu() {
    let mut pair = reporting(1);
    pair.network.times(2, A, "DATA", Fault::Damage(60));
    for (bytes, size, truncated) in [(1404, 20 + 12 + 16 + 1432, false), (1452, 1500, true)] {
        pair.send(A, bytes);
        pair.settle();
        let is_report = |sent: &&Sent| sent.label == "PKTDROP";
        let sent = pair.network.log.iter().rev().find(is_report).expect("a report");
        let Control::PacketDrop(report) = &sent.control[0] else { panic!("{sent:?}") };
        assert_eq!((sent.size, report.is_truncated()), (size, truncated));
        assert_eq!(usize::from(report.length), 12 + 16 + bytes);
    }
}

#[test]
fn a_packet_with_an_unrecognisable_first_chunk_is_not_reported() {
    for (byte, reported) in [(0, 0), (31, 0), (47, 0), (48, 1)] {
        let mut pair = reporting(1);
        pair.network.once(A, "DATA", Fault::Damage(byte));
        pair.send(A, 1400);
        pair.drive(Span::from_secs(2));
        assert_eq!(pair.read(Z), 1400);
        assert_eq!(stats(&mut pair, Z).drop_reports_sent, reported, "byte {byte}");
        // The first bytes of the payload identify the chunk, too, including byte 48
        assert_eq!(stats(&mut pair, A).timeouts, 1);
    }
}

#[test]
fn each_chunk_of_a_packet_is_recognised_for_itself() {
    // Chunks of 100 bytes begin at bytes 32, 148, 264 and 380
    for (byte, again) in [(99, "1234"), (200, "1234"), (264, "12"), (268, "124"), (300, "124")] {
        let mut pair = reporting(1);
        pair.network.once(A, "DATA", Fault::Damage(byte));
        pair.send_many(A, 4, 100);
        pair.drive(Span::from_millis(30));
        let chunks: String =
            pair.retransmissions(A).iter().map(|(_, number)| number.to_string()).collect();
        assert_eq!(chunks, again, "byte {byte}");
    }
}

#[test]
fn windows_stay_as_they_are_while_gap_reports_come_in() {
    let mut pair = reporting(1);
    let mut number = 0;
    pair.network.rule(move |sent| {
        number += usize::from(sent.from == A && !sent.data.is_empty());
        if sent.from == A && number == 40 { Fault::Damage(700) } else { Fault::None }
    });
    pair.send_many(A, 300, 1452);
    pair.drive_until_read(Z, 300 * 1452);
    let after = path_stats(&mut pair, A);
    assert_eq!((after.window_cuts, after.timeouts, after.fast_retransmissions), (0, 0, 0));
    assert_eq!(stats(&mut pair, A).reported_chunks, 1);
    assert!(pair.sacks(Z).any(|(_, sack)| !sack.gaps.is_empty()), "the gap was seen");
    assert_eq!(stats(&mut pair, Z).duplicate_chunks, 0);
}

#[test]
fn a_damaged_heartbeat_is_sent_again_and_measures_from_then_on() {
    let mut pair = reporting(1);
    pair.network.once(A, "HEARTBEAT", Fault::Damage(60));
    pair.drive_until(|pair| {
        pair.network.log.iter().any(|sent| sent.from == A && sent.label == "HEARTBEAT")
    });
    pair.network.log.retain(|sent| sent.from == A);
    pair.settle();
    let from_a: Vec<String> = pair.arrows().into_iter().filter(|a| a.starts_with('A')).collect();
    assert_eq!(from_a, ["A -> HEARTBEAT -> Z", "A -> HEARTBEAT -> Z"]);
    let srtt = path_stats(&mut pair, A).srtt;
    assert_eq!(srtt, Span::from_nanos(20_000_000 + 2 * 76 * 800), "the second probe alone counts");
}

#[test]
fn an_association_closes_gracefully_whichever_packet_is_damaged_once() {
    for label in ["SHUTDOWN", "SHUTDOWN ACK", "SHUTDOWN COMPLETE"] {
        let mut pair = reporting(1);
        pair.send(A, 100);
        pair.settle();
        for side in [A, Z] {
            pair.network.once(side, label, Fault::Damage(1499));
        }
        pair.shutdown(A);
        pair.drive(Span::from_secs(30));
        assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown), "{label}");
        assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown), "{label}");
    }
}

/// Delivers to `side` a report of the last packet that it sent, whether that packet arrived or not.
fn return_last(pair: &mut Pair, side: Side, tag: u32) {
    let sent = pair.network.log.iter().rev().find(|sent| sent.from == side).expect("a packet");
    let report = report(&Packet { control: sent.control.clone(), ..Packet::default() });
    let packet = pair.forge(side, tag, Control::PacketDrop(Box::new(report)));
    pair.inject(side, 0, packet);
}

/// The verification tag that `side` expects, from the log.
fn tag_of(pair: &Pair, side: Side) -> u32 {
    pair.network.log.iter().find(|sent| sent.from != side).expect("a packet").tag
}

#[test]
fn a_reported_control_chunk_is_retransmitted_at_once_while_its_answer_is_outstanding() {
    let mut pair = reporting(1);
    pair.send(A, 100);
    pair.settle();
    let tags = [A, Z].map(|side| tag_of(&pair, side));
    pair.arrows();
    for (side, label) in [(A, "SHUTDOWN"), (Z, "SHUTDOWN ACK")] {
        pair.network.once(side, label, Fault::Lose);
    }
    pair.shutdown(A);
    return_last(&mut pair, A, tags[0]);
    pair.settle();
    return_last(&mut pair, Z, tags[1]);
    let start = pair.now;
    pair.settle();
    let story = [
        "A -> SHUTDOWN -> lost",
        "A -> SHUTDOWN -> Z",
        "Z -> SHUTDOWN ACK -> lost",
        "Z -> SHUTDOWN ACK -> A",
        "A -> SHUTDOWN COMPLETE -> Z",
    ];
    assert_eq!(pair.arrows(), story);
    assert!(pair.now - start < Span::from_millis(30), "no timer ran out");
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn a_sack_that_is_reported_leaves_again() {
    let mut pair = reporting(1);
    pair.send(A, 100);
    pair.settle();
    let tag = tag_of(&pair, Z);
    pair.arrows();
    let report = report(&Packet { has_sack: true, ..Packet::default() });
    let packet = pair.forge(Z, tag, Control::PacketDrop(Box::new(report)));
    pair.inject(Z, 0, packet);
    pair.settle();
    assert_eq!(pair.arrows(), ["Z -> SACK -> A"]);
}

#[test]
fn damaged_reports_and_aborts_are_not_reported() {
    let mut pair = reporting(1);
    pair.network.once(A, "DATA", Fault::Damage(LATE));
    pair.network.once(Z, "PKTDROP", Fault::Damage(LATE));
    pair.send(A, 1400);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> DATA -> Z", "Z -> PKTDROP -> A"]);
    pair.drive(Span::from_secs(2));
    assert_eq!(pair.read(Z), 1400);

    let mut pair = reporting(1);
    pair.network.once(A, "ABORT", Fault::Damage(LATE));
    pair.abort(A);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> ABORT -> Z"]);
}

#[test]
fn a_path_that_damages_everything_fails_in_the_end() {
    let mut pair = Pair::configured(2, |_, config| {
        config.packet_drop_reports = true;
        config.path_max_retransmissions = 1;
    });
    pair.connect();
    pair.drive(Span::from_millis(100));
    pair.network.rule(|sent| {
        let damaged = sent.from == A && sent.path == 0 && !sent.data.is_empty();
        if damaged { Fault::Damage(LATE) } else { Fault::None }
    });
    for _ in 0..3 {
        pair.send(A, 1400);
        pair.drive(Span::from_secs(10));
        assert_eq!(pair.read(Z), 1400, "the other path takes what the timer moves");
    }
    let copies = pair.data_packets(A).take_while(|sent| sent.path == 0).count();
    assert_eq!(copies, 6, "then the timer decides");
    let fails = Event::PathDown { association: FIRST, path: path(0) };
    assert_eq!(stats(&mut pair, A).timeouts, 2);
    assert!(pair.events(A).contains(&fails));
}

#[test]
fn a_transfer_over_noisy_paths_is_complete_and_no_window_is_cut() {
    let mut pair = Pair::configured(2, |_, config| {
        let local = std::mem::take(&mut config.local);
        let port = config.port;
        *config = Config { port, local, packet_drop_reports: true, ..concurrent() };
    });
    pair.connect();
    pair.drive(Span::from_millis(100));
    let mut packets = 0_u32;
    pair.network.rule(move |sent| {
        packets += u32::from(sent.from == A);
        // Every 13th packet of A, each time at another offset after the heads
        let is_damaged = sent.from == A && packets.is_multiple_of(13);
        if is_damaged { Fault::Damage(80 + packets * 37 % 1400) } else { Fault::None }
    });
    let mut received = 0;
    for _ in 0..20 {
        pair.send_many(A, 20, 1452);
        pair.drive(Span::from_millis(400));
        received += pair.read(Z);
    }
    pair.drive(Span::from_secs(10));
    assert_eq!(received + pair.read(Z), 20 * 20 * 1452);
    let (sender, receiver) = (stats(&mut pair, A), stats(&mut pair, Z));
    assert!(sender.reported_chunks > 20, "{sender:?}");
    assert_eq!((sender.fast_retransmissions, receiver.duplicate_chunks), (0, 0));
}

/// A sender that will receive reports.
fn sender(paths: usize, config: Config) -> Peer {
    Peer::on(paths, 100_000, Config { packet_drop_reports: true, ..config })
}

/// A's application sends this number of messages; returns the resulting packets.
fn packets(peer: &mut Peer, count: usize) -> Vec<Packet> {
    for _ in 0..count {
        peer.endpoint.send(peer.now, FIRST, message(1452)).expect("there is room");
    }
    peer.data_by_path().into_iter().map(|(_, packet)| packet).collect()
}

/// A report of a packet with a wrong byte far after the heads, if it has that many bytes.
fn report(packet: &Packet) -> PacketDrop {
    let mut damaged = Vec::new();
    packet.encode(Via::default(), &(), &mut damaged);
    if let Some(byte) = damaged.get_mut(980) {
        *byte = !*byte;
    }
    let length = damaged.len() as u16;
    damaged.truncate(1452);
    PacketDrop {
        window: 100_000,
        queued: 0,
        bad_checksum: true,
        from_middlebox: false,
        length,
        dropped: damaged.into(),
    }
}

#[test]
fn a_report_counts_unless_the_chunk_has_been_acknowledged() {
    let mut peer = sender(1, alone());
    let sent = packets(&mut peer, 2);
    peer.advance_by_path(Span::from_millis(50));
    assert_eq!(peer.report_dropped(0, report(&sent[0])), [(0, vec![1])]);
    peer.sack_by_path(Report { gaps: &[(2, 2)], ..Report::default() });
    assert_eq!(peer.report_dropped(0, report(&sent[1])), []);
    peer.sack_by_path(Report { cumulative: 2, ..Report::default() });
    assert_eq!(peer.report_dropped(0, report(&sent[1])), []);
    assert_eq!(peer.report_dropped(0, report(&sent[0])), []);
    let stats = peer.endpoint.stats(FIRST);
    assert_eq!((stats.drop_reports, stats.reported_chunks), (4, 1));
}

#[test]
fn each_copy_may_be_damaged_and_is_sent_again() {
    let mut peer = sender(1, alone());
    let sent = packets(&mut peer, 2);
    // The first sample of the round trip: 50 ms
    peer.advance_by_path(Span::from_millis(50));
    peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
    for copy in 2..=6 {
        assert_eq!(peer.report_dropped(0, report(&sent[1])), [(0, vec![2])], "copy {copy}");
        peer.advance_by_path(Span::from_millis(50));
    }
    assert_eq!(peer.report_dropped(0, report(&sent[1])), [], "that is enough");
    assert_eq!(peer.advance_by_path(Span::from_secs(1)), [(0, vec![2])], "the timer takes over");
}

#[test]
fn a_report_of_a_chunk_that_the_timer_moved_is_ignored() {
    let mut peer = sender(2, alone());
    let sent = packets(&mut peer, 1);
    assert_eq!(peer.advance_by_path(Span::from_secs(1)), [(1, vec![1])]);
    peer.advance_by_path(Span::from_millis(500));
    assert_eq!(peer.report_dropped(0, report(&sent[0])), []);
    assert_eq!((peer.stats(0).outstanding, peer.stats(1).outstanding), (0, 1468));
}

#[test]
fn a_report_of_a_fast_retransmitted_chunk_is_ignored() {
    let mut peer = sender(1, alone());
    let sent = packets(&mut peer, 3);
    peer.advance_by_path(Span::from_millis(50));
    peer.sack_by_path(Report { gaps: &[(2, 2)], ..Report::default() });
    let mut again = Vec::new();
    packets(&mut peer, 3);
    for last in 3..6 {
        again.extend(peer.sack_by_path(Report { gaps: &[(2, last)], ..Report::default() }));
    }
    assert!(again.contains(&(0, vec![1])), "{again:?}");
    let before = peer.stats(0);
    assert_eq!(peer.report_dropped(0, report(&sent[0])), []);
    assert_eq!(peer.stats(0).outstanding, before.outstanding);
}

#[test]
fn gap_reports_after_a_drop_report_cut_no_window() {
    let mut peer = sender(1, alone());
    let sent = packets(&mut peer, 3);
    let window = peer.stats(0).window;
    peer.advance_by_path(Span::from_millis(50));
    assert_eq!(peer.report_dropped(0, report(&sent[0])), [(0, vec![1])]);
    packets(&mut peer, 3);
    for last in 2..6 {
        peer.sack_by_path(Report { gaps: &[(2, last)], ..Report::default() });
    }
    assert_eq!((peer.stats(0).window_cuts, peer.stats(0).fast_retransmissions), (0, 0));
    assert!(peer.stats(0).window >= window);
}

#[test]
fn only_a_retransmission_of_the_earliest_chunk_restarts_the_timer() {
    let mut peer = sender(1, alone());
    let start = peer.now;
    let sent = packets(&mut peer, 3);
    peer.advance_by_path(Span::from_millis(300));
    peer.report_dropped(0, report(&sent[1]));
    assert_eq!(peer.timer(), start + Span::from_secs(1));
    peer.report_dropped(0, report(&sent[0]));
    assert_eq!(peer.timer(), start + Span::from_millis(1300));
}

#[test]
fn a_closed_window_repeats_nothing_for_a_report() {
    let mut peer = sender(1, alone());
    let mut sent = packets(&mut peer, 3);
    peer.window = 0;
    peer.sack_by_path(Report { cumulative: 3, ..Report::default() });
    sent = [sent, packets(&mut peer, 1)].concat();
    assert_eq!(sent.len(), 4, "one chunk probes the window");
    peer.advance_by_path(Span::from_millis(100));
    let full = PacketDrop { queued: 100_000, ..report(&sent[3]) };
    assert_eq!(peer.report_dropped(0, full), []);
    assert_eq!(peer.endpoint.stats(FIRST).reported_chunks, 0);
}

#[test]
fn a_drop_report_has_the_free_space_of_the_peers_buffer() {
    let mut peer = sender(1, alone());
    let sent = packets(&mut peer, 60);
    assert_eq!(sent.len(), 3);
    peer.advance_by_path(Span::from_millis(50));
    // 4000 bytes are free, and two chunks are in flight beside the one that leaves again
    let narrow = PacketDrop { window: 50_000, queued: 46_000, ..report(&sent[0]) };
    assert_eq!(peer.report_dropped(0, narrow), [(0, vec![1])]);
    peer.window = 4000;
    assert_eq!(peer.sack_by_path(Report { cumulative: 1, ..Report::default() }), []);
    let wide = PacketDrop { window: 50_000, queued: 0, ..report(&sent[0]) };
    assert!(!peer.report_dropped(0, wide).is_empty(), "the window has opened");
}

#[test]
fn a_report_of_data_that_was_never_sent_changes_nothing() {
    let mut peer = sender(1, alone());
    let sent = packets(&mut peer, 2);
    peer.advance_by_path(Span::from_millis(50));
    let with = |change: fn(&mut Data)| {
        let mut packet = sent[0].clone();
        change(&mut packet.data[0]);
        report(&packet)
    };
    let other_payload = with(|data| data.payload = vec![1; 1452].into());
    let other_length = with(|data| data.payload.truncate(1400));
    let other_stream = with(|data| data.stream = 5);
    let other_tsn = with(|data| data.tsn = data.tsn.add(1000));
    let by_middlebox = PacketDrop { from_middlebox: true, ..report(&sent[0]) };
    let not_damaged = PacketDrop { bad_checksum: false, ..report(&sent[0]) };
    let before = peer.stats(0);
    for report in [other_payload, other_length, other_stream, other_tsn, by_middlebox, not_damaged]
    {
        assert_eq!(peer.report_dropped(0, report), []);
        assert_eq!(peer.stats(0), before);
    }
}

#[test]
fn drop_reports_without_agreement_are_ignored() {
    let mut peer = Peer::of(alone());
    let sent = packets(&mut peer, 1);
    assert_eq!(peer.report_dropped(0, report(&sent[0])), []);
    assert_eq!(peer.endpoint.stats(FIRST).drop_reports, 0);
}

#[test]
fn damage_causes_no_events() {
    let mut pair = reporting(1);
    pair.events(A);
    pair.network.once(A, "DATA", Fault::Damage(LATE));
    pair.send(A, 1400);
    pair.settle();
    assert_eq!(pair.events(A), [Event::Writable(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Readable(FIRST)]);
}
