//! Constants of `<linux/sctp.h>` and the sockets around it. The names are those of C.

/// `IPPROTO_SCTP`, and the level of SCTP's options and ancillary data.
pub const IPPROTO_SCTP: i32 = 132;

/// Identifier of associations in an option: those that the socket opens or accepts later.
pub const SCTP_FUTURE_ASSOC: i32 = 0;
/// Identifier of associations in an option: all present ones of the socket.
pub const SCTP_CURRENT_ASSOC: i32 = 1;
/// Identifier of associations in an option: all present and later ones.
pub const SCTP_ALL_ASSOC: i32 = 2;

macro_rules! options {
    ($($name:ident = $number:literal,)*) => {
        $(
            #[doc = concat!("Socket option `", stringify!($name), "`.")]
            pub const $name: i32 = $number;
        )*

        /// The name of a socket option at level `IPPROTO_SCTP`.
        #[must_use]
        pub const fn option_name(option: i32) -> Option<&'static str> {
            match option {
                $($number => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

options! {
    SCTP_RTOINFO = 0,
    SCTP_ASSOCINFO = 1,
    SCTP_INITMSG = 2,
    SCTP_NODELAY = 3,
    SCTP_AUTOCLOSE = 4,
    SCTP_SET_PEER_PRIMARY_ADDR = 5,
    SCTP_PRIMARY_ADDR = 6,
    SCTP_ADAPTATION_LAYER = 7,
    SCTP_DISABLE_FRAGMENTS = 8,
    SCTP_PEER_ADDR_PARAMS = 9,
    SCTP_DEFAULT_SEND_PARAM = 10,
    SCTP_EVENTS = 11,
    SCTP_I_WANT_MAPPED_V4_ADDR = 12,
    SCTP_MAXSEG = 13,
    SCTP_STATUS = 14,
    SCTP_GET_PEER_ADDR_INFO = 15,
    SCTP_DELAYED_SACK = 16,
    SCTP_CONTEXT = 17,
    SCTP_FRAGMENT_INTERLEAVE = 18,
    SCTP_PARTIAL_DELIVERY_POINT = 19,
    SCTP_MAX_BURST = 20,
    SCTP_AUTH_CHUNK = 21,
    SCTP_HMAC_IDENT = 22,
    SCTP_AUTH_KEY = 23,
    SCTP_AUTH_ACTIVE_KEY = 24,
    SCTP_AUTH_DELETE_KEY = 25,
    SCTP_PEER_AUTH_CHUNKS = 26,
    SCTP_LOCAL_AUTH_CHUNKS = 27,
    SCTP_GET_ASSOC_NUMBER = 28,
    SCTP_GET_ASSOC_ID_LIST = 29,
    SCTP_AUTO_ASCONF = 30,
    SCTP_PEER_ADDR_THLDS = 31,
    SCTP_RECVRCVINFO = 32,
    SCTP_RECVNXTINFO = 33,
    SCTP_DEFAULT_SNDINFO = 34,
    SCTP_AUTH_DEACTIVATE_KEY = 35,
    SCTP_REUSE_PORT = 36,
    SCTP_PEER_ADDR_THLDS_V2 = 37,
    SCTP_SOCKOPT_BINDX_ADD = 100,
    SCTP_SOCKOPT_BINDX_REM = 101,
    SCTP_SOCKOPT_PEELOFF = 102,
    SCTP_SOCKOPT_CONNECTX_OLD = 107,
    SCTP_GET_PEER_ADDRS = 108,
    SCTP_GET_LOCAL_ADDRS = 109,
    SCTP_SOCKOPT_CONNECTX = 110,
    SCTP_SOCKOPT_CONNECTX3 = 111,
    SCTP_GET_ASSOC_STATS = 112,
    SCTP_PR_SUPPORTED = 113,
    SCTP_DEFAULT_PRINFO = 114,
    SCTP_PR_ASSOC_STATUS = 115,
    SCTP_PR_STREAM_STATUS = 116,
    SCTP_RECONFIG_SUPPORTED = 117,
    SCTP_ENABLE_STREAM_RESET = 118,
    SCTP_RESET_STREAMS = 119,
    SCTP_RESET_ASSOC = 120,
    SCTP_ADD_STREAMS = 121,
    SCTP_SOCKOPT_PEELOFF_FLAGS = 122,
    SCTP_STREAM_SCHEDULER = 123,
    SCTP_STREAM_SCHEDULER_VALUE = 124,
    SCTP_INTERLEAVING_SUPPORTED = 125,
    SCTP_SENDMSG_CONNECT = 126,
    SCTP_EVENT = 127,
    SCTP_ASCONF_SUPPORTED = 128,
    SCTP_AUTH_SUPPORTED = 129,
    SCTP_ECN_SUPPORTED = 130,
    SCTP_EXPOSE_POTENTIALLY_FAILED_STATE = 131,
    SCTP_REMOTE_UDP_ENCAPS_PORT = 132,
    SCTP_PLPMTUD_PROBE_INTERVAL = 133,
}

/// Ancillary data: [`super::message::InitMsg`].
pub const SCTP_INIT: i32 = 0;
/// Ancillary data: [`super::message::SndRcvInfo`].
pub const SCTP_SNDRCV: i32 = 1;
/// Ancillary data: [`super::message::SndInfo`].
pub const SCTP_SNDINFO: i32 = 2;
/// Ancillary data: [`super::message::RcvInfo`].
pub const SCTP_RCVINFO: i32 = 3;
/// Ancillary data: [`super::message::NxtInfo`].
pub const SCTP_NXTINFO: i32 = 4;
/// Ancillary data: [`super::message::PrInfo`].
pub const SCTP_PRINFO: i32 = 5;
/// Ancillary data: the number of the authentication key.
pub const SCTP_AUTHINFO: i32 = 6;
/// Ancillary data: the IPv4 address of the destination.
pub const SCTP_DSTADDRV4: i32 = 7;
/// Ancillary data: the IPv6 address of the destination.
pub const SCTP_DSTADDRV6: i32 = 8;

/// Flag of a message: deliver it without ordering.
pub const SCTP_UNORDERED: u16 = 1;
/// Flag of a message: send it to the address of the call instead of the primary path.
pub const SCTP_ADDR_OVER: u16 = 2;
/// Flag of a message: abort the association. The message becomes the error cause of the ABORT.
pub const SCTP_ABORT: u16 = 4;
/// Flag of a message: the receiver acknowledges it without delay.
pub const SCTP_SACK_IMMEDIATELY: u16 = 8;
/// Flag of a message: send it on all associations of the socket.
pub const SCTP_SENDALL: u16 = 0x40;
/// Flag of a message: shut the association down after it was sent.
pub const SCTP_EOF: u16 = 0x200;
/// The bits of `flags` that select the policy of partial reliability.
pub const SCTP_PR_SCTP_MASK: u16 = 0x30;
/// Policy of partial reliability: none.
pub const SCTP_PR_SCTP_NONE: u16 = 0;
/// Policy of partial reliability: a lifetime.
pub const SCTP_PR_SCTP_TTL: u16 = 0x10;
/// Policy of partial reliability: a number of retransmissions.
pub const SCTP_PR_SCTP_RTX: u16 = 0x20;
/// Policy of partial reliability: a priority.
pub const SCTP_PR_SCTP_PRIO: u16 = 0x30;
/// Flag of `recvmsg`: the returned data are a notification, not a message.
pub const MSG_NOTIFICATION: i32 = 0x8000;

/// Not a notification: a subscription to it makes `recvmsg` return [`SCTP_SNDRCV`] with each message.
pub const SCTP_DATA_IO_EVENT: u16 = 0x8000;
/// Notification: [`super::notification::AssocChange`].
pub const SCTP_ASSOC_CHANGE: u16 = 0x8001;
/// Notification: [`super::notification::PaddrChange`].
pub const SCTP_PEER_ADDR_CHANGE: u16 = 0x8002;
/// Notification: [`super::notification::SendFailed`].
pub const SCTP_SEND_FAILED: u16 = 0x8003;
/// Notification: [`super::notification::RemoteError`].
pub const SCTP_REMOTE_ERROR: u16 = 0x8004;
/// Notification: [`super::notification::ShutdownEvent`].
pub const SCTP_SHUTDOWN_EVENT: u16 = 0x8005;
/// Notification: [`super::notification::PdapiEvent`].
pub const SCTP_PARTIAL_DELIVERY_EVENT: u16 = 0x8006;
/// Notification: [`super::notification::AdaptationEvent`].
pub const SCTP_ADAPTATION_INDICATION: u16 = 0x8007;
/// Notification: a key became active or was freed, or the peer does not support authentication.
pub const SCTP_AUTHENTICATION_EVENT: u16 = 0x8008;
/// Notification: [`super::notification::SenderDryEvent`].
pub const SCTP_SENDER_DRY_EVENT: u16 = 0x8009;
/// Notification: [`super::notification::StreamResetEvent`].
pub const SCTP_STREAM_RESET_EVENT: u16 = 0x800a;
/// Notification: the association was reset.
pub const SCTP_ASSOC_RESET_EVENT: u16 = 0x800b;
/// Notification: streams were added.
pub const SCTP_STREAM_CHANGE_EVENT: u16 = 0x800c;
/// Notification: [`super::notification::SendFailedEvent`].
pub const SCTP_SEND_FAILED_EVENT: u16 = 0x800d;

/// State of [`super::notification::AssocChange`]: established.
pub const SCTP_COMM_UP: u16 = 0;
/// State of [`super::notification::AssocChange`]: the association failed or was aborted.
pub const SCTP_COMM_LOST: u16 = 1;
/// State of [`super::notification::AssocChange`]: the peer restarted.
pub const SCTP_RESTART: u16 = 2;
/// State of [`super::notification::AssocChange`]: shut down.
pub const SCTP_SHUTDOWN_COMP: u16 = 3;
/// State of [`super::notification::AssocChange`]: the association could not be established.
pub const SCTP_CANT_STR_ASSOC: u16 = 4;

/// State of [`super::notification::PaddrChange`]: active.
pub const SCTP_ADDR_AVAILABLE: i32 = 0;
/// State of [`super::notification::PaddrChange`]: inactive.
pub const SCTP_ADDR_UNREACHABLE: i32 = 1;
/// State of [`super::notification::PaddrChange`]: removed.
pub const SCTP_ADDR_REMOVED: i32 = 2;
/// State of [`super::notification::PaddrChange`]: added.
pub const SCTP_ADDR_ADDED: i32 = 3;
/// State of [`super::notification::PaddrChange`]: primary.
pub const SCTP_ADDR_MADE_PRIM: i32 = 4;
/// State of [`super::notification::PaddrChange`]: confirmed.
pub const SCTP_ADDR_CONFIRMED: i32 = 5;
/// State of [`super::notification::PaddrChange`]: potentially failed.
pub const SCTP_ADDR_POTENTIALLY_FAILED: i32 = 6;

/// Flag of a message that was not delivered: it was never sent.
pub const SCTP_DATA_UNSENT: u16 = 0;
/// Flag of a message that was not delivered: it was sent and not acknowledged.
pub const SCTP_DATA_SENT: u16 = 1;

/// State of a path: inactive.
pub const SCTP_INACTIVE: i32 = 0;
/// State of a path: potentially failed.
pub const SCTP_PF: i32 = 1;
/// State of a path: active.
pub const SCTP_ACTIVE: i32 = 2;
/// State of a path: unconfirmed.
pub const SCTP_UNCONFIRMED: i32 = 3;
/// State of a path: unknown.
pub const SCTP_UNKNOWN: i32 = 0xffff;

/// State of an association: none.
pub const SCTP_EMPTY: i32 = 0;
/// State of an association: CLOSED.
pub const SCTP_CLOSED: i32 = 1;
/// State of an association: COOKIE-WAIT.
pub const SCTP_COOKIE_WAIT: i32 = 2;
/// State of an association: COOKIE-ECHOED.
pub const SCTP_COOKIE_ECHOED: i32 = 3;
/// State of an association: ESTABLISHED.
pub const SCTP_ESTABLISHED: i32 = 4;
/// State of an association: SHUTDOWN-PENDING.
pub const SCTP_SHUTDOWN_PENDING: i32 = 5;
/// State of an association: SHUTDOWN-SENT.
pub const SCTP_SHUTDOWN_SENT: i32 = 6;
/// State of an association: SHUTDOWN-RECEIVED.
pub const SCTP_SHUTDOWN_RECEIVED: i32 = 7;
/// State of an association: SHUTDOWN-ACK-SENT.
pub const SCTP_SHUTDOWN_ACK_SENT: i32 = 8;

/// Flag of [`super::option::PaddrParams`]: send heartbeats.
pub const SPP_HB_ENABLE: u32 = 1;
/// Flag of [`super::option::PaddrParams`]: send no heartbeats.
pub const SPP_HB_DISABLE: u32 = 2;
/// Flag of [`super::option::PaddrParams`]: send one heartbeat.
pub const SPP_HB_DEMAND: u32 = 4;
/// Flag of [`super::option::PaddrParams`]: discover the MTU.
pub const SPP_PMTUD_ENABLE: u32 = 8;
/// Flag of [`super::option::PaddrParams`]: use the given MTU.
pub const SPP_PMTUD_DISABLE: u32 = 0x10;
/// Flag of [`super::option::PaddrParams`]: delay SACKs.
pub const SPP_SACKDELAY_ENABLE: u32 = 0x20;
/// Flag of [`super::option::PaddrParams`]: do not delay SACKs.
pub const SPP_SACKDELAY_DISABLE: u32 = 0x40;
/// Flag of [`super::option::PaddrParams`]: the heartbeat interval is 0, to which one RTO is added.
pub const SPP_HB_TIME_IS_ZERO: u32 = 0x80;
/// Flag of [`super::option::PaddrParams`]: set the IPv6 flow label.
pub const SPP_IPV6_FLOWLABEL: u32 = 0x100;
/// Flag of [`super::option::PaddrParams`]: set the DSCP.
pub const SPP_DSCP: u32 = 0x200;
