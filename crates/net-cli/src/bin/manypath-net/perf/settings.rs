//! Settings of a test's endpoints from a flow of a scenario, as for the simulated endpoint of this flow.

use std::fmt::Display;
use std::path::Path;

use manypath_lab::scenario::SctpFlow;
use manypath_net::{Builder, Config};
use manypath_program::{refused, text};

use crate::failure::Failure;

/// Reads an SCTP flow of a scenario document from a file.
pub(super) fn read(file: &Path) -> Result<SctpFlow, Failure> {
    let text = text(Some("--settings"), file, MOST_MIB, "a flow of a scenario as JSON")?;
    let wrong = |reason: &dyn Display| refused("--settings", file, reason);
    if !text.trim_start().starts_with('{') {
        let example = r#"{"transport": "sctp", "cc": "newreno", "rto": {"min": 200000000}}"#;
        return Err(wrong(&format!("expected one flow of a scenario as JSON: {example}")).into());
    }
    Ok(SctpFlow::parse(&text).map_err(|error| wrong(&error))?)
}

/// Applies the settings of a flow to an endpoint. Settings that only simulations can omit are not changed.
pub(super) fn apply(builder: Builder, flow: &SctpFlow) -> Builder {
    let settings = manypath_lab::sctp_config(flow, Vec::new());
    builder.configure(|config| {
        *config = Config {
            // Stream 0 carries the control messages of the test
            outbound_streams: settings.outbound_streams.saturating_add(1),
            inbound_streams: settings.inbound_streams.saturating_add(1),
            initial_tsn: config.initial_tsn,
            copy_payloads_below: config.copy_payloads_below,
            partial_delivery: config.partial_delivery,
            listens: config.listens,
            backlog: config.backlog,
            detailed_events: config.detailed_events,
            ..settings
        };
    })
}

/// Largest size of a settings file.
const MOST_MIB: u64 = 1;
