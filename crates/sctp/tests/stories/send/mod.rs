//! The behaviour of a sender with and without SACKs. The test plays the peer and reports any TSNs. RFC 9260 §6.1 to
//! §6.4, §7.2

pub(crate) mod peer;

use manypath_cc::UNSET_THRESHOLD;
use manypath_core::{Packet as _, Span};
use manypath_sctp::{Burst, Config, DataFlags, Packet};

use crate::pair::FIRST;
use peer::{Peer, alone, message};

#[test]
fn new_data_stops_where_the_peers_window_ends() {
    let mut peer = Peer::with_window(3000, alone());
    assert_eq!(peer.submit(7, 1000), [[1], [2], [3]]);
    // 4000 bytes are free; two chunks in flight will take 2000 of them
    peer.window = 4000;
    assert_eq!(peer.sack(1, &[]), [[4], [5]]);
}

#[test]
fn one_chunk_probes_a_closed_window() {
    let mut peer = Peer::of(alone());
    peer.submit(6, 1000);
    peer.window = 0;
    assert_eq!(peer.sack(3, &[]), [[0; 0]; 0], "chunks are still in flight");
    assert_eq!(peer.sack(5, &[]), [[6]]);
    assert_eq!(peer.submit(5, 1000), [[0; 0]; 0]);
    // The probe is repeated at doubling intervals until the window opens
    assert_eq!(peer.advance_to_packets(4), [1.0, 3.0, 7.0, 15.0]);
    peer.window = 100_000;
    assert_eq!(peer.sack(6, &[])[0], [7]);
}

#[test]
fn probes_that_are_answered_and_not_taken_are_no_errors() {
    let mut peer = Peer::of(Config { association_max_retransmissions: 1, ..alone() });
    peer.submit(2, 1000);
    peer.window = 0;
    peer.sack(1, &[]);
    for _ in 0..8 {
        assert_eq!(peer.advance_to_packets(1).len(), 1);
        peer.sack(1, &[]);
    }
    peer.window = 100_000;
    peer.sack(2, &[]);
    assert_eq!(peer.submit(1, 1000), [[3]], "the association continues");
}

#[test]
fn a_packet_that_is_not_full_waits_while_data_is_outstanding() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(1, 100), [[1]]);
    assert_eq!(peer.submit(3, 100), [[0; 0]; 0]);
    assert_eq!(peer.sack(1, &[]), [[2, 3, 4]]);
}

#[test]
fn the_window_is_exceeded_by_one_packet_and_by_less_than_a_chunk() {
    let mut peer = Peer::of(alone());
    // 916 bytes each; the first window of 4404 has room for 4.8 chunks
    assert_eq!(peer.submit(9, 900).len(), 5);
    assert_eq!((peer.stats(0).window, peer.stats(0).outstanding), (4404, 5 * 916));
    assert_eq!(peer.submit(9, 900), [[0; 0]; 0], "nothing is sent into a full window");
    assert_eq!(peer.stats(0).ssthresh, UNSET_THRESHOLD, "slow start begins without a threshold");
}

#[test]
fn a_burst_has_as_many_packets_as_max_burst_and_leaves_the_window_as_it_is() {
    let mut peer = Peer::of(Config { burst: Burst::MaxBurst, max_burst: 2, ..alone() });
    assert_eq!(peer.submit(9, 1452), [[1], [2]]);
    assert_eq!(peer.stats(0).window, 4404);
    assert_eq!(peer.sack(1, &[]), [[3], [4]]);
}

#[test]
fn a_long_message_leaves_in_fragments_that_fit_the_mtu() {
    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    peer.endpoint.send(peer.now, FIRST, message(4000)).unwrap();
    let packets = peer.packets();
    let sizes: Vec<usize> = packets.iter().map(Packet::size).collect();
    assert_eq!(sizes, [1500, 1500, 20 + 12 + 16 + 4000 - 2 * 1452]);
    let chunks: Vec<_> = packets.iter().flat_map(|packet| &packet.data).collect();
    let flags = [DataFlags::BEGIN, DataFlags(0), DataFlags::END];
    let flags = flags.map(|flags| flags.with(DataFlags::UNORDERED));
    assert!(chunks.iter().map(|chunk| chunk.flags).eq(flags));
    assert!(chunks.windows(2).all(|pair| pair[0].tsn.next() == pair[1].tsn));
    assert!(chunks.iter().all(|chunk| chunk.ssn == chunks[0].ssn));
}

#[test]
fn the_timer_runs_from_the_first_chunk_and_later_ones_do_not_touch_it() {
    let mut peer = Peer::of(alone());
    let start = peer.now;
    peer.submit(1, 1452);
    assert_eq!(peer.timer(), start + Span::from_secs(1));
    peer.advance(Span::from_millis(300));
    peer.submit(1, 1452);
    assert_eq!(peer.timer(), start + Span::from_secs(1));
}

#[test]
fn the_timer_restarts_with_news_of_the_earliest_chunk_and_stops_when_all_has_arrived() {
    let mut peer = Peer::of(alone());
    let start = peer.now;
    peer.submit(3, 1452);
    peer.advance(Span::from_millis(300));
    peer.sack(0, &[(2, 2)]);
    assert_eq!(peer.timer(), start + Span::from_secs(1));
    peer.advance(Span::from_millis(200));
    peer.sack(2, &[]);
    assert_eq!(peer.timer(), start + Span::from_millis(1500));
    peer.sack(3, &[]);
    assert!(peer.timer() > start + Span::from_secs(1000), "only the heartbeat is left");
}

#[test]
fn a_timeout_sends_one_chunk_and_then_what_is_lost_before_what_is_new() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(8, 1452), [[1], [2], [3]]);
    let start = peer.now;
    assert_eq!(peer.advance(Span::from_secs(1)), [[1]]);
    assert_eq!(peer.stats(0).window, 1468);
    assert_eq!(peer.stats(0).ssthresh, 4 * 1468, "half of 4404 is less than four chunks");
    assert_eq!(peer.timer(), start + Span::from_secs(1 + 2), "the timeout has doubled");
    assert_eq!(peer.sack(1, &[]), [[2], [3]]);
    assert_eq!(peer.sack(3, &[]), [[4], [5], [6]]);
}

#[test]
fn small_chunks_share_packets_in_the_order_of_their_numbers() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(12, 700), [[1, 2], [3, 4], [5, 6], [7, 8]]);
    let again = [peer.advance(Span::from_secs(1)), peer.sack(4, &[]), peer.sack(8, &[])].concat();
    assert!(
        again.iter().all(|packet| packet.is_sorted()) && again.concat().is_sorted(),
        "{again:?}"
    );
}

#[test]
fn a_timeout_moves_the_chunk_to_another_path_with_its_account_and_its_timer() {
    let mut peer = Peer::on(2, 100_000, alone());
    peer.submit(1, 1452);
    assert_eq!((peer.stats(0).outstanding, peer.stats(1).outstanding), (1468, 0));
    let start = peer.now;
    assert_eq!(peer.advance(Span::from_secs(1)), [[1]]);
    assert_eq!(peer.last_path, 1);
    assert_eq!((peer.stats(0).outstanding, peer.stats(1).outstanding), (0, 1468));
    assert_eq!(peer.stats(0).rto, Span::from_secs(2));
    assert_eq!(peer.timer(), start + Span::from_secs(1 + 1));
}

#[test]
fn one_sample_a_round_trip_and_none_of_a_retransmission() {
    let mut peer = Peer::of(alone());
    peer.submit(3, 1452);
    peer.advance(Span::from_millis(100));
    peer.sack(1, &[]);
    assert_eq!(peer.stats(0).srtt, Span::from_millis(100));
    peer.advance(Span::from_millis(90));
    peer.sack(2, &[]);
    assert_eq!(peer.stats(0).srtt, Span::from_millis(100), "less than a round trip later");

    let mut peer = Peer::of(alone());
    peer.submit(1, 1452);
    peer.advance(Span::from_millis(1200));
    peer.sack(1, &[]);
    assert_eq!(peer.stats(0).srtt, Span::ZERO, "it is unknown which copy was acknowledged");
}

#[test]
fn what_is_acknowledged_leaves_the_send_buffer_and_an_old_sack_changes_nothing() {
    let mut peer = Peer::of(alone());
    let space = peer.endpoint.send_space(FIRST);
    peer.submit(3, 1000);
    peer.sack(2, &[]);
    assert_eq!(peer.endpoint.send_space(FIRST), space - 1000);
    let before = peer.stats(0);
    peer.sack(1, &[(3, 3)]);
    assert_eq!(peer.stats(0), before);
    assert_eq!(peer.endpoint.stats(FIRST).stale_sacks, 1);
    assert_eq!(peer.endpoint.send_space(FIRST), space - 1000);
}

#[test]
fn tsns_below_the_first_one_acknowledge_nothing() {
    let mut peer = Peer::of(alone());
    peer.submit(1, 1000);
    peer.first = peer.first.previous();
    peer.sack(0, &[]);
    assert_eq!(peer.endpoint.stats(FIRST).stale_sacks, 1);
    peer.sack(1, &[]);
    assert_eq!(
        peer.endpoint.stats(FIRST).stale_sacks,
        1,
        "the initial cumulative TSN precedes the first TSN"
    );
}

#[test]
fn the_third_missing_report_retransmits_immediately_for_any_window() {
    let mut peer = Peer::grown();
    assert!(!peer.lose_first(&[2, 3]));
    let window = peer.stats(0).window;
    assert!(peer.lose_first(&[4]));
    let after = peer.stats(0);
    assert_eq!((after.window, after.ssthresh), (window / 2, window / 2));
    assert!(after.outstanding > after.window, "the retransmission did not wait for the window");
}

#[test]
fn a_chunk_is_fast_retransmitted_once() {
    let mut peer = Peer::grown();
    assert!(peer.lose_first(&[2, 3, 4]));
    assert!(!peer.lose_first(&[5, 6, 7, 8]));
    assert_eq!(peer.stats(0).fast_retransmissions, 1);
}

#[test]
fn a_fast_retransmission_restarts_the_timer_for_the_first_chunk_only() {
    let mut peer = Peer::grown();
    let before = peer.timer();
    peer.advance(Span::from_millis(100));
    peer.lose_first(&[2, 3]);
    assert_eq!(peer.timer(), before);
    peer.lose_first(&[4]);
    assert_eq!(peer.timer(), before + Span::from_millis(100));
    // 5 is lost too, while the retransmission of 1 is in flight
    peer.advance(Span::from_millis(100));
    for last in 6..9 {
        peer.sack_after(0, &[(2, 4), (6, last)]);
    }
    assert_eq!(peer.stats(0).fast_retransmissions, 2);
    assert_eq!(peer.timer(), before + Span::from_millis(100));
}

#[test]
fn fast_recovery_cuts_once_until_all_that_was_outstanding_has_arrived() {
    let mut peer = Peer::grown();
    peer.lose_first(&[2, 3, 4]);
    let (exit, window) = (peer.highest, peer.stats(0).window);
    // A second loss in the same flight: 5 is missing too
    for last in 6..9 {
        peer.sack_after(4, &[(6, last)]);
    }
    assert_eq!(peer.stats(0).fast_retransmissions, 2);
    assert_eq!((peer.stats(0).window_cuts, peer.stats(0).window), (1, window));
    // Everything arrives, and then a chunk of the next flight is lost
    peer.sack(exit, &[]);
    for last in 2..5 {
        peer.sack(exit, &[(exit + 2, exit + last)]);
    }
    assert_eq!(peer.stats(0).window_cuts, 2);
}

#[test]
fn reports_count_below_the_highest_tsn_that_is_newly_acknowledged() {
    let mut peer = Peer::grown();
    let base = peer.base;
    let report = |peer: &mut Peer, blocks: &[(u32, u32)]| peer.sack_after(0, blocks);
    // 1 and 4 are missing. Acknowledgements of 2 and 3 do not show that 4 is missing
    report(&mut peer, &[(5, 5)]);
    report(&mut peer, &[(2, 2), (5, 5)]);
    assert_eq!(report(&mut peer, &[(2, 3), (5, 5)]), [[base + 1]]);
    assert!(!report(&mut peer, &[(2, 3), (5, 6)]).concat().contains(&(base + 4)));
    assert!(report(&mut peer, &[(2, 3), (5, 7)]).concat().contains(&(base + 4)));
}

#[test]
fn a_chunk_that_is_no_longer_reported_is_in_flight_again_and_missing_once() {
    let mut peer = Peer::grown();
    peer.sack_after(0, &[(2, 2)]);
    let flight = peer.stats(0).outstanding;
    peer.sack_after(0, &[]);
    assert_eq!(peer.stats(0).outstanding, flight + 1468);
    peer.sack_after(0, &[(3, 3)]);
    assert_eq!(peer.stats(0).fast_retransmissions, 0);
    // The third report of 1, and of 2, whose first report was the withdrawn block
    peer.sack_after(0, &[(3, 4)]);
    assert_eq!(peer.stats(0).fast_retransmissions, 2);
}

#[test]
fn a_sack_that_shows_a_loss_increases_the_window_before_the_reduction() {
    let mut peer = Peer::grown();
    let window = peer.stats(0).window;
    peer.sack_after(0, &[(3, 3)]);
    peer.sack_after(0, &[(3, 4)]);
    peer.sack_after(1, &[(3, 5)]);
    assert_eq!(peer.stats(0).window, (window + 1468) / 2);
}

#[test]
fn a_fast_retransmission_stays_on_the_path_of_the_original() {
    let mut peer = Peer::on(2, 100_000, alone());
    peer.submit(5, 1000);
    for last in 2..5 {
        peer.sack(0, &[(2, last)]);
    }
    assert_eq!(peer.stats(0).fast_retransmissions, 1);
    assert_eq!((peer.last_path, peer.stats(1).data_packets), (0, 0));
}
