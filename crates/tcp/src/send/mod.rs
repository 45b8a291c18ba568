//! The way out: what the application handed over, and what of it is under way.

mod buffer;
mod scoreboard;

pub(crate) use buffer::SendBuffer;
pub(crate) use scoreboard::{DUP_THRESH, Scoreboard, Sent, SentFlags};
