//! The registry of algorithms: one line each.

use crate::algorithms::*;
use crate::settings::Settings;
use crate::{Algorithm, AlgorithmError, Parameter, UnknownName};

static ENTRIES: &[Entry] = &[
    entry(
        "newreno",
        fixed::<NewReno>,
        "independent paths: standard SCTP on one path, plain CMT on several",
    ),
    entry(
        "cmt-rpv1",
        fixed::<CmtRpV1>,
        "resource pooling by slow-start threshold: a loss takes half of all windows",
    ),
    entry(
        "cmt-rpv2",
        fixed::<CmtRpV2>,
        "resource pooling by rate: a loss takes half of the flow's rate",
    ),
    entry(
        "mptcp-like",
        |_| Ok(Box::new(MptcpLike::BYTES)),
        "linked increases of RFC 6356 in bytes, linked in slow start too",
    ),
    entry(
        "mptcp-like:2011",
        |_| Ok(Box::new(MptcpLike::OF_2011)),
        "linked increases as printed in 2011: slow start is linear",
    ),
    entry(
        "mptcp-like:2012",
        |_| Ok(Box::new(MptcpLike::OF_2012)),
        "linked increases as printed in 2012: an error of units removes the coupling",
    ),
    entry(
        "lia",
        fixed::<Lia>,
        "linked increases of RFC 6356 as in TCP: the growth of all paths is linked",
    ),
    entry(
        "lia-eunice",
        |settings| Ok(Box::new(LiaEunice::from_settings(settings)?)),
        "linked increases; each acknowledgement approximates the best path",
    )
    .with(LiaEunice::PARAMETERS),
    entry(
        "olia",
        fixed::<Olia>,
        "opportunistic linked increases: windows move to the paths with the fewest losses",
    ),
    entry(
        "balia",
        fixed::<Balia>,
        "balanced linked adaptation: growth and cuts follow the ratio of the rates",
    ),
    entry(
        "coupled",
        fixed::<Coupled>,
        "fully coupled: the flow behaves as one TCP; one path may carry all traffic",
    ),
    entry(
        "ewtcp",
        fixed::<Ewtcp>,
        "equally weighted: each of n paths is as aggressive as 1/n of a TCP",
    ),
    entry(
        "wvegas",
        fixed::<Wvegas>,
        "weighted Vegas: windows follow delay, the paths share ten packets in queues",
    ),
    entry(
        "cubic",
        fixed::<Cubic>,
        "independent paths: growth depends on the time since the last loss",
    ),
    entry(
        "weighted-aimd",
        |settings| Ok(Box::new(WeightedAimd::from_settings(settings)?)),
        "independent paths: each is as aggressive as `weight` TCPs",
    )
    .with(WeightedAimd::PARAMETERS),
    entry(
        "bmc",
        |settings| Ok(Box::new(Bmc::from_settings(settings)?)),
        "bidimensional probing: weights that sum to one TCP follow the goodput of paths",
    )
    .with(Bmc::PARAMETERS),
];

/// One algorithm of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The parameters that can be set in the name, as `name:key=value,key=value`.
    pub parameters: &'static [Parameter],
    make: Make,
}

type Make = fn(&Settings<'_>) -> Result<Box<dyn Algorithm>, AlgorithmError>;

const fn entry(name: &'static str, make: Make, summary: &'static str) -> Entry {
    Entry { name, summary, parameters: &[], make }
}

/// An entry for an algorithm that starts with its default value and has no parameters.
fn fixed<A: Algorithm + Default + 'static>(
    _: &Settings<'_>,
) -> Result<Box<dyn Algorithm>, AlgorithmError> {
    Ok(Box::new(A::default()))
}

/// Creates the algorithm that `text` specifies: `name` or `name:key=value,key=value`.
///
/// # Errors
/// If there is no such algorithm, or if a parameter is unknown or has an invalid value. The error states the valid
/// values.
pub fn algorithm(text: &str) -> Result<Box<dyn Algorithm>, AlgorithmError> {
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.name == text) {
        return Ok(entry.make());
    }
    let known = |name: &str| ENTRIES.iter().find(|entry| entry.name == name);
    match text.split_once(':').and_then(|(name, settings)| Some((known(name)?, settings))) {
        Some((entry, settings)) if settings.contains('=') || !entry.parameters.is_empty() => {
            let settings = Settings::read(entry.name, entry.parameters, settings)?;
            (entry.make)(&settings)
        }
        _ => {
            let names = ENTRIES.iter().map(|entry| entry.name);
            Err(AlgorithmError::Unknown(UnknownName::new("congestion control", text, names)))
        }
    }
}

/// All algorithms.
#[must_use]
pub fn algorithms() -> &'static [Entry] {
    ENTRIES
}

impl Entry {
    const fn with(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    /// Creates the algorithm with the defaults of its parameters.
    ///
    /// # Panics
    /// Never: a test checks that the defaults are valid.
    #[must_use]
    pub fn make(&self) -> Box<dyn Algorithm> {
        let settings = Settings::new(self.name, self.parameters);
        (self.make)(&settings).expect("the defaults are right")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_reported_with_the_most_similar_one() {
        let remedy = |name: &str| match algorithm(name) {
            Err(AlgorithmError::Unknown(unknown)) => unknown.remedy(),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(remedy("cmt-rpv3"), "did you mean \"cmt-rpv1\"?");
        assert_eq!(remedy("CMT_RPv2"), "did you mean \"cmt-rpv2\"?");
        assert_eq!(remedy("new-reno"), "did you mean \"newreno\"?");
        assert_eq!(remedy("mptcp"), "did you mean \"mptcp-like\"?");
        assert_eq!(remedy("mptcp-like:2013"), "did you mean \"mptcp-like:2011\"?");
        let parameters = "did you mean \"weight\"? (known: weight, decrease)";
        assert_eq!(remedy("weighted-aimd:wait=2"), parameters);
        assert_eq!(remedy("lia:weight=2"), "there is none");
        assert!(remedy("sigmoid").starts_with("known: newreno, "));
    }

    #[test]
    fn the_error_is_one_line_with_the_remedy() {
        let line = |text: &str| algorithm(text).unwrap_err().to_string();
        let similar = "there is no congestion control \"newrena\": did you mean \"newreno\"?";
        assert_eq!(line("newrena"), similar);
        let known: Vec<_> = algorithms().iter().map(|entry| entry.name).collect();
        let other = format!("there is no congestion control \"x\": known: {}", known.join(", "));
        assert_eq!(line("x"), other);
    }

    #[test]
    fn a_wrong_parameter_is_one_line_with_field_value_and_remedy() {
        let line = |text: &str| algorithm(text).unwrap_err().to_string();
        assert_eq!(
            line("weighted-aimd:weight=x"),
            "weighted-aimd:weight is \"x\", expected a number from 0.01 to 100"
        );
        assert_eq!(
            line("weighted-aimd:weight=1/0"),
            "weighted-aimd:weight is \"1/0\", expected a number from 0.01 to 100"
        );
        assert_eq!(
            line("weighted-aimd:weight=1,weight=2"),
            "weighted-aimd:weight is \"2\", expected each parameter once"
        );
        assert_eq!(
            line("weighted-aimd:0.5"),
            "weighted-aimd is \"0.5\", expected key=value, such as weight=1"
        );
        assert_eq!(
            line("weighted-aimd:wait=0.5"),
            "there is no parameter of weighted-aimd \"wait\": did you mean \"weight\"? (known: weight, decrease)"
        );
        assert_eq!(line("lia:x=1"), "there is no parameter of lia \"x\": there is none");
    }

    #[test]
    fn a_name_without_parameters_has_the_defaults() {
        for entry in algorithms() {
            let written: Vec<_> =
                entry.parameters.iter().map(|it| format!("{}={}", it.key, it.default)).collect();
            let text = format!("{}:{}", entry.name, written.join(","));
            let written = algorithm(if written.is_empty() { entry.name } else { &text }).unwrap();
            assert_eq!(format!("{written:?}"), format!("{:?}", entry.make()), "{text}");
            for parameter in entry.parameters {
                assert!(!parameter.summary.is_empty() && parameter.summary.len() <= 90, "{text}");
            }
        }
    }

    #[test]
    fn names_are_unique_and_summaries_fit_a_line() {
        for (index, entry) in algorithms().iter().enumerate() {
            assert!(algorithms()[..index].iter().all(|other| other.name != entry.name));
            assert!(!entry.summary.is_empty() && entry.summary.len() <= 80, "{}", entry.name);
        }
    }
}
