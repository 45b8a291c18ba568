//! The calls and messages of one-to-many sockets. RFC 6458 §3

mod opening;
mod permission;
mod sending;

pub(super) use opening::{connect, listen};
pub(super) use permission::permission;
pub(super) use sending::send;
