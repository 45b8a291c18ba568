//! The forms of values on a command line. The messages continue clap's, which names the option and the value.

use std::ops::RangeInclusive;
use std::time::Duration;

use manypath_core::Span;

/// A time in seconds: a number, or a number with a unit such as 500 ms.
#[must_use]
pub fn seconds(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| Span::from_text(text).map(Span::as_secs_f64))
}

/// A time in a range of seconds, whose ends a message writes as `least` and `most`: "50 ms" and "3600 s".
///
/// # Errors
/// If the text is no time, or a time outside of the range.
pub fn time(
    text: &str,
    within: RangeInclusive<f64>,
    [least, most]: [&str; 2],
) -> Result<Duration, String> {
    let time = seconds(text).filter(|time| within.contains(time)).map(Duration::from_secs_f64);
    time.ok_or_else(|| format!("expected a time such as 1 s, from {least} to {most}"))
}

/// A whole number in a range.
///
/// # Errors
/// If the text is no whole number, or one outside of the range.
pub fn whole<T: TryFrom<u64>>(text: &str, within: RangeInclusive<u64>) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| within.contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    let (least, most) = within.into_inner();
    number.ok_or_else(|| format!("expected a whole number, from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let texts = ["10", "2.5", "10 s", "500ms", "2 min"];
        assert_eq!(texts.map(seconds), [10.0, 2.5, 10.0, 0.5, 120.0].map(Some));
        assert_eq!(["", "s", "10 meters"].map(seconds), [None; 3]);
    }

    #[test]
    fn a_time_outside_of_its_range_is_refused_with_the_range() {
        let time = |text| time(text, 0.01..=3600.0, ["10 ms", "3600 s"]);
        assert_eq!(time("3600"), Ok(Duration::from_secs(3600)));
        for text in ["", "0", "-1", "nan", "inf", "1e300", "3600.1", "1 day", "1,5", "0x10"] {
            let said = "expected a time such as 1 s, from 10 ms to 3600 s";
            assert_eq!(time(text), Err(said.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_number_that_is_not_whole_or_outside_of_its_range_is_refused_with_the_range() {
        assert_eq!(whole("65535", 1..=65_535), Ok(65_535_u16));
        for text in ["", "0", "-1", "1.0", "1e3", "65536", "nan", "99999999999999999999999", "1k"] {
            let said = "expected a whole number, from 1 to 65535";
            assert_eq!(whole::<u16>(text, 1..=65_535), Err(said.to_owned()), "{text}");
        }
    }
}
