//! The options of Multipath TCP as types. RFC 8684 §3

/// One option of Multipath TCP.
///
/// The engine does not hash: a key is a random number, and the token of a connection is a part of its key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MultipathOption {
    /// With SYN: the sender supports Multipath TCP; its key of the new connection. RFC 8684 §3.1
    ///
    /// Each SYN contains the key of its sender, as in RFC 6824 §3.1, so the first data segment need not repeat the
    /// keys.
    Capable {
        /// Key of the sender.
        key: u64,
    },
    /// With SYN: a further subflow of an established connection. RFC 8684 §3.2
    Join {
        /// Identifies the connection at the receiver.
        token: u32,
    },
    /// With every other segment: the data sequence signal.
    Dss(Dss),
    /// With RST: the whole connection ends, not just the subflow. RFC 8684 §3.5
    FastClose,
}

/// Data sequence signal: the mapping of the payload into the stream of the connection, and the acknowledgement of the
/// peer's stream. Data sequence numbers start at 0. RFC 8684 §3.3
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Dss {
    /// The data sequence number that the sender expects next: DATA_ACK.
    pub data_ack: u64,
    /// Data sequence number of the first byte of payload; without payload, that of the next byte.
    pub data: u64,
    /// The stream ends after the payload: DATA_FIN, which uses one data sequence number.
    pub is_last: bool,
}

impl MultipathOption {
    /// Bytes on the wire. The bytes of a data sequence signal are part of the configured option bytes.
    #[inline]
    #[must_use]
    pub const fn length(&self) -> usize {
        match self {
            Self::Capable { .. } | Self::Join { .. } | Self::FastClose => 12,
            Self::Dss(_) => 0,
        }
    }
}

/// The token of the connection with this key. RFC 8684 §3.2 hashes the key instead.
pub(crate) fn token(key: u64) -> u32 {
    (key >> 32) as u32
}
