//! New data for the first duplicate acknowledgements causes further ones when a window is small. RFC 3042

use manypath_core::Span;

use crate::stage::{A, Pair, Z};

/// Time and timeouts for a window of `window` segments and two more if the first segment is lost.
fn repair(window: u32, sack: bool, limited_transmit: bool) -> (Span, u64) {
    let mut pair = Pair::configured(|_, config| {
        config.initial_window = window;
        config.sack = sack;
        config.limited_transmit = limited_transmit;
        config.ack_every = 1;
    });
    pair.connect();
    pair.network.lose(A, &[1]);
    pair.write(A, 6 * 1460);
    (pair.drive_until_read(Z, 6 * 1460), pair.path_stats(A).timeouts)
}

#[test]
fn a_window_of_three_recovers_without_a_timeout() {
    for sack in [true, false] {
        let (took, timeouts) = repair(3, sack, true);
        assert_eq!(timeouts, 0);
        assert!(took < Span::from_millis(120), "{took}");
    }
}

#[test]
fn without_limited_transmit_such_a_window_waits_for_the_timer() {
    for sack in [true, false] {
        let (took, timeouts) = repair(3, sack, false);
        assert_eq!(timeouts, 1);
        assert!(took > Span::from_millis(200), "{took}");
    }
}
