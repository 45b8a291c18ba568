//! Losses of every kind with SACK, as segments on the wire: what repairs them, and when. RFC 6675 §5

use manypath_core::{Span, Time};
use manypath_tcp::Config;

use crate::stage::{A, Fault, Pair, Z};

/// A pair whose window has grown to at least forty segments, with nothing in flight.
pub(crate) fn warm(sack: bool) -> Pair {
    warm_with(|config| config.sack = sack)
}

/// The same with changes to the configuration.
pub(crate) fn warm_with(set: impl Fn(&mut Config)) -> Pair {
    let mut pair = Pair::configured(|_, config| set(config));
    pair.connect();
    for _ in 0..6 {
        pair.write(A, 40 * 1460);
        pair.drive_until_read(Z, 40 * 1460);
        pair.drive(Span::from_millis(50));
    }
    pair.network.log.clear();
    pair
}

/// Loses these of the next `segments` segments of A: each is sent once more, in one recovery and without a timeout.
/// Returns the time until all have arrived.
pub(crate) fn assert_one_recovery(
    pair: &mut Pair,
    segments: usize,
    numbers: &'static [usize],
) -> Span {
    pair.network.lose(A, numbers);
    pair.write(A, segments * 1460);
    let took = pair.drive_until_read(Z, segments * 1460);
    assert_eq!(pair.repeated(A, 1460), numbers);
    let path = pair.path_stats(A);
    assert_eq!((path.window_cuts, path.timeouts), (1, 0));
    took
}

#[test]
fn one_loss_is_repaired_within_two_round_trips() {
    let mut pair = warm(true);
    let before = pair.path_stats(A).window;
    let took = assert_one_recovery(&mut pair, 80, &[5]);
    // The bytes alone take 96 ms
    assert!(took < Span::from_millis(150), "{took}");
    let ssthresh = pair.path_stats(A).ssthresh;
    assert!(ssthresh >= before / 2 && ssthresh <= before, "half of what was in flight");
}

#[test]
fn several_losses_in_one_flight_are_repaired_once_each_and_cut_the_window_once() {
    let mut pair = warm(true);
    assert_one_recovery(&mut pair, 80, &[3, 7, 8, 15]);
}

#[test]
fn a_burst_of_losses_is_repaired_within_one_recovery() {
    let mut pair = warm(true);
    assert_one_recovery(&mut pair, 100, &[5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn losses_in_two_flights_cut_the_window_twice() {
    let mut pair = warm(true);
    pair.network.lose(A, &[5, 90]);
    pair.write(A, 150 * 1460);
    pair.drive_until_read(Z, 150 * 1460);
    assert_eq!(pair.repeated(A, 1460), [5, 89], "the repetition of 5 was the 90th");
    assert_eq!(pair.path_stats(A).window_cuts, 2);
}

#[test]
fn no_more_than_the_window_is_in_flight_during_recovery() {
    let mut pair = warm(true);
    pair.network.lose(A, &[2, 4, 6, 8, 20, 22]);
    pair.write(A, 200 * 1460);
    let mut seen = 0;
    while pair.path_stats(A).window_cuts == 0 {
        assert!(pair.step());
    }
    // At first, data in flight beyond the new window drains
    while pair.path_stats(A).outstanding > pair.path_stats(A).window {
        assert!(pair.step());
        pair.read(Z);
    }
    for _ in 0..200 {
        assert!(pair.step());
        pair.read(Z);
        let path = pair.path_stats(A);
        assert!(path.outstanding <= path.window, "{} > {}", path.outstanding, path.window);
        seen += 1;
    }
    assert_eq!(seen, 200);
}

#[test]
fn a_lost_tail_waits_for_the_timer() {
    let mut pair = warm(true);
    pair.network.lose(A, &[9, 10]);
    let start = pair.now;
    pair.write(A, 10 * 1460);
    pair.drive_until_read(Z, 10 * 1460);
    let again: Vec<(Time, usize)> = pair.data_sent(A, 1460).split_off(10);
    assert_eq!(again.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [9, 10]);
    // The last acknowledgement came some 30 ms after the start, and the timeout is 200 ms and one round trip
    let first = again[0].0 - start;
    assert!(first > Span::from_millis(250) && first < Span::from_millis(290), "{first}");
    assert_eq!(pair.path_stats(A).timeouts, 1);
}

#[test]
fn a_lost_tail_after_an_earlier_loss_is_retransmitted() {
    let mut pair = warm(true);
    pair.network.lose(A, &[5, 40]);
    pair.write(A, 40 * 1460);
    let took = pair.drive_until_read(Z, 40 * 1460);
    assert_eq!(pair.repeated(A, 1460), [5, 40]);
    assert_eq!(pair.path_stats(A).timeouts, 0, "the rescue comes before the timer");
    assert!(took < Span::from_millis(150), "{took}");
}

#[test]
fn a_retransmission_that_is_lost_waits_for_the_timer() {
    let mut pair = warm(true);
    pair.lose_repeatedly(A, 2);
    pair.write(A, 80 * 1460);
    pair.drive_until_read(Z, 80 * 1460);
    let sent = pair.data_sent(A, 1460);
    let times: Vec<Time> =
        sent.iter().filter(|(_, number)| *number == 1).map(|(at, _)| *at).collect();
    assert_eq!(times.len(), 3);
    assert!(times[2] - times[1] >= Span::from_millis(200), "later reports do not suffice");
    let path = pair.path_stats(A);
    assert_eq!((path.timeouts, path.window_cuts), (1, 1));
}

#[test]
fn the_timer_of_a_lost_retransmission_ends_though_later_losses_are_repaired_meanwhile() {
    let mut pair = warm_with(|config| {
        config.send_buffer = 2_000_000;
        config.receive_buffer = 2_000_000;
    });
    pair.lose_repeatedly(A, 2);
    // Every eighth segment of new data is lost, once, so that a repair is due in every round trip
    let mut newest = None;
    let mut new_segments = 0;
    pair.network.rule(move |sent| {
        let is_new = newest.is_none_or(|seq: u32| sent.seq.wrapping_sub(seq) as i32 > 0);
        if sent.from != A || !sent.has_data() || !is_new {
            return Fault::None;
        }
        newest = Some(sent.seq);
        new_segments += 1;
        if new_segments % 8 == 0 { Fault::Lose } else { Fault::None }
    });
    pair.write(A, 1000 * 1460);
    pair.drive_until(|pair| pair.path_stats(A).timeouts > 0);
    let sent = pair.data_sent(A, 1460);
    let times: Vec<Time> =
        sent.iter().filter(|(_, number)| *number == 1).map(|(at, _)| *at).collect();
    assert_eq!(times.len(), 3);
    let pause = times[2] - times[1];
    assert!(pause >= Span::from_millis(200) && pause < Span::from_millis(300), "{pause}");
    let others = pair.repeated(A, 1460).iter().filter(|number| **number != 1).count();
    assert!(others > 10, "other segments were repaired meanwhile: {others}");
}

#[test]
fn selectively_acknowledged_data_is_not_retransmitted_after_a_timeout() {
    let mut pair = warm(true);
    pair.lose_repeatedly(A, 2);
    pair.write(A, 20 * 1460);
    pair.drive_until_read(Z, 20 * 1460);
    let again = pair.repeated(A, 1460);
    assert_eq!(again.iter().filter(|number| **number == 1).count(), 2);
    assert!(again.len() <= 3, "the rescue at most: {again:?}");
    assert_eq!(pair.path_stats(A).timeouts, 1);
}

#[test]
fn a_lost_flight_is_retransmitted_in_slow_start() {
    let mut pair = warm(true);
    pair.network.cut(0);
    pair.write(A, 40 * 1460);
    pair.drive(Span::from_millis(150));
    pair.network.restore(0);
    pair.network.log.clear();
    pair.drive_until_read(Z, 40 * 1460);
    let at: Vec<Time> =
        pair.network.log.iter().filter(|sent| sent.from == A).map(|sent| sent.at).collect();
    // One segment, whose acknowledgement is delayed by 40 ms, then two, then three: RFC 3465 §2.3 lets each
    // acknowledgement of two segments add one
    let pause = Span::from_millis(15);
    let flights: Vec<usize> = at.chunk_by(|a, b| *b - *a < pause).map(<[Time]>::len).collect();
    assert_eq!(flights[..3], [1, 2, 3], "{flights:?}");
    assert_eq!(pair.stats(A).timeouts, 1);
}

#[test]
fn a_segment_that_comes_twice_or_late_does_no_harm() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.once(A, "DATA", Fault::Duplicate);
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    pair.network.once(A, "DATA", Fault::Delay(Span::from_millis(3)));
    pair.write(A, 3 * 1460);
    pair.drive_until_read(Z, 3 * 1460);
    pair.settle();
    assert_eq!(pair.stats(Z).duplicate_segments, 1);
    assert_eq!(pair.stats(A).fast_retransmissions, 0, "two segments overtook it");
}

#[test]
fn lost_acknowledgements_cost_nothing() {
    let mut pair = warm(true);
    pair.network.times(10, Z, "ACK", Fault::Lose);
    pair.write(A, 80 * 1460);
    let took = pair.drive_until_read(Z, 80 * 1460);
    assert!(took < Span::from_millis(150), "{took}");
    assert_eq!(pair.repeated(A, 1460), [0; 0]);
}
