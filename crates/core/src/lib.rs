//! Basic types of all crates of manypath: time, quantities, random numbers, addresses, and the interface of a protocol.
//!
//! This crate does not read a clock, open a socket, start a thread or use a global random source.

pub use address::{Address, Scope, Via};
pub use checksum::internet_checksum;
pub use counters::{Counter, FlowEnd, ResultCounter};
pub use encode::Encode;
pub use integral::Integral;
pub use names::{nearest, remedy};
pub use offsets::{OffsetRange, OffsetRanges};
pub use path::{PathId, PathWindow};
pub use quantity::{Rate, Size};
pub use random::{Random, Streams};
pub use ranges::{Ranges, TsnRange};
pub use rtt::{RtoLimits, RtoRule, RttEstimator};
pub use sans_io::{Packet, SansIo};
pub use serial::{Ssn, Tsn};
pub use time::{Span, Time};
pub use timers::TimerTable;
pub use waiting::{BlockedTime, ByLimit, SendLimit, Waiting};

mod address;
mod checksum;
mod counters;
mod encode;
mod integral;
mod names;
mod offsets;
mod path;
mod quantity;
mod random;
mod ranges;
mod rtt;
mod sans_io;
mod serial;
mod time;
mod timers;
mod waiting;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
