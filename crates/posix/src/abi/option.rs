//! Structures of socket options. RFC 6458 §8

use super::Address;
use super::layout::structure;

structure! {
    /// Retransmission timeouts: `SCTP_RTOINFO`. RFC 6458 §8.1.1
    ("struct sctp_rtoinfo", "srto_", Natural)
    RtoInfo {
        /// Association.
        assoc_id: i32,
        /// Initial timeout in milliseconds; 0 does not change it.
        initial: u32,
        /// Largest timeout in milliseconds; 0 does not change it.
        max: u32,
        /// Smallest timeout in milliseconds; 0 does not change it.
        min: u32,
    }
}

structure! {
    /// Parameters of an association: `SCTP_ASSOCINFO`. RFC 6458 §8.1.2
    ("struct sctp_assocparams", "sasoc_", Natural)
    AssocParams {
        /// Association.
        assoc_id: i32,
        /// Largest number of consecutive retransmissions.
        asocmaxrxt: u16,
        /// Number of addresses of the peer.
        number_peer_destinations: u16,
        /// The peer's receiver window less outstanding data, in bytes.
        peer_rwnd: u32,
        /// The last receiver window that was sent, in bytes.
        local_rwnd: u32,
        /// Lifetime of a cookie in milliseconds.
        cookie_life: u32,
    }
}

structure! {
    /// Primary path: `SCTP_PRIMARY_ADDR`. RFC 6458 §8.1.9
    ("struct sctp_prim", "ssp_", Packed)
    SetPrim {
        /// Association.
        assoc_id: i32,
        /// Address of the peer.
        addr: Address,
    }
}

structure! {
    /// Parameters of a path: `SCTP_PEER_ADDR_PARAMS`. RFC 6458 §8.1.12
    ("struct sctp_paddrparams", "spp_", Packed)
    PaddrParams {
        /// Association.
        assoc_id: i32,
        /// Address of the peer, or none for all.
        address: Address,
        /// Interval of heartbeats in milliseconds.
        hbinterval: u32,
        /// Largest number of retransmissions before the path is inactive.
        pathmaxrxt: u16,
        /// Path MTU in bytes.
        pathmtu: u32,
        /// Delay of SACKs in milliseconds.
        sackdelay: u32,
        /// Flags: `SPP_HB_ENABLE` and others.
        flags: u32,
        /// IPv6 flow label.
        ipv6_flowlabel: u32,
        /// Differentiated services code point.
        dscp: u8,
    }
}

structure! {
    /// State of a path: `SCTP_GET_PEER_ADDR_INFO`. RFC 6458 §8.2.2
    ("struct sctp_paddrinfo", "spinfo_", Packed)
    PaddrInfo {
        /// Association.
        assoc_id: i32,
        /// Address of the peer.
        address: Address,
        /// State: `SCTP_ACTIVE` and others.
        state: i32,
        /// Congestion window in bytes.
        cwnd: u32,
        /// Smoothed round-trip time in milliseconds.
        srtt: u32,
        /// Retransmission timeout in milliseconds.
        rto: u32,
        /// Path MTU in bytes.
        mtu: u32,
    }
}

structure! {
    /// State of an association: `SCTP_STATUS`. RFC 6458 §8.2.1
    ("struct sctp_status", "sstat_", Natural)
    Status {
        /// Association.
        assoc_id: i32,
        /// State: `SCTP_ESTABLISHED` and others.
        state: i32,
        /// The peer's receiver window in bytes.
        rwnd: u32,
        /// Number of outstanding chunks.
        unackdata: u16,
        /// Number of chunks that have not arrived although a later one has.
        penddata: u16,
        /// Number of incoming streams.
        instrms: u16,
        /// Number of outgoing streams.
        outstrms: u16,
        /// Length in bytes at which messages are fragmented.
        fragmentation_point: u32,
        /// Primary path.
        primary: PaddrInfo,
    }
}

structure! {
    /// Delayed SACKs: `SCTP_DELAYED_SACK`. RFC 6458 §8.1.19
    ("struct sctp_sack_info", "sack_", Natural)
    SackInfo {
        /// Association.
        assoc_id: i32,
        /// Delay in milliseconds; 0 does not change it.
        delay: u32,
        /// Number of packets that are acknowledged without delay; 0 does not change it.
        freq: u32,
    }
}

structure! {
    /// A number for an association: `SCTP_MAXSEG`, `SCTP_CONTEXT`, `SCTP_MAX_BURST` and others. RFC 6458 §8
    ("struct sctp_assoc_value", "assoc_", Natural)
    AssocValue {
        /// Association.
        id: i32,
        /// Value.
        value: u32,
    }
}

structure! {
    /// A number for a stream: `SCTP_STREAM_SCHEDULER_VALUE`. RFC 8260 §4.3.3
    ("struct sctp_stream_value", "", Natural)
    StreamValue {
        /// Association.
        assoc_id: i32,
        /// Stream.
        stream_id: u16,
        /// Value.
        stream_value: u16,
    }
}

structure! {
    /// Subscription of one notification: `SCTP_EVENT`. RFC 6458 §6.2.2
    ("struct sctp_event", "se_", Natural)
    Event {
        /// Association.
        assoc_id: i32,
        /// Type of the notification.
        type_: u16,
        /// Whether the application receives it.
        on: u8,
    }
}

structure! {
    /// Subscription of all notifications: `SCTP_EVENTS`. RFC 6458 §6.2.1
    ("struct sctp_event_subscribe", "sctp_", Natural)
    EventSubscribe {
        /// Ancillary data of messages, `SCTP_SNDRCV`.
        data_io_event: u8,
        /// `SCTP_ASSOC_CHANGE`.
        association_event: u8,
        /// `SCTP_PEER_ADDR_CHANGE`.
        address_event: u8,
        /// `SCTP_SEND_FAILED`.
        send_failure_event: u8,
        /// `SCTP_REMOTE_ERROR`.
        peer_error_event: u8,
        /// `SCTP_SHUTDOWN_EVENT`.
        shutdown_event: u8,
        /// `SCTP_PARTIAL_DELIVERY_EVENT`.
        partial_delivery_event: u8,
        /// `SCTP_ADAPTATION_INDICATION`.
        adaptation_layer_event: u8,
        /// `SCTP_AUTHENTICATION_EVENT`.
        authentication_event: u8,
        /// `SCTP_SENDER_DRY_EVENT`.
        sender_dry_event: u8,
        /// `SCTP_STREAM_RESET_EVENT`.
        stream_reset_event: u8,
        /// `SCTP_ASSOC_RESET_EVENT`.
        assoc_reset_event: u8,
        /// `SCTP_STREAM_CHANGE_EVENT`.
        stream_change_event: u8,
        /// `SCTP_SEND_FAILED_EVENT`.
        send_failure_event_event: u8,
    }
}

structure! {
    /// UDP port of a peer: `SCTP_REMOTE_UDP_ENCAPS_PORT`. RFC 6951 §6.1
    ("struct sctp_udpencaps", "sue_", Natural)
    UdpEncaps {
        /// Association.
        assoc_id: i32,
        /// Address of the peer, or none for all.
        address: Address,
        /// UDP port in network byte order.
        port: u16,
    }
}

structure! {
    /// Thresholds of failures of a path: `SCTP_PEER_ADDR_THLDS`. RFC 7829 §7.2
    ("struct sctp_paddrthlds", "spt_", Natural)
    PaddrThresholds {
        /// Association.
        assoc_id: i32,
        /// Address of the peer, or none for all.
        address: Address,
        /// Retransmissions before the path is inactive.
        pathmaxrxt: u16,
        /// Retransmissions before the path is potentially failed.
        pathpfthld: u16,
    }
}

structure! {
    /// Head of the answer to `SCTP_GET_PEER_ADDRS` and `SCTP_GET_LOCAL_ADDRS`; the addresses follow.
    ("struct sctp_getaddrs", "", Natural)
    GetAddrs {
        /// Association.
        assoc_id: i32,
        /// Number of addresses.
        addr_num: u32,
    }
}

structure! {
    /// Argument of `SCTP_SOCKOPT_PEELOFF`.
    ("sctp_peeloff_arg_t", "", Natural)
    PeeloffArg {
        /// Association.
        associd: i32,
        /// The descriptor of the answer.
        sd: i32,
    }
}

structure! {
    /// Default of partial reliability: `SCTP_DEFAULT_PRINFO`. RFC 6458 §8.1.32
    ("struct sctp_default_prinfo", "pr_", Natural)
    DefaultPrInfo {
        /// Association.
        assoc_id: i32,
        /// Value: for `SCTP_PR_SCTP_TTL` the lifetime in milliseconds.
        value: u32,
        /// Policy.
        policy: u16,
    }
}

structure! {
    /// Counters of an association: `SCTP_GET_ASSOC_STATS`.
    ("struct sctp_assoc_stats", "sas_", Natural)
    AssocStats {
        /// Association.
        assoc_id: i32,
        /// Address of the path with the largest retransmission timeout.
        obs_rto_ipaddr: Address,
        /// Largest retransmission timeout in milliseconds.
        maxrto: u64,
        /// Received SACKs.
        isacks: u64,
        /// Sent SACKs.
        osacks: u64,
        /// Sent packets.
        opackets: u64,
        /// Received packets.
        ipackets: u64,
        /// Retransmitted chunks.
        rtxchunks: u64,
        /// Chunks that were received out of order.
        outofseqtsns: u64,
        /// Chunks that were received twice.
        idupchunks: u64,
        /// Received gap blocks.
        gapcnt: u64,
        /// Sent unordered DATA chunks.
        ouodchunks: u64,
        /// Received unordered DATA chunks.
        iuodchunks: u64,
        /// Sent ordered DATA chunks.
        oodchunks: u64,
        /// Received ordered DATA chunks.
        iodchunks: u64,
        /// Sent control chunks.
        octrlchunks: u64,
        /// Received control chunks.
        ictrlchunks: u64,
    }
}
