//! Windows that were not used: no growth, and a restart from the initial window after a pause.
//! RFC 5681 §4.1, RFC 6928 §2

use manypath_core::Span;

use crate::loss::warm;
use crate::stage::{A, Pair, Z};

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut pair = warm(true);
    let before = pair.path_stats(A).window;
    for _ in 0..50 {
        pair.write(A, 3 * 1460);
        pair.drive(Span::from_millis(30));
        pair.read(Z);
    }
    assert_eq!(pair.path_stats(A).window, before);
}

#[test]
fn a_pause_of_a_timeout_takes_the_window_back_to_its_beginning() {
    let mut pair = warm(true);
    assert!(pair.path_stats(A).window > 40 * 1460);
    pair.drive(Span::from_secs(1));
    pair.write(A, 40 * 1460);
    assert_eq!(pair.path_stats(A).window, 10 * 1460);
    assert_eq!(pair.path_stats(A).outstanding, 10 * 1460);
}

#[test]
fn a_window_that_is_smaller_than_its_beginning_stays_so() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.cut(0);
    pair.write(A, 1460);
    pair.drive(Span::from_millis(250));
    pair.network.restore(0);
    pair.drive_until_read(Z, 1460);
    pair.drive(Span::from_secs(3));
    let before = pair.path_stats(A).window;
    assert!(before < 10 * 1460);
    pair.write(A, 20 * 1460);
    assert_eq!(pair.path_stats(A).window, before);
}

#[test]
fn the_initial_window_is_that_of_the_configuration() {
    for segments in [1, 3, 10] {
        let mut pair = Pair::configured(|_, config| config.initial_window = segments);
        pair.connect();
        pair.write(A, 40 * 1460);
        assert_eq!(pair.path_stats(A).outstanding, u64::from(segments) * 1460);
    }
}
