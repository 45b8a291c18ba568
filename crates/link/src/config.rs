//! The configuration of a link: rate, delay, queue, loss, framing, and changes during the run.

use manypath_core::{Rate, Span, Time};

use crate::error::{ConfigError, positive_rate};
use crate::loss::LossConfig;
use crate::queue::QueueConfig;
use crate::trace::Trace;

/// One direction of a link.
///
/// As a document (feature `serde`): `rate` in bit/s and `delay` in nanoseconds, both integers.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkConfig {
    /// Speed of the transmitter; with a `trace`, its mean rate.
    pub rate: Rate,
    /// Propagation: from the last bit sent to the delivery.
    pub delay: Span,
    /// Up to so much longer, uniformly: each packet draws its own, and none overtakes another.
    #[cfg_attr(feature = "serde", serde(default))]
    pub jitter: Span,
    /// Where packets wait for the transmitter.
    pub queue: QueueConfig,
    /// What takes packets away or damages them after they used the link.
    #[cfg_attr(feature = "serde", serde(default))]
    pub loss: LossConfig,
    /// Framing bytes that each packet needs on the wire beyond its own size (PPP: 7).
    #[cfg_attr(feature = "serde", serde(default))]
    pub overhead: u64,
    /// What changes, in the order of time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub events: Vec<LinkEvent>,
    /// When packets leave instead, recorded of a real link; without it they take their time at `rate`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub trace: Option<Trace>,
}

impl LinkConfig {
    /// A link with a drop-tail queue of 100 packets. It has no jitter, loss, framing or events.
    #[must_use]
    pub fn new(rate: Rate, delay: Span) -> Self {
        let (queue, loss) = (QueueConfig::default(), LossConfig::default());
        let (jitter, events) = (Span::ZERO, Vec::new());
        Self { rate, delay, jitter, queue, loss, overhead: 0, events, trace: None }
    }

    /// Like [`new`](Self::new), with the delivery opportunities of `trace` and `overhead` bytes of framing per packet.
    #[must_use]
    pub fn recorded(trace: Trace, overhead: u64, delay: Span) -> Self {
        let rate = trace.mean_rate(overhead);
        Self { overhead, trace: Some(trace), ..Self::new(rate, delay) }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// The first field with an invalid value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        positive_rate("rate", self.rate)?;
        self.queue.validate()?;
        self.loss.validate()?;
        if self.overhead > MAX_OVERHEAD {
            return Err(ConfigError::new(
                "overhead",
                &self.overhead,
                format!("at most {MAX_OVERHEAD} bytes"),
            ));
        }
        self.validate_trace()?;
        let mut previous = Time::ZERO;
        for (index, event) in self.events.iter().enumerate() {
            let field = format!("events.{index}");
            if event.at < previous {
                let expected =
                    format!("not before the event ahead of it ({})", previous - Time::ZERO);
                return Err(ConfigError::new(
                    format!("{field}.at"),
                    &(event.at - Time::ZERO),
                    expected,
                ));
            }
            event.change.validate(&field)?;
            previous = event.at;
        }
        Ok(())
    }

    fn validate_trace(&self) -> Result<(), ConfigError> {
        let Some(trace) = &self.trace else { return Ok(()) };
        let mean = trace.mean_rate(self.overhead);
        if self.rate != mean {
            let expected = format!("the mean of `trace` with its framing, which is {mean}");
            return Err(ConfigError::new("rate", &self.rate, expected));
        }
        let changed = |event: &LinkEvent| matches!(event.change, Change::Rate(_));
        match self.events.iter().position(changed) {
            Some(index) => Err(ConfigError::new(
                format!("events.{index}.rate"),
                &"a change of rate",
                "none on a link with a `trace`, which says when packets leave",
            )),
            None => Ok(()),
        }
    }
}

/// Something that happens to a link at an instant.
///
/// It happens after the transmitter's own steps of that instant and before arrivals and deliveries of that instant.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkEvent {
    /// When.
    pub at: Time,
    /// What.
    pub change: Change,
}

/// What can happen to a link.
///
/// In a document: `"down"`, `"up"`, `{"rate": bit/s}`, `{"delay": ns}`, `{"loss": {"kind": ...}}`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Change {
    /// The waiting packets and the one in transmission are lost, and arrivals are dropped until `Up`; what already
    /// left the transmitter arrives.
    Down,
    /// Arrivals are accepted again.
    Up,
    /// Holds from the next packet that starts; the one in transmission finishes as it began.
    Rate(Rate),
    /// Holds from the next packet that starts; a shorter delay never lets it overtake an earlier packet.
    Delay(Span),
    /// Holds from the next delivery, in the state in which a run begins.
    Loss(LossConfig),
}

impl Change {
    fn validate(self, field: &str) -> Result<(), ConfigError> {
        match self {
            Self::Rate(rate) => positive_rate(&format!("{field}.rate"), rate),
            Self::Loss(loss) => loss.validate().map_err(|error| error.within(field)),
            Self::Down | Self::Up | Self::Delay(_) => Ok(()),
        }
    }
}

/// No framing is longer than the longest packet.
const MAX_OVERHEAD: u64 = 65_535;
