//! Checks that a scenario can be run: names exist, numbers make sense.

use indexmap::IndexMap;
use manypath_cc as cc;
use manypath_link::LinkConfig;

use super::error::nearest;
use super::{Application, Flow, Network, Scenario, ScenarioError};

impl Scenario {
    /// Says what is wrong with the scenario.
    ///
    /// # Errors
    /// The first field whose value makes no sense.
    pub fn validate(&self) -> Result<(), ScenarioError> {
        self.network.validate()?;
        if self.flows.is_empty() || self.flows.len() > MAX_FLOWS {
            return Err(ScenarioError::value(
                "flows",
                format!("{} flows", self.flows.len()),
                format!("1 to {MAX_FLOWS} flows"),
            ));
        }
        self.validate_phases()?;
        for (name, flow) in &self.flows {
            let field = |leaf: &str| format!("flows.{name}.{leaf}");
            flow.validate(&field, &self.network)?;
            if flow.start.latest >= self.warmup + self.measure {
                return Err(ScenarioError::value(
                    field("start.latest"),
                    flow.start.latest,
                    format!(
                        "an instant before the end of the run at {}",
                        self.warmup + self.measure
                    ),
                ));
            }
        }
        Ok(())
    }

    fn validate_phases(&self) -> Result<(), ScenarioError> {
        if self.measure.as_nanos() == 0 {
            let expected = "more than 0 s, else the warm-up reaches to the end";
            return Err(ScenarioError::value("measure", self.measure, expected));
        }
        match self.warmup.as_nanos().checked_add(self.measure.as_nanos()) {
            Some(end) if end <= MAX_END => Ok(()),
            _ => Err(ScenarioError::value(
                "measure",
                self.measure,
                "a run of 10 years at most, warm-up included",
            )),
        }
    }
}

impl Network {
    fn validate(&self) -> Result<(), ScenarioError> {
        for (name, link) in &self.links {
            validate_link(&format!("network.links.{name}"), link)?;
        }
        if let Some(access) = &self.access {
            validate_link("network.access", access)?;
        }
        if self.paths.is_empty() {
            return Err(ScenarioError::value("network.paths", "empty", "at least one path"));
        }
        for (name, path) in &self.paths {
            self.validate_links_of(&format!("network.paths.{name}.forward"), &path.forward)?;
            self.validate_links_of(&format!("network.paths.{name}.reverse"), &path.reverse)?;
        }
        Ok(())
    }

    fn validate_links_of(&self, field: &str, links: &[String]) -> Result<(), ScenarioError> {
        if links.is_empty() {
            return Err(ScenarioError::value(field, "empty", "at least one link"));
        }
        for link in links {
            existing(field, link, "link", &self.links)?;
        }
        Ok(())
    }
}

impl Flow {
    fn validate(
        &self,
        field: &dyn Fn(&str) -> String,
        network: &Network,
    ) -> Result<(), ScenarioError> {
        self.validate_paths(&field("paths"), network)?;
        cc::algorithm(&self.cc).map_err(|error| unknown(field("cc"), &error))?;
        cc::Profile::by_name(&self.profile).map_err(|error| unknown(field("profile"), &error))?;
        within(field("mtu"), self.mtu.into(), MIN_MTU, u16::MAX.into())?;
        within(field("streams"), self.streams.into(), 1, u16::MAX.into())?;
        within(field("send_buffer"), self.send_buffer, 1, u64::MAX)?;
        within(field("receive_buffer"), self.receive_buffer, 1, u32::MAX.into())?;
        within(field("sack_every"), self.sack_every.into(), 1, 255)?;
        within(field("sack_delay"), self.sack_delay.as_nanos(), 0, MAX_SACK_DELAY)?;
        within(field("max_burst"), self.max_burst.into(), 1, u16::MAX.into())?;
        within(field("heartbeat_interval"), self.heartbeat_interval.as_nanos(), 1, u64::MAX)?;
        within(
            field("path_max_retransmissions"),
            self.path_max_retransmissions.into(),
            0,
            u16::MAX.into(),
        )?;
        within(
            field("association_max_retransmissions"),
            self.association_max_retransmissions.into(),
            0,
            u16::MAX.into(),
        )?;
        within(
            field("potentially_failed_after"),
            self.potentially_failed_after.unwrap_or_default().into(),
            0,
            u16::MAX.into(),
        )?;
        ascending(
            &field("rto"),
            &[("min", self.rto.min), ("initial", self.rto.initial), ("max", self.rto.max)],
        )?;
        within(field("rto.min"), self.rto.min.as_nanos(), 1, u64::MAX)?;
        ascending(
            &field("start"),
            &[("earliest", self.start.earliest), ("latest", self.start.latest)],
        )?;
        self.validate_messages(&field("app.message"))?;
        self.validate_pace(&field)
    }

    fn validate_paths(&self, field: &str, network: &Network) -> Result<(), ScenarioError> {
        if self.paths.is_empty() || self.paths.len() > MAX_PATHS {
            let expected = format!("1 to {MAX_PATHS} names of paths");
            return Err(ScenarioError::value(
                field,
                format!("{} paths", self.paths.len()),
                expected,
            ));
        }
        for (index, path) in self.paths.iter().enumerate() {
            existing(field, path, "path", &network.paths)?;
            if self.paths[..index].contains(path) {
                return Err(ScenarioError::value(
                    field,
                    format!("\"{path}\" twice"),
                    "each path once",
                ));
            }
        }
        Ok(())
    }

    fn validate_messages(&self, field: &str) -> Result<(), ScenarioError> {
        let size = self.app.message();
        ascending(field, &[("min", size.min), ("max", size.max)])?;
        within(format!("{field}.min"), size.min.into(), 1, MAX_MESSAGE)?;
        within(format!("{field}.max"), size.max.into(), 1, MAX_MESSAGE)?;
        let buffer = self.send_buffer.min(self.receive_buffer);
        if u64::from(size.max) > buffer {
            let expected = format!("at most the smaller of the two buffers ({buffer} bytes)");
            return Err(ScenarioError::value(format!("{field}.max"), size.max, expected));
        }
        Ok(())
    }

    fn validate_pace(&self, field: &dyn Fn(&str) -> String) -> Result<(), ScenarioError> {
        within(field("app.size"), self.app.size(), self.app.message().max.into(), u64::MAX)?;
        let (Application::Cbr { rate, .. } | Application::OnOff { rate, .. }) = &self.app else {
            return Ok(());
        };
        within(field("app.rate"), rate.bits_per_second(), 1, u64::MAX)?;
        let Application::OnOff { on, .. } = &self.app else { return Ok(()) };
        let longest = rate.time_for(self.app.message().max.into()).0;
        if *on < longest {
            let expected = format!("at least {longest}, which the longest message takes");
            return Err(ScenarioError::value(field("app.on"), on, expected));
        }
        Ok(())
    }
}

fn unknown(field: String, error: &cc::UnknownName) -> ScenarioError {
    ScenarioError::unknown(field, &error.name, error.kind, error.nearest, &error.known)
}

fn validate_link(field: &str, link: &LinkConfig) -> Result<(), ScenarioError> {
    link.validate().map_err(|error| {
        ScenarioError::value(format!("{field}.{}", error.field), error.value, error.expected)
    })
}

fn existing<V>(
    field: &str,
    name: &str,
    what: &str,
    known: &IndexMap<String, V>,
) -> Result<(), ScenarioError> {
    if known.contains_key(name) {
        return Ok(());
    }
    let known: Vec<_> = known.keys().map(String::as_str).collect();
    let nearest = nearest(name, known.iter().copied());
    Err(ScenarioError::unknown(field, name, what, nearest, &known))
}

fn within(field: String, value: u64, min: u64, max: u64) -> Result<(), ScenarioError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let expected =
        if max == u64::MAX { format!("at least {min}") } else { format!("{min} to {max}") };
    Err(ScenarioError::value(field, value, expected))
}

fn ascending<T: PartialOrd + std::fmt::Display>(
    field: &str,
    bounds: &[(&str, T)],
) -> Result<(), ScenarioError> {
    for pair in bounds.windows(2) {
        let [(lower, low), (upper, high)] = pair else { continue };
        if low > high {
            let expected = format!("at least `{lower}` ({low})");
            return Err(ScenarioError::value(format!("{field}.{upper}"), high, expected));
        }
    }
    Ok(())
}

/// Each flow has a /16 of IPv4 addresses of its own, from 10.0.0.0 up.
const MAX_FLOWS: usize = 50_000;
/// An association uses no more.
const MAX_PATHS: usize = 16;
/// RFC 791: what every host must accept.
const MIN_MTU: u64 = 576;
/// The pattern that messages are cut from is not longer.
const MAX_MESSAGE: u64 = crate::app::MAX_MESSAGE as u64;
/// Ten years in nanoseconds.
const MAX_END: u64 = 10 * 365 * 86_400 * 1_000_000_000;
/// RFC 9260 §6.2: an acknowledgement does not wait longer, nanoseconds.
const MAX_SACK_DELAY: u64 = 500_000_000;
