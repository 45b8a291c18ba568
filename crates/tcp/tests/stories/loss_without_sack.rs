//! Losses where the peer has no SACK: three duplicate acknowledgements, and one repair per round trip. RFC 6582

use manypath_core::Span;
use manypath_tcp::Recovery;

use crate::loss::{assert_one_recovery, warm, warm_with};
use crate::stage::{A, Pair, Z};

#[test]
fn three_duplicates_repair_a_loss() {
    let mut pair = warm(false);
    let took = assert_one_recovery(&mut pair, 80, &[5]);
    assert!(took < Span::from_millis(150), "{took}");
}

#[test]
fn each_partial_acknowledgement_repairs_the_next_hole() {
    let mut pair = warm(false);
    assert_one_recovery(&mut pair, 100, &[5, 9, 20]);
    // One hole per round trip of some 60 ms
    let sent = pair.data_sent(A, 1460);
    let of = |number: usize| {
        let mut at = sent.iter().filter(|sent| sent.1 == number).map(|sent| sent.0);
        at.next_back().unwrap()
    };
    assert!(of(9) - of(5) > Span::from_millis(20) && of(20) - of(9) > Span::from_millis(20));
}

#[test]
fn duplicates_after_a_timeout_begin_no_second_repair() {
    let mut pair = warm(false);
    // Losing the first segment and its retransmission makes the timer resend data that the peer has already
    pair.lose_repeatedly(A, 2);
    pair.write(A, 60 * 1460);
    pair.drive_until_read(Z, 60 * 1460);
    pair.drive(Span::from_secs(1));
    let path = pair.path_stats(A);
    assert_eq!((path.window_cuts, path.timeouts), (1, 1));
}

#[test]
fn duplicates_permit_new_data_during_the_recovery() {
    let mut pair = warm(false);
    pair.network.lose(A, &[1]);
    pair.write(A, 120 * 1460);
    pair.drive_until(|pair| pair.path_stats(A).window_cuts == 1);
    let at_cut = pair.path_stats(A).data_packets;
    pair.drive(Span::from_millis(45));
    assert!(pair.path_stats(A).data_packets > at_cut + 5, "the window inflates");
    pair.drive_until_read(Z, 120 * 1460);
}

#[test]
fn duplicates_repeat_the_window_where_the_application_reads_at_once() {
    for ack_every in [1, 2] {
        let mut pair = warm_with(|config| {
            config.sack = false;
            config.ack_every = ack_every;
        });
        pair.network.lose(A, &[5]);
        pair.write(A, 40 * 1460);
        pair.drive_until(|pair| {
            pair.read(Z);
            pair.path_stats(A).window_cuts == 1
        });
        assert_eq!(pair.stats(A).duplicate_acks_received, 3);
        // All duplicates are equal, those in flight included
        let of_z: Vec<_> = pair.network.log.iter().filter(|sent| sent.from == Z).collect();
        let last = of_z[of_z.len() - 1];
        let equal = of_z.iter().filter(|sent| sent.ack == last.ack);
        assert!(equal.clone().count() > 3 && equal.clone().all(|sent| sent.window == last.window));
        assert!(of_z.iter().all(|sent| sent.window == last.window), "nothing waits to be read");
    }
}

/// A pair without SACK, and with fast recovery that ends with the first partial acknowledgement.
fn warm_reno() -> Pair {
    warm_with(|config| (config.sack, config.recovery) = (false, Recovery::Reno))
}

#[test]
fn reno_repairs_one_loss_as_newreno_does() {
    let (mut reno, mut newreno) = (warm_reno(), warm(false));
    let times = [&mut reno, &mut newreno].map(|pair| {
        pair.network.lose(A, &[5]);
        pair.write(A, 80 * 1460);
        (pair.drive_until_read(Z, 80 * 1460), pair.repeated(A, 1460), pair.path_stats(A).timeouts)
    });
    assert_eq!(times[0], times[1]);
    assert_eq!((&times[0].1, times[0].2), (&vec![5], 0));
}

#[test]
fn reno_waits_for_the_timer_where_a_flight_has_lost_two() {
    let mut pair = warm_reno();
    let before = pair.path_stats(A).window;
    pair.network.lose(A, &[5, 9]);
    pair.write(A, 80 * 1460);
    let took = pair.drive_until_read(Z, 80 * 1460);
    assert!(took > Span::from_millis(200), "{took}: the least timeout");
    let path = pair.path_stats(A);
    assert_eq!(
        (path.window_cuts, path.timeouts),
        (1, 1),
        "no second fast retransmission for the same flight"
    );
    assert!(path.ssthresh <= before / 4 + 1460, "halved by the duplicates, and again by the timer");
}

#[test]
fn reno_repairs_losses_of_two_flights_one_after_the_other() {
    let mut pair = warm_reno();
    pair.network.lose(A, &[5, 90]);
    pair.write(A, 150 * 1460);
    pair.drive_until_read(Z, 150 * 1460);
    let path = pair.path_stats(A);
    assert_eq!((path.window_cuts, path.timeouts), (2, 0));
}
