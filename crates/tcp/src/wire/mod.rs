//! Segments as bytes: the header, its options, and those of Multipath TCP, each with its picture. RFC 9293 §3.1
//!
//! Rows of the pictures are four bytes wide, and numbers have their most significant byte first.

mod handshakes;
mod multipath;
mod options;
mod segment;
#[cfg(test)]
mod tests;

pub use handshakes::Handshakes;
