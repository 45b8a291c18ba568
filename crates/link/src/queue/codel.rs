//! CoDel: drops at the head of a queue in which everybody waits too long, until they do not (RFC 8289).

use manypath_core::{Random, Rate, Span, Time};

use super::waiting::Waiting;
use super::{DropReason, Entry, Limit, Queue, Verdict};
use crate::error::{ConfigError, positive, positive_span};

/// The numbers of CoDel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoDelConfig {
    /// Time that packets may wait for long. RFC 8289 §5: 5 ms.
    pub target: Span,
    /// Time for which the shortest wait must be above `target` before the first drop. RFC 8289 §5: 100 ms.
    pub interval: Span,
    /// While no more bytes than these wait, nothing is dropped: the largest packet, framing excluded.
    pub mtu: u64,
    /// Most packets that may wait; 1000 without a limit in packets or bytes.
    pub packets: Option<u64>,
    /// Most bytes that may wait.
    pub bytes: Option<u64>,
}

impl Default for CoDelConfig {
    fn default() -> Self {
        let Law { target, interval, mtu } = Law::RECOMMENDED;
        Self { target, interval, mtu, packets: None, bytes: None }
    }
}

impl CoDelConfig {
    /// Says what is wrong with the numbers.
    ///
    /// # Errors
    /// The first field whose value makes no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.law().validate()?;
        self.limit().validate()
    }

    /// The most that may wait.
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
    /// An empty queue; neither the rate nor randomness matters.
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

    /// A packet that does not wait ends a bad time, so it may pass by only when there is none.
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

/// What CoDel strives for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    pub(super) target: Span,
    pub(super) interval: Span,
    pub(super) mtu: u64,
}

impl Law {
    /// RFC 8289 §5, for packets of Ethernet's size.
    pub(super) const RECOMMENDED: Self =
        Self { target: Span::from_millis(5), interval: Span::from_millis(100), mtu: 1500 };

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        positive_span("queue.target", self.target)?;
        positive_span("queue.interval", self.interval)?;
        positive("queue.mtu", self.mtu)
    }

    /// When to drop again after the drop number `count` at `drop`: the rate of drops grows with their square root, and
    /// so the throughput of a TCP flow shrinks linearly. RFC 8289 §3.
    fn next_drop(&self, drop: Time, count: u32) -> Time {
        let pause = self.interval.as_nanos() as f64 / f64::from(count).sqrt();
        drop + Span::from_nanos(pause as u64)
    }
}

/// Packets that wait in one line under CoDel's control. RFC 8289 §5.
#[derive(Debug)]
pub(super) struct Line<T> {
    waiting: Waiting<T>,
    /// When packets may be dropped, unless one waits less than the target before.
    bad_from: Option<Time>,
    is_dropping: bool,
    next_drop: Time,
    /// Drops since dropping began, and what it began with.
    count: u32,
    first_count: u32,
}

impl<T: Copy> Line<T> {
    /// The packet that goes next; those that are dropped before it go to `discarded`.
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

    /// Takes the first packet, and says whether it may be dropped: everybody has waited for longer than the target
    /// for an interval, and more than a packet is left.
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

    /// Dropping that begins soon after it ended goes on at almost the rate that was right then.
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

    /// Takes the first packet as it is, beside all control.
    pub(super) fn shed(&mut self) -> Option<Entry<T>> {
        self.waiting.pop().map(|(entry, _)| entry)
    }

    /// Whether a packet that does not wait would change nothing.
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

/// Intervals after which the last bad time is forgotten.
const SOON_INTERVALS: u64 = 16;
