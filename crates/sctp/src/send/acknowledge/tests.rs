//! Chunks that are acknowledged at their first transmission take a short path. It must have the effect of the general one.

use bytes::Bytes;
use manypath_core::{PathId, Span, Time, Tsn, TsnRange};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::super::Taker;
use super::*;
use crate::config::{Config, CumAck, RttSample};
use crate::event::Message;

const PATHS: u8 = 3;
const ROOM: usize = 1468;

#[derive(Clone, Debug)]
enum Step {
    /// Sends a chunk of so many bytes on a path.
    Send(u8, usize),
    /// All chunks in flight on the first path are lost and wait for the second one, which sends some of them again.
    TimeOut(u8, u8, usize),
    /// A SACK arrives on a path: so many TSNs above the last cumulative one, then a gap and a block.
    Sack { path: u8, advance: u32, gap: u32, block: u32 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..PATHS, 1..1400_usize).prop_map(|(path, length)| Step::Send(path, length)),
        1 => (0..PATHS, 0..PATHS, 0..4_usize).prop_map(|(from, to, sent)| Step::TimeOut(from, to, sent)),
        3 => (0..PATHS, 0..5_u32, 1..4_u32, 0..5_u32)
            .prop_map(|(path, advance, gap, block)| Step::Sack { path, advance, gap, block }),
    ]
}

/// A sender, and the last cumulative TSN of its peer.
struct Case {
    sender: Sender,
    cumulative: Tsn,
    now: Time,
    /// Chunks that a cumulative TSN acknowledged at their first transmission.
    at_first_transmission: u32,
}

impl Case {
    fn new(config: &Config) -> Self {
        let mut sender = Sender::new(config);
        (0..PATHS).for_each(|_| sender.open_path());
        sender.limit_payload(ROOM - 16);
        sender.start(Tsn(1), u32::MAX, 1);
        Self { sender, cumulative: Tsn(0), now: Time::ZERO, at_first_transmission: 0 }
    }

    /// Performs one step. Returns what the SACK said, if it was one.
    ///
    /// With `general`, every chunk has a note that no rule reads under this configuration, but that excludes it from
    /// the short path.
    fn perform(&mut self, step: &Step, general: bool) -> Option<String> {
        self.now += Span::from_millis(1);
        match *step {
            Step::Send(path, length) => {
                let payload = Bytes::from_static(&[0; 1400]).slice(..length);
                let message = Message { stream: 0, ppid: 0, unordered: true, payload, part: None };
                self.sender.push(message, Time::NEVER, None).ok()?;
                let taker = Taker { path: PathId(path), takes_any: true };
                self.sender.send_new(self.now, taker, ROOM)?;
                None
            }
            Step::TimeOut(from, to, sent) => {
                self.sender.time_out(PathId(from), PathId(to));
                for _ in 0..sent {
                    self.sender.send_lost(self.now, PathId(to), ROOM);
                }
                None
            }
            Step::Sack { path, advance, gap, block } => {
                let last = self.sender.next_tsn().previous();
                let most = last.distance_from(self.cumulative);
                self.cumulative = self.cumulative.add(advance.min(most));
                let mut sack =
                    Sack { cumulative: self.cumulative, window: u32::MAX, ..Sack::default() };
                let first = self.cumulative.add(1 + gap);
                if block > 0 && first.is_at_or_before(last) {
                    let end = first.add(block - 1);
                    let end = if end.is_after(last) { last } else { end };
                    sack.gaps.push(TsnRange { first, last: end });
                }
                self.mark_chunks(general);
                let progress = self.sender.acknowledge(&sack, PathId(path));
                Some(self.outcome(&progress))
            }
        }
    }

    /// Excludes all chunks from the short path, or counts those that will take it.
    fn mark_chunks(&mut self, general: bool) {
        let mut tsn = self.sender.outstanding.first_tsn();
        while let Some(chunk) = self.sender.outstanding.get_mut(tsn) {
            let is_covered = tsn.is_at_or_before(self.cumulative);
            self.at_first_transmission += u32::from(is_covered && chunk.is_in_first_flight());
            if general {
                chunk.past.note(Past::MOVED, true);
            }
            tsn = tsn.next();
        }
    }

    /// Everything that a SACK changes.
    fn outcome(&self, progress: &Progress) -> String {
        let sender = &self.sender;
        let flights: Vec<_> = sender
            .flights
            .iter()
            .map(|flight| {
                let (bytes, payload, buffered) =
                    (flight.bytes(), flight.payload(), flight.buffered());
                let ends = (flight.head(), flight.tail(), flight.kept_ordered);
                (flight.news, flight.cumack, bytes, payload, buffered, ends)
            })
            .collect();
        let totals = (sender.buffered, sender.in_flight, sender.lost_payload, sender.next_tsn());
        format!("{progress:?} {flights:?} {totals:?} {:?}", sender.outstanding.first_tsn())
    }
}

fn compare(config: &Config, steps: &[Step]) -> Result<u32, TestCaseError> {
    let (mut short, mut general) = (Case::new(config), Case::new(config));
    for (index, step) in steps.iter().enumerate() {
        let (expected, found) = (general.perform(step, true), short.perform(step, false));
        prop_assert_eq!(found, expected, "step {}: {:?}", index, step);
    }
    Ok(short.at_first_transmission)
}

#[test]
fn the_short_path_has_the_effect_of_the_general_one() {
    let mut taken = 0;
    for rtt_sample in [RttSample::SamePath, RttSample::AnySack] {
        let config =
            Config { rtt_sample, cuc: CumAck::PathV2, smart_fast_rtx: false, ..Config::default() };
        let cases = proptest::collection::vec(step(), 1..120);
        let settings = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let outcome =
            TestRunner::new(settings).run(&cases, |steps| compare(&config, &steps).map(|_| ()));
        outcome.unwrap_or_else(|failure| panic!("{rtt_sample:?}: {failure}"));
        let steps: Vec<Step> = (0..9).map(|path| Step::Send(path % PATHS, 100)).collect();
        let sack = Step::Sack { path: 1, advance: 4, gap: 1, block: 0 };
        taken += compare(&config, &[steps, vec![sack]].concat()).unwrap();
    }
    assert_eq!(taken, 8, "four chunks in each of two cases take the short path");
}
