//! Throughput measurements over one association, similar to iperf3.
//!
//! Stream 0 carries the control messages, each a JSON document; data uses the streams from 1 on.
//!
//! ```text
//! client                                  server
//!   | request (duration, size, ...)  ------> |
//!   | <------------------- ready, or refused |
//!   | data messages (one way or both) <----> |
//!   | end (bytes) of a sender -------------> |
//!   | <------- arrived: a receiver has all   |
//!   | results of this side <---------------> |
//!   | SHUTDOWN  ---------------------------> |
//! ```
//!
//! A sender sends its results after all its data has arrived, so both sides know the counters of both sides.

mod counts;
mod cpu;
mod exchange;
mod failure;
mod interval;
mod json;
mod progress;
mod pump;
mod request;
mod results;
mod sender;
mod word;

pub use cpu::Cpu;
pub use exchange::{Outcome, Settings, refuse, run, serve};
pub use failure::Failure;
pub use interval::{Flow, Interval, PathInterval};
pub use json::{TestDocument, failed};
pub use request::{Direction, MOST_SECONDS, MOST_SIZE, MOST_STREAMS, Request};
pub use results::{PathCounters, PathTotal, Results, Total};
