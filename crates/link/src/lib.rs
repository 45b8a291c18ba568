//! A link and its queue without a clock: the input is packets with their arrival times, the output is deliveries with
//! their times.
//!
//! ```text
//!   push ──▶ queue ──▶ transmitter ──▶ propagation ──▶ loss ──▶ pop
//!            drops      size / rate       delay    loses or damages
//! ```
//!
//! [`Pipe`] is one direction of a link. It holds items of any `Copy` type (a handle of a packet that its owner stores)
//! together with their size, so the same code serves a simulator and a real-time emulator.
//!
//! ```
//! use manypath_core::{Rate, Span, Streams, Time};
//! use manypath_link::{Entry, LinkConfig, Pipe, Popped, Verdict};
//!
//! let config = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::from_millis(5));
//! let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "north");
//! assert_eq!(pipe.push(Time::ZERO, Entry::new('a', 1500)), Verdict::Queued);
//!
//! // 1500 bytes at 12 Mbit/s take 1 ms, then 5 ms of propagation.
//! let due = pipe.poll_timeout();
//! assert_eq!(due, Time::from_nanos(6_000_000));
//! assert_eq!(pipe.pop(due), Some(Popped::Delivered('a')));
//! ```
//!
//! [`ComputedLink`] is the same link where departures follow from the arrivals alone: it returns a packet's delivery time
//! when the packet enters.
//!
//! A new queue discipline is a file in `queue/` and a line in its registry. A new loss model is a file in `loss/` and a
//! line in its registry.

pub mod computed;
pub mod config;
pub mod counters;
#[cfg(feature = "serde")]
pub mod document;
pub mod error;
#[cfg(feature = "serde")]
mod keys;
pub mod kind;
pub mod loss;
#[cfg(feature = "serde")]
pub mod network;
pub mod pipe;
pub mod queue;
mod recorded;
pub mod trace;
mod transmitter;

pub use computed::{ComputedLink, Passage};
pub use config::{Change, LinkConfig, LinkEvent};
pub use counters::Counters;
#[cfg(feature = "serde")]
pub use document::DocumentError;
pub use error::ConfigError;
pub use kind::Kind;
pub use loss::LossConfig;
#[cfg(feature = "serde")]
pub use network::{Network, Path};
pub use pipe::{LossCause, Pipe, Popped};
pub use queue::{DropReason, Entry, QueueConfig, Verdict};
pub use trace::{Trace, TraceError};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
