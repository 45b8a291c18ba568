//! Transfers without losses: order, speed, sequence numbers, buffers. RFC 9293 §3.4

use manypath_core::Span;
use manypath_tcp::{Event, WriteError};

use crate::stage::{A, FIRST, Pair, Z};

#[test]
fn a_stream_arrives_in_order_and_fills_the_link() {
    // A window that the link and its queue can hold
    let mut pair = Pair::configured(|_, config| config.receive_buffer = 150_000);
    pair.connect();
    pair.write(A, 1_000_000);
    let took = pair.drive_until_read(Z, 1_000_000);
    // 685 segments of 1500 bytes take 822 ms; slow start leaves the link idle for some round trips of 20 ms
    assert!(took > Span::from_millis(830) && took < Span::from_millis(950), "{took}");
    assert_eq!(pair.stats(A).timeouts, 0);
    assert_eq!(pair.repeated(A, 1460), [0; 0]);
}

#[test]
fn slow_start_adds_what_is_acknowledged_up_to_the_limit() {
    for (abc_limit, ack_every) in [(2, 2), (2, 1), (1, 1), (1, 2)] {
        let mut pair = Pair::configured(|_, config| {
            config.abc_limit = abc_limit;
            config.ack_every = ack_every;
        });
        pair.connect();
        pair.write(A, 400 * 1460);
        let end = pair.now + Span::from_millis(80);
        pair.drive_until(|pair| {
            pair.read(Z);
            pair.now >= end
        });
        let path = pair.path_stats(A);
        let acked = path.bytes_acked / 1460;
        assert!(acked >= 30, "{acked}");
        let grown = if abc_limit == 2 || ack_every == 1 { acked } else { acked / 2 };
        assert_eq!(path.window / 1460, 10 + grown, "limit {abc_limit}, every {ack_every}");
    }
}

#[test]
fn slow_start_ends_at_the_initial_threshold() {
    let after_a_while = |initial_threshold| {
        let mut pair = Pair::configured(|_, config| config.initial_threshold = initial_threshold);
        pair.connect();
        let before = pair.path_stats(A);
        pair.write(A, 300 * 1460);
        pair.drive_until_read(Z, 200 * 1460);
        (before.ssthresh / 1460, pair.path_stats(A).window / 1460)
    };
    let (threshold, window) = after_a_while(Some(20));
    assert_eq!(threshold, 20);
    assert!((20..30).contains(&window), "one segment for each round trip: {window}");
    let (threshold, window) = after_a_while(None);
    assert!(threshold > 1_000_000 && window > 100, "no threshold before the first loss: {window}");
}

#[test]
fn no_loss_takes_the_window_below_the_smallest() {
    for smallest_window in [1, 2, 8] {
        let mut pair = Pair::configured(|_, config| config.smallest_window = smallest_window);
        pair.connect();
        for round in 0..20 {
            pair.network.log.clear();
            pair.network.lose(A, &[1]);
            pair.write(A, 12 * 1460);
            pair.drive_until_read(Z, 12 * 1460);
            let path = pair.path_stats(A);
            assert!(path.ssthresh >= u64::from(smallest_window) * 1460, "{round}: {path:?}");
        }
        assert!(pair.path_stats(A).window_cuts >= 5);
        let expected = u64::from(smallest_window.max(2)) * 1460;
        assert!(pair.path_stats(A).ssthresh <= expected.max(4 * 1460), "{smallest_window}");
    }
}

#[test]
fn both_directions_carry_data_at_once() {
    let mut pair = Pair::configured(|_, config| config.receive_buffer = 100_000);
    pair.connect();
    pair.write(A, 400_000);
    pair.write(Z, 400_000);
    pair.drive_until_read(Z, 400_000);
    pair.drive_until_read(A, 400_000);
    pair.settle();
    let (a, z) = (pair.stats(A), pair.stats(Z));
    assert_eq!((a.timeouts, z.timeouts), (0, 0));
    assert_eq!((a.data_packets, z.data_packets), (274, 274), "nothing was sent twice");
    assert!(a.acks_sent <= 274 / 2 + 4 && z.acks_sent <= 274 / 2 + 4, "{a:?} {z:?}");
}

#[test]
fn sequence_numbers_wrap_around_in_the_middle_of_losses() {
    for back in [1_u32, 1460, 30_000, 100_000] {
        let mut pair = Pair::configured(|_, config| {
            config.initial_sequence = Some(0_u32.wrapping_sub(back));
        });
        pair.connect();
        pair.network.lose(A, &[3, 20, 21, 60]);
        pair.write(A, 300_000);
        pair.drive_until_read(Z, 300_000);
        pair.write(Z, 300_000);
        pair.drive_until_read(A, 300_000);
        let stats = pair.stats(A);
        assert_eq!((stats.timeouts, stats.fast_retransmissions), (0, 4), "{back} before the wrap");
    }
}

#[test]
fn a_full_send_buffer_refuses_writes_and_reports_when_there_is_room() {
    let mut pair = Pair::configured(|_, config| config.send_buffer = 10_000);
    pair.connect();
    pair.write(A, 10_000);
    let write = |pair: &mut Pair, bytes: usize| {
        pair.act(A, |endpoint, now| endpoint.write(now, FIRST, vec![0; bytes].into()))
    };
    assert_eq!(write(&mut pair, 1), Err(WriteError::BufferFull));
    assert_eq!(write(&mut pair, 10_001), Err(WriteError::TooLarge));
    assert_eq!(pair.events(A), []);
    pair.drive_until_read(Z, 10_000);
    pair.drive(Span::from_millis(100));
    assert!(pair.events(A).contains(&Event::Writable(FIRST)));
    assert_eq!(pair.endpoint(A).write_space(FIRST), 10_000);
}

#[test]
fn early_bytes_are_counted_until_the_gap_is_filled() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.lose(A, &[1]);
    pair.write(A, 5 * 1460);
    pair.drive(Span::from_millis(16));
    assert_eq!(pair.endpoint(Z).unread(FIRST), 4 * 1460);
    pair.drive_until_read(Z, 5 * 1460);
    assert_eq!(pair.endpoint(Z).unread(FIRST), 0);
}

#[test]
fn connections_of_one_endpoint_share_the_link() {
    let mut pair = Pair::new();
    let ids: Vec<_> = (0..10).map(|_| pair.open(A)).collect();
    pair.settle();
    let content = |index: usize| vec![index as u8; 100_000];
    for (index, id) in ids.iter().enumerate() {
        pair.act(A, |endpoint, now| endpoint.write(now, *id, content(index).into())).unwrap();
    }
    let start = pair.now;
    let mut arrived = vec![Vec::new(); ids.len()];
    while arrived.iter().any(|bytes| bytes.len() < 100_000) {
        assert!(pair.step());
        for (index, id) in ids.iter().enumerate() {
            while let Some(bytes) = pair.act(Z, |endpoint, now| endpoint.read(now, *id)) {
                arrived[index].extend_from_slice(&bytes);
            }
        }
    }
    assert!(arrived.iter().enumerate().all(|(index, bytes)| *bytes == content(index)));
    // The bytes alone take 822 ms
    assert!(pair.now - start < Span::from_millis(1600), "{}", pair.now - start);
}
