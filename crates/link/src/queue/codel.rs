//! CoDel: drops packets at the head of the queue while every packet waits longer than a target (RFC 8289).

use manypath_core::{Random, Rate, Span, Time};

use super::waiting::Waiting;
use super::{DropReason, Entry, Limit, Queue, Verdict};
use crate::error::{ConfigError, positive, positive_span};

/// The configuration of CoDel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoDelConfig {
    /// Acceptable queueing delay (TARGET). RFC 8289 §5: 5 ms.
    pub target: Span,
    /// Time for which every packet must wait longer than `target` before the first drop (INTERVAL). RFC 8289 §5: 100 ms.
    pub interval: Span,
    /// Waiting bytes up to which no packet is dropped: the largest packet, framing excluded.
    pub mtu: u64,
    /// Limit of the queue in packets; 1000 if there is no limit in packets or bytes.
    pub packets: Option<u64>,
    /// Limit of the queue in bytes.
    pub bytes: Option<u64>,
}

impl Default for CoDelConfig {
    fn default() -> Self {
        let Law { target, interval, mtu } = Law::RECOMMENDED;
        Self { target, interval, mtu, packets: None, bytes: None }
    }
}

impl CoDelConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// The first field with an invalid value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.law().validate()?;
        self.limit().validate()
    }

    /// The capacity of the queue.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit::new(self.packets, self.bytes, 1000)
    }

    fn law(&self) -> Law {
        Law { target: self.target, interval: self.interval, mtu: self.mtu }
    }
}

/// A CoDel queue.
#[derive(Debug)]
pub struct CoDel<T> {
    law: Law,
    limit: Limit,
    line: Line<T>,
}

impl<T> CoDel<T> {
    /// An empty queue; the rate and the random numbers are not used.
    #[must_use]
    pub fn new(config: &CoDelConfig, _rate: Rate, _random: Random) -> Self {
        Self { law: config.law(), limit: config.limit(), line: Line::new() }
    }
}

impl<T: Copy> Queue<T> for CoDel<T> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, entry: Entry<T>, _discarded: &mut Vec<T>) -> Verdict {
        let bytes = self.line.bytes() + u64::from(entry.size);
        if !self.limit.admits(self.line.len() + 1, bytes) {
            return Verdict::Dropped(DropReason::Full);
        }
        self.line.push(now, entry);
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, start: Time, discarded: &mut Vec<T>) -> Option<Entry<T>> {
        self.line.pop(start, &self.law, discarded)
    }

    /// A packet without queueing delay resets the control law, so it may skip the queue only if the law is at rest.
    #[inline]
    fn may_skip(&self, size: u32) -> bool {
        self.line.is_well() && self.limit.admits(1, u64::from(size))
    }

    #[inline]
    fn len(&self) -> usize {
        self.line.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

/// The parameters of CoDel's control law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    pub(super) target: Span,
    pub(super) interval: Span,
    pub(super) mtu: u64,
}

impl Law {
    /// The values of RFC 8289 §5, for packets of Ethernet's size.
    pub(super) const RECOMMENDED: Self =
        Self { target: Span::from_millis(5), interval: Span::from_millis(100), mtu: 1500 };

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        positive_span("queue.target", self.target)?;
        positive_span("queue.interval", self.interval)?;
        positive("queue.mtu", self.mtu)
    }

    /// The time of the next drop after drop number `count` at `drop`. The interval shrinks with the square root of
    /// `count`, so the throughput of a TCP flow falls linearly. RFC 8289 §3.
    fn next_drop(&self, drop: Time, count: u32) -> Time {
        let pause = self.interval.as_nanos() as f64 / f64::from(count).sqrt();
        drop + Span::from_nanos(pause as u64)
    }
}

/// One FIFO queue under CoDel's control law. RFC 8289 §5.
#[derive(Debug)]
pub(super) struct Line<T> {
    waiting: Waiting<T>,
    /// When packets may be dropped, unless a packet waits less than the target before that time.
    bad_from: Option<Time>,
    is_dropping: bool,
    next_drop: Time,
    /// The number of drops in this dropping state, and its value when the state began.
    count: u32,
    first_count: u32,
}

impl<T: Copy> Line<T> {
    /// Returns the next packet and appends the packets that are dropped before it to `discarded`.
    pub(super) fn pop(&mut self, now: Time, law: &Law, discarded: &mut Vec<T>) -> Option<Entry<T>> {
        let (mut head, mut is_bad) = self.examine(now, law);
        if self.is_dropping {
            self.is_dropping = is_bad;
            while self.is_dropping && now >= self.next_drop {
                discarded.extend(head.map(|entry| entry.item));
                self.count += 1;
                (head, is_bad) = self.examine(now, law);
                self.is_dropping = is_bad;
                if is_bad {
                    self.next_drop = law.next_drop(self.next_drop, self.count);
                }
            }
        } else if is_bad {
            discarded.extend(head.map(|entry| entry.item));
            (head, _) = self.examine(now, law);
            self.begin_dropping(now, law);
        }
        head
    }

    /// Removes the first packet. Returns it and whether it may be dropped: all packets waited longer than the target
    /// for at least one interval, and more than `mtu` bytes still wait.
    fn examine(&mut self, now: Time, law: &Law) -> (Option<Entry<T>>, bool) {
        let Some((entry, since)) = self.waiting.pop() else {
            self.bad_from = None;
            return (None, false);
        };
        if now.saturating_since(since) < law.target || self.waiting.bytes() <= law.mtu {
            self.bad_from = None;
            return (Some(entry), false);
        }
        let bad_from = *self.bad_from.get_or_insert(now + law.interval);
        (Some(entry), now >= bad_from)
    }

    /// Begins to drop. If the last dropping state ended recently, the drop rate continues at almost its last value.
    fn begin_dropping(&mut self, now: Time, law: &Law) {
        let drops = self.count - self.first_count;
        let is_soon =
            now.saturating_since(self.next_drop) < law.interval.saturating_mul(SOON_INTERVALS);
        self.is_dropping = true;
        self.count = if drops > 1 && is_soon { drops } else { 1 };
        self.first_count = self.count;
        self.next_drop = law.next_drop(now, self.count);
    }
}

impl<T> Line<T> {
    pub(super) fn new() -> Self {
        Self {
            waiting: Waiting::new(),
            bad_from: None,
            is_dropping: false,
            next_drop: Time::ZERO,
            count: 0,
            first_count: 0,
        }
    }

    pub(super) fn push(&mut self, now: Time, entry: Entry<T>) {
        self.waiting.push(now, entry);
    }

    /// Removes the first packet without the control law.
    pub(super) fn shed(&mut self) -> Option<Entry<T>> {
        self.waiting.pop().map(|(entry, _)| entry)
    }

    /// Whether a packet without queueing delay would not change the state of the control law.
    pub(super) fn is_well(&self) -> bool {
        !self.is_dropping && self.bad_from.is_none()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}

/// Number of intervals after which the last dropping state is forgotten.
const SOON_INTERVALS: u64 = 16;
