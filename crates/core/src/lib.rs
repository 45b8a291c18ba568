//! The words that every crate of manypath uses: time, quantities, randomness, addresses, and the contract of a protocol.
//!
//! Nothing in here reads a clock, opens a socket, starts a thread or draws from a global random source.

pub use address::{Address, Scope, Via};
pub use checksum::internet_checksum;
pub use encode::Encode;
pub use offsets::{OffsetRange, OffsetRanges};
pub use path::PathId;
pub use quantity::{QuantityError, Rate, Size};
pub use random::{Random, Streams};
pub use ranges::{Ranges, TsnRange};
pub use rtt::{RtoLimits, RtoRule, RttEstimator};
pub use sans_io::{Packet, SansIo};
pub use serial::{Ssn, Tsn};
pub use time::{Span, Time};
pub use timers::TimerTable;

mod address;
mod checksum;
mod encode;
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
