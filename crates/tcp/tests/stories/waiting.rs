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
    assert_eq!(waits(2 * MSS + 100, |_| ()), BlockedTime::default());
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
    assert!(bad.path + bad.window + bad.receive_window <= Span::from_secs(3), "{bad:?}");
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
