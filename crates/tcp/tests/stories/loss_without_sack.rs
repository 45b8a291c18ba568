//! Losses where the peer has no SACK: three duplicate acknowledgements, and one repair per round trip. RFC 6582

use manypath_core::Span;

use crate::loss::{assert_one_recovery, warm};
use crate::stage::{A, Z};

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
    // Losing the head and its repetition makes the timer resend what the peer has already
    pair.network.lose_repeatedly(A, 2);
    pair.write(A, 60 * 1460);
    pair.drive_until_read(Z, 60 * 1460);
    pair.drive(Span::from_secs(1));
    let path = pair.path_stats(A);
    assert_eq!((path.window_cuts, path.timeouts), (1, 1));
}

#[test]
fn duplicates_let_new_data_go_while_the_repair_is_under_way() {
    let mut pair = warm(false);
    pair.network.lose(A, &[1]);
    pair.write(A, 120 * 1460);
    pair.drive_until(|pair| pair.path_stats(A).window_cuts == 1);
    let at_cut = pair.path_stats(A).data_packets_sent;
    pair.drive(Span::from_millis(45));
    assert!(pair.path_stats(A).data_packets_sent > at_cut + 5, "the window inflates");
    pair.drive_until_read(Z, 120 * 1460);
}
