//! Records from the daemon to a program.

use super::HEAD;
use super::head::{Head, Malformed};
use std::net::SocketAddr;

/// A record of the daemon. Bytes for the application are borrowed from the record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer<'a> {
    /// Answer to [`super::Request::Open`].
    Opened {
        /// 0, or why the socket does not exist.
        errno: i32,
    },
    /// Answer to [`super::Request::Call`]. A new descriptor may come with it, for `SCTP_SOCKOPT_PEELOFF`.
    Reply {
        /// 0, or why the call failed.
        errno: i32,
        /// What the call returns if it succeeds; a [`Refused::Value`].
        value: i32,
        /// The option or value that the daemon does not support, which the program reports once on standard error.
        refused: Refused,
        /// `sockaddr` or value of an option.
        bytes: &'a [u8],
    },
    /// A new association of a listening socket. The descriptor of its socket comes with it.
    Accept {
        /// Address of the peer.
        peer: SocketAddr,
        /// How many streams the program may send on.
        streams: u16,
    },
    /// A message, a part of it, or a notification.
    Data(Received<'a>),
    /// The next `recvmsg` fails.
    Error {
        /// Why, such as `ECONNRESET`.
        errno: i32,
    },
}

/// The option or value that the daemon does not support.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Refused {
    /// Nothing.
    #[default]
    Nothing,
    /// The socket option.
    Option,
    /// This value of the socket option.
    Value,
}

/// A received message, a part of it, or a notification.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Received<'a> {
    /// Whether the message ends with these bytes: `MSG_EOR`.
    pub end_of_record: bool,
    /// Whether the bytes are a notification: `MSG_NOTIFICATION`.
    pub notification: bool,
    /// The ancillary data that the application requested: [`ANCILLARY_SNDRCV`] and others.
    pub ancillary: u16,
    /// Stream.
    pub stream: u16,
    /// Stream sequence number.
    pub ssn: u16,
    /// Flags: `SCTP_UNORDERED`.
    pub flags: u16,
    /// Payload protocol identifier, its bytes as the sender wrote them.
    pub ppid: u32,
    /// TSN of the first chunk.
    pub tsn: u32,
    /// Cumulative TSN, of unordered messages.
    pub cumtsn: u32,
    /// The application's context.
    pub context: u32,
    /// Association.
    pub association: i32,
    /// Address of the sender.
    pub source: Option<SocketAddr>,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// The application requested `SCTP_SNDRCV`: it subscribed to `SCTP_DATA_IO_EVENT`.
pub const ANCILLARY_SNDRCV: u16 = 1;
/// The application requested `SCTP_RCVINFO`: option `SCTP_RECVRCVINFO`.
pub const ANCILLARY_RCVINFO: u16 = 2;
/// The application requested `SCTP_NXTINFO`: option `SCTP_RECVNXTINFO`. No record has that information.
pub const ANCILLARY_NXTINFO: u16 = 4;

impl<'a> Answer<'a> {
    /// The head of the record. [`Self::payload`] follows it.
    #[must_use]
    pub fn head(&self) -> [u8; HEAD] {
        match self {
            Self::Opened { errno } => with_errno(OPENED, *errno, 0).0,
            Self::Reply { errno, value, refused, bytes } => {
                let mut head = with_errno(REPLY, *errno, bytes.len());
                head.set_flags(match refused {
                    Refused::Nothing => 0,
                    Refused::Option => REFUSED_OPTION,
                    Refused::Value => REFUSED_VALUE,
                });
                head.put_i32(12, *value);
                head.0
            }
            Self::Accept { peer, streams } => {
                let mut head = Head::new(ACCEPT, 0);
                head.put_u16(8, *streams);
                head.put_address(Some(*peer));
                head.0
            }
            Self::Data(received) => received.head(),
            Self::Error { errno } => with_errno(ERROR, *errno, 0).0,
        }
    }

    /// The bytes after the head.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        match self {
            Self::Reply { bytes, .. } => bytes,
            Self::Data(received) => received.bytes,
            _ => &[],
        }
    }

    /// The whole record.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [&self.head()[..], self.payload()].concat()
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If `record` is not a record of the daemon.
    pub fn decode(record: &'a [u8]) -> Result<Self, Malformed> {
        let (head, bytes) = Head::split(record)?;
        Self::from_head(&head, bytes)
    }

    /// Reads the head of a record without its bytes: the answer has none. The number is the length of the whole record.
    ///
    /// # Errors
    /// If `head` is not the head of a record of the daemon.
    pub fn decode_head(head: &[u8; HEAD]) -> Result<(Self, usize), Malformed> {
        let head = Head(*head);
        if head.length() < HEAD {
            return Err(Malformed::Length);
        }
        Ok((Self::from_head(&head, &[])?, head.length()))
    }

    fn from_head(head: &Head, bytes: &'a [u8]) -> Result<Self, Malformed> {
        match head.kind() {
            OPENED => Ok(Self::Opened { errno: head.i32(8) }),
            REPLY => Ok(Self::Reply {
                errno: head.i32(8),
                value: head.i32(12),
                refused: match head.flags() {
                    REFUSED_OPTION => Refused::Option,
                    REFUSED_VALUE => Refused::Value,
                    _ => Refused::Nothing,
                },
                bytes,
            }),
            ACCEPT => {
                let peer = head.address()?.ok_or(Malformed::Field("address"))?;
                Ok(Self::Accept { peer, streams: head.u16(8) })
            }
            DATA => Received::decode(head, bytes).map(Self::Data),
            ERROR => Ok(Self::Error { errno: head.i32(8) }),
            kind => Err(Malformed::Kind(kind)),
        }
    }
}

impl<'a> Received<'a> {
    fn head(&self) -> [u8; HEAD] {
        let mut head = Head::new(DATA, self.bytes.len());
        let end = if self.end_of_record { END } else { 0 };
        head.set_flags(end | if self.notification { NOTIFICATION } else { 0 });
        head.put_u16(6, self.ancillary);
        head.put_u16(8, self.stream);
        head.put_u16(10, self.ssn);
        head.put_u16(12, self.flags);
        head.put_u32(16, self.ppid);
        head.put_u32(20, self.tsn);
        head.put_u32(24, self.cumtsn);
        head.put_u32(28, self.context);
        head.put_i32(32, self.association);
        head.put_address(self.source);
        head.0
    }

    fn decode(head: &Head, bytes: &'a [u8]) -> Result<Self, Malformed> {
        Ok(Self {
            end_of_record: head.flags() & END != 0,
            notification: head.flags() & NOTIFICATION != 0,
            ancillary: head.u16(6),
            stream: head.u16(8),
            ssn: head.u16(10),
            flags: head.u16(12),
            ppid: head.u32(16),
            tsn: head.u32(20),
            cumtsn: head.u32(24),
            context: head.u32(28),
            association: head.i32(32),
            source: head.address()?,
            bytes,
        })
    }
}

fn with_errno(kind: u8, errno: i32, payload: usize) -> Head {
    let mut head = Head::new(kind, payload);
    head.put_i32(8, errno);
    head
}

/// Kinds.
const OPENED: u8 = 65;
const REPLY: u8 = 66;
const ACCEPT: u8 = 67;
const DATA: u8 = 68;
const ERROR: u8 = 69;
/// Flags of a reply.
const REFUSED_OPTION: u8 = 1;
const REFUSED_VALUE: u8 = 2;
/// Flags of data.
const END: u8 = 1;
const NOTIFICATION: u8 = 2;

#[cfg(test)]
mod tests {
    use super::super::head::noise;
    use super::*;

    fn examples() -> Vec<Answer<'static>> {
        let received = Received {
            end_of_record: true,
            ancillary: ANCILLARY_SNDRCV | ANCILLARY_RCVINFO,
            stream: 1,
            ssn: 2,
            flags: 3,
            ppid: 4,
            tsn: 5,
            cumtsn: 6,
            context: 7,
            association: -8,
            source: Some("192.0.2.1:5001".parse().expect("an address")),
            bytes: b"a message",
            ..Received::default()
        };
        vec![
            Answer::Opened { errno: 0 },
            Answer::Reply { errno: 92, value: -1, refused: Refused::Option, bytes: b"value" },
            Answer::Reply { errno: 95, value: 7, refused: Refused::Value, bytes: b"" },
            Answer::Accept {
                peer: "[2001:db8::1%2]:5001".parse().expect("an address"),
                streams: 9,
            },
            Answer::Data(received.clone()),
            Answer::Data(Received { notification: true, source: None, ..received }),
            Answer::Error { errno: 104 },
        ]
    }

    #[test]
    fn a_decoded_record_is_the_encoded_one() {
        for answer in examples() {
            let bytes = answer.encode();
            assert_eq!(Answer::decode(&bytes), Ok(answer.clone()));
            let (head, length) =
                Answer::decode_head(bytes.first_chunk().expect("a head")).expect("a head");
            assert_eq!(length, bytes.len());
            assert_eq!(head.head()[4..], answer.head()[4..]);
        }
    }

    #[test]
    fn a_cut_or_extended_record_is_malformed() {
        for answer in examples() {
            let mut bytes = answer.encode();
            for length in [0, 1, 4, HEAD - 1, bytes.len() - 1] {
                assert_eq!(Answer::decode(&bytes[..length]), Err(Malformed::Length));
            }
            bytes.push(0);
            assert_eq!(Answer::decode(&bytes), Err(Malformed::Length));
        }
    }

    #[test]
    fn any_head_is_decoded_or_refused_and_a_decoded_one_has_one_meaning() {
        let mut decoded = 0;
        for seed in 0..20_000 {
            let mut bytes = noise(seed, HEAD + seed as usize % 40);
            let length = bytes.len() as u32;
            bytes[..4].copy_from_slice(&length.to_le_bytes());
            bytes[4] = 64 + bytes[4] % 8;
            (bytes[36], bytes[37]) = (bytes[36] % 8, 0);
            if let Ok(answer) = Answer::decode(&bytes) {
                decoded += 1;
                assert_eq!(Answer::decode(&answer.encode()), Ok(answer));
            }
            let _ = Answer::decode_head(bytes.first_chunk().expect("a head"));
        }
        assert!(decoded > 5_000, "{decoded}");
    }

    #[test]
    fn records_of_programs_are_none_of_the_daemon() {
        let record = super::super::Request::Shutdown { how: 0 }.encode();
        assert_eq!(Answer::decode(&record), Err(Malformed::Kind(4)));
        assert_eq!(
            Answer::decode(&Head::new(ACCEPT, 0).0),
            Err(Malformed::Field("address")),
            "a peer has an address"
        );
    }
}
