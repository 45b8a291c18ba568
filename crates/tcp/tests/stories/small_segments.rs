//! Writes that do not fill a segment: combined if possible, delayed if Nagle's algorithm is on. RFC 9293 §3.7.4

use manypath_core::Span;

use crate::stage::{A, Pair, Z};

#[test]
fn segments_cross_the_boundaries_of_writes() {
    let mut pair = Pair::configured(|_, config| config.initial_window = 2);
    pair.connect();
    for _ in 0..30 {
        pair.write(A, 700);
    }
    pair.drive_until_read(Z, 30 * 700);
    let lengths: Vec<usize> =
        pair.network.log.iter().filter(|sent| sent.has_data()).map(|sent| sent.length).collect();
    // The initial window was sent at once; the rest waited and was combined
    assert_eq!(lengths[..4], [700, 700, 700, 700]);
    assert!(lengths[4..lengths.len() - 1].iter().filter(|length| **length == 1460).count() > 8);
    assert_eq!(lengths.iter().sum::<usize>(), 30 * 700);
}

#[test]
fn nagle_holds_a_small_segment_while_data_is_outstanding() {
    for (nagle, at_once) in [(false, 5), (true, 1)] {
        let mut pair = Pair::configured(|_, config| config.nagle = nagle);
        pair.connect();
        for _ in 0..5 {
            pair.write(A, 100);
        }
        assert_eq!(pair.path_stats(A).data_packets, at_once);
        pair.drive_until_read(Z, 500);
        pair.drive(Span::from_millis(100));
        assert_eq!(pair.path_stats(A).data_packets, if nagle { 2 } else { 5 });
    }
}

#[test]
fn nagle_holds_no_data_after_close() {
    let mut pair = Pair::configured(|_, config| config.nagle = true);
    pair.connect();
    pair.write(A, 100);
    pair.write(A, 100);
    pair.close(A);
    assert_eq!(pair.arrows(), ["A -> DATA -> Z", "A -> DATA FIN -> Z"]);
}

#[test]
fn a_loss_among_small_segments_is_repaired() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.lose(A, &[2, 6]);
    for _ in 0..20 {
        pair.write(A, 50);
    }
    let took = pair.drive_until_read(Z, 1000);
    assert!(took < Span::from_millis(100), "{took}");
    assert_eq!(pair.stats(A).timeouts, 0);
}
