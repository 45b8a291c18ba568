//! PIE: drops arriving packets at random. A controller adapts the drop probability to the queueing delay (RFC 8033).
//!
//! The queueing delay is measured from the waiting time of each packet (RFC 8033 §4.3). It is not estimated from a
//! departure rate. The optional parts of section 5 are not implemented.

use manypath_core::{Random, Rate, Span, Time};

use super::waiting::Waiting;
use super::{DropReason, Entry, Limit, Queue, Verdict};
use crate::error::{ConfigError, positive_span};

/// The configuration of PIE.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PieConfig {
    /// Target of the queueing delay. RFC 8033 §4.2: 15 ms.
    pub target: Span,
    /// Interval between updates of the drop probability. RFC 8033 §4.2: 15 ms.
    pub update: Span,
    /// Gain for the deviation of the delay from the target, per second. RFC 8033 §4.2: 0.125.
    pub alpha: f64,
    /// Gain for the change of the delay since the last update, per second. RFC 8033 §4.2: 1.25.
    pub beta: f64,
    /// Burst allowance: time without drops after the queue was short. RFC 8033 §4.4: 150 ms.
    pub burst: Span,
    /// Limit of the queue in packets; 1000 if there is no limit in packets or bytes.
    pub packets: Option<u64>,
    /// Limit of the queue in bytes.
    pub bytes: Option<u64>,
}

impl Default for PieConfig {
    fn default() -> Self {
        Self {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Span::from_millis(150),
            packets: None,
            bytes: None,
        }
    }
}

impl PieConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// The first field with an invalid value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        positive_span("queue.target", self.target)?;
        if self.update < SHORTEST_UPDATE {
            let expected = format!("at least {SHORTEST_UPDATE}");
            return Err(ConfigError::new("queue.update", &self.update, expected));
        }
        gain("queue.alpha", self.alpha)?;
        gain("queue.beta", self.beta)?;
        self.limit().validate()
    }

    /// The capacity of the queue.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit::new(self.packets, self.bytes, 1000)
    }
}

/// A PIE queue.
#[derive(Debug)]
pub struct Pie<T> {
    config: PieConfig,
    limit: Limit,
    random: Random,
    waiting: Waiting<T>,
    next_update: Time,
    /// Drop probability.
    probability: f64,
    /// Queueing delay of the last packet that left; zero when no packet waits.
    delay: Span,
    /// The value of `delay` at the last update.
    delay_before: Span,
    /// The remaining time in which no packet is dropped.
    allowance: Span,
}

impl<T> Pie<T> {
    /// An empty queue. The rate is not used; every random decision draws from `random`.
    #[must_use]
    pub fn new(config: &PieConfig, _rate: Rate, random: Random) -> Self {
        Self {
            config: *config,
            limit: config.limit(),
            random,
            waiting: Waiting::new(),
            next_update: Time::ZERO + config.update,
            probability: 0.0,
            delay: Span::ZERO,
            delay_before: Span::ZERO,
            allowance: config.burst,
        }
    }

    /// The probability with which an arriving packet is dropped, as of the last call of the queue.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Makes all updates that were due until `now`. The queue does not change between two calls, so late updates are
    /// exact.
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            if self.is_at_rest() {
                let update = self.config.update.as_nanos();
                let missed = (now - self.next_update).as_nanos() / update + 1;
                self.next_update += Span::from_nanos(missed * update);
                return;
            }
            self.update();
            self.next_update += self.config.update;
        }
    }

    /// Whether an update would not change anything.
    fn is_at_rest(&self) -> bool {
        let is_idle = self.delay == Span::ZERO && self.delay_before == Span::ZERO;
        is_idle && self.probability == 0.0 && self.allowance == self.config.burst
    }

    /// The periodic update. RFC 8033 §4.2 and §4.4.
    fn update(&mut self) {
        let PieConfig { target, alpha, beta, burst, update, .. } = self.config;
        let (delay, before) = (self.delay.as_secs_f64(), self.delay_before.as_secs_f64());
        let step = alpha * (delay - target.as_secs_f64()) + beta * (delay - before);
        let mut probability = self.probability + step / divisor(self.probability);
        if self.delay == Span::ZERO && self.delay_before == Span::ZERO {
            probability *= DECAY;
        }
        self.probability = probability.clamp(0.0, 1.0);
        let is_calm = self.is_short(self.delay) && self.is_short(self.delay_before);
        self.allowance = if is_calm && self.probability == 0.0 {
            burst
        } else {
            self.allowance.saturating_sub(update)
        };
        self.delay_before = self.delay;
    }

    /// Whether the arriving packet is dropped although there is room. RFC 8033 §4.1.
    fn drops_early(&mut self) -> bool {
        let is_harmless = self.is_short(self.delay_before) && self.probability < 0.2;
        let is_spared =
            self.allowance > Span::ZERO || is_harmless || self.waiting.bytes() <= 2 * MEAN_PACKET;
        !is_spared && self.random.chance(self.probability)
    }

    /// Whether `delay` is less than half of the target.
    fn is_short(&self, delay: Span) -> bool {
        delay + delay < self.config.target
    }
}

impl<T: Copy> Queue<T> for Pie<T> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, entry: Entry<T>, _discarded: &mut Vec<T>) -> Verdict {
        self.catch_up(now);
        let bytes = self.waiting.bytes() + u64::from(entry.size);
        if !self.limit.admits(self.waiting.len() + 1, bytes) {
            return Verdict::Dropped(DropReason::Full);
        }
        if self.drops_early() {
            return Verdict::Dropped(DropReason::Early);
        }
        self.waiting.push(now, entry);
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, start: Time, _discarded: &mut Vec<T>) -> Option<Entry<T>> {
        self.catch_up(start);
        let (entry, since) = self.waiting.pop()?;
        self.delay =
            if self.waiting.is_empty() { Span::ZERO } else { start.saturating_since(since) };
        Some(entry)
    }

    /// A packet that finds the queue empty is not dropped, and the delay is zero before and after it.
    #[inline]
    fn may_skip(&self, size: u32) -> bool {
        self.limit.admits(1, u64::from(size))
    }

    #[inline]
    fn len(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}

/// The divisor of the gains at this drop probability, so that small probabilities change in small steps. RFC 8033 §4.2.
fn divisor(probability: f64) -> f64 {
    let row = DIVISORS.iter().find(|(below, _)| probability < *below);
    row.map_or(1.0, |&(_, divisor)| divisor)
}

fn gain(field: &str, gain: f64) -> Result<(), ConfigError> {
    if gain >= 0.0 && gain.is_finite() {
        Ok(())
    } else {
        Err(ConfigError::new(field, &gain, "a gain per second, 0 or more"))
    }
}

const DIVISORS: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// The factor of the drop probability at each update while no packet waits.
const DECAY: f64 = 0.98;
/// Shorter update intervals would only cost CPU time.
const SHORTEST_UPDATE: Span = Span::from_nanos(1_000);
/// In bytes: up to two packets of this size may wait without drops.
const MEAN_PACKET: u64 = 1500;
