//! Throughput measurements over one association, in the manner of iperf3.
//!
//! Stream 0 carries words of the protocol, each a JSON document; data travel on the streams behind it.
//!
//! ```text
//! client                                  server
//!   | request (duration, size, ...)  ------> |
//!   | <------------------- ready, or refused |
//!   | data messages (one way or both) <----> |
//!   | end (bytes, messages) of a sender ---> |
//!   | <------- arrived: a receiver has all   |
//!   | results of this side <---------------> |
//!   | SHUTDOWN  ---------------------------> |
//! ```
//!
//! A sender sends its results after all its data have arrived, so both sides know what both sides counted.

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
mod word;

pub use cpu::Cpu;
pub use exchange::{Outcome, Settings, refuse, run, serve};
pub use failure::Failure;
pub use interval::{Flow, Interval, PathInterval};
pub use json::{Record, failed};
pub use request::{Direction, MOST_SECONDS, MOST_SIZE, MOST_STREAMS, Request};
pub use results::{PathTotal, Results, Total};
