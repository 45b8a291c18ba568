//! Tests of links, queues and losses; one file per subject.
#![expect(clippy::disallowed_methods, reason = "tolerances do not depend on the last bit")]

mod any;

mod closed_forms;
mod codel;
mod computed;
mod conservation;
#[cfg(feature = "serde")]
mod document;
mod events;
mod fq_codel;
mod jitter;
mod losses;
mod pie;
mod recorded;
mod red;
