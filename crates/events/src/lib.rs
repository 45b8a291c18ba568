//! Events of associations and connections as JSON lines. \[QLOG]
//!
//! The simulator and real endpoints write the same lines, so that the same tools can read both. [`Writer`] writes
//! lines, [`EndWatch`] finds the changes of one end, and [`schema`] describes a line.

mod blocked;
mod content;
mod event;
mod selection;
mod watch;
mod writer;

use schemars::generate::SchemaSettings;

pub use blocked::Blocked;
pub use content::{Content, Form};
pub use event::{
    Closed, CongestionState, CongestionStateUpdated, Count, Damaged, Discarded, DropReason,
    Dropped, Event, Generator, Header, Line, LossReason, Lost, Marked, Metrics, NAMES, Nothing,
    PathUpdated, Side, Standing, Trigger, VantagePoint,
};
pub use selection::{Selection, UnknownName, categories};
pub use watch::{EndWatch, Marks, PathView};
pub use writer::Writer;

/// Name and version of the format, as in the first line.
pub const FILE_SCHEMA: &str = "urn:manypath:events:1";

/// Whether a file that begins with these bytes contains events.
#[must_use]
pub fn is_ours(head: &[u8]) -> bool {
    head.starts_with(br#"{"file_schema":"urn:manypath:events:"#)
}

/// The JSON schema of a line.
#[must_use]
pub fn schema() -> serde_json::Value {
    let settings = SchemaSettings::default().for_serialize();
    settings.into_generator().into_root_schema_for::<event::Record<'_>>().to_value()
}
