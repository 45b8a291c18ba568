//! Decoder of SCTP captures: each packet as a line of text or JSON, and a summary of the associations.
//!
//! [`Decoder`] reads a file once and keeps one packet and the summary in memory. `frames.rs` reads the file format,
//! `headers.rs` finds SCTP below IP and UDP, [`manypath_sctp::Packet::decode`] decodes it, `packet.rs` and `chunk.rs`
//! are the output, and `summary/` has the counters.

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
