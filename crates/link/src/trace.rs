//! The trace of a recorded link: the milliseconds at which it could deliver a packet.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use manypath_core::{Rate, Span};

/// Delivery opportunities of a link as in Mahimahi's traces: each lets one packet of [`Trace::PACKET`] bytes
/// pass. After the last one the trace repeats, from its beginning.
///
/// The text form has the gaps between opportunities in milliseconds, separated by spaces. The first gap begins at the
/// start of the trace. `1*20` means 20 gaps of 1 ms. `"1"` is a packet per millisecond.
///
/// ```
/// use manypath_link::Trace;
///
/// let trace: Trace = "5 0*2 20".parse()?;
/// assert_eq!(trace.millis(), [5, 5, 5, 25]);
/// assert_eq!(trace.to_string(), "5 0*2 20");
/// # Ok::<(), manypath_link::TraceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "String", into = "String")
)]
pub struct Trace {
    /// Since the beginning of the trace, in ascending order.
    millis: Arc<[u32]>,
}

/// A text that is not a valid trace, and the valid form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceError {
    found: String,
    expected: String,
}

impl Trace {
    /// Bytes of the packet that one opportunity carries, framing excluded.
    pub const PACKET: u64 = 1500;

    /// The largest number of opportunities in a trace.
    pub const MOST: usize = 1_000_000;

    /// The opportunities in milliseconds since the beginning of the trace, in ascending order.
    #[must_use]
    pub fn millis(&self) -> &[u32] {
        &self.millis
    }

    /// The time after which the trace repeats: the time of its last opportunity.
    #[must_use]
    pub fn period(&self) -> Span {
        Span::from_millis(self.millis.last().copied().unwrap_or_default().into())
    }

    /// The mean rate of a busy link with `overhead` bytes of framing for each packet, framing included.
    #[must_use]
    pub fn mean_rate(&self, overhead: u64) -> Rate {
        let bits = 8 * u128::from(Self::PACKET + overhead) * self.millis.len() as u128;
        let millis = self.millis.last().copied().unwrap_or_default().max(1);
        Rate::from_bits_per_second((1000 * bits / u128::from(millis)) as u64)
    }

    fn gaps(&self) -> impl Iterator<Item = u32> {
        let before = [0].into_iter().chain(self.millis.iter().copied());
        self.millis.iter().zip(before).map(|(now, before)| now - before)
    }
}

impl FromStr for Trace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let wrong = |found: &str, expected: &str| TraceError {
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        let (mut now, mut millis) = (0_u32, Vec::new());
        for word in text.split_ascii_whitespace() {
            let (gap, times) = word.split_once('*').unwrap_or((word, "1"));
            let (Ok(gap), Ok(times)) = (gap.parse::<u32>(), times.parse::<usize>()) else {
                return Err(wrong(word, "gaps in milliseconds such as 5 or 1*20"));
            };
            if times > Self::MOST - millis.len() {
                return Err(wrong(word, "1000000 opportunities at most"));
            }
            for _ in 0..times {
                now = now.checked_add(gap).ok_or_else(|| wrong(word, "49 days at most"))?;
                millis.push(now);
            }
        }
        if now == 0 {
            return Err(wrong(text, "an opportunity after the beginning of the trace"));
        }
        Ok(Self { millis: millis.into() })
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gaps = self.gaps().peekable();
        let mut separator = "";
        while let Some(gap) = gaps.next() {
            let mut times = 1;
            while gaps.next_if_eq(&gap).is_some() {
                times += 1;
            }
            match times {
                1 => write!(f, "{separator}{gap}")?,
                times => write!(f, "{separator}{gap}*{times}")?,
            }
            separator = " ";
        }
        Ok(())
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no trace, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for TraceError {}

#[cfg(feature = "serde")]
impl TryFrom<String> for Trace {
    type Error = TraceError;

    fn try_from(text: String) -> Result<Self, TraceError> {
        text.parse()
    }
}

#[cfg(feature = "serde")]
impl From<Trace> for String {
    fn from(trace: Trace) -> Self {
        trace.to_string()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Trace {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Trace".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Gaps between delivery opportunities in milliseconds: \"5 0*2 20\".",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\*[0-9]+)?(\s+[0-9]+(\*[0-9]+)?)*\s*$",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_trace_has_a_period_and_a_mean_rate() {
        let trace: Trace = "0*3 20 5".parse().unwrap();
        assert_eq!(trace.period(), Span::from_millis(25));
        // 5 packets of 1507 bytes in 25 ms.
        assert_eq!(trace.mean_rate(7), Rate::from_bits_per_second(2_411_200));
    }

    #[test]
    fn an_invalid_trace_is_refused_with_the_valid_form() {
        for (text, found, expected) in [
            ("", "", "after the beginning"),
            ("0 0", "0 0", "after the beginning"),
            ("1 x", "x", "such as 5 or 1*20"),
            ("-1", "-1", "such as 5 or 1*20"),
            ("1*1000001", "1*1000001", "1000000 opportunities"),
            ("4000000000 4000000000", "4000000000", "49 days"),
        ] {
            let error = text.parse::<Trace>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("\"{found}\" is no trace")), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_written_trace_is_read_back_unchanged(gaps in prop::collection::vec(0_u32..4, 1..100)) {
            let text = gaps.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            if let Ok(trace) = text.parse::<Trace>() {
                prop_assert_eq!(trace.to_string().parse(), Ok(trace));
            }
        }
    }
}
