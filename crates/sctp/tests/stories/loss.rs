//! Losses of all kinds, and when they are repaired, checked by the packets on the wire. RFC 9260 §6.3.3, §7.2.4

use manypath_core::{Span, Time, Tsn};
use manypath_sctp::{Burst, Config, Message};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Z, message};

/// A connected pair whose window has grown to at least forty chunks.
fn warm(paths: usize, change: impl Fn(&mut Config)) -> Pair {
    let mut pair = Pair::configured(paths, |_, config| {
        config.nagle = false;
        config.burst = Burst::None;
        change(config);
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    for _ in 0..5 {
        pair.send_many(A, 40, 1452);
        pair.drive_until_read(Z, 40 * 1452);
        pair.drive(Span::from_millis(300));
    }
    pair.network.log.clear();
    pair
}

/// A's DATA packets with these numbers, counted from 1, are lost once.
fn lose(pair: &mut Pair, numbers: &'static [usize]) {
    let mut seen = 0;
    pair.network.rule(move |sent| {
        if sent.from != A || sent.data.is_empty() {
            return Fault::None;
        }
        seen += 1;
        if numbers.contains(&seen) { Fault::Lose } else { Fault::None }
    });
}

#[test]
fn three_reports_repair_a_loss_within_two_round_trips() {
    let mut pair = Pair::configured(1, |_, config| config.nagle = false);
    pair.connect();
    pair.network.once(A, "DATA", Fault::Lose);
    pair.send_many(A, 4, 1400);
    pair.drive(Span::from_millis(100));
    assert_eq!(
        pair.arrows(),
        [
            "A -> DATA -> lost",
            "A -> DATA -> Z",
            "A -> DATA -> Z",
            "A -> DATA -> Z",
            "Z -> SACK -> A",
            "Z -> SACK -> A",
            "Z -> SACK -> A",
            "A -> DATA -> Z",
            "Z -> SACK -> A",
        ]
    );
    assert_eq!(pair.read(Z), 4 * 1400);
    let stats = pair.endpoint(A).stats(FIRST);
    assert_eq!((stats.fast_retransmissions, stats.timeouts), (1, 0));
}

#[test]
fn several_losses_in_one_flight_are_repaired_without_a_timeout_and_cut_the_window_once() {
    let mut pair = warm(1, |_| ());
    lose(&mut pair, &[3, 7, 8, 15]);
    pair.send_many(A, 40, 1452);
    assert!(pair.drive_until_read(Z, 40 * 1452) < Span::from_millis(300));
    let mut again: Vec<u32> = pair.retransmissions(A).iter().map(|(_, chunk)| *chunk).collect();
    again.sort_unstable();
    assert_eq!(again, [3, 7, 8, 15], "only lost chunks");
    let path = pair.endpoint(A).path_stats(FIRST, crate::pair::path(0));
    assert_eq!((path.window_cuts, path.timeouts), (1, 0));
}

#[test]
fn the_last_packets_of_a_flight_wait_for_the_timer() {
    let mut pair = warm(1, |_| ());
    lose(&mut pair, &[9, 10]);
    let start = pair.now;
    pair.send_many(A, 10, 1452);
    pair.drive_until_read(Z, 10 * 1452);
    let again = pair.retransmissions(A);
    assert_eq!(again.iter().map(|(_, chunk)| *chunk).collect::<Vec<_>>(), [9, 10]);
    // The last SACK arrived about 40 ms after the start, and the RTO is at its minimum of one second
    let first = again[0].0 - start;
    assert!(first > Span::from_secs(1) && first < Span::from_millis(1300), "{first}");
}

#[test]
fn a_retransmission_that_is_lost_again_waits_for_the_timer() {
    let mut pair = warm(1, |_| ());
    let mut losses = 0;
    let mut victim: Option<Tsn> = None;
    pair.network.rule(move |sent| {
        let Some(chunk) = sent.data.first() else { return Fault::None };
        if *victim.get_or_insert(chunk.tsn) == chunk.tsn && losses < 2 {
            losses += 1;
            return Fault::Lose;
        }
        Fault::None
    });
    pair.send_many(A, 40, 1452);
    pair.drive_until_read(Z, 40 * 1452);
    let times: Vec<Time> = pair
        .retransmissions(A)
        .iter()
        .filter(|(_, chunk)| *chunk == 1)
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(times.len(), 2);
    assert!(times[1] - times[0] >= Span::from_secs(1), "three more reports do not retransmit it");
}

#[test]
fn a_lost_flight_is_retransmitted_in_slow_start() {
    let mut pair = warm(1, |_| ());
    pair.network.cut(0);
    pair.send_many(A, 30, 1452);
    pair.drive(Span::from_millis(500));
    pair.network.restore(0);
    pair.network.log.clear();
    pair.drive_until_read(Z, 30 * 1452);
    let mut bursts: Vec<(Time, usize)> = Vec::new();
    for sent in pair.data_packets(A) {
        match bursts.last_mut() {
            Some((at, count)) if *at == sent.at => *count += 1,
            _ => bursts.push((sent.at, 1)),
        }
    }
    assert_eq!(bursts[0].1, 1, "one packet after the timeout: {bursts:?}");
    assert!(bursts[1..].iter().all(|(_, count)| *count <= 3), "{bursts:?}");
    assert_eq!(bursts.iter().map(|(_, count)| count).sum::<usize>(), 30, "each chunk once");
}

#[test]
fn lost_sacks_cost_nothing() {
    let mut pair = warm(1, |_| ());
    // Every SACK but the fifth, the tenth, ...
    let mut sacks = 0;
    pair.network.rule(move |sent| {
        sacks += usize::from(sent.sack.is_some());
        if sent.sack.is_some() && sacks % 5 != 0 { Fault::Lose } else { Fault::None }
    });
    pair.send_many(A, 100, 1452);
    pair.drive_until_read(Z, 100 * 1452);
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.retransmissions(A), []);
}

#[test]
fn a_sack_that_is_overtaken_by_a_newer_one_changes_nothing() {
    let mut pair = warm(1, |_| ());
    let mut sacks = 0;
    pair.network.rule(move |sent| {
        sacks += usize::from(sent.sack.is_some());
        let late = sent.sack.is_some() && sacks % 3 == 0;
        if late { Fault::Delay(Span::from_millis(7)) } else { Fault::None }
    });
    pair.send_many(A, 100, 1452);
    pair.drive_until_read(Z, 100 * 1452);
    pair.drive(Span::from_secs(1));
    assert!(pair.endpoint(A).stats(FIRST).stale_sacks > 5);
    assert_eq!(pair.retransmissions(A), []);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, crate::pair::path(0)).outstanding, 0);
}

#[test]
fn copies_of_packets_are_delivered_once() {
    let mut pair = warm(1, |_| ());
    pair.network.rule(|_| Fault::Duplicate);
    pair.send_many(A, 40, 1452);
    pair.drive_until_read(Z, 40 * 1452);
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.read(Z), 0);
    assert_eq!(pair.endpoint(Z).stats(FIRST).duplicate_chunks, 40);
}

#[test]
fn ordered_messages_wait_for_a_lost_one_of_their_stream_and_no_other() {
    let mut pair = warm(1, |_| ());
    lose(&mut pair, &[1]);
    let numbered = |number: u32| Message {
        stream: (number % 2) as u16,
        ppid: number,
        unordered: number == 5,
        ..message(1452)
    };
    pair.send_all(A, (1..=6).map(numbered));
    // One-way delay and six packets: the retransmission has not arrived yet
    pair.drive(Span::from_millis(20));
    let numbers = |pair: &mut Pair| -> Vec<u32> {
        pair.read_messages(Z).iter().map(|message| message.ppid).collect()
    };
    assert_eq!(numbers(&mut pair), [2, 4, 5, 6], "3 waits for 1; 5 is unordered");
    pair.drive(Span::from_millis(100));
    assert_eq!(numbers(&mut pair), [1, 3]);
}

#[test]
fn sequence_numbers_wrap_around() {
    for paths in [1, 2] {
        for nr_sack in [false, true] {
            let mut pair = Pair::seeded(TSN_NEAR_ITS_END, paths, |_, config| {
                let (port, local) = (config.port, config.local.clone());
                *config = Config { port, local, nr_sack, send_buffer: 1_000_000, ..concurrent() };
            });
            pair.connect();
            pair.drive(Span::from_secs(1));
            let mut count = 0;
            pair.network.rule(move |sent| {
                count += usize::from(!sent.data.is_empty());
                if !sent.data.is_empty() && count % 9 == 0 { Fault::Lose } else { Fault::None }
            });
            let numbered = |ppid| Message { ppid, unordered: false, ..message(1000) };
            pair.send_all(A, (0..300).map(numbered));
            let mut numbers = Vec::new();
            pair.drive_until(|pair| {
                numbers.extend(pair.read_messages(Z).iter().map(|message| message.ppid));
                numbers.len() == 300
            });
            assert!(numbers.iter().copied().eq(0..300));
            let tsns: Vec<u32> =
                pair.data_packets(A).flat_map(|sent| &sent.data).map(|chunk| chunk.tsn.0).collect();
            assert!(tsns[0] > u32::MAX - 200 && tsns.contains(&0) && tsns.contains(&100));
        }
    }
}

/// The first TSN of A with this seed is 4294967192, so that TSN 0 follows 104 chunks later.
const TSN_NEAR_ITS_END: u64 = 37_082_870;
