//! Everything on each subflow: the first copy counts.

use super::schedule::Schedule;

/// Every subflow carries what has not arrived yet, at its own pace.
#[derive(Debug)]
pub(super) struct Redundant;

impl Schedule for Redundant {
    fn carries_everything(&self) -> bool {
        true
    }
}
