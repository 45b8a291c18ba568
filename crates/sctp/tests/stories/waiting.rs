//! The counters of the time for which a path sends no new data, by limit.

use manypath_core::{BlockedTime, Span};
use manypath_sctp::{BufferSplit, Config};

use crate::cmt::concurrent;
use crate::pair::{FIRST, path};
use crate::send::peer::{Peer, Report, alone};

const MILLISECONDS: Span = Span::from_millis(70);

/// The time that two paths were blocked, 70 ms after the application sent chunks of 1452 bytes; each window has room
/// for three.
fn waits(chunks: usize, window: u32, config: Config) -> [BlockedTime; 2] {
    let mut peer = Peer::on(2, window, config);
    let before = blocked(&peer);
    peer.submit_by_path(chunks, 1452);
    peer.advance_by_path(MILLISECONDS);
    let after = blocked(&peer);
    [0, 1].map(|path| after[path] - before[path])
}

fn blocked(peer: &Peer) -> [BlockedTime; 2] {
    [0, 1].map(|index| peer.endpoint.blocked(peer.now, FIRST, path(index)))
}

#[test]
fn a_path_whose_window_is_full_waits_for_its_window() {
    let window = BlockedTime { window: MILLISECONDS, ..BlockedTime::default() };
    assert_eq!(waits(10, 100_000, concurrent()), [window; 2]);
}

#[test]
fn a_path_with_nothing_to_send_is_not_blocked() {
    assert_eq!(waits(2, 100_000, concurrent()), [BlockedTime::default(); 2]);
}

#[test]
fn a_path_waits_for_the_peer_whose_buffer_the_other_path_has_filled() {
    let [first, second] = waits(10, 5000, concurrent());
    assert_eq!(first, BlockedTime { window: MILLISECONDS, ..BlockedTime::default() });
    assert_eq!(second, BlockedTime { receive_window: MILLISECONDS, ..BlockedTime::default() });
}

#[test]
fn a_path_waits_for_the_send_buffer_that_the_other_path_has_filled() {
    // Five chunks of 1452 bytes leave 740: the application has more data, which does not fit
    let [first, second] = waits(5, 100_000, Config { send_buffer: 8000, ..concurrent() });
    assert_eq!(first, BlockedTime { window: MILLISECONDS, ..BlockedTime::default() });
    assert_eq!(second, BlockedTime { send_buffer: MILLISECONDS, ..BlockedTime::default() });
}

#[test]
fn a_path_waits_for_room_for_a_message_that_is_longer_than_a_packet() {
    let send_buffer = |send_buffer| BlockedTime { send_buffer, ..BlockedTime::default() };
    // Nagle holds the end of the last message
    for (messages, nagle, waits) in [
        (1, true, Span::ZERO),
        (2, true, MILLISECONDS),
        (1, false, Span::ZERO),
        (2, false, MILLISECONDS),
    ] {
        let settings = Config { send_buffer: 10_000, nagle, ..concurrent() };
        let mut peer = Peer::on(2, 100_000, settings);
        peer.submit_by_path(messages, 4000);
        let before = blocked(&peer)[1];
        assert_eq!(peer.advance_by_path(MILLISECONDS), []);
        let waited = blocked(&peer)[1] - before;
        // A third message would need 4000 bytes; 2000 are free
        assert_eq!(waited, send_buffer(waits), "{messages} messages, Nagle: {nagle}");
    }
}

#[test]
fn a_path_waits_while_as_many_chunks_are_outstanding_as_there_may_be() {
    let mut peer = Peer::on(1, 100_000, concurrent());
    peer.submit_by_path(33_000, 1);
    // Chunk 1 is missing; all others arrive at once
    let all_but_first = |peer: &mut Peer| {
        let gaps = [(2, peer.highest)];
        peer.sack_by_path(Report { gaps: &gaps, ..Report::default() })
    };
    while peer.highest < 32_768 {
        assert!(!all_but_first(&mut peer).is_empty());
    }
    all_but_first(&mut peer);
    assert_eq!(peer.highest, 32_768);
    assert!(peer.stats(0).outstanding < peer.stats(0).window);
    let before = peer.endpoint.blocked(peer.now, FIRST, path(0));
    assert_eq!(peer.advance_by_path(MILLISECONDS), []);
    let after = peer.endpoint.blocked(peer.now, FIRST, path(0));
    let send_buffer = BlockedTime { send_buffer: MILLISECONDS, ..BlockedTime::default() };
    assert_eq!(after - before, send_buffer);
}

#[test]
fn a_path_waits_for_its_own_share_of_a_divided_buffer() {
    let buffer_split = BufferSplit::Sender;
    let share = BlockedTime { split_share: MILLISECONDS, ..BlockedTime::default() };
    assert_eq!(
        waits(5, 100_000, Config { buffer_split, send_buffer: 8000, ..concurrent() }),
        [share; 2]
    );
}

#[test]
fn a_path_in_reserve_waits_for_the_path_that_carries_the_data() {
    let [first, second] = waits(10, 100_000, alone());
    assert_eq!(first, BlockedTime { window: MILLISECONDS, ..BlockedTime::default() });
    assert_eq!(second, BlockedTime { path: MILLISECONDS, ..BlockedTime::default() });
}

#[test]
fn the_reason_changes_with_each_sack() {
    let mut peer = Peer::on(2, 5000, concurrent());
    peer.submit_by_path(10, 1452);
    let begun = blocked(&peer)[1];
    peer.advance_by_path(MILLISECONDS);
    peer.window = 100_000;
    peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
    peer.advance_by_path(Span::from_millis(30));
    let waited = blocked(&peer)[1] - begun;
    let window = Span::from_millis(30);
    assert_eq!(
        waited,
        BlockedTime { receive_window: MILLISECONDS, window, ..BlockedTime::default() }
    );
}
