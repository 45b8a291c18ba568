//! A path fails permanently and silently in the middle of a transfer: the time that it costs. RFC 8684 §3.3.6

use manypath_core::Span;
use manypath_tcp::{CloseReason, Multipath, Scheduler};

use crate::stage::{A, FIRST, PLAIN, Several, Z, link};

/// One of two paths of 10 Mbit/s fails permanently `after` 2 MB were handed over. Returns the time that the rest takes
/// once nothing arrives by this path, and the time that the other path needs for this number of bytes.
fn time_after_a_blackout(path: usize, scheduler: Scheduler, after: Span) -> (Span, Span) {
    let mut several = Several::configured(&[link(10, 10), link(10, 10)], |_, config| {
        config.multipath = Some(Multipath { scheduler, ..PLAIN });
        config.send_buffer = 3_000_000;
        config.receive_buffer = 3_000_000;
        config.max_retransmissions = 5;
    });
    several.connect();
    several.write(A, 2_000_000);
    several.drive(after);
    several.network.cut(path);
    // The queue drains: 100 packets in 120 ms
    several.drive(Span::from_millis(140));
    several.read(Z);
    let left = 2_000_000 - several.written_and_read(A).1 - several.endpoint(Z).unread(FIRST);
    let took = several.transfer(0);
    assert!(several.path_stats(A, path).timeouts > 0);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
    assert_eq!(several.written_and_read(A), (2_000_000, 2_000_000));
    several.drive(Span::from_secs(300));
    assert!(!several.step(), "no timer is left");
    (took, Span::from_micros(left.div_ceil(1440) * 1200))
}

#[test]
fn a_path_that_fails_permanently_costs_its_capacity_and_at_most_a_timeout() {
    for (path, millis) in [(0, 400), (1, 400), (0, 660), (1, 660)] {
        for &scheduler in Scheduler::ALL {
            let (took, alone) = time_after_a_blackout(path, scheduler, Span::from_millis(millis));
            let what = format!("path {path}, {scheduler:?}, {millis} ms: {took} and {alone}");
            // Segments that have just left the queue still arrive
            assert!(took + Span::from_micros(2400) >= alone, "{what}");
            assert!(took < alone + Span::from_millis(200), "{what}");
        }
    }
}
