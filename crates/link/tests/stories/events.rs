//! Packets when a link goes down, comes up, or changes.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::Popped::{self, Damaged, Delivered};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::{
    Change, DropReason, Entry, LinkConfig, LinkEvent, LossCause, LossConfig, Pipe, Verdict,
};

fn millis(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// 1500 bytes take 1 ms, then 10 ms of propagation.
fn link(events: &[(u64, Change)]) -> Pipe<char> {
    let mut config = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::from_millis(10));
    config.events =
        events.iter().map(|&(ms, change)| LinkEvent { at: millis(ms), change }).collect();
    Pipe::new(&config, &Streams::new(1, 0), "story")
}

fn push_all(pipe: &mut Pipe<char>, ms: u64, items: &str) {
    for item in items.chars() {
        assert_eq!(pipe.push(millis(ms), Entry::new(item, 1500)), Verdict::Queued);
    }
}

/// All results of the pipe, in the order of time.
fn run(pipe: &mut Pipe<char>) -> Vec<(Popped<char>, u64)> {
    let mut told = Vec::new();
    let mut now = Time::ZERO;
    while pipe.poll_timeout() != Time::NEVER {
        assert!(pipe.poll_timeout() >= now, "time goes back");
        now = pipe.poll_timeout();
        told.extend(pipe.pop(now).map(|popped| (popped, now.as_nanos() / 1_000_000)));
    }
    told
}

fn lost(item: char, cause: LossCause) -> Popped<char> {
    Popped::Lost { item, cause }
}

/// A packet that was lost because the link went down.
fn stranded(item: char) -> Popped<char> {
    lost(item, LossCause::Down)
}

#[test]
fn transmitted_packets_arrive_although_the_link_goes_down() {
    let mut pipe = link(&[(2, Change::Down)]);
    push_all(&mut pipe, 0, "abcd");
    // At 2 ms a and b have been sent, c is starting, and d waits.
    let mut told = run(&mut pipe);
    told[..2].sort_by_key(|(popped, _)| *popped == stranded('d'));
    assert_eq!(
        told,
        [(stranded('c'), 2), (stranded('d'), 2), (Delivered('a'), 11), (Delivered('b'), 12)]
    );
    assert_eq!(pipe.counters().lost_down, 2);
    assert_eq!(pipe.counters().lost, 0);
}

#[test]
fn arrivals_are_dropped_while_the_link_is_down() {
    let mut pipe = link(&[(5, Change::Down), (8, Change::Up)]);
    assert_eq!(pipe.push(millis(5), Entry::new('a', 1500)), Verdict::Dropped(DropReason::Down));
    assert_eq!(pipe.push(millis(7), Entry::new('b', 1500)), Verdict::Dropped(DropReason::Down));
    assert_eq!(pipe.push(millis(8), Entry::new('c', 1500)), Verdict::Queued);
    assert_eq!(run(&mut pipe), [(Delivered('c'), 19)]);
    assert_eq!(pipe.counters().dropped_down, 2);
}

#[test]
fn a_link_that_comes_up_starts_without_the_lost_packet() {
    let mut pipe = link(&[(1, Change::Down), (2, Change::Up)]);
    assert_eq!(pipe.push(Time::ZERO, Entry::new('a', 150_000)), Verdict::Queued);
    push_all(&mut pipe, 2, "b");
    assert_eq!(run(&mut pipe), [(stranded('a'), 2), (Delivered('b'), 13)]);
}

#[test]
fn a_new_rate_applies_from_the_next_packet() {
    // Half the rate from 0.5 ms on: a keeps its rate, b takes 2 ms.
    let mut config = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO);
    let at = Time::from_nanos(500_000);
    config.events =
        vec![LinkEvent { at, change: Change::Rate(Rate::from_bits_per_second(6_000_000)) }];
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "slower");
    push_all(&mut pipe, 0, "ab");
    assert_eq!(run(&mut pipe), [(Delivered('a'), 1), (Delivered('b'), 3)]);
}

#[test]
fn a_shorter_delay_does_not_reorder_packets() {
    let mut pipe = link(&[(1, Change::Delay(Span::ZERO))]);
    push_all(&mut pipe, 0, "a");
    push_all(&mut pipe, 1, "b");
    push_all(&mut pipe, 15, "c");
    // b would arrive at 2 ms, but a is still in propagation.
    assert_eq!(run(&mut pipe), [(Delivered('a'), 11), (Delivered('b'), 11), (Delivered('c'), 16)]);
}

#[test]
fn a_link_can_begin_to_lose() {
    let always = LossConfig::Bernoulli(BernoulliConfig { p: 1.0 });
    let mut pipe = link(&[(12, Change::Loss(always))]);
    push_all(&mut pipe, 0, "ab");
    // a arrives at 11 ms, b at 12 ms: link events come before deliveries of the same instant.
    assert_eq!(run(&mut pipe), [(Delivered('a'), 11), (lost('b', LossCause::Chance), 12)]);
    assert_eq!(pipe.counters().lost, 1);
}

#[test]
fn a_link_can_begin_to_damage() {
    let noise = LossConfig::BitError(BitErrorConfig { rate: 1.0, spared: 0 });
    let mut pipe = link(&[(12, Change::Loss(noise)), (13, Change::Loss(LossConfig::default()))]);
    push_all(&mut pipe, 0, "abc");
    let told = run(&mut pipe);
    assert!(matches!(
        told[..],
        [(Delivered('a'), 11), (Damaged { item: 'b', byte: 0..1500 }, 12), (Delivered('c'), 13)]
    ));
    // A damaged packet counts as delivered.
    let counters = pipe.counters();
    assert_eq!((counters.delivered, counters.damaged, counters.lost), (3, 1, 0));
    assert_eq!(counters.bytes_delivered, 4500);
}
