//! A path pauses before new data if a loss would reduce its window below one packet. \[D12] IV-A, \[INET]

use manypath_core::Span;
use manypath_sctp::{Config, PathBlocking, T3Path};

use crate::cmt::concurrent;
use crate::send::peer::{Peer, Report};

/// Chunks 1 to 3 are on path 0 and 4 to 6 on path 1. Both windows are equal, so that after the loss of chunk 4 RPv1
/// requests a reduction by the whole window of path 1; MPTCP-like by half.
fn after_a_loss(config: Config) -> Peer {
    let mut peer = Peer::on(2, 100_000, config);
    assert_eq!(peer.submit_by_path(6, 1452).len(), 6);
    peer.advance_by_path(Span::from_millis(100));
    let lost = Report { gaps: &[(5, 6)], packets: 3, path: 1, ..Report::default() };
    assert_eq!(
        peer.sack_by_path(lost),
        [(1, vec![4])],
        "the lost chunk is retransmitted, with or without a pause"
    );
    assert_eq!(peer.stats(1).window_cuts, 1);
    peer
}

fn pooling(path_blocking: PathBlocking) -> Config {
    Config { cc: "cmt-rpv1".to_owned(), path_blocking, ..concurrent() }
}

/// The paths of the chunks that are sent after everything has arrived and the application has sent 20 more chunks.
fn paths_of_new_data(peer: &mut Peer) -> Vec<usize> {
    peer.sack_by_path(Report { cumulative: 6, ..Report::default() });
    let mut paths: Vec<usize> =
        peer.submit_by_path(20, 1452).iter().map(|(path, _)| *path).collect();
    paths.dedup();
    paths
}

#[test]
fn a_path_with_a_requested_window_below_one_packet_sends_no_new_data() {
    let paths = |path_blocking| paths_of_new_data(&mut after_a_loss(pooling(path_blocking)));
    assert_eq!(paths(PathBlocking::None), [0, 1]);
    assert_eq!(paths(PathBlocking::Rto), [0]);
    assert_eq!(paths(PathBlocking::RtoTimesPaths), [0]);
}

#[test]
fn a_window_that_is_cut_to_a_packet_or_more_does_not_make_the_path_pause() {
    let config = Config { cc: "mptcp-like".to_owned(), ..pooling(PathBlocking::Rto) };
    assert_eq!(paths_of_new_data(&mut after_a_loss(config)), [0, 1]);
}

#[test]
fn the_pause_lasts_one_timeout_or_one_for_each_path() {
    for (path_blocking, milliseconds) in
        [(PathBlocking::Rto, 1000), (PathBlocking::RtoTimesPaths, 2000)]
    {
        let mut peer = after_a_loss(pooling(path_blocking));
        peer.sack_by_path(Report { cumulative: 6, ..Report::default() });
        assert_eq!(peer.advance_by_path(Span::from_millis(milliseconds - 100)), []);
        assert!(peer.submit_by_path(20, 1452).iter().all(|(path, _)| *path == 0));
        assert_eq!(peer.advance_by_path(Span::from_millis(99)), []);
        let first = peer.advance_by_path(Span::from_millis(1));
        assert_eq!(first.first().map(|(path, _)| *path), Some(1), "{path_blocking:?}");
    }
}

#[test]
fn another_loss_does_not_restart_the_pause() {
    let settings = Config { sfr: false, dac: false, ..pooling(PathBlocking::Rto) };
    let mut peer = Peer::on(2, 100_000, settings);
    assert_eq!(peer.submit_by_path(9, 1452).len(), 6);
    let reports =
        |peer: &mut Peer, gaps| peer.sack_by_path(Report { gaps, path: 1, ..Report::default() });
    assert_eq!(reports(&mut peer, &[(2, 3), (5, 5)]), [(1, vec![7]), (0, vec![8]), (0, vec![9])]);
    // Chunks 1 and 4 are missing: both paths lose one, and both pause
    reports(&mut peer, &[(2, 3), (5, 6)]);
    assert_eq!(reports(&mut peer, &[(2, 3), (5, 7)]), [(1, vec![4]), (0, vec![1])]);
    peer.advance_by_path(Span::from_millis(500));
    // Path 1 has finished Fast Recovery when the peer reneges chunk 6, which SACKs for path 0 then report missing
    reports(&mut peer, &[(2, 7)]);
    reports(&mut peer, &[(2, 5), (7, 7)]);
    reports(&mut peer, &[(2, 5), (7, 8)]);
    assert_eq!(reports(&mut peer, &[(2, 5), (7, 9)]), [(1, vec![6])]);
    assert_eq!([0, 1].map(|path| peer.stats(path).window_cuts), [1, 2]);
    peer.sack_by_path(Report { cumulative: 9, ..Report::default() });
    assert_eq!(peer.submit_by_path(20, 1452), []);
    assert_eq!(peer.advance_by_path(Span::from_millis(499)), []);
    let mut paths: Vec<usize> =
        peer.advance_by_path(Span::from_millis(1)).iter().map(|(path, _)| *path).collect();
    paths.dedup();
    assert_eq!(paths, [1, 0], "both go on");
}

#[test]
fn a_timeout_ends_the_pause() {
    let t3_path = T3Path::Same;
    let mut peer = after_a_loss(Config { t3_path, ..pooling(PathBlocking::RtoTimesPaths) });
    peer.sack_by_path(Report { cumulative: 3, gaps: &[(5, 6)], ..Report::default() });
    // Chunk 4 is lost again. Its timer expires after one second, during the pause
    assert_eq!(peer.advance_by_path(Span::from_millis(1000)), [(1, vec![4])]);
    assert_eq!(peer.stats(1).timeouts, 1);
    assert_eq!(paths_of_new_data(&mut peer), [0, 1]);
}

#[test]
fn chunks_that_time_out_do_not_move_to_a_path_that_pauses() {
    for (path_blocking, target) in [(PathBlocking::None, 1), (PathBlocking::RtoTimesPaths, 0)] {
        let mut peer = after_a_loss(pooling(path_blocking));
        peer.sack_by_path(Report { gaps: &[(4, 6)], ..Report::default() });
        // The timer of path 0 expires one second after chunk 1 was sent
        assert_eq!(
            peer.advance_by_path(Span::from_millis(900))[0],
            (target, vec![1]),
            "{path_blocking:?}"
        );
    }
}
