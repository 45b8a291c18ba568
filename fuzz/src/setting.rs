//! The settings of both endpoints of a story, as selected by the input.

use bolero::TypeGenerator;
use manypath_core::{Address, Tsn, Via};
use manypath_sctp::{BufferSplit, Config, CumAck, Rescheduling, SackPath};

/// One of the two endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq, TypeGenerator)]
pub enum Side {
    /// Opens the association.
    A,
    /// Responds.
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

    /// The addresses of a path as this side sees them.
    #[must_use]
    pub fn via(self, path: u8) -> Via {
        Via { local: self.address(path), remote: self.other().address(path) }
    }
}

/// The settings of both endpoints.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub struct Setting {
    /// Number of paths.
    #[generator(1..=3_u8)]
    pub paths: u8,
    /// Mechanisms of CMT-SCTP.
    pub cmt: Cmt,
    /// NR-SACK is offered.
    pub nr_sack: bool,
    /// Packet drop reports are offered.
    pub drop_reports: bool,
    /// The receiver may renege data that it has not acknowledged non-renegably.
    pub may_renege: bool,
    /// Initial TSNs are just below the largest TSN, so that they wrap around soon.
    pub wraps_soon: bool,
    /// Receive buffers have room for few packets.
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
    /// Also CUC, split fast retransmit and delayed acknowledgements.
    Full,
    /// Also divided buffers and rescheduling.
    Split,
}

impl Setting {
    /// The configuration of one side for an open network. If `patient` is set, no number of lost packets ends an
    /// established association, and 61 in a row end its setup.
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
            config.init_max_retransmissions = 60;
        }
        self.cmt.apply(&mut config);
        config
    }
}

impl Cmt {
    fn apply(self, config: &mut Config) {
        config.concurrent = !matches!(self, Self::Off);
        if matches!(self, Self::Full | Self::Split) {
            config.cc = "cmt-rpv2".to_owned();
            config.cuc = CumAck::PathV2;
            config.sfr = true;
            config.dac = true;
            config.path_fast_recovery = true;
            config.smart_fast_rtx = true;
            config.sack_path = SackPath::RoundRobin;
        }
        if matches!(self, Self::Split) {
            config.buffer_split = BufferSplit::Both;
            config.rescheduling = Rescheduling::Threshold;
        }
    }
}

/// Size of send buffers in bytes.
pub const SEND_BUFFER: usize = 60_000;
/// Size of normal receive buffers in bytes.
pub const RECEIVE_BUFFER: usize = 40_000;
/// Size of small receive buffers in bytes.
pub const SMALL_BUFFER: usize = 5_000;
