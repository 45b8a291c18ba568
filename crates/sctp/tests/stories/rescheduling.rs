//! A path that is blocked by another path's missing chunk retransmits this chunk. \[D10] IV-C

use manypath_core::Span;
use manypath_sctp::{
    BufferSplit, Config, DataFlags, Message, PathBlocking, PathState, Rescheduling, RttSample,
    SackRequest, SplitBy,
};

use crate::cmt::concurrent;
use crate::pair::FIRST;
use crate::send::peer::{Peer, Report, alone, message};

/// The send buffer holds eight chunks. 1 to 3 were sent on path 0, 4 to 6 on path 1, then 7 and 8 on path 1.
fn eight_chunks(rescheduling: Rescheduling) -> Peer {
    in_buffer(12_000, Config { rescheduling, ..concurrent() })
}

fn in_buffer(send_buffer: usize, config: Config) -> Peer {
    let mut peer = Peer::on(2, 100_000, Config { send_buffer, ..config });
    assert_eq!(peer.submit_by_path(send_buffer / 1452, 1452).len(), 6);
    peer.sack_by_path(Report { gaps: &[(4, 6)], path: 1, ..Report::default() });
    peer
}

/// All of path 1 up to chunk 8 has arrived: 7260 bytes of it stay in the send buffer.
const FIVE_ARRIVED: Report<'_> =
    Report { cumulative: 0, gaps: &[(4, 8)], kept: &[], duplicates: &[], packets: 1, path: 1 };

#[test]
fn a_path_that_waits_for_a_missing_chunk_sends_it_itself() {
    let mut peer = eight_chunks(Rescheduling::None);
    assert_eq!(peer.sack_by_path(FIVE_ARRIVED), []);
    let mut peer = eight_chunks(Rescheduling::Threshold);
    assert_eq!(peer.sack_by_path(FIVE_ARRIVED), [(1, vec![1])]);
    assert_eq!(peer.endpoint.stats(FIRST).rescheduled_chunks, 1);
    assert_eq!([0, 1].map(|path| peer.stats(path).rescheduled_chunks), [0, 1]);
    assert_eq!(peer.endpoint.stats(FIRST).fast_retransmissions, 0);
}

#[test]
fn the_window_of_the_path_that_had_the_chunk_shrinks_by_the_chunk() {
    let mut peer = eight_chunks(Rescheduling::Threshold);
    let (before, other) = (peer.stats(0), peer.stats(1));
    peer.sack_by_path(FIVE_ARRIVED);
    let after = peer.stats(0);
    assert_eq!(after.window, before.window - 1468);
    assert_eq!(after.outstanding, before.outstanding - 1468);
    assert_eq!((after.ssthresh, after.window_cuts), (before.ssthresh, 0));
    assert!(peer.stats(1).window >= other.window);
}

#[test]
fn the_window_of_the_path_that_had_the_chunks_stays_at_one_packet_at_least() {
    let mut peer = eight_chunks(Rescheduling::Threshold);
    peer.sack_by_path(FIVE_ARRIVED);
    for cumulative in 1..3 {
        let again = peer.sack_by_path(Report { cumulative, ..FIVE_ARRIVED });
        assert_eq!(again, [(1, vec![cumulative + 1])], "the next one blocks now");
    }
    assert_eq!(peer.stats(0).window, 1468);
    assert_eq!(peer.endpoint.stats(FIRST).rescheduled_chunks, 3);
}

#[test]
fn a_chunk_is_rescheduled_once_and_the_next_one_waits_for_its_acknowledgement() {
    let mut peer = eight_chunks(Rescheduling::Threshold);
    peer.sack_by_path(FIVE_ARRIVED);
    for _ in 0..4 {
        peer.advance_by_path(Span::from_millis(20));
        assert_eq!(peer.sack_by_path(FIVE_ARRIVED), []);
    }
    assert_eq!(peer.sack_by_path(Report { cumulative: 1, ..FIVE_ARRIVED }), [(1, vec![2])]);
}

#[test]
fn the_acknowledgement_of_a_rescheduled_chunk_increases_no_window() {
    let mut peer = eight_chunks(Rescheduling::Threshold);
    peer.sack_by_path(FIVE_ARRIVED);
    let before = [0, 1].map(|path| peer.stats(path));
    peer.sack_by_path(Report { cumulative: 1, gaps: &[(4, 8)], path: 1, ..Report::default() });
    let after = [0, 1].map(|path| peer.stats(path));
    assert_eq!(after[1].window, before[1].window);
    assert_eq!(after[0].window, before[0].window - 1468, "chunk 2 was the next to go");
    assert_eq!(after[1].bytes_acked, before[1].bytes_acked + 1452);
}

/// Chunks 1 to 4 are on path 0, 5 to 8 on path 1, where all but 5 have arrived; then 9 and 10 follow there, after chunk
/// 1 if it is rescheduled. Both windows are full then.
fn with_full_windows(rescheduling: Rescheduling) -> Peer {
    let buffer_split = BufferSplit::Sender;
    let settings =
        Config { rescheduling, buffer_split, send_buffer: 12_000, nagle: false, ..concurrent() };
    let mut peer = Peer::on(2, 100_000, settings);
    assert_eq!(peer.submit_by_path(10, 1200).len(), 8);
    peer.sack_by_path(Report { gaps: &[(6, 8)], path: 1, ..Report::default() });
    peer
}

#[test]
fn acknowledging_a_rescheduled_chunk_opens_no_window_that_is_full() {
    let windows = |peer: &Peer| [0, 1].map(|path| peer.stats(path).window);
    // Acknowledges chunk 1, or chunk 9, which is above a missing chunk of the same path. A valid SACK never reports
    // chunk 1 by a gap block, because nothing below it is missing
    let by_cumulative_tsn = Report { cumulative: 1, gaps: &[(6, 9)], path: 1, ..Report::default() };
    let by_gap_block = Report { gaps: &[(1, 1), (6, 9)], path: 1, ..Report::default() };
    // In addition to chunk 1 also chunk 5, which lets the window of path 1 grow by its 1216 bytes
    let with_another = Report { cumulative: 1, gaps: &[(5, 8)], path: 1, ..Report::default() };
    for (report, growth) in [(by_cumulative_tsn, 0), (by_gap_block, 0), (with_another, 1216)] {
        let mut peer = with_full_windows(Rescheduling::Threshold);
        assert_eq!(peer.endpoint.stats(FIRST).rescheduled_chunks, 1);
        for path in [0, 1] {
            let stats = peer.stats(path);
            assert!(stats.outstanding >= stats.window, "{stats:?}");
        }
        let before = windows(&peer);
        peer.sack_unread(report);
        // Where the cumulative TSN moves, chunk 2 is the next to go
        let shrinks = if report.cumulative == 1 { 1216 } else { 0 };
        assert_eq!(windows(&peer), [before[0] - shrinks, before[1] + growth], "{report:?}");
    }
    let mut peer = with_full_windows(Rescheduling::None);
    let before = windows(&peer);
    peer.sack_unread(by_cumulative_tsn);
    assert_eq!(windows(&peer), [before[0] + 1216, before[1]], "chunk 1 stayed on path 0");
}

#[test]
fn in_the_paper_more_than_half_of_the_buffer_must_be_blocked_and_in_inet_half() {
    use Rescheduling::{Inet, Threshold};
    // 7260 bytes are half of what ten chunks take
    for (send_buffer, rescheduling, expected) in
        [(14_519, Threshold, 1), (14_520, Threshold, 0), (14_520, Inet, 1), (14_521, Inet, 0)]
    {
        let mut peer = in_buffer(send_buffer, Config { rescheduling, ..concurrent() });
        peer.sack_by_path(FIVE_ARRIVED);
        assert_eq!(
            peer.endpoint.stats(FIRST).rescheduled_chunks,
            expected,
            "{rescheduling:?} {send_buffer}"
        );
    }
}

#[test]
fn in_a_divided_buffer_half_of_a_share_blocks() {
    for (buffer_split, expected) in
        [(BufferSplit::None, 0), (BufferSplit::Sender, 1), (BufferSplit::Receiver, 1)]
    {
        let settings = Config {
            rescheduling: Rescheduling::Threshold,
            buffer_split,
            split_by: SplitBy::Buffered,
            ..concurrent()
        };
        // A share is 14,520 bytes
        let mut peer = in_buffer(29_039, settings);
        peer.sack_by_path(FIVE_ARRIVED);
        assert_eq!(peer.endpoint.stats(FIRST).rescheduled_chunks, expected, "{buffer_split:?}");
    }
}

#[test]
fn a_share_is_of_as_many_paths_as_may_send_new_data() {
    for (potentially_failed_after, expected) in [(None, 1), (Some(0), 0)] {
        let settings = Config {
            rescheduling: Rescheduling::Threshold,
            buffer_split: BufferSplit::Sender,
            // 4356 bytes are more than half of a third of it, and not more than half of a half
            send_buffer: 4 * 4356,
            potentially_failed_after,
            ..concurrent()
        };
        let mut peer = Peer::on(3, 100_000, settings);
        assert_eq!(peer.submit_by_path(9, 1452).len(), 9);
        peer.sack_by_path(Report { cumulative: 6, ..Report::default() });
        // Path 2 times out: its chunks are retransmitted on path 0
        peer.advance_by_path(Span::from_secs(1));
        assert_eq!((peer.stats(2).timeouts, peer.stats(2).usable), (1, expected == 1));
        peer.sack_by_path(Report { cumulative: 9, ..Report::default() });
        let packets = peer.submit_by_path(9, 1452);
        let on_second: Vec<u32> =
            packets.iter().filter(|(path, _)| *path == 1).map(|(_, chunks)| chunks[0]).collect();
        let (first, last) = (on_second[0], on_second[0] + 2);
        assert!(packets[0].0 == 0 && on_second.contains(&last), "{packets:?}");
        peer.sack_unread(Report {
            cumulative: 9,
            gaps: &[(first, last)],
            path: 1,
            ..Report::default()
        });
        assert_eq!(peer.stats(1).rescheduled_chunks, expected);
    }
}

#[test]
fn one_path_at_a_time_reschedules_nothing() {
    for (concurrent, expected) in [(true, 1), (false, 0)] {
        let rescheduling = Rescheduling::Threshold;
        let settings = Config { concurrent, rescheduling, send_buffer: 5000, ..alone() };
        let mut peer = Peer::on(2, 100_000, settings);
        assert_eq!(peer.submit_by_path(3, 1452), [1, 2, 3].map(|chunk| (0, vec![chunk])));
        peer.advance_by_path(Span::from_millis(100));
        let missing = Report { gaps: &[(2, 3)], ..Report::default() };
        assert_eq!(peer.sack_by_path(missing), []);
        peer.advance_by_path(Span::from_millis(1));
        peer.sack_by_path(missing);
        assert_eq!(
            peer.endpoint.stats(FIRST).rescheduled_chunks,
            expected,
            "with CMT: {concurrent}"
        );
    }
}

#[test]
fn a_path_whose_last_chunk_was_rescheduled_has_no_timer() {
    let mut peer = eight_chunks(Rescheduling::Threshold);
    peer.advance_by_path(Span::from_millis(500));
    let sent = peer.sack_by_path(Report { gaps: &[(2, 8)], path: 1, ..Report::default() });
    assert_eq!(sent, [(1, vec![1])]);
    assert_eq!(peer.stats(0).outstanding, 0);
    let again = peer.advance_by_path(Span::from_millis(1000));
    assert_eq!(again, [(0, vec![1])], "the timer of path 1 runs from when it got the chunk");
    assert_eq!([0, 1].map(|path| peer.stats(path).timeouts), [0, 1]);
}

#[test]
fn a_rescheduled_chunk_requests_an_immediate_sack_if_the_association_uses_requests() {
    for sack_immediately in [SackRequest::Never, SackRequest::FullWindow] {
        let mut peer = in_buffer(
            12_000,
            Config { rescheduling: Rescheduling::Threshold, sack_immediately, ..concurrent() },
        );
        peer.sack_unread(FIVE_ARRIVED);
        let packets = peer.data_by_path();
        assert_eq!(packets.len(), 1);
        let flags = packets[0].1.data[0].flags;
        let requests = sack_immediately != SackRequest::Never;
        assert_eq!(flags.contains(DataFlags::IMMEDIATE), requests);
    }
}

#[test]
fn a_path_sends_its_own_chunk_again_after_a_round_trip_and_in_inet_after_two() {
    use Rescheduling::{Inet, Threshold};
    let repeats = |rescheduling, sack_path, wait| {
        let buffer_split = BufferSplit::Sender;
        let (rtt_sample, send_buffer) = (RttSample::SamePath, 12_000);
        let settings =
            Config { rescheduling, buffer_split, send_buffer, rtt_sample, ..concurrent() };
        let mut peer = Peer::on(2, 100_000, settings);
        peer.submit_by_path(8, 1452);
        // Path 1 has lost chunk 4. A SACK that takes path 1 measures it: 100 ms
        peer.advance_by_path(Span::from_millis(100));
        peer.sack_by_path(Report { gaps: &[(5, 6)], path: sack_path, ..Report::default() });
        peer.advance_by_path(Span::from_millis(wait));
        peer.sack_by_path(Report {
            cumulative: 3,
            gaps: &[(5, 7)],
            path: sack_path,
            ..Report::default()
        });
        peer.stats(1).rescheduled_chunks
    };
    assert_eq!(repeats(Threshold, 1, 1), 1);
    assert_eq!(repeats(Threshold, 0, 1), 0, "the round-trip time of path 1 is unknown");
    assert_eq!((repeats(Inet, 1, 100), repeats(Inet, 1, 101)), (0, 1));
}

#[test]
fn in_inet_the_path_that_had_the_chunk_cuts_its_window_and_then_pauses() {
    let mut peer = eight_chunks(Rescheduling::Inet);
    peer.advance_by_path(Span::from_millis(100));
    peer.sack_by_path(FIVE_ARRIVED);
    assert_eq!((peer.stats(0).window_cuts, peer.stats(0).fast_retransmissions), (1, 0));
    let window = peer.stats(0).window;
    // 2 blocks next, while path 0 is in Fast Recovery
    assert_eq!(peer.sack_by_path(Report { cumulative: 1, ..FIVE_ARRIVED }), [(1, vec![2])]);
    assert_eq!((peer.stats(0).window_cuts, peer.stats(0).window), (1, window));
    // Everything arrives. Path 0 waits for as long as its round trip takes: one second before it is measured
    peer.sack_by_path(Report { cumulative: 8, ..Report::default() });
    let on_path_1 = |chunks: [u32; 4]| chunks.map(|chunk| (1, vec![chunk]));
    assert_eq!(peer.submit_by_path(8, 1452), on_path_1([9, 10, 11, 12]));
    assert_eq!(peer.advance_by_path(Span::from_millis(500)), []);
    assert_eq!(
        peer.sack_by_path(Report { cumulative: 12, ..Report::default() }),
        on_path_1([13, 14, 15, 16])
    );
    let more = peer.submit_by_path(4, 1452);
    assert!(more.len() < 4 && more.iter().all(|(path, _)| *path == 1), "{more:?}");
    assert_eq!(peer.advance_by_path(Span::from_millis(499)), []);
    assert_eq!(peer.advance_by_path(Span::from_millis(1))[0], (0, vec![18]));
}

#[test]
fn in_inet_a_pause_continues_when_another_chunk_is_rescheduled() {
    let mut peer = eight_chunks(Rescheduling::Inet);
    peer.sack_by_path(FIVE_ARRIVED);
    peer.sack_by_path(Report { cumulative: 1, ..FIVE_ARRIVED });
    // Path 0 now pauses for a second, because its round-trip time was not measured
    peer.advance_by_path(Span::from_millis(300));
    assert_eq!(peer.sack_by_path(Report { cumulative: 2, ..FIVE_ARRIVED }), [(1, vec![3])]);
    assert_eq!((peer.stats(0).window_cuts, peer.stats(1).rescheduled_chunks), (1, 3));
    peer.sack_by_path(Report { cumulative: 8, ..Report::default() });
    assert!(peer.submit_by_path(8, 1452).iter().all(|(path, _)| *path == 1));
    assert_eq!(peer.advance_by_path(Span::from_millis(699)), []);
    assert_eq!(peer.advance_by_path(Span::from_millis(1)).first().map(|(path, _)| *path), Some(0));
}

/// Chunks 1 to 3 are on path 0, 4 to 6 on path 1, where the gap blocks of one SACK report 5 and 6. With DAC it may
/// count for three packets: then chunk 4 is lost, and path 1 is in Fast Recovery.
fn blocked_by_two_chunks(packets: u8, config: Config) -> Peer {
    let buffer_split = BufferSplit::Sender;
    let mut peer = Peer::on(2, 100_000, Config { buffer_split, send_buffer: 9000, ..config });
    assert_eq!(peer.submit_by_path(6, 1452).len(), 6);
    peer.sack_by_path(Report { gaps: &[(5, 6)], packets, path: 1, ..Report::default() });
    peer
}

#[test]
fn inet_reschedules_nothing_to_a_path_in_fast_recovery() {
    use Rescheduling::{Inet, Threshold};
    for (rescheduling, packets, expected) in [(Threshold, 3, 1), (Inet, 1, 1), (Inet, 3, 0)] {
        let peer = blocked_by_two_chunks(packets, Config { rescheduling, ..concurrent() });
        assert_eq!(peer.stats(1).in_recovery, packets == 3);
        assert_eq!(
            peer.stats(1).rescheduled_chunks,
            expected,
            "{rescheduling:?}, {packets} packets"
        );
    }
}

#[test]
fn inet_reschedules_nothing_to_a_path_that_pauses() {
    for (path_blocking, expected) in [(PathBlocking::None, 1), (PathBlocking::Rto, 0)] {
        let (rescheduling, cc) = (Rescheduling::Inet, "cmt-rpv1".to_owned());
        let settings = Config { rescheduling, cc, path_blocking, ..concurrent() };
        // RPv1 requests a reduction by the whole window when chunk 4 is lost, so that path 1 may pause
        let mut peer = blocked_by_two_chunks(3, settings);
        assert_eq!(peer.stats(1).rescheduled_chunks, 0);
        // The retransmission of chunk 4 has arrived: Fast Recovery is over
        peer.sack_unread(Report { gaps: &[(4, 6)], path: 1, ..Report::default() });
        assert!(!peer.stats(1).in_recovery);
        assert_eq!(peer.stats(1).rescheduled_chunks, expected, "{path_blocking:?}");
    }
}

/// One SACK acknowledges all of path 0, ends the timeout of path 2, and leaves chunk 4 of path 1 blocking path 2.
fn after_a_sack_for_three_paths(rescheduling: Rescheduling) -> Peer {
    let mut settings = Config {
        rescheduling,
        buffer_split: BufferSplit::Sender,
        potentially_failed_after: Some(0),
        // Two chunks are half of a third of it
        send_buffer: 3 * 4 * 1452,
        ..concurrent()
    };
    settings.rto.initial = Span::from_secs(3);
    let mut peer = Peer::on(3, 100_000, settings);
    let filled: Vec<_> = (1..=9).map(|chunk| ((chunk as usize - 1) / 3, vec![chunk])).collect();
    assert_eq!(peer.submit_by_path(9, 1452), filled);
    // Only path 2 has an RTT sample: its timer expires first
    peer.advance_by_path(Span::from_millis(100));
    assert_eq!(peer.sack_by_path(Report { gaps: &[(7, 7)], path: 2, ..Report::default() }), []);
    assert_eq!(peer.advance_by_path(Span::from_secs(1)), [(0, vec![8])]);
    assert_eq!([0, 1, 2].map(|path| peer.stats(path).timeouts), [0, 0, 1]);
    assert_eq!(peer.stats(2).state, PathState::PotentiallyFailed);
    peer.sack_unread(Report {
        cumulative: 3,
        gaps: &[(7, 7), (9, 9)],
        path: 2,
        ..Report::default()
    });
    assert_eq!(peer.stats(2).state, PathState::Active);
    peer
}

#[test]
fn a_path_that_is_active_again_and_blocked_does_not_stop_the_growth_of_other_windows() {
    let windows = |peer: &Peer| [0, 1, 2].map(|path| peer.stats(path).window);
    let plain = after_a_sack_for_three_paths(Rescheduling::None);
    assert_eq!(windows(&plain)[..2], [4404 + 1468, 4404]);
    let inet = after_a_sack_for_three_paths(Rescheduling::Inet);
    assert_eq!([0, 1, 2].map(|path| inet.stats(path).rescheduled_chunks), [0, 0, 1]);
    assert_eq!([0, 1, 2].map(|path| inet.stats(path).window_cuts), [0, 1, 0]);
    assert_eq!([0, 2].map(|path| windows(&inet)[path]), [0, 2].map(|path| windows(&plain)[path]));
}

/// Ordered messages, and a peer that reneges nothing, with a receive buffer of eight chunks.
fn kept(ordered: bool, window_left: u32) -> u64 {
    let settings = Config { rescheduling: Rescheduling::Threshold, ..concurrent() };
    let mut peer = Peer::on(2, 12_000, settings);
    for _ in 0..8 {
        let message = Message { unordered: !ordered, ..message(1452) };
        peer.endpoint.send(peer.now, FIRST, message).expect("there is room");
    }
    assert_eq!(peer.submit_by_path(0, 1452).len(), 6);
    peer.window = 12_000 - if ordered { 4356 } else { 0 };
    peer.sack_by_path(Report { kept: &[(4, 6)], path: 1, ..Report::default() });
    peer.window = window_left;
    peer.sack_by_path(Report { kept: &[(4, 8)], path: 1, ..Report::default() });
    peer.endpoint.stats(FIRST).rescheduled_chunks
}

#[test]
fn unreadable_non_renegable_data_blocks_like_renegable_data() {
    assert_eq!(kept(true, 12_000 - 7260), 1);
    assert_eq!(kept(false, 12_000), 0, "unordered messages do not wait");
    assert_eq!(kept(true, 12_000), 0, "the peer has read them, because they were in other streams");
    assert_eq!(kept(true, 6000), 0, "half of the buffer is not more than half");
    assert_eq!(kept(true, 5999), 1);
}
