//! Packets as bytes, written and read: one file for each chunk or family of small ones, each with its picture.
//! RFC 9260 §3
//!
//! Rows of the pictures are four bytes wide, and numbers have their most significant byte first.
//!
//! [`Packet::decode`](crate::Packet::decode) says what becomes of a packet that breaks a rule.

mod abort;
mod cause;
mod checksum;
mod cookie;
mod data;
mod decode_error;
mod error;
mod heartbeat;
mod init;
pub(crate) mod kind;
mod offers;
mod packet;
mod packet_drop;
mod padding;
mod parameter;
mod reader;
mod sack;
mod shutdown;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use parameter::STATE_COOKIE;

pub use decode_error::{ChunkPlace, DecodeError, Rule};
