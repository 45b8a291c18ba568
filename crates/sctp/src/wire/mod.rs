//! Packets as bytes: one file for each chunk or family of small ones, each with its picture. RFC 9260 §3
//!
//! Rows of the pictures are four bytes wide, and numbers have their most significant byte first.

mod abort;
mod cause;
mod checksum;
mod cookie;
mod data;
mod error;
mod heartbeat;
mod init;
mod packet;
mod packet_drop;
mod parameter;
mod sack;
mod shutdown;
#[cfg(test)]
mod tests;
mod writer;
