//! Structures of ancillary data. RFC 6458 §5.3

use super::layout::structure;

structure! {
    /// Parameters of an INIT chunk: `SCTP_INITMSG`, `SCTP_INIT`. RFC 6458 §5.3.1
    ("struct sctp_initmsg", "sinit_", Natural)
    InitMsg {
        /// Number of outgoing streams.
        num_ostreams: u16,
        /// Largest number of incoming streams.
        max_instreams: u16,
        /// Largest number of transmissions of INIT.
        max_attempts: u16,
        /// Largest retransmission timeout of INIT, in milliseconds.
        max_init_timeo: u16,
    }
}

structure! {
    /// Header information of a message: `SCTP_SNDRCV`, `SCTP_DEFAULT_SEND_PARAM`. RFC 6458 §5.3.2
    ("struct sctp_sndrcvinfo", "sinfo_", Natural)
    SndRcvInfo {
        /// Stream.
        stream: u16,
        /// Stream sequence number.
        ssn: u16,
        /// Flags: `SCTP_UNORDERED` and others.
        flags: u16,
        /// Payload protocol identifier, in the application's byte order.
        ppid: u32,
        /// The application's context.
        context: u32,
        /// Lifetime in milliseconds, 0 for none; or the value of another policy of partial reliability.
        timetolive: u32,
        /// TSN of the first chunk.
        tsn: u32,
        /// Cumulative TSN, of unordered messages.
        cumtsn: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// Information for sending: `SCTP_SNDINFO`, `SCTP_DEFAULT_SNDINFO`. RFC 6458 §5.3.4
    ("struct sctp_sndinfo", "snd_", Natural)
    SndInfo {
        /// Stream.
        sid: u16,
        /// Flags: `SCTP_UNORDERED` and others.
        flags: u16,
        /// Payload protocol identifier, in the application's byte order.
        ppid: u32,
        /// The application's context.
        context: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// Information on a received message: `SCTP_RCVINFO`. RFC 6458 §5.3.5
    ("struct sctp_rcvinfo", "rcv_", Natural)
    RcvInfo {
        /// Stream.
        sid: u16,
        /// Stream sequence number.
        ssn: u16,
        /// Flags: `SCTP_UNORDERED`.
        flags: u16,
        /// Payload protocol identifier, in the sender's byte order.
        ppid: u32,
        /// TSN of the first chunk.
        tsn: u32,
        /// Cumulative TSN, of unordered messages.
        cumtsn: u32,
        /// The application's context.
        context: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// Information on the message after the received one: `SCTP_NXTINFO`. RFC 6458 §5.3.6
    ("struct sctp_nxtinfo", "nxt_", Natural)
    NxtInfo {
        /// Stream.
        sid: u16,
        /// Flags.
        flags: u16,
        /// Payload protocol identifier, in the sender's byte order.
        ppid: u32,
        /// Length in bytes.
        length: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// Partial reliability of a message: `SCTP_PRINFO`. RFC 6458 §5.3.7
    ("struct sctp_prinfo", "pr_", Natural)
    PrInfo {
        /// Policy: `SCTP_PR_SCTP_TTL` and others.
        policy: u16,
        /// Value: for `SCTP_PR_SCTP_TTL` the lifetime in milliseconds.
        value: u32,
    }
}
