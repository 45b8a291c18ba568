//! Common parts of the fuzz targets: two hosts with encoded packets, forged chunks, and memory measurement.
//!
//! Each target is a folder beside `src` with a program and the corpus that it replays. CONTRIBUTING.md describes how
//! targets are run and how findings are handled.

pub mod forge;
pub mod host;
pub mod ledger;
pub mod memory;
pub mod setting;
pub mod stage;

/// Time limit for shrinking a finding.
pub const SHRINK_TIME: std::time::Duration = std::time::Duration::from_secs(10);
