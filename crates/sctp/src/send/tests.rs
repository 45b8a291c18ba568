//! The cost of SACKs from a hostile peer, in steps instead of time.

use bytes::Bytes;
use manypath_core::{PathId, Time, Tsn, TsnRange};

use super::{LossDetectionState, Sender};
use crate::config::{Config, CumAck};
use crate::event::Message;
use crate::packet::Sack;

/// The largest number of outstanding chunks.
const CHUNKS: u32 = 1 << 15;
const ROOM: usize = 1468;

/// Gap blocks name no chunk that is farther away.
#[test]
fn no_setting_allows_more_outstanding_chunks_than_gap_blocks_can_name() {
    let config = Config { max_outstanding: usize::MAX, ..Config::default() };
    let mut sender = Sender::new(&config);
    assert_eq!(sender.most_outstanding, CHUNKS as usize);
    for (wanted, most) in [(9, 9), (usize::MAX, CHUNKS as usize)] {
        sender.limit_outstanding(wanted);
        assert_eq!(sender.most_outstanding, most);
    }
}

/// A sender that has sent as many chunks as allowed, on its paths in turn.
fn full(paths: u8) -> Sender {
    let config = Config { cuc: CumAck::PathV2, sfr: true, ..Config::default() };
    let mut sender = Sender::new(&config);
    (0..paths).for_each(|_| sender.open_path());
    sender.limit_payload(ROOM - 16);
    sender.start(Tsn(1), u32::MAX, 1);
    for tsn in 0..CHUNKS {
        let payload = Bytes::from_static(b"x");
        sender
            .push(
                Message { stream: 0, ppid: 0, unordered: true, payload, part: None },
                Time::NEVER,
                None,
            )
            .unwrap();
        let path = PathId((tsn % u32::from(paths)) as u8);
        sender
            .send_new(Time::ZERO, super::Taker { path, takes_any: true }, ROOM)
            .expect("it may be sent");
    }
    assert!(sender.is_full());
    sender
}

/// Handles a SACK with one gap block; returns how many chunks were visited to find a position or a lowest TSN.
fn steps(sender: &mut Sender, block: Option<(u32, u32)>) -> u64 {
    let before = count(sender);
    let mut sack = Sack { cumulative: Tsn(0), window: u32::MAX, ..Sack::default() };
    if let Some((first, last)) = block {
        sack.gaps.push(TsnRange { first: Tsn(first), last: Tsn(last) });
    }
    let progress = sender.acknowledge(&sack, PathId(0));
    let state_of = |_| LossDetectionState { in_recovery: false, round_trip_ago: Time::ZERO };
    sender.count_missing(&sack, &progress, state_of);
    count(sender) - before
}

fn count(sender: &Sender) -> u64 {
    sender.flights.iter().map(|flight| flight.steps.get()).sum()
}

#[test]
fn reneging_of_all_chunks_costs_a_few_steps_per_chunk() {
    for paths in [1, 2, 5] {
        let mut sender = full(paths);
        steps(&mut sender, Some((2, CHUNKS - 1)));
        let taken_back = steps(&mut sender, None);
        assert!(
            taken_back <= u64::from(paths) * u64::from(CHUNKS),
            "{taken_back} steps on {paths}"
        );
        assert_eq!(sender.payload_in_flight(), u64::from(CHUNKS));
    }
}

#[test]
fn reneging_in_the_middle_costs_at_most_the_distance() {
    let mut sender = full(1);
    let (first, last) = (CHUNKS / 4, CHUNKS / 2);
    steps(&mut sender, Some((first, last)));
    let taken_back = steps(&mut sender, None);
    assert!(taken_back <= 2 * u64::from(last - first), "{taken_back} steps");
}

#[test]
fn acknowledgements_of_first_transmissions_above_retransmissions_cost_a_few_steps_per_chunk() {
    let mut sender = full(1);
    let half = CHUNKS / 2;
    // The lower half is retransmitted while a gap block covers the upper half, which the peer then reneges
    steps(&mut sender, Some((half + 1, CHUNKS)));
    sender.time_out(PathId(0), PathId(0));
    while sender.send_lost(Time::ZERO, PathId(0), ROOM).is_some() {}
    steps(&mut sender, None);
    let acknowledged = steps(&mut sender, Some((half + 1, CHUNKS)));
    assert!(acknowledged <= 3 * u64::from(CHUNKS), "{acknowledged} steps");
}

#[test]
fn acknowledgements_of_retransmissions_cost_a_few_steps_per_chunk() {
    let mut sender = full(1);
    sender.time_out(PathId(0), PathId(0));
    while sender.send_lost(Time::ZERO, PathId(0), ROOM).is_some() {}
    let acknowledged = steps(&mut sender, Some((2, CHUNKS)));
    assert!(acknowledged <= 3 * u64::from(CHUNKS), "{acknowledged} steps");
}

#[test]
fn lost_chunks_are_retransmitted_once_and_in_tsn_order() {
    let mut sender = full(1);
    let half = CHUNKS / 2;
    steps(&mut sender, Some((1, half)));
    sender.time_out(PathId(0), PathId(0));
    steps(&mut sender, None);
    sender.time_out(PathId(0), PathId(0));
    let again = std::iter::from_fn(|| sender.send_lost(Time::ZERO, PathId(0), ROOM));
    assert!(again.map(|data| data.tsn).eq((1..=CHUNKS).map(Tsn)));
}
