//! What the fuzz targets share: two hosts whose packets travel as bytes, forged chunks, and what memory is held.
//!
//! Each target is a folder beside `src` with a program and the corpus that it replays. CONTRIBUTING.md says how targets
//! are run and what becomes of a finding.

pub mod forge;
pub mod host;
pub mod ledger;
pub mod memory;
pub mod setting;
pub mod stage;

/// For how long a finding is shrunk before it is told.
pub const SHRINK_TIME: std::time::Duration = std::time::Duration::from_secs(10);
