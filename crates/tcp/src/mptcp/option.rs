//! The options of Multipath TCP, typed. RFC 8684 §3

/// One option of Multipath TCP.
///
/// Nothing is hashed: a key is a random number, and the token of a connection is a part of its key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MultipathOption {
    /// With SYN: the sender speaks Multipath TCP, and this is its key of the new connection. RFC 8684 §3.1
    ///
    /// Both keys travel with SYN, as in RFC 6824 §3.1: so the first data need not repeat them.
    Capable {
        /// Key of the sender.
        key: u64,
    },
    /// With SYN: a further subflow of a connection that stands. RFC 8684 §3.2
    Join {
        /// Names the connection at the receiver.
        token: u32,
    },
    /// With every other segment: the data sequence signal.
    Dss(Dss),
    /// With RST: the whole connection ends, not just the subflow. RFC 8684 §3.5
    FastClose,
}

/// Data sequence signal: the mapping of the payload into the stream of the connection, and what of the peer's stream
/// has arrived. Data sequence numbers count from 0. RFC 8684 §3.3
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Dss {
    /// The data sequence number that the sender expects next: DATA_ACK.
    pub data_ack: u64,
    /// Data sequence number of the first byte of payload, or where it would be.
    pub data: u64,
    /// The stream ends after the payload: DATA_FIN, which takes a place of its own.
    pub is_last: bool,
}

impl MultipathOption {
    /// Bytes on the wire. Those of a data sequence signal are part of what the configuration says of options.
    #[inline]
    #[must_use]
    pub const fn length(&self) -> usize {
        match self {
            Self::Capable { .. } | Self::Join { .. } | Self::FastClose => 12,
            Self::Dss(_) => 0,
        }
    }
}

/// The token of a connection whose key this is. RFC 8684 §3.2 hashes the key instead.
pub(crate) fn token(key: u64) -> u32 {
    (key >> 32) as u32
}
