//! Records from a program to the daemon.

use super::head::{Head, Malformed};
use super::{HEAD, LARGEST_MESSAGE};
use crate::abi::message::InitMsg;
use std::net::SocketAddr;

/// A record of a program. Bytes of the application are borrowed from the record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Request<'a> {
    /// First record of a new socket. The program's own end comes with it; the daemon reads its cookie and closes it.
    Open {
        /// `AF_INET` or `AF_INET6`.
        domain: i32,
        /// `SOCK_STREAM` or `SOCK_SEQPACKET`, without flags.
        kind: i32,
        /// `IPPROTO_SCTP`.
        protocol: i32,
    },
    /// The only record of a control connection. The program's descriptor of the socket comes with it.
    Call(Call<'a>),
    /// A message to send.
    Data(Sent<'a>),
    /// The program called `shutdown`, which takes effect after the data that were sent before.
    Shutdown {
        /// `SHUT_RD`, `SHUT_WR` or `SHUT_RDWR`.
        how: i32,
    },
    /// Fills the socket's buffer, so that the descriptor is not writable while a connection is made.
    ///
    /// A program sends it when a non-blocking `connect` was answered with `EINPROGRESS`. The daemon stops reading a
    /// socket before it gives that answer. It continues when the connection is made or has failed, and ignores the
    /// filler. So the order of the two ends does not matter.
    Filler {
        /// Length of the record in bytes.
        length: usize,
    },
}

/// A system call that the daemon carries out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Call<'a> {
    /// The call.
    pub operation: Operation,
    /// Level of a socket option.
    pub level: i32,
    /// Socket option; the backlog of `listen`.
    pub option: i32,
    /// Whether the descriptor is non-blocking.
    pub non_blocking: bool,
    /// How many bytes the caller takes: the length that `getsockopt` was given.
    pub room: u32,
    /// `sockaddr` of `bind` and `connect`, value of `setsockopt`, the buffer's content of `getsockopt`.
    pub bytes: &'a [u8],
}

/// The calls of [`Call`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u16)]
pub enum Operation {
    /// `bind`.
    Bind = 1,
    /// `listen`.
    Listen,
    /// `connect`. A blocking one is answered when it has ended. The value of the reply is that of [`Self::PeerName`].
    Connect,
    /// Whether `accept` may wait: `EINVAL` if the socket does not listen, `EOPNOTSUPP` if its type has no `accept`.
    Accept,
    /// `getsockname`.
    SocketName,
    /// `getpeername`. The value of the reply is the number of streams to send on, 0 if the association is being shut down
    /// or the socket is a one-to-many one, or [`ASSOCIATION_OVER`].
    PeerName,
    /// `getsockopt`.
    GetOption,
    /// `setsockopt`.
    SetOption,
    /// Whether a one-to-many socket may send a message, whose record follows on the socket. The bytes are the record
    /// without the message, or with the beginning of an abort's reason. `option` is the length of the message. The
    /// value of the reply is one of [`SEND_RECORD`], [`NOTHING_SENT`] and [`ALL_SENT`].
    Send,
    /// `SCTP_SOCKOPT_PEELOFF`. `option` is the association, `room` the peek offset of the descriptor. A descriptor comes
    /// with the reply.
    PeelOff,
}

/// Value of a reply to [`Operation::PeerName`]: the association has ended, while its last records may be on their way.
pub const ASSOCIATION_OVER: i32 = -1;
/// Value of a reply to [`Operation::Send`]: the program sends the record.
pub const SEND_RECORD: i32 = 0;
/// Value of a reply to [`Operation::Send`]: the call returns 0.
pub const NOTHING_SENT: i32 = 1;
/// Value of a reply to [`Operation::Send`]: the call returns the length of the message.
pub const ALL_SENT: i32 = 2;

/// A message to send.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sent<'a> {
    /// The options that the application passed with the message. Without them the socket's defaults apply.
    pub info: Option<SendInfo>,
    /// Partial reliability, if the application passed it with the message.
    pub reliability: Option<PartialReliability>,
    /// Destination, if the application gave one.
    pub destination: Option<SocketAddr>,
    /// Parameters of the association that the message opens, if the application gave some.
    pub init: Option<InitMsg>,
    /// The message.
    pub bytes: &'a [u8],
}

/// Information on a message to send. RFC 6458 §5.3.4
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SendInfo {
    /// Stream.
    pub stream: u16,
    /// Flags: `SCTP_UNORDERED`, `SCTP_ADDR_OVER`, `SCTP_ABORT`, `SCTP_EOF`, `SCTP_SENDALL` and others.
    pub flags: u16,
    /// Payload protocol identifier, its bytes as the application wrote them.
    pub ppid: u32,
    /// The application's context.
    pub context: u32,
    /// Association.
    pub association: i32,
}

/// Partial reliability of a message. RFC 6458 §5.3.7
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PartialReliability {
    /// Policy: `SCTP_PR_SCTP_TTL` and others.
    pub policy: u16,
    /// Value: for `SCTP_PR_SCTP_TTL` the lifetime in milliseconds.
    pub value: u32,
}

impl<'a> Request<'a> {
    /// The head of the record. [`Self::payload`] follows it.
    #[must_use]
    pub fn head(&self) -> [u8; HEAD] {
        match self {
            Self::Open { domain, kind, protocol } => {
                let mut head = Head::new(OPEN, 0);
                head.put_i32(8, *domain);
                head.put_i32(12, *kind);
                head.put_i32(16, *protocol);
                head.0
            }
            Self::Call(call) => call.head(),
            Self::Data(sent) => sent.head(sent.bytes.len()),
            Self::Shutdown { how } => {
                let mut head = Head::new(SHUTDOWN, 0);
                head.put_i32(8, *how);
                head.0
            }
            Self::Filler { length } => Head::new(FILLER, length.saturating_sub(HEAD)).0,
        }
    }

    /// The bytes of the application after the head.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        match self {
            Self::Call(call) => call.bytes,
            Self::Data(sent) => sent.bytes,
            _ => &[],
        }
    }

    /// The whole record.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = [&self.head()[..], self.payload()].concat();
        if let Self::Filler { length } = self {
            bytes.resize(HEAD.max(*length), 0);
        }
        bytes
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If `record` is none of a program's.
    pub fn decode(record: &'a [u8]) -> Result<Self, Malformed> {
        let (head, bytes) = Head::split(record)?;
        match head.kind() {
            OPEN => {
                Ok(Self::Open { domain: head.i32(8), kind: head.i32(12), protocol: head.i32(16) })
            }
            CALL => Call::decode(&head, bytes).map(Self::Call),
            DATA => Sent::decode(&head, bytes).map(Self::Data),
            SHUTDOWN => match head.i32(8) {
                how @ 0..=2 => Ok(Self::Shutdown { how }),
                _ => Err(Malformed::Field("direction")),
            },
            FILLER => Ok(Self::Filler { length: record.len() }),
            kind => Err(Malformed::Kind(kind)),
        }
    }
}

impl<'a> Call<'a> {
    /// A call without option and bytes.
    #[must_use]
    pub fn new(operation: Operation) -> Self {
        Self { operation, level: 0, option: 0, non_blocking: false, room: 0, bytes: &[] }
    }

    fn head(&self) -> [u8; HEAD] {
        let mut head = Head::new(CALL, self.bytes.len());
        head.set_flags(if self.non_blocking { NON_BLOCKING } else { 0 });
        head.put_u16(6, self.operation as u16);
        head.put_i32(8, self.level);
        head.put_i32(12, self.option);
        head.put_u32(16, self.room);
        head.0
    }

    fn decode(head: &Head, bytes: &'a [u8]) -> Result<Self, Malformed> {
        let operation = Operation::from_number(head.u16(6)).ok_or(Malformed::Field("operation"))?;
        Ok(Self {
            operation,
            level: head.i32(8),
            option: head.i32(12),
            non_blocking: head.flags() & NON_BLOCKING != 0,
            room: head.u32(16),
            bytes,
        })
    }
}

impl Operation {
    const ALL: [Self; 10] = [
        Self::Bind,
        Self::Listen,
        Self::Connect,
        Self::Accept,
        Self::SocketName,
        Self::PeerName,
        Self::GetOption,
        Self::SetOption,
        Self::Send,
        Self::PeelOff,
    ];

    fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| *operation as u16 == number)
    }
}

impl<'a> Sent<'a> {
    /// The head in front of a message of `length` bytes, which need not be in [`Self::bytes`].
    #[must_use]
    pub fn head(&self, length: usize) -> [u8; HEAD] {
        let mut head = Head::new(DATA, length);
        let mut flags = 0;
        if let Some(info) = self.info {
            flags |= INFO;
            head.put_u16(8, info.stream);
            head.put_u16(10, info.flags);
            head.put_u32(16, info.ppid);
            head.put_u32(20, info.context);
            head.put_i32(24, info.association);
        }
        if let Some(reliability) = self.reliability {
            flags |= RELIABILITY;
            head.put_u16(12, reliability.policy);
            head.put_u32(28, reliability.value);
        }
        if let Some(init) = self.init {
            flags |= INIT;
            head.put_u16(6, init.num_ostreams);
            head.put_u16(14, init.max_instreams);
            head.put_u16(32, init.max_attempts);
            head.put_u16(34, init.max_init_timeo);
        }
        head.set_flags(flags);
        head.put_address(self.destination);
        head.0
    }

    fn decode(head: &Head, bytes: &'a [u8]) -> Result<Self, Malformed> {
        if bytes.len() > LARGEST_MESSAGE {
            return Err(Malformed::Length);
        }
        let info = SendInfo {
            stream: head.u16(8),
            flags: head.u16(10),
            ppid: head.u32(16),
            context: head.u32(20),
            association: head.i32(24),
        };
        let reliability = PartialReliability { policy: head.u16(12), value: head.u32(28) };
        let init = InitMsg {
            num_ostreams: head.u16(6),
            max_instreams: head.u16(14),
            max_attempts: head.u16(32),
            max_init_timeo: head.u16(34),
        };
        Ok(Self {
            info: (head.flags() & INFO != 0).then_some(info),
            reliability: (head.flags() & RELIABILITY != 0).then_some(reliability),
            destination: head.address()?,
            init: (head.flags() & INIT != 0).then_some(init),
            bytes,
        })
    }
}

/// Kinds.
const OPEN: u8 = 1;
const CALL: u8 = 2;
const DATA: u8 = 3;
const SHUTDOWN: u8 = 4;
const FILLER: u8 = 5;
/// Flag of a call.
const NON_BLOCKING: u8 = 1;
/// Flags of a message.
const INFO: u8 = 1;
const RELIABILITY: u8 = 2;
const INIT: u8 = 4;

#[cfg(test)]
mod tests {
    use super::super::head::noise;
    use super::*;

    fn examples() -> Vec<Request<'static>> {
        let call = |operation| Call {
            operation,
            level: 132,
            option: -7,
            non_blocking: true,
            room: 152,
            bytes: b"value",
        };
        let info =
            SendInfo { stream: 7, flags: 0x201, ppid: 0xdead_beef, context: 9, association: -1 };
        let reliability = PartialReliability { policy: 0x10, value: 1_500 };
        let sent = |info, reliability, to: Option<&str>| {
            let destination = to.map(|to| to.parse().expect("an address"));
            Request::Data(Sent { info, reliability, destination, init: None, bytes: b"a message" })
        };
        let init =
            InitMsg { num_ostreams: 1, max_instreams: 2, max_attempts: 3, max_init_timeo: 4 };
        let opens = Sent { init: Some(init), bytes: b"a message", ..Sent::default() };
        let mut all = vec![
            Request::Open { domain: 10, kind: 5, protocol: 132 },
            sent(None, None, None),
            sent(Some(info), None, Some("192.0.2.1:5001")),
            sent(None, Some(reliability), Some("[2001:db8::1%2]:5001")),
            Request::Data(opens),
            Request::Shutdown { how: 1 },
            Request::Filler { length: 60_000 },
        ];
        all.extend(Operation::ALL.map(|operation| Request::Call(call(operation))));
        all
    }

    #[test]
    fn a_decoded_record_is_the_encoded_one() {
        for request in examples() {
            let bytes = request.encode();
            assert_eq!(Request::decode(&bytes), Ok(request));
            assert_eq!(bytes[..4], (bytes.len() as u32).to_le_bytes());
        }
    }

    #[test]
    fn a_cut_or_extended_record_is_malformed() {
        for request in examples() {
            let mut bytes = request.encode();
            for length in [0, 1, 4, HEAD - 1, bytes.len() - 1] {
                assert_eq!(Request::decode(&bytes[..length]), Err(Malformed::Length));
            }
            bytes.push(0);
            assert_eq!(Request::decode(&bytes), Err(Malformed::Length));
        }
    }

    #[test]
    fn any_head_is_decoded_or_refused_and_a_decoded_one_has_one_meaning() {
        let mut decoded = 0;
        for seed in 0..20_000 {
            let mut bytes = noise(seed, HEAD + seed as usize % 40);
            let length = bytes.len() as u32;
            bytes[..4].copy_from_slice(&length.to_le_bytes());
            bytes[4] %= 8;
            (bytes[6], bytes[7]) = (bytes[6] % 14, 0);
            (bytes[36], bytes[37]) = (bytes[36] % 8, 0);
            if let Ok(request) = Request::decode(&bytes) {
                decoded += 1;
                assert_eq!(Request::decode(&request.encode()), Ok(request));
            }
        }
        assert!(decoded > 5_000, "{decoded}");
    }

    #[test]
    fn fields_without_meaning_are_named() {
        let head = |kind, at: usize, value| {
            let mut head = Head::new(kind, 0);
            head.put_u16(at, value);
            head.0
        };
        assert_eq!(Request::decode(&head(9, 6, 0)), Err(Malformed::Kind(9)));
        assert_eq!(Request::decode(&head(CALL, 6, 11)), Err(Malformed::Field("operation")));
        assert_eq!(Request::decode(&head(CALL, 6, 0)), Err(Malformed::Field("operation")));
        assert_eq!(Request::decode(&head(SHUTDOWN, 8, 3)), Err(Malformed::Field("direction")));
        assert_eq!(Request::decode(&head(DATA, 36, 5)), Err(Malformed::Field("family")));
    }

    #[test]
    fn a_message_beyond_the_largest_is_malformed() {
        let sent = |bytes| Request::Data(Sent { bytes, ..Sent::default() }).encode();
        let large = vec![0; LARGEST_MESSAGE + 1];
        assert!(Request::decode(&sent(&large[1..])).is_ok());
        assert_eq!(Request::decode(&sent(&large)), Err(Malformed::Length));
    }
}
