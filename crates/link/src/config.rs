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
    /// Upper bound of a uniform random addition to the delay. Each packet draws its own; packets are not reordered.
    #[cfg_attr(feature = "serde", serde(default))]
    pub jitter: Span,
    /// Queue in front of the transmitter.
    pub queue: QueueConfig,
    /// Loss or damage of packets at the far end of the link.
    #[cfg_attr(feature = "serde", serde(default))]
    pub loss: LossConfig,
    /// Framing bytes that each packet needs on the wire beyond its own size (PPP: 7).
    #[cfg_attr(feature = "serde", serde(default))]
    pub overhead: u64,
    /// Changes during a run, in the order of time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub events: Vec<LinkEvent>,
    /// Recorded delivery opportunities of a real link, which replace the constant rate.
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

/// A change of a link at an instant.
///
/// Within the instant it follows the transmitter's own steps and precedes arrivals and deliveries.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkEvent {
    /// The instant.
    pub at: Time,
    /// The change.
    pub change: Change,
}

/// Kinds of changes of a link.
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
    /// The waiting packets and the one in transmission are lost, and arrivals are dropped until `Up`. Packets that
    /// have left the transmitter arrive.
    Down,
    /// Arrivals are accepted again.
    Up,
    /// Applies from the next packet that starts. The packet in transmission keeps its rate.
    Rate(Rate),
    /// Applies from the next packet that starts. A shorter delay does not reorder packets.
    Delay(Span),
    /// Applies from the next delivery. The new model begins in its initial state.
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

/// Maximum framing: the size of the longest packet.
const MAX_OVERHEAD: u64 = 65_535;
