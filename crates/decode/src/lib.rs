//! Captures of SCTP read back: each packet as a line or as JSON, and a summary of the associations.
//!
//! [`Decoder`] reads a file from its beginning to its end and keeps one packet and the summary in memory. `frames.rs`
//! takes the file apart, `headers.rs` finds SCTP below IP and UDP, [`manypath_sctp::Packet::decode`] reads it, `packet.rs`
//! and `chunk.rs` are what is printed, and `summary.rs` counts.

mod cause;
mod chunk;
mod decoder;
mod frames;
mod headers;
mod packet;
mod summary;

pub use decoder::{Decoder, Form, Options};
pub use frames::FileError;
pub use summary::Summary;
