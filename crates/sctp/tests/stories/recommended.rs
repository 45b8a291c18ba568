//! Recommendations of RFC 9260 that simulations leave out, and that are enabled in settings for real networks.

use manypath_core::Span;
use manypath_sctp::{Config, RttSample};

use crate::pair::{A, FIRST, Pair};
use crate::send::peer::{Peer, alone};

#[test]
fn each_address_has_a_timer_of_its_own_for_init_and_cookie_echo() {
    let attempts = |setup_timer_per_address| {
        let mut pair = Pair::configured(2, |_, config| {
            (config.setup_timer_per_address, config.init_max_retransmissions) =
                (setup_timer_per_address, 5);
        });
        pair.network.cut(0);
        pair.network.cut(1);
        pair.open(A);
        pair.drive(Span::from_secs(100));
        let inits = pair.network.log.iter();
        inits.map(|sent| (sent.at.as_secs_f64(), sent.path)).collect::<Vec<_>>()
    };
    assert_eq!(attempts(true), [(0.0, 0), (1.0, 1), (2.0, 0), (4.0, 1), (6.0, 0), (10.0, 1)]);
    assert_eq!(attempts(false), [(0.0, 0), (1.0, 1), (3.0, 0), (7.0, 1), (15.0, 0), (31.0, 1)]);
}

#[test]
fn no_chunk_above_a_retransmitted_one_gives_an_rtt_sample() {
    let smoothed = |rtt_sample| {
        let mut peer = Peer::of(Config { rtt_sample, nagle: false, ..alone() });
        assert_eq!(peer.submit(5, 800).len(), 5);
        peer.advance(Span::from_millis(100));
        // Chunk 2 measures 100 ms, then chunk 1 is fast retransmitted
        peer.sack(0, &[(2, 2)]);
        peer.sack(0, &[(2, 3)]);
        assert_eq!(peer.sack(0, &[(2, 4)]), [[1]]);
        peer.advance(Span::from_millis(300));
        // Chunk 5 was sent once, and waited for chunk 1 at the peer
        peer.sack(5, &[]);
        let behind = peer.stats(0).srtt;
        peer.submit(1, 800);
        peer.advance(Span::from_millis(500));
        peer.sack(6, &[]);
        (behind, peer.stats(0).srtt)
    };
    let micros = Span::from_micros;
    assert_eq!(smoothed(RttSample::AnySack), (micros(100_000), micros(150_000)));
    assert_eq!(
        smoothed(RttSample::SamePath),
        (micros(137_500), micros(182_812) + Span::from_nanos(500))
    );
}

#[test]
fn the_first_probe_of_a_closed_window_waits_one_rto_and_each_later_one_twice_as_long() {
    let mut peer = Peer::of(Config { window_probe_waits: true, ..alone() });
    peer.submit(9, 1000);
    peer.window = 0;
    assert_eq!(peer.sack(5, &[]), [[0; 0]; 0]);
    // An unanswered probe is retransmitted at doubling intervals, like any chunk
    assert_eq!(peer.advance_to_packets(4), [1.0, 2.0, 4.0, 8.0]);
    // An accepted probe is followed by the next one, after twice the time
    assert_eq!(peer.sack(6, &[]), [[0; 0]; 0]);
    let rto = peer.stats(0).rto;
    assert_eq!(peer.advance_to_packets(1), [(rto * 2).min(Span::from_secs(60)).as_secs_f64()]);
    // As soon as there is room, sending continues; the probes of a window that closes again begin at one RTO
    peer.window = 2000;
    assert_eq!(peer.sack(7, &[]), [[8]]);
    peer.window = 0;
    peer.advance(Span::from_millis(100));
    assert_eq!(peer.sack(8, &[]), [[0; 0]; 0]);
    assert_eq!(peer.advance_to_packets(1), [peer.stats(0).rto.as_secs_f64()]);
    assert_eq!(peer.endpoint.stats(FIRST).probe_retransmissions, 0);
}
