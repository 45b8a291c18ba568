//! The values of a socket's options.

use std::time::Duration;

use manypath_core::{RtoLimits, Span};
use manypath_net::{Adjustment, Association, Config};
use manypath_posix::abi::message::{InitMsg, SndInfo};
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::record::{LARGEST_MESSAGE, PartialReliability, SendInfo};

use super::settings::Settings;

/// The options of a socket. `None` means the value of the daemon's settings.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(super) init: InitMsg,
    pub(super) nodelay: bool,
    pub(super) rto: Option<RtoLimits>,
    /// Interval of heartbeats.
    pub(super) heartbeat: Span,
    /// Idle paths are probed.
    pub(super) has_heartbeats: bool,
    pub(super) path_retransmissions: Option<u32>,
    pub(super) association_retransmissions: Option<u32>,
    pub(super) cookie_life: Option<Span>,
    /// Packets for each SACK, and its longest delay.
    pub(super) sack: Option<(u32, Span)>,
    pub(super) send: SndInfo,
    pub(super) reliability: Option<PartialReliability>,
    pub(crate) events: EventSubscribe,
    pub(crate) receive_info: bool,
    /// `SCTP_CONTEXT`, which received messages carry.
    pub(crate) context: u32,
    /// Seconds of `SCTP_AUTOCLOSE`, 0 for never.
    pub(super) autoclose: u32,
    pub(super) peer_udp: Option<u16>,
    /// `l_onoff` and `l_linger`.
    pub(super) linger: (i32, i32),
    pub(super) send_buffer: Option<usize>,
    pub(super) receive_buffer: Option<usize>,
    /// Limit of the daemon for both sizes.
    pub(super) largest_buffer: usize,
    pub(super) reuse: bool,
    /// Options without effect that are on.
    pub(super) flags: u8,
    /// The socket has no IPv4 addresses.
    pub(crate) only_v6: bool,
}

impl Options {
    /// The options of a new socket of a daemon with these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            // Linux: Documentation/networking/ip-sysctl.rst. INIT has fewer inbound streams than there
            init: InitMsg {
                num_ostreams: 10,
                max_instreams: 1024,
                max_attempts: 8,
                max_init_timeo: 60_000,
            },
            nodelay: false,
            rto: None,
            heartbeat: settings.builder.config().heartbeat_interval,
            has_heartbeats: true,
            path_retransmissions: None,
            association_retransmissions: None,
            cookie_life: None,
            sack: None,
            send: SndInfo::default(),
            reliability: None,
            events: EventSubscribe::default(),
            receive_info: false,
            context: 0,
            autoclose: 0,
            peer_udp: None,
            linger: (0, 0),
            send_buffer: None,
            receive_buffer: None,
            largest_buffer: settings.limits.buffer,
            reuse: false,
            flags: 0,
            only_v6: false,
        }
    }

    /// Changes the settings of an endpoint.
    pub(crate) fn apply(&self, config: &mut Config) {
        config.outbound_streams = self.init.num_ostreams;
        config.inbound_streams = self.init.max_instreams;
        config.init_max_retransmissions = self.init.max_attempts.into();
        config.nagle = !self.nodelay;
        config.rto = self.rto.unwrap_or(config.rto);
        config.heartbeat_interval = self.heartbeat_interval();
        config.path_max_retransmissions =
            self.path_retransmissions.unwrap_or(config.path_max_retransmissions);
        config.association_max_retransmissions =
            self.association_retransmissions.unwrap_or(config.association_max_retransmissions);
        config.cookie_life = self.cookie_life.unwrap_or(config.cookie_life);
        if let Some((every, delay)) = self.sack {
            (config.sack_every, config.sack_delay) = (every, delay);
        }
        config.send_buffer = self.buffer(self.send_buffer, config.send_buffer);
        config.receive_buffer = self.buffer(self.receive_buffer, config.receive_buffer);
    }

    /// The size of a buffer that the program has set or not. The largest message of a program fits.
    fn buffer(&self, set: Option<usize>, default: usize) -> usize {
        set.unwrap_or(default).min(self.largest_buffer).max(LARGEST_MESSAGE)
    }

    fn heartbeat_interval(&self) -> Span {
        if self.has_heartbeats { self.heartbeat } else { Span::MAX }
    }

    /// Changes the settings of an association.
    pub(crate) fn apply_to(&self, association: &Association) {
        association.adjust(Adjustment {
            nagle: !self.nodelay,
            rto: self.rto,
            heartbeat_interval: self.heartbeat_interval(),
            sack: self.sack,
        });
    }

    /// The default options of messages, for messages without ancillary data.
    pub(crate) fn send_info(&self) -> SendInfo {
        let SndInfo { sid, flags, ppid, context, .. } = self.send;
        SendInfo { stream: sid, flags, ppid, context, association: 0 }
    }

    /// Changes the parameters of INIT. Zeros do not change a value.
    pub(crate) fn set_init(&mut self, wanted: InitMsg) {
        let init = &mut self.init;
        for (place, value) in [
            (&mut init.num_ostreams, wanted.num_ostreams),
            (&mut init.max_instreams, wanted.max_instreams),
            (&mut init.max_attempts, wanted.max_attempts),
            (&mut init.max_init_timeo, wanted.max_init_timeo),
        ] {
            if value != 0 {
                *place = value;
            }
        }
    }

    /// Number of outgoing streams of new associations.
    pub(crate) fn outbound_streams(&self) -> u16 {
        self.init.num_ostreams
    }

    /// After how much time without data an association is shut down.
    pub(crate) fn autoclose(&self) -> Option<Duration> {
        (self.autoclose > 0).then(|| Duration::from_secs(self.autoclose.into()))
    }

    pub(crate) fn reliability(&self) -> Option<PartialReliability> {
        self.reliability
    }

    /// Whether the last close aborts the association: `SO_LINGER` with a time of 0.
    pub(crate) fn aborts_on_close(&self) -> bool {
        self.linger.0 != 0 && self.linger.1 == 0
    }

    /// The UDP port of peers, if the program has set it.
    pub(crate) fn peer_udp_port(&self) -> Option<u16> {
        self.peer_udp
    }
}
