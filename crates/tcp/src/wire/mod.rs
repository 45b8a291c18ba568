//! Segments as bytes: the header, its options, and those of Multipath TCP, each with a diagram. RFC 9293 §3.1
//!
//! A row of a diagram is four bytes wide. Numbers are in network byte order.

mod handshakes;
mod multipath;
mod options;
mod segment;
#[cfg(test)]
mod tests;

pub use handshakes::Handshakes;
