//! The rates of a congestion control under given losses, without network and protocol.
//!
//! Every path sends one window per round-trip time, evenly spaced, and each packet is lost or acknowledged at once. A
//! loss cuts the window at most once per round trip; there are no timeouts, and the smallest window is one packet. This
//! is the setting of the square-root formulas, so their constants can be checked on the very same formulas that the
//! protocols use.

use std::fmt::Display;

use manypath_cc::{Controller, Floors, PathAck, Profile, WindowState, algorithm};
use manypath_core::{PathId, Random, Span, Streams, Time};
use manypath_link::DocumentError;
use manypath_link::document::read;
use serde::Deserialize;

use crate::job::Job;

/// A congestion control and its paths.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ideal {
    /// Congestion control by name.
    pub cc: String,
    /// The paths.
    pub paths: Vec<IdealPath>,
    /// Packets that are sent before the measurement begins.
    pub warmup: u64,
    /// Packets that are measured, on all paths together.
    pub packets: u64,
}

/// A path with a round-trip time and losses that do not depend on what is sent.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdealPath {
    /// Round-trip time.
    pub rtt: Span,
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Whether every `1 / loss`-th packet is lost, instead of each with that probability.
    #[serde(default)]
    pub periodic: bool,
}

impl Ideal {
    /// Reads and checks a JSON document.
    ///
    /// # Errors
    /// The first error: field, value and what is expected.
    pub fn parse(document: &str) -> Result<Self, DocumentError> {
        let ideal: Self = read(document)?;
        ideal.check().map(|()| ideal)
    }

    fn check(&self) -> Result<(), DocumentError> {
        let wrong = |field: &str, value: &dyn Display, expected| {
            Err(DocumentError::value(field, value, expected))
        };
        self.controller()?;
        if !(1..=MOST_PATHS).contains(&self.paths.len()) {
            return wrong("paths", &self.paths.len(), "a list of 1 to 256");
        }
        if self.packets == 0 {
            return wrong("packets", &0, "a number of packets to count, 1 or more");
        }
        for (index, path) in self.paths.iter().enumerate() {
            if !(path.loss > 0.0 && path.loss < 1.0) {
                let field = format!("paths[{index}].loss");
                return wrong(&field, &path.loss, "a probability between 0 and 1");
            }
            if path.rtt == Span::ZERO {
                return wrong(&format!("paths[{index}].rtt"), &0, "a time in ns, 1 or more");
            }
        }
        Ok(())
    }

    fn controller(&self) -> Result<Controller, DocumentError> {
        let chosen = algorithm(&self.cc)
            .map_err(|error| DocumentError::value("cc", &self.cc, error.to_string()))?;
        Ok(Controller::new(chosen, PROFILE))
    }

    /// Packets per second that each path sends in one run.
    ///
    /// # Errors
    /// If the document is wrong.
    pub fn rates(&self, job: Job) -> Result<Vec<f64>, DocumentError> {
        self.check()?;
        let streams = Streams::new(job.seed, job.replication);
        let mut connection = Connection::new(self.controller()?, &self.paths, &streams);
        connection.send(self.warmup);
        let (from, before) = (connection.now, connection.sent());
        connection.send(self.packets);
        let seconds = (connection.now - from).as_secs_f64();
        Ok(connection
            .sent()
            .iter()
            .zip(&before)
            .map(|(&after, &before)| (after - before) as f64 / seconds)
            .collect())
    }
}

/// A running connection with all its paths.
struct Connection {
    controller: Controller,
    paths: Vec<Path>,
    now: Time,
}

struct Path {
    what: IdealPath,
    random: Random,
    /// When the next packet is sent.
    next: Time,
    /// Losses before this time belong to a window reduction that was already made.
    losses_ignored_until: Time,
    /// When the round-trip time is measured again.
    measured_at: Time,
    sent: u64,
}

impl Connection {
    fn new(mut controller: Controller, paths: &[IdealPath], streams: &Streams) -> Self {
        let path = |(index, &what): (usize, &IdealPath)| {
            let id = controller.open_path_with_unit(UNIT);
            controller.on_rtt(id, what.rtt, what.rtt);
            let mut random = streams.stream(&format!("ideal/{index}/loss"));
            // Paths with equal round-trip times are not synchronised.
            let next = Time::from_nanos(random.below(what.rtt.as_nanos()));
            Path {
                what,
                random,
                next,
                losses_ignored_until: Time::ZERO,
                measured_at: Time::ZERO,
                sent: 0,
            }
        };
        let paths: Vec<_> = paths.iter().enumerate().map(path).collect();
        controller.start(u64::MAX);
        for index in 0..paths.len() {
            let begin = WindowState { window: 10 * UNIT, ssthresh: UNIT, partial: 0 };
            controller.restore(PathId(index as u8), begin);
        }
        Self { controller, paths, now: Time::ZERO }
    }

    fn sent(&self) -> Vec<u64> {
        self.paths.iter().map(|path| path.sent).collect()
    }

    /// Sends the next `packets` packets, on all paths together.
    fn send(&mut self, packets: u64) {
        for _ in 0..packets {
            let earliest = (0..self.paths.len()).min_by_key(|&index| self.paths[index].next);
            self.step(earliest.unwrap_or_default());
        }
    }

    /// Sends one packet on the path with this index and decides its loss.
    fn step(&mut self, index: usize) {
        let (path, id) = (&mut self.paths[index], PathId(index as u8));
        let now = path.next;
        self.now = now;
        path.sent += 1;
        if path.is_lost() {
            if now >= path.losses_ignored_until {
                path.losses_ignored_until = now + path.what.rtt;
                self.controller.on_sack(now, &[], &[id]);
            }
        } else {
            let ack = PathAck {
                path: id,
                bytes: UNIT,
                was_full: true,
                may_grow: true,
                in_recovery: false,
            };
            self.controller.on_sack(now, &[ack], &[]);
        }
        if now >= path.measured_at {
            path.measured_at = now + path.what.rtt;
            self.controller.on_rtt(id, path.what.rtt, path.what.rtt);
        }
        let gap = u128::from(path.what.rtt.as_nanos()) * u128::from(UNIT);
        path.next = now + Span::from_nanos((gap / u128::from(self.controller.window(id))) as u64);
    }
}

impl Path {
    fn is_lost(&mut self) -> bool {
        if self.what.periodic {
            let period = (1.0 / self.what.loss).round() as u64;
            self.sent.is_multiple_of(period)
        } else {
            self.random.chance(self.what.loss)
        }
    }
}

/// TCP's rules with the minimum window of the square-root formulas: one packet.
const PROFILE: Profile =
    Profile { floors: Floors { plain: 1.0, pooled: 1.0, linked: 1.0 }, ..Profile::TCP };
/// Bytes of a packet: large, so that rounding to whole bytes does not matter.
const UNIT: u64 = 1 << 20;
/// Maximum number of paths of a connection.
const MOST_PATHS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(document: &str) -> Vec<f64> {
        Ideal::parse(document).unwrap().rates(Job { seed: 1, replication: 0 }).unwrap()
    }

    #[test]
    fn periodic_losses_give_the_square_root_formula() {
        let document = r#"{"cc": "newreno", "warmup": 100000, "packets": 1000000,
            "paths": [{"rtt": 100000000, "loss": 0.001, "periodic": true}]}"#;
        let rate = rates(document)[0];
        assert!((rate - 387.3).abs() < 0.01 * 387.3, "{rate}");
    }

    #[test]
    fn bernoulli_losses_give_the_constant_of_ott() {
        let document = r#"{"cc": "newreno", "warmup": 100000, "packets": 8000000,
            "paths": [{"rtt": 100000000, "loss": 0.001}]}"#;
        let constant = rates(document)[0] * 0.1 * 0.001_f64.sqrt();
        assert!((constant - 1.3194).abs() < 0.02 * 1.3194, "{constant}");
    }

    #[test]
    fn invalid_values_are_reported() {
        let wrong = |document: &str| Ideal::parse(document).unwrap_err().to_string();
        let with = |loss: &str| {
            format!(
                r#"{{"cc": "lia", "warmup": 0, "packets": 1, "paths": [{{"rtt": 1, "loss": {loss}}}]}}"#
            )
        };
        assert_eq!(
            wrong(&with("1.5")),
            "`paths[0].loss` is 1.5, expected a probability between 0 and 1"
        );
        assert!(wrong(&with("0.5").replace("lia", "lya")).starts_with("`cc` is lya, expected"));
        assert!(
            wrong(&with("0.5").replace("packets", "pakets")).contains("unknown field `pakets`")
        );
    }
}
