//! Each path may fill its share of the buffers. \[D10] eq. 1 and 2; by outstanding bytes: PAMS 2011

use manypath_core::Span;
use manypath_sctp::{BufferSplit, Config, SplitBy};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fate, Pair, Z, path};
use crate::send::peer::{Peer, Report};

/// How many chunks of 1452 bytes each of two paths takes, whose windows have room for three.
fn chunks(buffer_split: BufferSplit, send_buffer: usize, window: u32) -> [usize; 2] {
    let mut peer = Peer::on(2, window, Config { buffer_split, send_buffer, ..concurrent() });
    let packets = peer.takes((send_buffer / 1452).min(10), 1452);
    [0, 1].map(|path| packets.iter().filter(|(on, _)| *on == path).count())
}

#[test]
fn a_path_takes_its_share_of_the_send_buffer() {
    assert_eq!(chunks(BufferSplit::None, 8000, 100_000), [3, 2]);
    assert_eq!(chunks(BufferSplit::Receiver, 8000, 100_000), [3, 2]);
    // Of 4000 bytes the last 1500 stay free
    assert_eq!(chunks(BufferSplit::Sender, 8000, 100_000), [2, 2]);
    assert_eq!(chunks(BufferSplit::Both, 8000, 100_000), [2, 2]);
}

#[test]
fn a_path_takes_its_share_of_the_receive_buffer_and_a_packet() {
    assert_eq!(chunks(BufferSplit::None, 100_000, 5000), [3, 0]);
    assert_eq!(chunks(BufferSplit::Sender, 100_000, 5000), [3, 0]);
    // 2500 bytes for each; the second packet exceeds them
    assert_eq!(chunks(BufferSplit::Receiver, 100_000, 5000), [2, 1]);
    assert_eq!(chunks(BufferSplit::Both, 100_000, 5000), [2, 1]);
}

#[test]
fn the_share_is_of_what_the_peer_announced_last_not_of_what_is_left() {
    let config = Config { buffer_split: BufferSplit::Receiver, ..concurrent() };
    let mut peer = Peer::on(2, 5000, config);
    peer.takes(10, 1452);
    peer.window = 10_000;
    // Path 0 has two in flight, path 1 nothing; 5000 bytes for each, and windows for three chunks each
    let packets = peer.says(Report { gaps: &[(3, 3)], path: 1, ..Report::default() });
    assert_eq!(packets.iter().filter(|(path, _)| *path == 1).count(), 3);
    assert_eq!(packets.iter().filter(|(path, _)| *path == 0).count(), 1);
}

#[test]
fn shares_smaller_than_a_packet_do_not_block() {
    let both = BufferSplit::Both;
    assert_eq!(chunks(both, 2000, 2000), [1, 0]);
    assert_eq!(chunks(both, 3000, 3000), [1, 1]);
}

#[test]
fn a_retransmission_needs_no_share() {
    let config = Config { buffer_split: BufferSplit::Both, send_buffer: 8000, ..concurrent() };
    let mut peer = Peer::on(2, 100_000, config);
    assert_eq!(peer.takes(5, 1452).len(), 4);
    peer.watches(Span::from_millis(500));
    peer.says(Report { gaps: &[(3, 3)], path: 1, ..Report::default() });
    // Path 1 holds 4 and 5, its whole share, when the timer of path 0 sends it 1
    assert_eq!(peer.watches(Span::from_millis(500)), [(1, vec![1])]);
}

/// A send buffer of eight chunks and a bit, so that a share of 6000 bytes admits four; three on each path are in flight.
fn eight_chunks(split_by: SplitBy) -> Peer {
    let buffer_split = BufferSplit::Sender;
    let mut peer = Peer::on(
        2,
        100_000,
        Config { buffer_split, split_by, send_buffer: 12_000, ..concurrent() },
    );
    assert_eq!(peer.takes(8, 1452).len(), 6);
    peer
}

#[test]
fn what_the_receiver_may_give_up_fills_a_share_by_buffered_bytes_and_not_by_outstanding_ones() {
    let news = Report { gaps: &[(4, 6)], path: 1, ..Report::default() };
    let sends = |split_by| eight_chunks(split_by).says(news);
    assert_eq!(sends(SplitBy::Outstanding), [(1, vec![7]), (1, vec![8])]);
    assert_eq!(sends(SplitBy::Buffered), [(1, vec![7])]);
}

#[test]
fn what_the_receiver_keeps_fills_no_share() {
    let news = Report { kept: &[(4, 6)], path: 1, ..Report::default() };
    assert_eq!(eight_chunks(SplitBy::Buffered).says(news), [(1, vec![7]), (1, vec![8])]);
}

#[test]
fn what_a_timeout_moves_fills_the_share_of_the_path_that_it_waits_for() {
    let mut peer = eight_chunks(SplitBy::Buffered);
    peer.watches(Span::from_millis(500));
    peer.says(Report { kept: &[(4, 6)], path: 1, ..Report::default() });
    // Path 1 has 7 and 8 in flight when the timer of path 0 moves 1 to 3 there
    assert_eq!(peer.watches(Span::from_millis(500)), [(1, vec![1]), (1, vec![2])]);
    assert_eq!(peer.takes(3, 1452), [(0, vec![9])], "path 0 holds nothing any more");
    let news = Report { cumulative: 1, kept: &[(4, 8)], path: 1, ..Report::default() };
    assert_eq!(peer.says(news), [(1, vec![3]), (1, vec![10]), (1, vec![11])]);
}

#[test]
fn by_buffered_bytes_the_share_of_the_receive_buffer_is_not_exceeded() {
    let chunks = |split_by, window| {
        let buffer_split = BufferSplit::Receiver;
        let mut peer = Peer::on(2, window, Config { buffer_split, split_by, ..concurrent() });
        let packets = peer.takes(10, 1452);
        [0, 1].map(|path| packets.iter().filter(|(on, _)| *on == path).count())
    };
    // 3000 bytes for each path
    assert_eq!(chunks(SplitBy::Outstanding, 6000), [3, 1]);
    assert_eq!(chunks(SplitBy::Buffered, 6000), [2, 2]);
    assert_eq!(chunks(SplitBy::Buffered, 5903), [1, 1], "one byte less than two packets");
}

#[test]
fn a_path_that_could_fill_the_buffers_alone_leaves_another_its_share() {
    let run = |buffer_split| {
        let mut pair = Pair::configured(2, |_, config| {
            let (port, local) = (config.port, config.local.clone());
            *config = Config { port, local, buffer_split, nr_sack: true, ..concurrent() };
            config.send_buffer = 60_000;
            config.receive_buffer = 60_000;
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        // Path 1 takes 12 ms for each packet, a tenth of the rate of path 0, and drops none
        let mut free = pair.now;
        pair.network.rule(move |sent| {
            if (sent.from, sent.path) != (A, 1) {
                return Fate::Pass;
            }
            free = free.max(sent.at) + Span::from_millis(12);
            Fate::Delay(free - sent.at)
        });
        let (start, mut sent, mut read) = (pair.now, 0, 0);
        while read < 8000 {
            sent += pair.offer(A, 8000 - sent, 1400);
            read += pair.read_messages(Z).len();
            pair.drive(Span::from_millis(2));
        }
        (pair.now - start, pair.endpoint(A).path_stats(FIRST, path(1)).bytes_acked)
    };
    let ((time, slow), (time_split, slow_split)) = (run(BufferSplit::None), run(BufferSplit::Both));
    assert!(slow < 50_000, "the queue of path 0 holds all that the buffers hold: {slow} bytes");
    assert!(slow_split > 1_000_000 && time_split < time, "{slow_split} bytes in {time_split}");
}
