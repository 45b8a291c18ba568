//! The sending direction: the data of the application, and the outstanding part of it.

mod buffer;
mod scoreboard;

pub(crate) use buffer::SendBuffer;
pub(crate) use scoreboard::{DUP_THRESH, Scoreboard, Sent, SentFlags};
