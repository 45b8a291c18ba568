//! The head of a record.

use super::HEAD;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6};

/// A record that its receiver cannot use.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Malformed {
    /// The length of the head differs from that of the record.
    Length,
    /// The kind does not exist in this direction.
    Kind(u8),
    /// A field has a value without meaning.
    Field(&'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => write!(f, "the record's length differs from the length in its head"),
            Self::Kind(kind) => write!(f, "a record has kind {kind}"),
            Self::Field(field) => write!(f, "a record has no valid {field}"),
        }
    }
}

impl std::error::Error for Malformed {}

/// A head whose fields are read and written by offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head(pub(super) [u8; HEAD]);

impl Head {
    /// A head of `kind` in front of `payload` bytes.
    pub(super) fn new(kind: u8, payload: usize) -> Self {
        let mut head = Self([0; HEAD]);
        // Decoders refuse a length that was cut
        head.put_u32(0, (HEAD + payload) as u32);
        head.0[4] = kind;
        head
    }

    /// The head and the bytes after it.
    pub(super) fn split(record: &[u8]) -> Result<(Self, &[u8]), Malformed> {
        let (head, payload) = record.split_first_chunk::<HEAD>().ok_or(Malformed::Length)?;
        let head = Self(*head);
        if head.length() != record.len() { Err(Malformed::Length) } else { Ok((head, payload)) }
    }

    pub(super) fn length(&self) -> usize {
        self.u32(0) as usize
    }

    pub(super) fn kind(&self) -> u8 {
        self.0[4]
    }

    pub(super) fn flags(&self) -> u8 {
        self.0[5]
    }

    pub(super) fn set_flags(&mut self, flags: u8) {
        self.0[5] = flags;
    }

    pub(super) fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    pub(super) fn put_u16(&mut self, at: usize, value: u16) {
        self.0[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }

    pub(super) fn put_u32(&mut self, at: usize, value: u32) {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    pub(super) fn i32(&self, at: usize) -> i32 {
        self.u32(at).cast_signed()
    }

    pub(super) fn put_i32(&mut self, at: usize, value: i32) {
        self.put_u32(at, value.cast_unsigned());
    }

    /// The address, if the head has one.
    pub(super) fn address(&self) -> Result<Option<SocketAddr>, Malformed> {
        let mut ip = [0; 16];
        ip.copy_from_slice(&self.0[ADDRESS + 8..ADDRESS + 24]);
        let port = u16::from_be_bytes([self.0[ADDRESS + 2], self.0[ADDRESS + 3]]);
        match self.u16(ADDRESS) {
            NONE => Ok(None),
            V4 => Ok(Some(([ip[0], ip[1], ip[2], ip[3]], port).into())),
            V6 => {
                let (flow, scope) = (self.u32(ADDRESS + 4), self.u32(ADDRESS + 24));
                Ok(Some(SocketAddrV6::new(Ipv6Addr::from(ip), port, flow, scope).into()))
            }
            _ => Err(Malformed::Field("family")),
        }
    }

    pub(super) fn put_address(&mut self, address: Option<SocketAddr>) {
        let Some(address) = address else {
            return;
        };
        let ip = ADDRESS + 8;
        self.0[ADDRESS + 2..ADDRESS + 4].copy_from_slice(&address.port().to_be_bytes());
        match address.ip() {
            IpAddr::V4(v4) => {
                self.put_u16(ADDRESS, V4);
                self.0[ip..ip + 4].copy_from_slice(&v4.octets());
            }
            IpAddr::V6(v6) => {
                self.put_u16(ADDRESS, V6);
                self.0[ip..ip + 16].copy_from_slice(&v6.octets());
            }
        }
        if let SocketAddr::V6(v6) = address {
            self.put_u32(ADDRESS + 4, v6.flowinfo());
            self.put_u32(ADDRESS + 24, v6.scope_id());
        }
    }
}

/// The offset of the address.
const ADDRESS: usize = 36;
/// Families of the address.
const NONE: u16 = 0;
const V4: u16 = 4;
const V6: u16 = 6;

/// Bytes of any record for tests of decoders: a sequence that looks random, and the same for each seed.
#[cfg(test)]
pub(super) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}
