//! How the two endpoints of a story behave, as far as the input decides.

use bolero::TypeGenerator;
use manypath_core::{Address, Tsn, Via};
use manypath_sctp::{BufferSplit, Config, CumAck, Rescheduling, SackPath};

/// One of the two endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq, TypeGenerator)]
pub enum Side {
    /// Opens the association.
    A,
    /// Answers.
    Z,
}

pub use Side::{A, Z};

impl Side {
    /// The side at the other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            A => Z,
            Z => A,
        }
    }

    /// Its port.
    #[must_use]
    pub fn port(self) -> u16 {
        5001 + self as u16
    }

    /// Its address on a path.
    #[must_use]
    pub fn address(self, path: u8) -> Address {
        Address::v4(10, path, 0, 1 + self as u8)
    }

    /// The two ends of a path as this side sees them.
    #[must_use]
    pub fn via(self, path: u8) -> Via {
        Via { local: self.address(path), remote: self.other().address(path) }
    }
}

/// What both endpoints are set to.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub struct Setting {
    /// Paths between the endpoints.
    #[generator(1..=3_u8)]
    pub paths: u8,
    /// Mechanisms of CMT-SCTP.
    pub cmt: Cmt,
    /// NR-SACK is offered.
    pub nr_sack: bool,
    /// Packet drop reports are offered.
    pub drop_reports: bool,
    /// The receiver may give up what it has not promised to keep.
    pub may_renege: bool,
    /// TSNs begin just below their highest value.
    pub wraps_soon: bool,
    /// Receive buffers hold few packets.
    pub small_buffer: bool,
    /// Seed of all secrets.
    pub seed: u8,
}

/// Mechanisms of CMT-SCTP, from none to all.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub enum Cmt {
    /// One path at a time.
    Off,
    /// Data on all paths.
    Plain,
    /// With pseudo cumulative TSNs, split fast retransmission and delayed acknowledgements.
    Full,
    /// With divided buffers and rescheduling, too.
    Split,
}

impl Setting {
    /// The configuration of one side, as on an open network. No number of lost packets ends the association if `patient`.
    #[must_use]
    pub fn config(&self, side: Side, patient: bool) -> Config {
        let mut config = Config {
            port: side.port(),
            local: (0..self.paths).map(|path| side.address(path)).collect(),
            send_buffer: SEND_BUFFER,
            receive_buffer: if self.small_buffer { SMALL_BUFFER } else { RECEIVE_BUFFER },
            nr_sack: self.nr_sack,
            packet_drop_reports: self.drop_reports,
            never_renege: !self.may_renege,
            chunk_overhead: 200,
            copy_payloads_below: 400,
            detailed_events: true,
            initial_tsn: self.wraps_soon.then_some(Tsn(u32::MAX - 3)),
            ..Config::default()
        };
        if patient {
            config.association_max_retransmissions = 1_000;
            config.init_max_retransmissions = 1_000;
        }
        self.cmt.apply(&mut config);
        config
    }
}

impl Cmt {
    fn apply(self, config: &mut Config) {
        config.concurrent = !matches!(self, Self::Off);
        if matches!(self, Self::Full | Self::Split) {
            config.congestion = "cmt-rpv2".to_owned();
            config.cumack = CumAck::PathV2;
            config.split_fast_retransmit = true;
            config.delayed_ack_for_cmt = true;
            config.path_fast_recovery = true;
            config.smart_fast_retransmit = true;
            config.sack_path = SackPath::RoundRobin;
        }
        if matches!(self, Self::Split) {
            config.buffer_split = BufferSplit::Both;
            config.rescheduling = Rescheduling::Threshold;
        }
    }
}

/// Bytes of every send buffer.
pub const SEND_BUFFER: usize = 60_000;
/// Bytes of usual receive buffers.
pub const RECEIVE_BUFFER: usize = 40_000;
/// Bytes of small ones.
pub const SMALL_BUFFER: usize = 5_000;
