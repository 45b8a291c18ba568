//! The results of one side.

use std::net::IpAddr;
use std::time::Duration;

use manypath_net::{BlockedTime, Endpoint, Path, PathStats, blocked_seconds};
use serde::{Deserialize, Serialize};

use super::{Cpu, Request};

/// Totals of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Data that it sent, if it was to send.
    pub sent: Option<Total>,
    /// Data that it received, if it was to receive.
    pub received: Option<Total>,
    /// DATA chunks that it retransmitted.
    pub retransmits: u64,
    /// The congestion control of its data.
    pub congestion: String,
    /// Its processor time.
    pub cpu: Cpu,
    /// By the number of the path on this side.
    pub paths: Vec<PathTotal>,
}

/// One direction, counted by one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// Payload bytes.
    pub bytes: u64,
    /// Complete messages.
    pub messages: u64,
    /// Seconds from the start of the test until the last data was sent or received.
    pub seconds: f64,
    /// Payload bytes by stream, from stream 1.
    pub streams: Vec<u64>,
}

/// The traffic of a path during the test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathTotal {
    /// Local address.
    pub local: IpAddr,
    /// The peer's address.
    pub remote: IpAddr,
    /// Counters, each a field of the document.
    #[serde(flatten)]
    pub counters: PathCounters,
    /// Seconds during which it could not send new data, by limit.
    pub blocked: Vec<(String, f64)>,
}

/// Defines [`PathCounters`] by names of counters in [`PathStats`].
macro_rules! path_counters {
    ($($name:ident)+) => {
        /// The counters of a path that the results of a test have.
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
        pub struct PathCounters {
            $(#[doc = concat!("See [`PathStats::", stringify!($name), "`].")] pub $name: u64,)+
        }

        impl PathCounters {
            /// Each counter with its name.
            pub(super) fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }
        }

        impl From<PathStats> for PathCounters {
            fn from(stats: PathStats) -> Self {
                Self { $($name: stats.$name),+ }
            }
        }
    };
}

path_counters! {
    bytes_acked
    bytes_received
    data_packets
    data_packets_received
    retransmitted_chunks
    fast_retransmissions
    timeouts
}

impl Results {
    /// Whether these results of a peer are possible in a test, given those of this side.
    pub(super) fn may_answer(&self, local: &Self, request: &Request) -> bool {
        let alike = |there: &Option<Total>, here: &Option<Total>| match (there, here) {
            (Some(there), Some(here)) => there.bytes == here.bytes && there.is_possible(request),
            (there, here) => there.is_none() && here.is_none(),
        };
        alike(&self.sent, &local.received)
            && alike(&self.received, &local.sent)
            && self.retransmits <= MOST_COUNTED
            && self.congestion.len() <= MOST_NAME
            && [self.cpu.user, self.cpu.system].iter().all(|percent| *percent >= 0.0)
            && self.paths.len() <= Endpoint::MOST_ADDRESSES
            && self.paths.iter().all(PathTotal::is_possible)
    }
}

impl Total {
    fn is_possible(&self, request: &Request) -> bool {
        let sum = self.streams.iter().try_fold(0_u64, |sum, bytes| sum.checked_add(*bytes));
        self.streams.len() == usize::from(request.streams)
            && sum == Some(self.bytes)
            && self.messages <= self.bytes
            && Duration::try_from_secs_f64(self.seconds).is_ok()
    }
}

impl PathTotal {
    fn is_possible(&self) -> bool {
        let none = BlockedTime::default();
        let limits = none.iter().map(|(limit, _)| limit);
        self.counters.rows().all(|(_, count)| count <= MOST_COUNTED)
            && self.blocked.iter().map(|(limit, _)| limit.as_str()).eq(limits)
            && self.blocked.iter().all(|(_, time)| Duration::try_from_secs_f64(*time).is_ok())
    }

    /// The differences of a path's counters since `before`.
    pub(super) fn between(before: Option<&Path>, now: &Path) -> Self {
        let stats = now.stats - before.map(|path| path.stats).unwrap_or_default();
        let blocked = now.blocked - before.map(|path| path.blocked).unwrap_or_default();
        let seconds = blocked_seconds(&blocked);
        Self {
            local: now.local,
            remote: now.remote,
            counters: stats.into(),
            blocked: seconds.map(|(limit, time)| (limit.to_owned(), time)).collect(),
        }
    }

    /// Payload of both directions.
    #[must_use]
    pub fn carried(&self) -> u64 {
        self.counters.bytes_acked + self.counters.bytes_received
    }
}

/// Largest accepted counter of a peer, so that sums do not overflow: more than the bytes of a day at 10 Tbit/s.
const MOST_COUNTED: u64 = 1 << 57;
/// Longest name of a congestion control in bytes, with its parameters.
const MOST_NAME: usize = 1000;

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::perf::Direction;

    fn results() -> Results {
        let none = BlockedTime::default();
        let blocked = blocked_seconds(&none).map(|(limit, time)| (limit.to_owned(), time));
        let path = PathTotal {
            local: Ipv4Addr::LOCALHOST.into(),
            remote: Ipv4Addr::LOCALHOST.into(),
            counters: PathCounters { bytes_acked: 30, data_packets: 2, ..PathCounters::default() },
            blocked: blocked.collect(),
        };
        let total = Total { bytes: 30, messages: 2, seconds: 0.5, streams: vec![10, 20] };
        Results {
            sent: Some(total),
            received: None,
            retransmits: 0,
            congestion: "newreno".to_owned(),
            cpu: Cpu::default(),
            paths: vec![path],
        }
    }

    fn sent(results: &mut Results) -> &mut Total {
        results.sent.as_mut().expect("it sends")
    }

    #[test]
    fn impossible_counters_of_a_peer_are_refused() {
        let request = Request {
            duration: None,
            bytes: Some(30),
            streams: 2,
            size: 15,
            size_min: None,
            unordered: false,
            direction: Direction::Reverse,
        };
        let Results { sent: received, .. } = results();
        let local = Results { sent: None, received, ..results() };
        assert!(results().may_answer(&local, &request));
        let mistakes: [fn(&mut Results); 16] = [
            |it| it.sent = None,
            |it| it.received.clone_from(&it.sent),
            |it| sent(it).bytes = 29,
            |it| sent(it).streams = vec![30],
            |it| sent(it).streams = vec![10, 21],
            |it| sent(it).streams = vec![31, u64::MAX],
            |it| sent(it).messages = 31,
            |it| sent(it).seconds = -1.0,
            |it| it.retransmits = u64::MAX,
            |it| it.congestion = "x".repeat(1001),
            |it| it.cpu.user = -0.1,
            |it| it.paths = vec![it.paths[0].clone(); 17],
            |it| it.paths[0].counters.bytes_acked = u64::MAX,
            |it| it.paths[0].blocked[1].0 = "weather".to_owned(),
            |it| it.paths[0].blocked[1].1 = -0.5,
            |it| it.paths[0].blocked.clear(),
        ];
        for (number, mistake) in mistakes.iter().enumerate() {
            let mut wrong = results();
            mistake(&mut wrong);
            assert!(!wrong.may_answer(&local, &request), "mistake {number}: {wrong:?}");
        }
    }
}
