//! Losses of every kind, told by the segments on the wire: what repairs them, and when. RFC 6675 §5, RFC 6298 §5

use manypath_core::{Span, Time};

use crate::pair::{A, Fate, Pair, Z};

/// A pair whose window has grown to forty segments and more, with nothing under way.
fn warm(selective_acks: bool) -> Pair {
    let mut pair = Pair::configured(|_, config| config.selective_acks = selective_acks);
    pair.connect();
    for _ in 0..6 {
        pair.write(A, 40 * 1460);
        pair.drive_until_read(Z, 40 * 1460);
        pair.drive(Span::from_millis(50));
    }
    pair.network.log.clear();
    pair
}

#[test]
fn one_loss_is_repaired_within_two_round_trips() {
    for selective_acks in [true, false] {
        let mut pair = warm(selective_acks);
        pair.network.lose(A, &[5]);
        pair.write(A, 80 * 1460);
        let took = pair.drive_until_read(Z, 80 * 1460);
        // The bytes alone take 96 ms
        assert!(took < Span::from_millis(150), "{took}");
        let stats = pair.stats(A);
        assert_eq!((stats.fast_retransmissions, stats.timeouts), (1, 0));
        assert_eq!(pair.path_stats(A).window_cuts, 1);
    }
}

#[test]
fn a_whole_flight_that_is_lost_comes_again_in_slow_start() {
    let mut pair = warm(true);
    pair.network.cut();
    pair.write(A, 40 * 1460);
    pair.drive(Span::from_millis(150));
    pair.network.mend();
    pair.network.log.clear();
    pair.drive_until_read(Z, 40 * 1460);
    let at: Vec<Time> =
        pair.network.log.iter().filter(|sent| sent.from == A).map(|sent| sent.at).collect();
    // One segment, then two, then four: a round trip takes 21 ms and a bit
    let flights: Vec<usize> =
        at.chunk_by(|a, b| *b - *a < Span::from_millis(15)).map(<[Time]>::len).collect();
    assert_eq!(flights[..3], [1, 2, 3], "{flights:?}");
    assert_eq!(pair.stats(A).timeouts, 1);
}

#[test]
fn a_segment_that_comes_twice_or_late_does_no_harm() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.once(A, "DATA", Fate::Duplicate);
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    pair.network.once(A, "DATA", Fate::Delay(Span::from_millis(3)));
    pair.write(A, 3 * 1460);
    pair.drive_until_read(Z, 3 * 1460);
    pair.settle();
    assert_eq!(pair.stats(Z).duplicates_received, 1);
    assert_eq!(pair.stats(A).fast_retransmissions, 0, "two segments overtook it");
    pair.network.forget_rules();
}
