//! Rates and sizes in exact integers; rates, sizes and spans as text with units.

use std::fmt;

use crate::Span;

/// A transmission rate in bit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate(u64);

/// An amount of data in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Size(u64);

impl Rate {
    /// A rate of `bits` bit/s.
    #[must_use]
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Self(bits)
    }

    /// The rate in bit/s.
    #[must_use]
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Transmission time of `bytes` bytes: whole nanoseconds, and the remainder in units of 1 ns / rate in bit/s.
    ///
    /// To add many such times without rounding errors, pass the remainder to [`time_for_with`](Self::time_for_with). At
    /// a rate of zero the time is infinite: [`Span::MAX`].
    #[must_use]
    pub fn time_for(self, bytes: u64) -> (Span, u64) {
        self.time_for_with(bytes, 0)
    }

    /// Like [`time_for`](Self::time_for), but adds the remainder of the previous transmission time.
    #[must_use]
    pub fn time_for_with(self, bytes: u64, remainder: u64) -> (Span, u64) {
        if self.0 == 0 {
            return (Span::MAX, 0);
        }
        match bytes
            .checked_mul(BIT_NANOS_PER_BYTE_SECOND)
            .and_then(|work| work.checked_add(remainder))
        {
            Some(work) => (Span::from_nanos(work / self.0), work % self.0),
            None => self.long_time_for(bytes, remainder),
        }
    }

    #[cold]
    fn long_time_for(self, bytes: u64, remainder: u64) -> (Span, u64) {
        let work =
            u128::from(bytes) * u128::from(BIT_NANOS_PER_BYTE_SECOND) + u128::from(remainder);
        let nanos = u64::try_from(work / u128::from(self.0)).unwrap_or(u64::MAX);
        (Span::from_nanos(nanos), (work % u128::from(self.0)) as u64)
    }
}

impl Size {
    /// A size of `bytes` bytes.
    #[must_use]
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl Span {
    /// The span of a text with a number and a unit, such as `"1 ms"`, `"20 s"`, `"0.5 us"` or `"2 min"`; `None` if the
    /// text has another form, or if the span is not a whole number of nanoseconds.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '.')).unwrap_or(text.len());
        let (number, symbol) = (&text[..end], text[end..].trim_start());
        let unit = SPAN.iter().find(|unit| unit.symbol == symbol)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let divisor = 10_u128.checked_pow(fraction.len() as u32)?;
        let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
        let scaled = digits.checked_mul(u128::from(unit.factor))?;
        let nanos = scaled.is_multiple_of(divisor).then(|| u64::try_from(scaled / divisor).ok());
        nanos.flatten().map(Self::from_nanos)
    }
}

/// The shortest exact text: a number and a unit.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format(self.0, RATE))
    }
}

/// The shortest exact text: a number and a unit.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format(self.0, SIZE))
    }
}

/// The shortest exact text: a number and a unit.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format(self.as_nanos(), SPAN))
    }
}

/// A unit of one kind of quantity. Lists of units are in descending order; the last one is the base unit with the factor
/// 1.
struct Unit {
    symbol: &'static str,
    factor: u64,
}

/// The shortest exact text of `value`, which is in the last of these units.
fn format(value: u64, units: &[Unit]) -> String {
    let fitting = units.iter().filter(|unit| unit.factor <= value || unit.factor == 1);
    let texts = fitting.filter_map(|unit| Some((decimal(value, unit.factor)?, unit.symbol)));
    let (number, symbol) = texts.min_by_key(|(number, _)| number.len()).unwrap_or_default();
    format!("{number} {symbol}")
}

/// `value / factor` in decimals without trailing zeros; `None` if it has too many of them.
fn decimal(value: u64, factor: u64) -> Option<String> {
    let mut rest = u128::from(value % factor);
    let mut text = (value / factor).to_string();
    if rest > 0 {
        text.push('.');
    }
    for _ in 0..MAX_DECIMALS {
        if rest == 0 {
            break;
        }
        rest *= 10;
        text.push(char::from(b'0' + (rest / u128::from(factor)) as u8));
        rest %= u128::from(factor);
    }
    (rest == 0).then_some(text)
}

/// Bits per byte times nanoseconds per second.
const BIT_NANOS_PER_BYTE_SECOND: u64 = 8_000_000_000;

/// One Tbit/s has 12 decimals in bit/s.
const MAX_DECIMALS: usize = 12;

const RATE: &[Unit] = &[
    Unit { symbol: "Tbit/s", factor: 1_000_000_000_000 },
    Unit { symbol: "Gbit/s", factor: 1_000_000_000 },
    Unit { symbol: "Mbit/s", factor: 1_000_000 },
    Unit { symbol: "kbit/s", factor: 1_000 },
    Unit { symbol: "bit/s", factor: 1 },
];

const SIZE: &[Unit] = &[
    Unit { symbol: "GiB", factor: 1 << 30 },
    Unit { symbol: "GB", factor: 1_000_000_000 },
    Unit { symbol: "MiB", factor: 1 << 20 },
    Unit { symbol: "MB", factor: 1_000_000 },
    Unit { symbol: "KiB", factor: 1 << 10 },
    Unit { symbol: "kB", factor: 1_000 },
    Unit { symbol: "B", factor: 1 },
];

const SPAN: &[Unit] = &[
    Unit { symbol: "min", factor: 60_000_000_000 },
    Unit { symbol: "s", factor: 1_000_000_000 },
    Unit { symbol: "ms", factor: 1_000_000 },
    Unit { symbol: "us", factor: 1_000 },
    Unit { symbol: "ns", factor: 1 },
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_have_many_units() {
        let rates = [
            ("10 Mbit/s", 10_000_000),
            ("250 kbit/s", 250_000),
            ("1 Gbit/s", 1_000_000_000),
            ("64 bit/s", 64),
        ];
        for (text, bits) in rates {
            assert_eq!(Rate(bits).to_string(), text);
        }
        let sizes = [("1 MB", 1_000_000), ("64 KiB", 65_536), ("500 B", 500), ("1452 B", 1452)];
        for (text, bytes) in sizes {
            assert_eq!(Size(bytes).to_string(), text);
        }
        let spans = [
            ("1 ms", 1_000_000),
            ("20 s", 20_000_000_000),
            ("10 us", 10_000),
            ("5 ns", 5),
            ("2 min", 120_000_000_000),
        ];
        for (text, nanos) in spans {
            assert_eq!(Span::from_nanos(nanos).to_string(), text);
        }
        assert_eq!(Rate(2_500_000).to_string(), "2.5 Mbit/s");
        assert_eq!(Span::from_nanos(1_000_001).to_string(), "1000001 ns");
    }

    #[test]
    fn spans_are_read_with_their_units() {
        let millis = |text: &str| Span::from_text(text).map(|span| span.as_nanos() / 1_000_000);
        for (text, expected) in
            [(" 0.25 s ", 250), ("20ms", 20), ("2 min", 120_000), ("1.50 s", 1500)]
        {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
        let too_large = "18446744073709551616 ns";
        for text in ["", "1", "s", "1 m", "-1 s", "1.2.3 s", ".5 s", "1. s", "0.5 ns", too_large] {
            assert_eq!(Span::from_text(text), None, "{text}");
        }
        assert_eq!(Span::from_text("18446744073709551615 ns"), Some(Span::MAX));
    }

    #[test]
    fn transmission_times_are_exact_to_the_fraction() {
        // 1507 bytes at 10 Mbit/s: 1205.6 us exactly; at 7 bit/s one byte leaves a remainder.
        assert_eq!(Rate(10_000_000).time_for(1507), (Span::from_nanos(1_205_600), 0));
        assert_eq!(Rate(7).time_for(1), (Span::from_nanos(1_142_857_142), 6));
        assert_eq!(Rate(0).time_for(1), (Span::MAX, 0));
    }

    /// The number of a text times the factor of its unit.
    fn value_of(text: &str, units: &[Unit]) -> u128 {
        let (number, symbol) = text.split_once(' ').expect("a number and a unit");
        let unit = units.iter().find(|unit| unit.symbol == symbol).expect("a known unit");
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: u128 = format!("{whole}{fraction}").parse().expect("digits");
        let (scaled, divisor) =
            (digits * u128::from(unit.factor), 10_u128.pow(fraction.len() as u32));
        assert_eq!(scaled % divisor, 0, "{text}");
        scaled / divisor
    }

    proptest! {
        #[test]
        fn a_formatted_quantity_has_exactly_its_value(value: u64, shift in 0_u32..64) {
            let value = value >> shift;
            prop_assert_eq!(value_of(&Rate(value).to_string(), RATE), u128::from(value));
            prop_assert_eq!(value_of(&Size(value).to_string(), SIZE), u128::from(value));
            let span = Span::from_nanos(value).to_string();
            prop_assert_eq!(value_of(&span, SPAN), u128::from(value));
            prop_assert_eq!(Span::from_text(&span), Some(Span::from_nanos(value)));
        }

        #[test]
        fn carried_remainders_add_up_exactly(rate in 1_u64..2_000_000_000, sizes in prop::collection::vec(1_u64..9000, 1..50)) {
            let (mut total, mut remainder) = (Span::ZERO, 0);
            for &size in &sizes {
                let (span, rest) = Rate(rate).time_for_with(size, remainder);
                total += span;
                remainder = rest;
            }
            prop_assert_eq!((total, remainder), Rate(rate).time_for(sizes.iter().sum()));
        }

        #[test]
        fn the_slow_division_for_large_amounts_gives_the_same_result(rate in 1_000_000_000_u64.., bytes in 2_000_000_000_u64..8_000_000_000) {
            let exact = u128::from(bytes) * 8_000_000_000;
            let (span, remainder) = Rate(rate).time_for(bytes);
            prop_assert_eq!(u128::from(span.as_nanos()) * u128::from(rate) + u128::from(remainder), exact);
        }
    }
}
