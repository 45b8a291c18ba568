//! RED: drops early and at random, by a moving average of the queue length in packets.
//!
//! \[F93] S. Floyd, V. Jacobson: Random Early Detection Gateways for Congestion Avoidance, 1993, with the average
//! while idle and the hard limit as INET's `RedDropper` has them. No gentle mode, no marking.

use std::collections::VecDeque;

use manypath_core::{Random, Rate, Time};

use super::{DropReason, Entry, Queue, Verdict};
use crate::error::{ConfigError, positive, probability};

/// The numbers of RED.
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
    /// Average in packets from which every packet is dropped.
    pub max: f64,
    /// Drop probability `max_p` at which the linear slope between `min` and `max` ends.
    pub max_p: f64,
    /// Most packets that may wait, whatever the average; by default `max` without its fraction.
    #[cfg_attr(feature = "serde", serde(default))]
    pub capacity: Option<u64>,
    /// Small packets per second that an idle link could have sent: how fast the average decays while nothing waits.
    /// By default the rate at the beginning of the run over 1500 bytes; INET's own default is 150.
    #[cfg_attr(feature = "serde", serde(default))]
    pub packet_rate: Option<f64>,
}

impl RedConfig {
    /// Says what is wrong with the numbers.
    ///
    /// # Errors
    /// The first field whose value makes no sense.
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
        positive("queue.capacity", self.hard_limit())?;
        match self.packet_rate {
            Some(rate) if !(rate >= 0.0 && rate.is_finite()) => {
                Err(ConfigError::new("queue.packet_rate", &rate, "packets per second, 0 or more"))
            }
            _ => Ok(()),
        }
    }

    fn hard_limit(&self) -> u64 {
        self.capacity.unwrap_or(self.max as u64)
    }
}

/// A RED queue.
#[derive(Debug)]
pub struct Red<T> {
    config: RedConfig,
    hard_limit: usize,
    /// Packets per second, known.
    packet_rate: f64,
    random: Random,
    waiting: VecDeque<Entry<T>>,
    bytes: u64,
    /// Moving average of the queue length, packets.
    average: f64,
    /// Packets since the last drop, -1 while the average is below `min`.
    count: i64,
    /// Since when nothing waits; the average decays from here.
    empty_since: Time,
}

impl<T> Red<T> {
    /// An empty queue in front of a transmitter of `rate`; every decision by chance draws from `random`.
    #[must_use]
    pub fn new(config: &RedConfig, rate: Rate, random: Random) -> Self {
        let packet_rate =
            config.packet_rate.unwrap_or(rate.bits_per_second() as f64 / (8.0 * MEAN_PACKET));
        Self {
            config: config.clone(),
            hard_limit: usize::try_from(config.hard_limit()).unwrap_or(usize::MAX),
            packet_rate,
            random,
            waiting: VecDeque::new(),
            bytes: 0,
            average: 0.0,
            count: -1,
            empty_since: Time::ZERO,
        }
    }

    /// The moving average of the queue length in packets.
    #[must_use]
    pub fn average(&self) -> f64 {
        self.average
    }

    fn update_average(&mut self, now: Time) {
        let weight = self.config.weight;
        if self.waiting.is_empty() {
            let missed = now.saturating_since(self.empty_since).as_secs_f64() * self.packet_rate;
            self.average *= libm::pow(1.0 - weight, missed);
            self.empty_since = now;
        } else {
            self.average = (1.0 - weight) * self.average + weight * self.waiting.len() as f64;
        }
    }

    /// \[F93] section 4: the gaps between drops are uniform, not geometric.
    fn refuse(&mut self) -> Option<DropReason> {
        let RedConfig { min, max, max_p, .. } = self.config;
        let refused = if self.waiting.len() >= self.hard_limit {
            Some(DropReason::Full)
        } else if self.average >= max {
            Some(DropReason::Early)
        } else if self.average >= min {
            self.count += 1;
            let p = max_p * (self.average - min) / (max - min);
            let rest = 1.0 - self.count as f64 * p;
            (rest <= 0.0 || self.random.chance(p / rest)).then_some(DropReason::Early)
        } else {
            self.count = -1;
            None
        };
        if refused.is_some() {
            self.count = 0;
        }
        refused
    }
}

impl<T: Copy> Queue<T> for Red<T> {
    fn enqueue(&mut self, now: Time, entry: Entry<T>) -> Verdict {
        self.update_average(now);
        if let Some(reason) = self.refuse() {
            return Verdict::Dropped(reason);
        }
        self.bytes += u64::from(entry.size);
        self.waiting.push_back(entry);
        Verdict::Queued
    }

    fn dequeue(&mut self, start: Time, _discarded: &mut Vec<Entry<T>>) -> Option<Entry<T>> {
        let entry = self.waiting.pop_front()?;
        self.bytes -= u64::from(entry.size);
        if self.waiting.is_empty() {
            self.empty_since = start;
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

/// Bytes of the packet that the default of `packet_rate` assumes.
const MEAN_PACKET: f64 = 1500.0;
