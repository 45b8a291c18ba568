//! Structures of notifications. RFC 6458 §6.1
//!
//! The length in each structure counts what follows it too.

use super::Address;
use super::layout::structure;
use super::message::{SndInfo, SndRcvInfo};

structure! {
    /// `SCTP_ASSOC_CHANGE`; information follows. RFC 6458 §6.1.1
    ("struct sctp_assoc_change", "sac_", Natural)
    AssocChange {
        /// `SCTP_ASSOC_CHANGE`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// State: `SCTP_COMM_UP` and others.
        state: u16,
        /// Cause of an error.
        error: u16,
        /// Number of outgoing streams.
        outbound_streams: u16,
        /// Number of incoming streams.
        inbound_streams: u16,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_PEER_ADDR_CHANGE`. RFC 6458 §6.1.2
    ("struct sctp_paddr_change", "spc_", Packed)
    PaddrChange {
        /// `SCTP_PEER_ADDR_CHANGE`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Address of the peer.
        aaddr: Address,
        /// State: `SCTP_ADDR_AVAILABLE` and others.
        state: i32,
        /// Cause.
        error: i32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_REMOTE_ERROR`; the cause follows. RFC 6458 §6.1.3
    ("struct sctp_remote_error", "sre_", Natural)
    RemoteError {
        /// `SCTP_REMOTE_ERROR`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Cause in network byte order.
        error: u16,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_SEND_FAILED`; the message follows.
    ("struct sctp_send_failed", "ssf_", Natural)
    SendFailed {
        /// `SCTP_SEND_FAILED`.
        type_: u16,
        /// `SCTP_DATA_UNSENT` or `SCTP_DATA_SENT`.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Cause.
        error: u32,
        /// Information of the message.
        info: SndRcvInfo,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_SEND_FAILED_EVENT`; the message follows. RFC 6458 §6.1.11
    ("struct sctp_send_failed_event", "ssf_", Natural)
    SendFailedEvent {
        /// `SCTP_SEND_FAILED_EVENT`.
        type_: u16,
        /// `SCTP_DATA_UNSENT` or `SCTP_DATA_SENT`.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Cause.
        error: u32,
        /// Information of the message.
        info: SndInfo,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_SHUTDOWN_EVENT`. RFC 6458 §6.1.5
    ("struct sctp_shutdown_event", "sse_", Natural)
    ShutdownEvent {
        /// `SCTP_SHUTDOWN_EVENT`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_ADAPTATION_INDICATION`. RFC 6458 §6.1.6
    ("struct sctp_adaptation_event", "sai_", Natural)
    AdaptationEvent {
        /// `SCTP_ADAPTATION_INDICATION`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Indication of the peer.
        adaptation_ind: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_PARTIAL_DELIVERY_EVENT`. RFC 6458 §6.1.7
    ("struct sctp_pdapi_event", "pdapi_", Natural)
    PdapiEvent {
        /// `SCTP_PARTIAL_DELIVERY_EVENT`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// `SCTP_PARTIAL_DELIVERY_ABORTED`.
        indication: u32,
        /// Association.
        assoc_id: i32,
        /// Stream.
        stream: u32,
        /// Stream sequence number.
        seq: u32,
    }
}

structure! {
    /// `SCTP_SENDER_DRY_EVENT`. RFC 6458 §6.1.9
    ("struct sctp_sender_dry_event", "sender_dry_", Natural)
    SenderDryEvent {
        /// `SCTP_SENDER_DRY_EVENT`.
        type_: u16,
        /// 0.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Association.
        assoc_id: i32,
    }
}

structure! {
    /// `SCTP_STREAM_RESET_EVENT`; the streams follow.
    ("struct sctp_stream_reset_event", "strreset_", Natural)
    StreamResetEvent {
        /// `SCTP_STREAM_RESET_EVENT`.
        type_: u16,
        /// Direction and result.
        flags: u16,
        /// Length in bytes.
        length: u32,
        /// Association.
        assoc_id: i32,
    }
}
