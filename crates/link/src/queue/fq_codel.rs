//! FQ-CoDel: flows take turns, new flows go first, and each flow has its own CoDel (RFC 8290).

use std::collections::VecDeque;

use manypath_core::{Random, Rate, Span, Time};

use super::codel::{Law, Line};
use super::{Entry, Limit, Queue, Verdict};
use crate::error::{ConfigError, positive};

/// The configuration of FQ-CoDel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FqCoDelConfig {
    /// Acceptable queueing delay of a flow. RFC 8290 §5.2: 5 ms.
    pub target: Span,
    /// Time for which every packet of a flow must wait longer than `target` before the first drop. RFC 8290 §5.2:
    /// 100 ms.
    pub interval: Span,
    /// Waiting bytes of a flow up to which CoDel drops none of its packets: the largest packet, framing excluded.
    pub mtu: u64,
    /// Bytes that a flow may send per turn. RFC 8290 §5.2: 1514.
    pub quantum: u64,
    /// Queues to which flows are assigned by a hash; two flows may share one. RFC 8290 §5.2: 1024.
    pub buckets: u64,
    /// Limit of the queue in packets; 10 240 if there is no limit in packets or bytes, as in RFC 8290 §5.2.
    pub packets: Option<u64>,
    /// Limit of the queue in bytes.
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
    /// Checks the values.
    ///
    /// # Errors
    /// The first field with an invalid value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.law().validate()?;
        positive("queue.quantum", self.quantum)?;
        if !(1..=MOST_BUCKETS).contains(&self.buckets) {
            let expected = format!("1 to {MOST_BUCKETS}");
            return Err(ConfigError::new("queue.buckets", &self.buckets, expected));
        }
        self.limit().validate()
    }

    /// The capacity of the queue.
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
/// Linux compares `mtu` with all waiting bytes. Here the CoDel of each flow compares it with the bytes of its own flow,
/// because RFC 8289 §5 refers to the queue that CoDel controls.
#[derive(Debug)]
pub struct FqCoDel<T> {
    law: Law,
    limit: Limit,
    /// Signed, like the credit of a flow.
    quantum: i64,
    /// A random value that makes the hash different in each run.
    perturbation: u64,
    buckets: Vec<Bucket<T>>,
    /// Buckets whose flow began recently, in the order of their turns.
    new: VecDeque<u32>,
    /// All other buckets with packets, and some buckets that have just become empty.
    old: VecDeque<u32>,
    len: usize,
    bytes: u64,
}

/// The waiting packets of all flows with the same hash.
#[derive(Debug)]
struct Bucket<T> {
    line: Line<T>,
    /// Bytes that the bucket may send before its turn ends.
    credit: i64,
    /// Whether the bucket is in one of the two lists.
    is_listed: bool,
}

impl<T> FqCoDel<T> {
    /// An empty queue. The rate is not used; the hash depends on `random`.
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

    /// The index of the bucket of a flow.
    #[must_use]
    pub fn bucket(&self, flow: u32) -> usize {
        let hash = scatter(u64::from(flow) ^ self.perturbation);
        ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize
    }
}

impl<T: Copy> FqCoDel<T> {
    /// Drops half of the packets of the bucket with the most bytes, the oldest first. RFC 8290 §4.1.
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

    /// Returns the next packet of the bucket `index`, and updates the counters for it and for dropped packets.
    fn pop(&mut self, index: u32, now: Time, discarded: &mut Vec<T>) -> Option<Entry<T>> {
        let Bucket { line, credit, .. } = &mut self.buckets[index as usize];
        let before = (line.len(), line.bytes());
        let entry = line.pop(now, &self.law, discarded);
        self.len -= before.0 - line.len();
        self.bytes -= before.1 - line.bytes();
        *credit -= entry.as_ref().map_or(0, |entry| i64::from(entry.size));
        entry
    }

    /// The bucket whose turn it is, and whether it is a new bucket.
    fn turn(&self) -> Option<(u32, bool)> {
        let new = self.new.front().map(|&index| (index, true));
        new.or_else(|| self.old.front().map(|&index| (index, false)))
    }

    /// Ends the turn of the first bucket: it moves to the end of the old buckets, or leaves the lists.
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
            // A new bucket that becomes empty moves to the old buckets first. Otherwise a flow that sends one packet at
            // a time would be new each time and starve the others.
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

/// A hash in which every bit depends on every bit of `word`: the finaliser of SplitMix64.
fn scatter(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The largest number of buckets in Linux's FQ-CoDel.
const MOST_BUCKETS: u64 = 65_536;
/// The largest number of packets that are dropped at once when the queue is full. RFC 8290 §4.1.
const MOST_SHED: usize = 64;
