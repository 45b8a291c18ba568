//! RED: drops arriving packets at random, depending on a moving average of the queue length in packets.
//!
//! \[F93] S. Floyd, V. Jacobson: Random Early Detection Gateways for Congestion Avoidance, 1993. The average of an idle
//! queue and the hard limit follow INET's `RedDropper`; the gentle mode follows \[F00]. Packets are not marked.

use std::collections::VecDeque;

use manypath_core::{Random, Rate, Time};

use super::{DropReason, Entry, Limit, Queue, Verdict};
use crate::error::{ConfigError, probability};

/// The configuration of RED.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedConfig {
    /// Weight `w` of one sample in the average.
    pub weight: f64,
    /// Average in packets from which packets are dropped at random.
    pub min: f64,
    /// Average in packets from which every packet is dropped; with `gentle`, from which the slope is steeper.
    pub max: f64,
    /// Drop probability `max_p` at which the linear slope between `min` and `max` ends.
    pub max_p: f64,
    /// Whether the drop probability rises from `max_p` at `max` to 1 at twice `max`, instead of jumping to 1 at `max`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gentle: bool,
    /// Limit of the queue in packets, independent of the average. If there is no limit in packets or bytes, it is the
    /// average from which every packet is dropped, rounded down.
    #[cfg_attr(feature = "serde", serde(default))]
    pub packets: Option<u64>,
    /// Limit of the queue in bytes, independent of the average.
    #[cfg_attr(feature = "serde", serde(default))]
    pub bytes: Option<u64>,
    /// Packets per second that an idle link could have sent, which determine the decay of the average of an empty
    /// queue. By default the rate at the beginning of the run over 1500 bytes; INET's default is 150.
    #[cfg_attr(feature = "serde", serde(default))]
    pub packet_rate: Option<f64>,
}

impl RedConfig {
    /// RED with the weight `weight`, the thresholds `min` and `max` and the probability `max_p`. All other fields have
    /// their default values.
    #[must_use]
    pub fn new(weight: f64, min: f64, max: f64, max_p: f64) -> Self {
        let (packets, bytes, packet_rate) = (None, None, None);
        Self { weight, min, max, max_p, gentle: false, packets, bytes, packet_rate }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// The first field with an invalid value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(self.weight > 0.0 && self.weight <= 1.0) {
            return Err(ConfigError::new(
                "queue.weight",
                &self.weight,
                "more than 0 and at most 1",
            ));
        }
        if !(self.min >= 0.0 && self.min.is_finite()) {
            return Err(ConfigError::new("queue.min", &self.min, "a number of packets, 0 or more"));
        }
        if !(self.max > self.min && self.max.is_finite()) {
            return Err(ConfigError::new(
                "queue.max",
                &self.max,
                format!("more than `min` ({})", self.min),
            ));
        }
        probability("queue.max_p", self.max_p)?;
        self.limit().validate()?;
        match self.packet_rate {
            Some(rate) if !(rate >= 0.0 && rate.is_finite()) => {
                Err(ConfigError::new("queue.packet_rate", &rate, "packets per second, 0 or more"))
            }
            _ => Ok(()),
        }
    }

    /// The capacity of the queue.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit::new(self.packets, self.bytes, self.end() as u64)
    }

    /// Average in packets from which every packet is dropped.
    fn end(&self) -> f64 {
        if self.gentle { 2.0 * self.max } else { self.max }
    }

    /// The drop probability at an average between `min` and the end, before it is corrected for uniform gaps between
    /// drops.
    fn slope(&self, average: f64) -> f64 {
        let Self { min, max, max_p, .. } = *self;
        if average < max {
            max_p * (average - min) / (max - min)
        } else {
            max_p + (1.0 - max_p) * (average - max) / max
        }
    }
}

/// The decisions of RED about arriving packets, without the packets that wait.
#[derive(Debug)]
pub(crate) struct RedRule {
    config: RedConfig,
    limit: Limit,
    /// Packets per second, from the configuration or its default.
    packet_rate: f64,
    random: Random,
    /// Moving average of the queue length, packets.
    average: f64,
    /// Packets since the last drop, -1 while the average is below `min`.
    count: i64,
    /// Start of the idle time; the average decays from here.
    empty_since: Time,
}

impl RedRule {
    /// The rule for an empty queue in front of a transmitter of `rate`.
    pub(crate) fn new(config: &RedConfig, rate: Rate, random: Random) -> Self {
        let packet_rate =
            config.packet_rate.unwrap_or(rate.bits_per_second() as f64 / (8.0 * MEAN_PACKET));
        Self {
            config: config.clone(),
            limit: config.limit(),
            packet_rate,
            random,
            average: 0.0,
            count: -1,
            empty_since: Time::ZERO,
        }
    }

    /// Decides about a packet of `size` bytes that finds `waiting` packets with `bytes` bytes in the queue.
    #[inline(never)]
    pub(crate) fn refuse(
        &mut self,
        now: Time,
        (waiting, bytes): (usize, u64),
        size: u32,
    ) -> Option<DropReason> {
        self.update_average(now, waiting);
        let refused = if !self.limit.admits(waiting + 1, bytes + u64::from(size)) {
            Some(DropReason::Full)
        } else {
            self.early().then_some(DropReason::Early)
        };
        if refused.is_some() {
            self.count = 0;
        }
        refused
    }

    /// The last waiting packet left the queue at `start`.
    #[inline]
    pub(crate) fn note_empty(&mut self, start: Time) {
        self.empty_since = self.empty_since.max(start);
    }

    fn update_average(&mut self, now: Time, waiting: usize) {
        let weight = self.config.weight;
        if waiting == 0 {
            let missed = now.saturating_since(self.empty_since).as_secs_f64() * self.packet_rate;
            self.average *= libm::pow(1.0 - weight, missed);
            self.empty_since = now;
        } else {
            self.average = (1.0 - weight) * self.average + weight * waiting as f64;
        }
    }

    /// The gaps between drops are distributed uniformly, not geometrically. \[F93] section 4
    fn early(&mut self) -> bool {
        if self.average >= self.config.end() {
            true
        } else if self.average >= self.config.min {
            self.count += 1;
            let p = self.config.slope(self.average);
            let rest = 1.0 - self.count as f64 * p;
            rest <= 0.0 || self.random.chance(p / rest)
        } else {
            self.count = -1;
            false
        }
    }
}

/// A RED queue.
#[derive(Debug)]
pub struct Red<T> {
    rule: RedRule,
    waiting: VecDeque<Entry<T>>,
    bytes: u64,
}

impl<T> Red<T> {
    /// An empty queue in front of a transmitter of `rate`. Every random decision draws from `random`.
    #[must_use]
    pub fn new(config: &RedConfig, rate: Rate, random: Random) -> Self {
        Self { rule: RedRule::new(config, rate, random), waiting: VecDeque::new(), bytes: 0 }
    }

    /// The moving average of the queue length in packets.
    #[must_use]
    pub fn average(&self) -> f64 {
        self.rule.average
    }
}

impl<T: Copy> Queue<T> for Red<T> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, entry: Entry<T>, _discarded: &mut Vec<T>) -> Verdict {
        if let Some(reason) = self.rule.refuse(now, (self.waiting.len(), self.bytes), entry.size) {
            return Verdict::Dropped(reason);
        }
        self.bytes += u64::from(entry.size);
        self.waiting.push_back(entry);
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, start: Time, _discarded: &mut Vec<T>) -> Option<Entry<T>> {
        let entry = self.waiting.pop_front()?;
        self.bytes -= u64::from(entry.size);
        if self.waiting.is_empty() {
            self.rule.note_empty(start);
        }
        Some(entry)
    }

    #[inline]
    fn len(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The packet size in bytes that the default of `packet_rate` assumes.
const MEAN_PACKET: f64 = 1500.0;
