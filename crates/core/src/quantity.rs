//! Rates, sizes and spans as text with units, in exact integers.

use std::fmt;
use std::str::FromStr;

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

/// A text that is not a valid quantity, and the valid form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    text: String,
    kind: &'static Kind,
    fault: Fault,
}

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

    /// The number of whole bytes that are transmitted in `span`.
    #[must_use]
    pub fn bytes_in(self, span: Span) -> u64 {
        let bytes = u128::from(self.0) * u128::from(span.as_nanos())
            / u128::from(BIT_NANOS_PER_BYTE_SECOND);
        u64::try_from(bytes).unwrap_or(u64::MAX)
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

/// Parses a number and a unit: `"10 Mbit/s"`, `"2.5 Gbit/s"`.
impl FromStr for Rate {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        RATE.parse(text).map(Self)
    }
}

/// Parses a number and a unit: `"1452 B"`, `"1 MB"` (10⁶ bytes), `"64 KiB"` (65536 bytes).
impl FromStr for Size {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        SIZE.parse(text).map(Self)
    }
}

/// Parses a number and a unit: `"1 ms"`, `"20 s"`, `"0.5 us"`, `"2 min"`.
impl FromStr for Span {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        SPAN.parse(text).map(Self::from_nanos)
    }
}

/// The shortest exact text. Parsing it gives the same value.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&RATE.format(self.0))
    }
}

/// The shortest exact text. Parsing it gives the same value.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&SIZE.format(self.0))
    }
}

/// The shortest exact text. Parsing it gives the same value.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&SPAN.format(self.as_nanos()))
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, kind: Kind { name, example, base, .. }, fault } = self;
        write!(f, "{text:?} is no {name}: ")?;
        match fault {
            Fault::Form => write!(f, "write a number and a unit such as {example:?}"),
            Fault::Unit => {
                let symbols: Vec<_> = self.kind.units.iter().map(|unit| unit.symbol).collect();
                write!(
                    f,
                    "write a number and a unit such as {example:?} (known units: {})",
                    symbols.join(", ")
                )
            }
            Fault::Negative => write!(f, "it must not be negative; write for example {example:?}"),
            Fault::TooFine => {
                write!(f, "it is not a whole number of {base}; write for example {example:?}")
            }
            Fault::TooLarge => {
                write!(f, "the largest is {} {base}; write for example {example:?}", u64::MAX)
            }
        }
    }
}

impl std::error::Error for QuantityError {}

/// The text format of one kind of quantity. `units` are in descending order; the last one is the base unit with the
/// factor 1.
#[derive(Debug, PartialEq, Eq)]
struct Kind {
    name: &'static str,
    example: &'static str,
    base: &'static str,
    units: &'static [Unit],
}

#[derive(Debug, PartialEq, Eq)]
struct Unit {
    symbol: &'static str,
    factor: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Form,
    Unit,
    Negative,
    TooFine,
    TooLarge,
}

impl Kind {
    fn parse(&'static self, text: &str) -> Result<u64, QuantityError> {
        self.value_of(text.trim()).map_err(|fault| QuantityError {
            text: text.to_owned(),
            kind: self,
            fault,
        })
    }

    fn value_of(&self, text: &str) -> Result<u64, Fault> {
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-')).unwrap_or(text.len());
        let (number, symbol) = (&text[..end], text[end..].trim_start());
        let (digits, decimals) = digits_of(number.strip_prefix('-').unwrap_or(number))?;
        let unit = self.units.iter().find(|unit| unit.symbol == symbol).ok_or(Fault::Unit)?;
        if number.starts_with('-') {
            return Err(Fault::Negative);
        }
        let scaled = digits.checked_mul(u128::from(unit.factor)).ok_or(Fault::TooLarge)?;
        let divisor = 10_u128.pow(decimals);
        if !scaled.is_multiple_of(divisor) {
            return Err(Fault::TooFine);
        }
        u64::try_from(scaled / divisor).map_err(|_| Fault::TooLarge)
    }

    fn format(&self, value: u64) -> String {
        let fitting = self.units.iter().filter(|unit| unit.factor <= value || unit.factor == 1);
        let texts = fitting.filter_map(|unit| Some((decimal(value, unit.factor)?, unit.symbol)));
        let (number, symbol) = texts.min_by_key(|(number, _)| number.len()).unwrap_or_default();
        format!("{number} {symbol}")
    }
}

/// The digits of `number` without the decimal point, and the number of digits after the point.
fn digits_of(number: &str) -> Result<(u128, u32), Fault> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(Fault::Form);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > MAX_DECIMALS {
        return Err(Fault::TooFine);
    }
    let digits = format!("{whole}{fraction}").parse().map_err(|_| Fault::TooLarge)?;
    Ok((digits, fraction.len() as u32))
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

static RATE: Kind = Kind {
    name: "rate",
    example: "10 Mbit/s",
    base: "bit/s",
    units: &[
        Unit { symbol: "Tbit/s", factor: 1_000_000_000_000 },
        Unit { symbol: "Gbit/s", factor: 1_000_000_000 },
        Unit { symbol: "Mbit/s", factor: 1_000_000 },
        Unit { symbol: "kbit/s", factor: 1_000 },
        Unit { symbol: "bit/s", factor: 1 },
    ],
};

static SIZE: Kind = Kind {
    name: "size",
    example: "500 kB",
    base: "bytes",
    units: &[
        Unit { symbol: "GiB", factor: 1 << 30 },
        Unit { symbol: "GB", factor: 1_000_000_000 },
        Unit { symbol: "MiB", factor: 1 << 20 },
        Unit { symbol: "MB", factor: 1_000_000 },
        Unit { symbol: "KiB", factor: 1 << 10 },
        Unit { symbol: "kB", factor: 1_000 },
        Unit { symbol: "B", factor: 1 },
    ],
};

static SPAN: Kind = Kind {
    name: "span of time",
    example: "20 ms",
    base: "nanoseconds",
    units: &[
        Unit { symbol: "min", factor: 60_000_000_000 },
        Unit { symbol: "s", factor: 1_000_000_000 },
        Unit { symbol: "ms", factor: 1_000_000 },
        Unit { symbol: "us", factor: 1_000 },
        Unit { symbol: "ns", factor: 1 },
    ],
};

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
            assert_eq!(text.parse(), Ok(Rate(bits)));
            assert_eq!(Rate(bits).to_string(), text);
        }
        let sizes = [("1 MB", 1_000_000), ("64 KiB", 65_536), ("500 B", 500), ("1452 B", 1452)];
        for (text, bytes) in sizes {
            assert_eq!(text.parse(), Ok(Size(bytes)));
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
            assert_eq!(text.parse(), Ok(Span::from_nanos(nanos)));
            assert_eq!(Span::from_nanos(nanos).to_string(), text);
        }
        assert_eq!("2.5Mbit/s".parse(), Ok(Rate(2_500_000)));
        assert_eq!(" 0.25 s ".parse(), Ok(Span::from_millis(250)));
    }

    #[test]
    fn an_error_has_the_text_and_the_valid_form() {
        let rate = |text: &str| text.parse::<Rate>().unwrap_err().to_string();
        assert_eq!(
            rate("10 Mbps"),
            "\"10 Mbps\" is no rate: write a number and a unit such as \"10 Mbit/s\" \
             (known units: Tbit/s, Gbit/s, Mbit/s, kbit/s, bit/s)"
        );
        assert_eq!(
            rate("fast"),
            "\"fast\" is no rate: write a number and a unit such as \"10 Mbit/s\""
        );
        assert_eq!(
            rate("1.2.3 bit/s"),
            "\"1.2.3 bit/s\" is no rate: write a number and a unit such as \"10 Mbit/s\""
        );
        assert!(rate("10").contains("known units"));
        assert_eq!(
            rate("-1 Mbit/s"),
            "\"-1 Mbit/s\" is no rate: it must not be negative; write for example \"10 Mbit/s\""
        );
        assert_eq!(
            rate("0.5 bit/s"),
            "\"0.5 bit/s\" is no rate: it is not a whole number of bit/s; write for example \"10 Mbit/s\""
        );
        assert!(rate("99999999999 Gbit/s").contains("the largest is 18446744073709551615 bit/s"));
        assert!(
            "1 m"
                .parse::<Span>()
                .unwrap_err()
                .to_string()
                .starts_with("\"1 m\" is no span of time")
        );
        assert!("1 Mb".parse::<Size>().unwrap_err().to_string().contains("such as \"500 kB\""));
    }

    #[test]
    fn transmission_times_are_exact_to_the_fraction() {
        // 1507 bytes at 10 Mbit/s: 1205.6 us exactly; at 7 bit/s one byte leaves a remainder.
        assert_eq!(Rate(10_000_000).time_for(1507), (Span::from_nanos(1_205_600), 0));
        assert_eq!(Rate(7).time_for(1), (Span::from_nanos(1_142_857_142), 6));
        assert_eq!(Rate(0).time_for(1), (Span::MAX, 0));
        assert_eq!(Rate(8).bytes_in(Span::from_secs(3)), 3);
    }

    proptest! {
        #[test]
        fn a_formatted_quantity_is_parsed_back_unchanged(value: u64, shift in 0_u32..64) {
            let value = value >> shift;
            prop_assert_eq!(Rate(value).to_string().parse(), Ok(Rate(value)));
            prop_assert_eq!(Size(value).to_string().parse(), Ok(Size(value)));
            prop_assert_eq!(Span::from_nanos(value).to_string().parse(), Ok(Span::from_nanos(value)));
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
