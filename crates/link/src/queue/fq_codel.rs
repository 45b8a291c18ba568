//! FQ-CoDel: flows take turns, those that just began go first, and each has a CoDel of its own (RFC 8290).

use std::collections::VecDeque;

use manypath_core::{Random, Rate, Span, Time};

use super::codel::{Law, Line};
use super::{Entry, Limit, Queue, Verdict};
use crate::error::{ConfigError, positive};

/// The numbers of FQ-CoDel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FqCoDelConfig {
    /// Time that packets of a flow may wait for long. RFC 8290 §5.2: 5 ms.
    pub target: Span,
    /// Time for which the shortest wait of a flow must be above `target` before the first drop. RFC 8290 §5.2:
    /// 100 ms.
    pub interval: Span,
    /// While no more bytes of a flow than these wait, CoDel drops none of them: the largest packet, framing excluded.
    pub mtu: u64,
    /// Bytes that a flow may send in its turn. RFC 8290 §5.2: 1514.
    pub quantum: u64,
    /// Queues to which flows are assigned by a hash; two flows may share one. RFC 8290 §5.2: 1024.
    pub buckets: u64,
    /// Most packets that may wait; without a limit in packets or bytes 10 240, as in RFC 8290 §5.2.
    pub packets: Option<u64>,
    /// Most bytes that may wait.
    pub bytes: Option<u64>,
}

impl Default for FqCoDelConfig {
    fn default() -> Self {
        let Law { target, interval, mtu } = Law::RECOMMENDED;
        let (packets, bytes) = (None, None);
        Self { target, interval, mtu, quantum: 1514, buckets: 1024, packets, bytes }
    }
}

impl FqCoDelConfig {
    /// Says what is wrong with the numbers.
    ///
    /// # Errors
    /// The first field whose value makes no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.law().validate()?;
        positive("queue.quantum", self.quantum)?;
        if !(1..=MOST_BUCKETS).contains(&self.buckets) {
            let expected = format!("1 to {MOST_BUCKETS}");
            return Err(ConfigError::new("queue.buckets", &self.buckets, expected));
        }
        self.limit().validate()
    }

    /// The most that may wait.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit::new(self.packets, self.bytes, 10_240)
    }

    fn law(&self) -> Law {
        Law { target: self.target, interval: self.interval, mtu: self.mtu }
    }
}

/// An FQ-CoDel queue.
///
/// Unlike Linux, which compares `mtu` with everything that waits, each flow's CoDel looks at the bytes of its own
/// flow, because RFC 8289 §5 speaks of the queue that it controls.
#[derive(Debug)]
pub struct FqCoDel<T> {
    law: Law,
    limit: Limit,
    /// Signed, as the credit of a flow is.
    quantum: i64,
    /// Makes the hash another one in each run.
    perturbation: u64,
    buckets: Vec<Bucket<T>>,
    /// Buckets whose flow began lately, in the order of their turns.
    new: VecDeque<u32>,
    /// All other buckets with packets, and some that have just run empty.
    old: VecDeque<u32>,
    len: usize,
    bytes: u64,
}

/// What waits of the flows with one hash.
#[derive(Debug)]
struct Bucket<T> {
    line: Line<T>,
    /// Bytes that it may send before its turn ends.
    credit: i64,
    /// Whether it is in one of the two lists.
    is_listed: bool,
}

impl<T> FqCoDel<T> {
    /// An empty queue; the rate does not matter, the hash depends on `random`.
    #[must_use]
    pub fn new(config: &FqCoDelConfig, _rate: Rate, mut random: Random) -> Self {
        let count = config.buckets as usize;
        let bucket = || Bucket { line: Line::new(), credit: 0, is_listed: false };
        Self {
            law: config.law(),
            limit: config.limit(),
            quantum: i64::try_from(config.quantum).unwrap_or(i64::MAX),
            perturbation: random.next_u64(),
            buckets: std::iter::repeat_with(bucket).take(count).collect(),
            new: VecDeque::with_capacity(count),
            old: VecDeque::with_capacity(count),
            len: 0,
            bytes: 0,
        }
    }

    /// The bucket of a flow.
    #[must_use]
    pub fn bucket(&self, flow: u32) -> usize {
        let hash = scatter(u64::from(flow) ^ self.perturbation);
        ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize
    }
}

impl<T: Copy> FqCoDel<T> {
    /// Drops half of the packets of the bucket with most bytes, the oldest first. RFC 8290 §4.1.
    fn shed(&mut self, discarded: &mut Vec<T>) {
        let fattest = self.buckets.iter_mut().max_by_key(|bucket| bucket.line.bytes());
        let Some(Bucket { line, .. }) = fattest else { return };
        for _ in 0..line.len().div_ceil(2).min(MOST_SHED) {
            if let Some(entry) = line.shed() {
                self.len -= 1;
                self.bytes -= u64::from(entry.size);
                discarded.push(entry.item);
            }
        }
    }

    /// The next packet of the bucket `index`; counts what leaves it.
    fn pop(&mut self, index: u32, now: Time, discarded: &mut Vec<T>) -> Option<Entry<T>> {
        let Bucket { line, credit, .. } = &mut self.buckets[index as usize];
        let before = (line.len(), line.bytes());
        let entry = line.pop(now, &self.law, discarded);
        self.len -= before.0 - line.len();
        self.bytes -= before.1 - line.bytes();
        *credit -= entry.as_ref().map_or(0, |entry| i64::from(entry.size));
        entry
    }

    /// The bucket whose turn it is, and whether it is a new one.
    fn turn(&self) -> Option<(u32, bool)> {
        let new = self.new.front().map(|&index| (index, true));
        new.or_else(|| self.old.front().map(|&index| (index, false)))
    }

    /// The turn of the first bucket ends: it waits behind all old ones, or leaves the lists.
    fn end_turn(&mut self, is_new: bool, stays: bool) {
        let list = if is_new { &mut self.new } else { &mut self.old };
        let Some(index) = list.pop_front() else { return };
        if stays {
            self.old.push_back(index);
        } else {
            self.buckets[index as usize].is_listed = false;
        }
    }
}

impl<T: Copy> Queue<T> for FqCoDel<T> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, entry: Entry<T>, discarded: &mut Vec<T>) -> Verdict {
        let index = self.bucket(entry.flow);
        let bucket = &mut self.buckets[index];
        self.len += 1;
        self.bytes += u64::from(entry.size);
        bucket.line.push(now, entry);
        if !bucket.is_listed {
            bucket.is_listed = true;
            bucket.credit = self.quantum;
            self.new.push_back(index as u32);
        }
        while !self.limit.admits(self.len, self.bytes) {
            self.shed(discarded);
        }
        Verdict::Queued
    }

    /// RFC 8290 §4.2.
    #[inline(never)]
    fn dequeue(&mut self, start: Time, discarded: &mut Vec<T>) -> Option<Entry<T>> {
        loop {
            let (index, is_new) = self.turn()?;
            let credit = &mut self.buckets[index as usize].credit;
            if *credit <= 0 {
                *credit += self.quantum;
                self.end_turn(is_new, true);
                continue;
            }
            let entry = self.pop(index, start, discarded);
            if entry.is_some() {
                return entry;
            }
            // A new bucket that is empty is an old one first: a flow that sends one packet at a time cannot be new
            // each time and starve the others.
            self.end_turn(is_new, is_new);
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A word in which every bit depends on every bit of `word`: the finaliser of SplitMix64.
fn scatter(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Buckets of Linux's largest FQ-CoDel.
const MOST_BUCKETS: u64 = 65_536;
/// Packets that are dropped at once when there is no room. RFC 8290 §4.1.
const MOST_SHED: usize = 64;
