//! The receive window: small buffers, zero windows and their updates. RFC 9293 §3.8.6

use manypath_core::{RtoRule, Span};
use manypath_tcp::CloseReason;

use crate::stage::{A, Fault, Pair, Z};

fn small(receive_buffer: usize) -> Pair {
    let mut pair = Pair::configured(|_, config| config.receive_buffer = receive_buffer);
    pair.connect();
    pair
}

#[test]
fn no_more_arrives_than_the_buffer_holds() {
    let mut pair = small(20_000);
    pair.write(A, 100_000);
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.read(Z), 20_000);
    assert_eq!(pair.stats(Z).refused_segments, 0);
}

#[test]
fn a_resuming_reader_opens_the_window_at_once() {
    let mut pair = small(20_000);
    pair.write(A, 100_000);
    pair.drive(Span::from_secs(5));
    let took = pair.drive_until_read(Z, 100_000);
    // Five windows of a round trip of 37 ms each, without waiting for a probe
    assert!(took < Span::from_millis(250), "{took}");
}

#[test]
fn a_closed_window_is_probed_ever_more_rarely() {
    let mut pair = Pair::configured(|_, config| {
        config.receive_buffer = 14_600;
        config.rto.rule = RtoRule::Standard;
    });
    pair.connect();
    pair.write(A, 100_000);
    pair.drive(Span::from_millis(200));
    pair.network.log.clear();
    pair.drive(Span::from_secs(13));
    let probes: Vec<_> =
        pair.network.log.iter().filter(|sent| sent.from == A).map(|sent| sent.at).collect();
    let pauses: Vec<u64> =
        probes.windows(2).map(|pair| (pair[1] - pair[0]).as_nanos() / 1_000_000).collect();
    assert_eq!(pauses, [400, 800, 1600, 3200, 6400]);
    assert_eq!(pair.stats(A).window_probes_sent, 6);
    assert_eq!(pair.path_stats(A).timeouts, 0, "a probe is no timeout");
}

#[test]
fn a_lost_window_update_is_requested() {
    let mut pair = small(20_000);
    pair.write(A, 40_000);
    pair.drive(Span::from_millis(300));
    pair.network.once(Z, "ACK", Fault::Lose);
    pair.read(Z);
    let took = pair.drive_until_read(Z, 20_000);
    assert!(took > Span::from_millis(100) && took < Span::from_millis(500), "{took}");
}

#[test]
fn a_peer_that_answers_probes_is_never_given_up() {
    let mut pair = Pair::configured(|_, config| {
        config.receive_buffer = 10_000;
        config.max_retransmissions = 3;
        config.rto.max = Span::from_secs(2);
    });
    pair.connect();
    pair.write(A, 30_000);
    pair.drive(Span::from_secs(60));
    assert_eq!(pair.close_reason(A), None);
    pair.network.cut(0);
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
}

#[test]
fn a_slow_reader_gets_no_tiny_segments() {
    let mut pair = small(30_000);
    pair.write(A, 200_000);
    let mut left = 200_000;
    while left > 0 {
        pair.drive(Span::from_millis(5));
        // One piece at a time opens the window by little more than a segment
        left -= pair.read_at_most(Z, 1);
    }
    let tiny = pair.network.log.iter().filter(|sent| sent.has_data() && sent.length < 1460).count();
    // 30000 is not a multiple of 1460, nor is 200000: the ends of windows may be smaller
    assert!(tiny <= 12, "{tiny}");
}

#[test]
fn a_large_window_needs_its_scale() {
    let mut pair = Pair::configured(|_, config| {
        config.receive_buffer = 4_000_000;
        config.send_buffer = 4_000_000;
    });
    pair.connect();
    pair.write(A, 1_000_000);
    pair.drive_until_read(Z, 1_000_000);
    let announced = pair.network.log.iter().filter(|sent| sent.from == Z);
    assert!(announced.clone().all(|sent| u64::from(sent.window) << 6 > 3_000_000));
    assert!(announced.count() > 100);
}

#[test]
fn the_edge_of_the_window_never_moves_back() {
    let mut pair = small(50_000);
    pair.network.lose(A, &[4, 11, 12, 40]);
    pair.write(A, 400_000);
    let mut left = 400_000;
    while left > 0 {
        pair.drive(Span::from_millis(3));
        left -= pair.read_at_most(Z, 3);
    }
    let mut edge: Option<u32> = None;
    for sent in pair.network.log.iter().filter(|sent| sent.from == Z) {
        let next = sent.ack.wrapping_add(u32::from(sent.window));
        if let Some(edge) = edge {
            assert!((next.wrapping_sub(edge) as i32) >= 0, "back by {}", edge.wrapping_sub(next));
        }
        edge = Some(next);
    }
}
