//! Estimates of the memory for buffers, queues and recorded data of a run.

mod changes;
mod demand;

use std::fmt;

use manypath_core::Span;
use manypath_link::DocumentError;

use super::{Flow, Scenario};

impl Scenario {
    /// An estimate of the memory of a run in bytes: its flows with full send buffers, and the packets that fit into the
    /// network.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.demands().iter().map(|demand| demand.bytes).fold(0, u64::saturating_add)
    }

    /// Checks that `runs` simultaneous runs fit into `available` bytes.
    ///
    /// # Errors
    /// The field with the largest demand.
    pub fn check_memory(&self, available: u64, runs: usize) -> Result<(), DocumentError> {
        let needed = self.memory().saturating_mul(runs as u64);
        if needed <= available {
            return Ok(());
        }
        let demands = self.demands();
        let Some(largest) = demands.iter().max_by_key(|demand| demand.bytes) else { return Ok(()) };
        let runs = if runs == 1 { "a run".to_owned() } else { format!("{runs} runs at once") };
        let (needed, available) = (Bytes(needed), Bytes(available));
        let share = largest.share;
        let expected =
            format!("less{share}: {runs} could need {needed} of memory, and there are {available}");
        Err(DocumentError::value(largest.field.clone(), largest.value.clone(), expected))
    }

    /// Checks that samples at intervals of `every` fit into `available` bytes.
    ///
    /// # Errors
    /// The memory that the samples need, and an interval that would fit.
    pub fn check_series(&self, every: Span, available: u64) -> Result<(), DocumentError> {
        let bytes = self.bytes_of_sample();
        let end = self.end().as_nanos();
        let samples = end / every.as_nanos().max(1) + 1;
        let needed = samples.saturating_mul(bytes);
        if needed <= available {
            return Ok(());
        }
        let fitting = (available / bytes).saturating_sub(1).max(1);
        let expected = format!(
            "{} or more: {samples} samples of {bytes} bytes need {}, and there are {}",
            rounded_up(end.div_ceil(fitting)),
            Bytes(needed),
            Bytes(available),
        );
        Err(DocumentError::value("series", every, expected))
    }

    /// Bytes of a sample, with all its copies.
    fn bytes_of_sample(&self) -> u64 {
        let flows = self.flows.values().map(|flow| {
            let streams = match flow {
                Flow::Sctp(flow) if flow.app.ordered() => u64::from(flow.streams),
                Flow::Sctp(_) | Flow::Tcp(_) | Flow::Mptcp(_) => 0,
            };
            FLOW_COLUMNS + STREAM_COLUMNS * streams + PATH_COLUMNS * flow.paths().len() as u64
        });
        let columns = flows.sum::<u64>() + LINK_COLUMNS * self.network.links.len() as u64;
        columns * BYTES_OF_NUMBER * COPIES
    }
}

/// Bytes of memory that this process can still use; `None` if the system does not report it.
#[must_use]
pub fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// An amount of memory, displayed with three digits.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000_000_u64, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB")];
        let (factor, unit) =
            units.into_iter().find(|unit| unit.0 <= self.0).unwrap_or((1000, "kB"));
        let amount = self.0 as f64 / factor as f64;
        let number = match amount {
            100.0.. => format!("{amount:.0}"),
            10.0.. => format!("{amount:.1}"),
            _ => format!("{amount:.2}"),
        };
        let number = if number.contains('.') { number.trim_end_matches('0') } else { &number };
        write!(f, "{} {unit}", number.trim_end_matches('.'))
    }
}

/// Rounds up to 1, 2, 5, 10, 20, ... nanoseconds.
fn rounded_up(nanos: u64) -> Span {
    let mut step = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            if step.saturating_mul(factor) >= nanos {
                return Span::from_nanos(step.saturating_mul(factor));
            }
        }
        step = step.saturating_mul(10);
    }
}

/// Number of columns in a row of each kind in `Series`, names included.
const FLOW_COLUMNS: u64 = 7;
const STREAM_COLUMNS: u64 = 7;
const PATH_COLUMNS: u64 = 15;
const LINK_COLUMNS: u64 = 3;
const BYTES_OF_NUMBER: u64 = 8;
/// A growing column reserves capacity, and columns are copied into data frames.
pub(crate) const COPIES: u64 = 5;
