//! Validation of a scenario: existing names and sensible numbers.

mod flow;
mod sctp;
mod tcp;

use manypath_core::Span;
use manypath_link::DocumentError;

use super::Scenario;

impl Scenario {
    /// Checks the scenario.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn validate(&self) -> Result<(), DocumentError> {
        self.network.validate()?;
        if self.flows.is_empty() || self.flows.len() > MAX_FLOWS {
            return Err(DocumentError::value(
                "flows",
                format!("{} flows", self.flows.len()),
                format!("1 to {MAX_FLOWS} flows"),
            ));
        }
        self.validate_phases()?;
        for (name, flow) in &self.flows {
            let field = |leaf: &str| format!("flows.{name}.{leaf}");
            flow.validate(&field, &self.network)?;
            if flow.start().latest >= self.warmup + self.measure {
                return Err(DocumentError::value(
                    field("start.latest"),
                    flow.start().latest,
                    format!(
                        "an instant before the end of the run at {}",
                        self.warmup + self.measure
                    ),
                ));
            }
        }
        Ok(())
    }

    fn validate_phases(&self) -> Result<(), DocumentError> {
        if self.measure.as_nanos() == 0 {
            let expected = "more than 0 s, else the warm-up reaches to the end";
            return Err(DocumentError::value("measure", "0 s", expected));
        }
        match self.warmup.as_nanos().checked_add(self.measure.as_nanos()) {
            Some(end) if end <= MAX_END => Ok(()),
            _ => Err(DocumentError::value(
                "measure",
                self.measure,
                "a run of 10 years at most, warm-up included",
            )),
        }
    }
}

fn within(field: String, value: u64, min: u64, max: u64) -> Result<(), DocumentError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let expected =
        if max == u64::MAX { format!("at least {min}") } else { format!("{min} to {max}") };
    Err(DocumentError::value(field, value, expected))
}

/// Like [`within`], for sizes.
fn within_bytes(field: String, value: u64, min: u64, max: u64) -> Result<(), DocumentError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let expected = match max {
        u64::MAX => format!("at least {min} bytes"),
        _ => format!("{min} to {max} bytes"),
    };
    Err(DocumentError::value(field, format!("{value} bytes"), expected))
}

/// Fails if `value` is longer than `longest`.
fn at_most(field: String, value: Span, longest: Span) -> Result<(), DocumentError> {
    match value {
        value if value > longest => {
            Err(DocumentError::value(field, value, format!("at most {longest}")))
        }
        _ => Ok(()),
    }
}

/// Fails if `value` is zero.
fn positive(field: String, value: Span) -> Result<(), DocumentError> {
    match value {
        Span::ZERO => Err(DocumentError::value(field, "0 s", "more than 0 s")),
        _ => Ok(()),
    }
}

fn ascending<T: PartialOrd + std::fmt::Display>(
    field: &str,
    bounds: &[(&str, T)],
) -> Result<(), DocumentError> {
    for pair in bounds.windows(2) {
        let [(lower, low), (upper, high)] = pair else { continue };
        if low > high {
            let expected = format!("at least `{lower}` ({low})");
            return Err(DocumentError::value(format!("{field}.{upper}"), high, expected));
        }
    }
    Ok(())
}

/// The largest number of flows: each has its own /16 of IPv4 addresses, from 10.0.0.0 up.
const MAX_FLOWS: usize = 50_000;
/// Ten years in nanoseconds.
const MAX_END: u64 = 10 * 365 * 86_400 * 1_000_000_000;
