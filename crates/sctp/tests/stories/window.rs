//! The peer's receive window: it is not exceeded, probed while closed, and used when it opens. RFC 9260 §6.1, §6.2.1

use manypath_core::Span;
use manypath_sctp::{
    Config, DataFlags, LimitingWindow, SackRequest, T3Path, WindowOverrun, WindowProbe,
};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Pair, Side, Z};
use crate::send::peer::{Peer, Report, alone, message};

#[test]
fn new_data_leaves_the_room_of_chunks_marked_as_lost_to_them() {
    let mut peer = Peer::on(2, 6000, Config { t3_path: T3Path::Same, ..concurrent() });
    assert_eq!(peer.submit_by_path(12, 1000).len(), 6, "the peer's window is full");
    peer.advance_by_path(Span::from_millis(500));
    // 1 to 5 are in flight on path 0 and fill the window
    peer.window = 5000;
    assert_eq!(peer.sack_by_path(Report { gaps: &[(6, 6)], path: 1, ..Report::default() }), []);
    // Their timer expires: 1 is retransmitted, and 2 to 5 will be; new data of path 1 waits for them
    assert_eq!(peer.advance_by_path(Span::from_millis(500)), [(0, vec![1])]);
    // The peer reports a larger window: the part beyond the five chunks is for new data
    peer.window = 7000;
    let packets = peer.sack_by_path(Report { gaps: &[(6, 6)], path: 1, ..Report::default() });
    assert_eq!(packets, [(1, vec![7]), (1, vec![8])]);
}

#[test]
fn chunks_marked_as_lost_do_not_open_a_window_that_the_peer_has_closed() {
    let mut peer = Peer::on(2, 100_000, concurrent());
    assert_eq!(peer.submit_by_path(60, 1452).len(), 6);
    peer.advance_by_path(Span::from_millis(500));
    peer.window = 0;
    assert_eq!(peer.sack_by_path(Report { gaps: &[(4, 6)], path: 1, ..Report::default() }), []);
    // Lost chunks are retransmitted; no new data follows on either path
    assert_eq!(
        peer.advance_by_path(Span::from_millis(500)),
        [(1, vec![1]), (1, vec![2]), (1, vec![3])]
    );
}

#[test]
fn a_lost_chunk_probes_a_closed_window_before_a_new_one() {
    let mut peer = Peer::on(2, 100_000, concurrent());
    peer.submit_by_path(60, 1452);
    peer.advance_by_path(Span::from_millis(100));
    peer.window = 0;
    // Only chunk 6 is left: it probes repeatedly
    peer.sack_by_path(Report { cumulative: 5, path: 1, ..Report::default() });
    let probes: Vec<u32> = peer
        .advance_by_path(Span::from_secs(20))
        .into_iter()
        .flat_map(|(_, chunks)| chunks)
        .collect();
    assert!(probes.len() >= 4 && probes.iter().all(|chunk| *chunk == 6), "{probes:?}");
}

#[test]
fn a_refused_window_probe_is_retransmitted_as_soon_as_there_is_room_for_it() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(3, 1452).len(), 3);
    peer.window = 0;
    assert_eq!(peer.sack(3, &[]), [[0; 0]; 0]);
    assert_eq!(peer.submit(1, 1000), [[4]], "the probe");
    peer.window = 999;
    assert_eq!(peer.sack(3, &[]), [[0; 0]; 0], "it does not fit yet");
    peer.window = 1000;
    assert_eq!(peer.sack(3, &[]), [[4]]);
    assert_eq!(peer.sack(3, &[]), [[0; 0]; 0], "once");
    let stats = peer.endpoint.stats(FIRST);
    assert_eq!((stats.probe_retransmissions, stats.retransmitted_chunks), (1, 1));
    assert_eq!((peer.stats(0).window_cuts, peer.stats(0).timeouts), (0, 0));
}

#[test]
fn a_window_too_small_for_the_probe_is_closed() {
    for window in [0, 1, 999] {
        let mut peer = Peer::of(Config { association_max_retransmissions: 1, ..alone() });
        peer.submit(2, 1000);
        peer.window = window;
        peer.sack(2, &[]);
        peer.submit(1, 1000);
        // A peer that answers is not regarded as unreachable, however long its buffer is full
        for _ in 0..10 {
            peer.sack(2, &[]);
            assert_eq!(peer.advance_to_packets(1).len(), 1);
        }
        peer.window = 10_000;
        peer.sack(3, &[]);
        assert_eq!(peer.submit(1, 1000), [[4]], "{window}");
    }
}

/// A sends `count` messages of `length` bytes to Z, whose receive buffer has `buffer` bytes and which reads on request.
fn into_a_small_buffer(buffer: usize, count: usize, length: usize) -> Pair {
    let mut pair = Pair::configured(1, |_, config| {
        config.receive_buffer = buffer;
        // An answered HEARTBEAT would measure the path and shorten the pauses between probes
        config.heartbeat_interval = Span::from_secs(100_000);
    });
    pair.connect();
    pair.send_many(A, count, length);
    pair
}

fn sent(pair: &mut Pair, side: Side) -> u64 {
    pair.endpoint(side).stats(FIRST).data_chunks_sent
}

#[test]
fn a_window_that_opens_is_used_one_way_later() {
    let mut pair = into_a_small_buffer(8000, 20, 1000);
    pair.drive(Span::from_millis(700));
    assert_eq!(sent(&mut pair, A), 8 + 1, "eight messages fill the buffer, and one probes it");
    let start = pair.now;
    assert_eq!(pair.read(Z), 8000);
    // Z -> SACK (window update) -> A, A -> DATA -> Z: no timer is needed
    pair.drive(Span::from_millis(11));
    let first = pair.data_packets(A).find(|sent| sent.at > start).expect("DATA follows");
    assert!(first.at - start < Span::from_millis(11), "{}", first.at - start);
    pair.drive_until_read(Z, 12_000);
    assert_eq!(pair.endpoint(A).stats(FIRST).timeouts, 0, "not even for the probe");
}

#[test]
fn small_reads_do_not_cause_small_packets() {
    let mut pair = into_a_small_buffer(10_000, 400, 100);
    pair.drive(Span::from_secs(1));
    pair.network.log.clear();
    // Reads one message of 100 bytes at a time
    let mut left = 300;
    while left > 0 {
        left -= usize::from(pair.read_one(Z).is_some());
        pair.drive(Span::from_millis(5));
    }
    let packets: Vec<usize> = pair.data_packets(A).map(|sent| sent.data.len()).collect();
    let mean = packets.iter().sum::<usize>() as f64 / packets.len() as f64;
    assert!(mean > 8.0, "{mean} messages a packet: {packets:?}");
}

#[test]
fn a_peer_that_does_not_read_for_hours_is_not_given_up() {
    let mut pair = into_a_small_buffer(5000, 20, 1000);
    pair.drive(Span::from_secs(3 * 3600));
    let probes = sent(&mut pair, A) - 5;
    // At intervals that double up to a minute
    assert!((3 * 60 - 10..=3 * 60 + 10).contains(&probes), "{probes}");
    pair.drive_until_read(Z, 20_000);
}

#[test]
fn a_slow_reader_never_gets_more_than_its_buffer_holds() {
    for nr_sack in [false, true] {
        let mut pair = Pair::configured(2, |side, config| {
            let (port, local) = (config.port, config.local.clone());
            *config = Config { port, local, nr_sack, ..concurrent() };
            config.receive_buffer = if side == Z { 10_000 } else { 500_000 };
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        let (mut handed_over, mut read) = (0, 0);
        while read < 300 {
            handed_over += pair.offer(A, 300 - handed_over, 1000);
            read += usize::from(pair.read_one(Z).is_some());
            pair.drive(Span::from_millis(7));
        }
        let dropped = pair.endpoint(Z).stats(FIRST).refused_chunks;
        let probes = pair.endpoint(A).stats(FIRST).timeouts + 20;
        assert!(dropped <= probes, "{dropped} chunks came without need");
    }
}

#[test]
fn a_window_is_overrun_only_as_far_as_the_setting_allows() {
    let sent = |window_overrun| {
        let mut peer = Peer::on(2, 2500, Config { window_overrun, ..concurrent() });
        peer.submit_by_path(20, 1000).len()
    };
    assert_eq!(sent(WindowOverrun::Never), 2, "the third would not fit");
    assert_eq!(sent(WindowOverrun::Packet), 3);
    assert_eq!(sent(WindowOverrun::Wraps), 10, "only the two congestion windows stop it");
}

#[test]
fn a_window_below_the_threshold_counts_as_full_and_gets_one_probe_or_one_per_path() {
    let sent = |window_probe| {
        let settings = Config { peer_window_threshold: 3000, window_probe, ..concurrent() };
        let mut peer = Peer::on(2, 2500, settings);
        peer.submit_by_path(20, 1000)
    };
    assert_eq!(sent(WindowProbe::Association), [(0, vec![1])]);
    assert_eq!(sent(WindowProbe::Path), [(0, vec![1]), (1, vec![2])]);
}

#[test]
fn a_packet_that_fills_the_window_of_the_peer_requests_a_sack_if_that_window_counts() {
    let asks = |sack_immediately_at| {
        let settings = Config {
            sack_immediately: SackRequest::FullWindow,
            sack_immediately_at,
            ..concurrent()
        };
        let mut peer = Peer::on(2, 2500, settings);
        for _ in 0..20 {
            peer.endpoint.send(peer.now, FIRST, message(1000)).expect("there is room");
        }
        let packets = peer.packets();
        let flags = packets.iter().flat_map(|packet| &packet.data).map(|chunk| chunk.flags);
        flags.map(|flags| flags.contains(DataFlags::IMMEDIATE)).collect::<Vec<_>>()
    };
    assert_eq!(asks(LimitingWindow::Any), [false, true]);
    assert_eq!(asks(LimitingWindow::Congestion), [false, false]);
}

#[test]
fn a_probe_leaves_only_where_the_congestion_window_has_room() {
    let mut peer = Peer::of(alone());
    peer.submit(20, 1452);
    assert!(peer.stats(0).outstanding >= peer.stats(0).window);
    peer.window = 0;
    // The congestion window is still full of data in flight
    assert_eq!(peer.sack(2, &[]), [[0; 0]; 0]);
    for tsn in 3..8 {
        assert_eq!(peer.sack(tsn, &[]), [[tsn + 1]]);
        let now = peer.stats(0);
        assert!(now.outstanding <= now.window, "{} of {}", now.outstanding, now.window);
    }
}

#[test]
fn probing_leaves_the_congestion_window_in_slow_start() {
    let mut peer = Peer::of(alone());
    peer.submit(20, 1452);
    peer.window = 0;
    peer.sack(3, &[]);
    // The probe is not answered: the window becomes one packet, as after any timeout
    peer.advance_to_packets(1);
    assert_eq!((peer.stats(0).window, peer.stats(0).in_slow_start), (1468, true));
    // Each acknowledged probe that fills the window makes it grow by its size
    assert_eq!(peer.sack(4, &[]), [[5]]);
    assert_eq!(peer.stats(0).window, 2 * 1468);
    peer.window = 100_000;
    assert_eq!(peer.sack(5, &[]).len(), 2, "the window was not full");
    assert_eq!(peer.sack(7, &[]).len(), 3, "one SACK adds one packet");
    assert_eq!((peer.stats(0).window, peer.stats(0).in_slow_start), (3 * 1468, true));
}
