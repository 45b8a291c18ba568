//! The time for which each limit stopped new data.

use manypath_core::{BlockedTime, PathId, Span};
use manypath_tcp::Config;

use crate::stage::{A, FIRST, PLAIN, Pair, Several, Stage, link};

const SHORT: Span = Span::from_millis(10);

/// Payload of a full segment of plain TCP.
const MSS: usize = 1460;

fn blocked<const MULTIPATH: bool>(stage: &mut Stage<MULTIPATH>, path: u8) -> BlockedTime {
    let now = stage.now;
    stage.endpoint(A).blocked(now, FIRST, PathId(path))
}

/// What stops a sender in the first 10 ms, in which no acknowledgement comes back, after it has written this much.
fn waits(bytes: usize, change: impl Fn(&mut Config)) -> BlockedTime {
    let mut pair = Pair::configured(|_, config| change(config));
    pair.connect();
    let before = blocked(&mut pair, 0);
    pair.write(A, bytes);
    pair.drive(SHORT);
    blocked(&mut pair, 0) - before
}

#[test]
fn a_full_congestion_window_is_the_limit() {
    let window = BlockedTime { window: SHORT, ..BlockedTime::default() };
    assert_eq!(waits(40 * MSS, |_| ()), window);
}

#[test]
fn nothing_stops_an_application_that_sends_little() {
    assert_eq!(waits(2 * MSS, |_| ()), BlockedTime::default());
    // Nagle's algorithm waits for more data
    assert_eq!(waits(2 * MSS + 100, |config| config.nagle = true), BlockedTime::default());
}

#[test]
fn a_full_window_is_the_limit_before_the_send_buffer_and_also_without_data() {
    let window = BlockedTime { window: SHORT, ..BlockedTime::default() };
    let five = |send_buffer| {
        move |config: &mut Config| (config.initial_window, config.send_buffer) = (5, send_buffer)
    };
    assert_eq!(waits(5 * MSS, five(5 * MSS)), window);
    assert_eq!(waits(5 * MSS, five(20 * MSS)), window);
    // The window has room for another segment
    assert_eq!(waits(4 * MSS, five(20 * MSS)), BlockedTime::default());
}

#[test]
fn a_send_buffer_without_room_is_the_limit() {
    let send_buffer = BlockedTime { send_buffer: SHORT, ..BlockedTime::default() };
    assert_eq!(waits(5 * MSS, |config| config.send_buffer = 5 * MSS), send_buffer);
    // There is room for a segment, but not for another write of the last length
    assert_eq!(waits(5 * MSS, |config| config.send_buffer = 7 * MSS), send_buffer);
    assert_eq!(waits(5 * MSS, |config| config.send_buffer = 10 * MSS), BlockedTime::default());
}

#[test]
fn a_receive_window_without_room_is_the_limit() {
    let receive_window = BlockedTime { receive_window: SHORT, ..BlockedTime::default() };
    assert_eq!(waits(9 * MSS, |config| config.receive_buffer = 5 * MSS), receive_window);
}

#[test]
fn the_end_of_a_closed_stream_does_not_wait_for_more_data() {
    let mut pair = Pair::configured(|_, config| {
        (config.nagle, config.receive_buffer) = (true, 5 * MSS);
    });
    pair.connect();
    pair.write(A, 5 * MSS + 100);
    // Nagle's algorithm waits for more data
    let before = blocked(&mut pair, 0);
    pair.drive(Span::from_millis(1));
    assert_eq!(blocked(&mut pair, 0), before);
    pair.close(A);
    pair.drive(Span::from_millis(9));
    let receive_window = Span::from_millis(9);
    let expected = BlockedTime { receive_window, ..BlockedTime::default() };
    assert_eq!(blocked(&mut pair, 0) - before, expected);
}

/// RFC 6675 §5 step C: a segment needs cwnd - pipe of a full one.
#[test]
fn in_recovery_small_segments_need_the_window_of_a_full_one() {
    let mut pair = Pair::configured(|_, config| {
        (config.initial_window, config.limited_transmit) = (5, false);
    });
    pair.connect();
    pair.network.lose(A, &[1, 5]);
    pair.write(A, 5 * MSS + 100);
    while pair.path_stats(A).window_cuts == 0 {
        assert!(pair.step());
    }
    // The repeated first segment and the fifth one are outstanding
    let path = pair.path_stats(A);
    assert_eq!(path.outstanding, 2 * MSS as u64);
    assert!((100..MSS as u64).contains(&(path.window - path.outstanding)), "{path:?}");
    let before = blocked(&mut pair, 0);
    pair.drive(SHORT);
    assert_eq!(pair.path_stats(A).outstanding, path.outstanding);
    let window = BlockedTime { window: SHORT, ..BlockedTime::default() };
    assert_eq!(blocked(&mut pair, 0) - before, window);
}

#[test]
fn a_path_that_does_not_answer_carries_no_new_data() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    let before = [0, 1].map(|path| blocked(&mut several, path));
    several.write(A, 200_000);
    several.network.cut(1);
    several.drive(Span::from_secs(3));
    let good = blocked(&mut several, 0) - before[0];
    let bad = blocked(&mut several, 1) - before[1];
    assert_eq!(good.path, Span::ZERO);
    assert!(bad.path > Span::from_secs(1), "{bad:?}");
    // Its window is full until the timeout
    let window = Span::from_secs(3) - bad.path;
    assert_eq!(bad, BlockedTime { path: bad.path, window, ..BlockedTime::default() });
}

#[test]
fn all_subflows_wait_for_their_common_receive_window() {
    let mut several = Several::configured(&[link(10, 10), link(10, 20)], |_, config| {
        config.multipath = Some(PLAIN);
        config.receive_buffer = 20_000;
    });
    several.connect();
    several.write(A, 100_000);
    several.drive(Span::from_secs(1));
    let before = [0, 1].map(|path| blocked(&mut several, path));
    several.drive(SHORT);
    let receive_window = BlockedTime { receive_window: SHORT, ..BlockedTime::default() };
    for (path, before) in (0..).zip(before) {
        assert_eq!(blocked(&mut several, path) - before, receive_window);
    }
}
