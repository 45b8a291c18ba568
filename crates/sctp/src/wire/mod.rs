//! Encoding and decoding of packets, with one file per chunk type or group of small ones. RFC 9260 §3
//!
//! Each row of the diagrams is four bytes wide. All fields are in network byte order.
//!
//! [`Packet::decode`](crate::Packet::decode) describes the handling of malformed packets.

mod abort;
mod cause;
mod checksum;
mod cookie;
mod data;
mod decode_error;
mod error;
mod heartbeat;
mod init;
pub mod kind;
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
