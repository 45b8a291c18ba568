//! Each path may use its share of the buffers. \[D10] eq. 1 and 2; with outstanding bytes: PAMS 2011

use manypath_core::Span;
use manypath_sctp::{BufferSplit, Config, Event, SplitBy};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Z, path};
use crate::send::peer::{Peer, Report, alone};

/// Number of chunks of 1452 bytes that each of two paths sends; each window has room for three.
fn chunks(buffer_split: BufferSplit, send_buffer: usize, window: u32) -> [usize; 2] {
    chunks_of(window, Config { buffer_split, send_buffer, ..concurrent() })
}

/// Like `chunks`, with any settings and number of paths.
fn chunks_of<const PATHS: usize>(window: u32, config: Config) -> [usize; PATHS] {
    let count = (config.send_buffer / 1452).min(10);
    let packets = Peer::on(PATHS, window, config).submit_by_path(count, 1452);
    std::array::from_fn(|path| packets.iter().filter(|(on, _)| *on == path).count())
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
fn each_of_three_paths_takes_a_third() {
    let chunks = |buffer_split, split_by, send_buffer, window| {
        let config = Config { buffer_split, split_by, send_buffer, ..concurrent() };
        chunks_of::<3>(window, config)
    };
    let (outstanding, buffered) = (SplitBy::Outstanding, SplitBy::Buffered);
    assert_eq!(chunks(BufferSplit::None, outstanding, 12_000, 100_000), [3, 3, 2]);
    // Each path has 4000 bytes, and the last 1500 of them stay free; of the receive buffer 2500 and a packet
    assert_eq!(chunks(BufferSplit::Sender, outstanding, 12_000, 100_000), [2, 2, 2]);
    assert_eq!(chunks(BufferSplit::Receiver, outstanding, 100_000, 7500), [2, 2, 1]);
    assert_eq!(chunks(BufferSplit::Receiver, buffered, 100_000, 12_000), [2, 2, 2]);
}

#[test]
fn one_path_at_a_time_divides_nothing_with_the_path_in_reserve() {
    for buffer_split in [BufferSplit::Sender, BufferSplit::Receiver, BufferSplit::Both] {
        let config = Config { buffer_split, send_buffer: 8000, ..alone() };
        assert_eq!(chunks_of(5000, config), [3, 0], "{buffer_split:?}");
    }
}

/// Saturates A for two seconds; returns the largest number of outstanding chunks of 1400 bytes on path 0.
fn most_on_first(pair: &mut Pair) -> u64 {
    let (end, mut most) = (pair.now + Span::from_secs(2), 0);
    while pair.now < end {
        pair.offer(A, 1000, 1400);
        most = most.max(pair.endpoint(A).path_stats(FIRST, path(0)).outstanding / 1416);
        pair.read_messages(Z);
        pair.drive(Span::from_millis(2));
    }
    most
}

#[test]
fn the_share_of_a_path_that_has_failed_goes_to_the_others_until_it_works_again() {
    let mut pair = Pair::configured(3, |_, config| {
        let (port, local) = (config.port, config.local.clone());
        *config = Config { port, local, buffer_split: BufferSplit::Sender, ..concurrent() };
        config.send_buffer = 60_000;
        config.nagle = false;
        config.path_max_retransmissions = 0;
        config.heartbeat_interval = Span::from_secs(1);
        // All paths must be confirmed from the start
        config.heartbeat_burst = u32::MAX;
    });
    pair.connect();
    // Of 20,000 bytes the last 1500 stay free, of 30,000 and 60,000 as well: 14, 21 and 42 chunks
    assert_eq!(most_on_first(&mut pair), 14);
    for (fails, chunks) in [(2, 21), (1, 42)] {
        pair.network.cut(fails);
        let down = Event::PathDown { association: FIRST, path: path(fails as u8) };
        pair.offer(A, 1000, 1400);
        pair.drive_until(|pair| pair.events(A).contains(&down));
        assert_eq!(most_on_first(&mut pair), chunks, "path {fails} has failed");
    }
    for (recovers, chunks) in [(2, 21), (1, 14)] {
        pair.network.restore(recovers);
        let up = Event::PathUp { association: FIRST, path: path(recovers as u8) };
        pair.drive_until(|pair| pair.events(A).contains(&up));
        assert_eq!(most_on_first(&mut pair), chunks, "path {recovers} works again");
    }
}

#[test]
fn the_share_is_of_what_the_peer_announced_last_not_of_what_is_left() {
    let config = Config { buffer_split: BufferSplit::Receiver, ..concurrent() };
    let mut peer = Peer::on(2, 5000, config);
    peer.submit_by_path(10, 1452);
    peer.window = 10_000;
    // Path 0 has two in flight, path 1 nothing; 5000 bytes for each, and windows for three chunks each
    let packets = peer.sack_by_path(Report { gaps: &[(3, 3)], path: 1, ..Report::default() });
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
    assert_eq!(peer.submit_by_path(5, 1452).len(), 4);
    peer.advance_by_path(Span::from_millis(500));
    peer.sack_by_path(Report { gaps: &[(3, 3)], path: 1, ..Report::default() });
    // Chunks 4 and 5 fill the share of path 1 when the timer of path 0 moves chunk 1 there
    assert_eq!(peer.advance_by_path(Span::from_millis(500)), [(1, vec![1])]);
}

/// A send buffer of slightly more than eight chunks, so that a share of 6000 bytes admits four; three on each path are
/// in flight.
fn eight_chunks(split_by: SplitBy) -> Peer {
    let buffer_split = BufferSplit::Sender;
    let mut peer = Peer::on(
        2,
        100_000,
        Config { buffer_split, split_by, send_buffer: 12_000, ..concurrent() },
    );
    assert_eq!(peer.submit_by_path(8, 1452).len(), 6);
    peer
}

#[test]
fn renegable_data_fills_a_share_of_buffered_bytes_but_not_of_outstanding_bytes() {
    let news = Report { gaps: &[(4, 6)], path: 1, ..Report::default() };
    let sends = |split_by| eight_chunks(split_by).sack_by_path(news);
    assert_eq!(sends(SplitBy::Outstanding), [(1, vec![7]), (1, vec![8])]);
    assert_eq!(sends(SplitBy::Buffered), [(1, vec![7])]);
}

#[test]
fn non_renegable_data_fills_no_share() {
    let news = Report { kept: &[(4, 6)], path: 1, ..Report::default() };
    assert_eq!(eight_chunks(SplitBy::Buffered).sack_by_path(news), [(1, vec![7]), (1, vec![8])]);
}

#[test]
fn chunks_moved_by_a_timeout_fill_the_share_of_their_new_path() {
    let mut peer = eight_chunks(SplitBy::Buffered);
    peer.advance_by_path(Span::from_millis(500));
    peer.sack_by_path(Report { kept: &[(4, 6)], path: 1, ..Report::default() });
    // Path 1 has 7 and 8 in flight when the timer of path 0 moves 1 to 3 there
    assert_eq!(peer.advance_by_path(Span::from_millis(500)), [(1, vec![1]), (1, vec![2])]);
    assert_eq!(peer.submit_by_path(3, 1452), [(0, vec![9])], "path 0 holds nothing any more");
    let news = Report { cumulative: 1, kept: &[(4, 8)], path: 1, ..Report::default() };
    assert_eq!(peer.sack_by_path(news), [(1, vec![3]), (1, vec![10]), (1, vec![11])]);
}

#[test]
fn by_buffered_bytes_the_share_of_the_receive_buffer_is_not_exceeded() {
    let chunks = |split_by, window| {
        let buffer_split = BufferSplit::Receiver;
        let mut peer = Peer::on(2, window, Config { buffer_split, split_by, ..concurrent() });
        let packets = peer.submit_by_path(10, 1452);
        [0, 1].map(|path| packets.iter().filter(|(on, _)| *on == path).count())
    };
    // 3000 bytes for each path
    assert_eq!(chunks(SplitBy::Outstanding, 6000), [3, 1]);
    assert_eq!(chunks(SplitBy::Buffered, 6000), [2, 2]);
    assert_eq!(chunks(SplitBy::Buffered, 5903), [1, 1], "one byte less than two packets");
}

#[test]
fn a_path_cannot_use_the_share_of_another() {
    let run = |buffer_split| {
        let mut pair = Pair::configured(2, |_, config| {
            let (port, local) = (config.port, config.local.clone());
            *config = Config { port, local, buffer_split, nr_sack: true, ..concurrent() };
            config.send_buffer = 60_000;
            config.receive_buffer = 60_000;
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        // Path 1 takes 12 ms per packet, a tenth of the rate of path 0, and drops none
        let mut free = pair.now;
        pair.network.rule(move |sent| {
            if (sent.from, sent.path) != (A, 1) {
                return Fault::None;
            }
            free = free.max(sent.at) + Span::from_millis(12);
            Fault::Delay(free - sent.at)
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
