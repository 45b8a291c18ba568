//! The state machine's settings for real networks.

use manypath_cc::AlgorithmError;
use manypath_core::Span;
use manypath_sctp::{BufferSplit, Burst, Config, CumAck, Endpoint, SendOrder, T3Reset};

use crate::Error;

/// The default settings of endpoints: the core's settings for real networks, UDP encapsulation, and buffers for fast
/// links.
pub(crate) fn for_real_networks() -> Config {
    Config {
        udp_encapsulation: true,
        // A datagram shares a slab with others: see `Slab`
        copy_payloads_below: 1024,
        send_buffer: 4 << 20,
        receive_buffer: 4 << 20,
        ..Config::for_real_networks()
    }
}

/// Lets all paths carry new data: CMT with split fast retransmit, window growth per path, and divided buffers. DAC is
/// off, because for DAC the receiver delays SACKs, and the sender may be another implementation.
///
/// A path whose timer expires gets no new data until a probe is answered (RFC 7829 with PFMR 0). Every packet that it
/// lost would block data of the other paths in the receive buffer until its next timeout.
pub(crate) fn use_all_paths(config: &mut Config) {
    config.concurrent = true;
    config.cuc = CumAck::PathV2;
    config.sfr = true;
    config.path_fast_recovery = true;
    config.smart_fast_rtx = true;
    config.nr_sack = true;
    config.buffer_split = BufferSplit::Both;
    config.burst = Burst::MaxBurst;
    config.send_order = SendOrder::SmallestLastTransmission;
    config.t3_reset = T3Reset::Smart;
    config.potentially_failed_after = Some(0);
}

/// Detects dead peers sooner than RFC 9260 recommends.
pub(crate) fn notice_dead_peers(config: &mut Config) {
    config.heartbeat_interval = Span::from_secs(2);
    config.path_max_retransmissions = 3;
    config.association_max_retransmissions = 5;
    config.every_path_must_fail = true;
    config.rto.max = Span::from_secs(5);
    config.init_max_retransmissions = 3;
}

/// Refuses more addresses than an association can have paths. RFC 9260 sets no limit; the state machine does.
pub(crate) fn check_count(field: &'static str, count: usize) -> Result<(), Error> {
    if count <= Endpoint::MOST_PATHS {
        return Ok(());
    }
    let expected = format!("at most {}", Endpoint::MOST_PATHS);
    Err(Error::Setting { field, value: format!("{count} addresses"), expected })
}

/// Refuses settings that the state machine cannot use.
pub(crate) fn check(config: &Config) -> Result<(), Error> {
    check_congestion(&config.cc)?;
    let least = |field, value: usize, least: usize| {
        if value >= least {
            return Ok(());
        }
        let expected = format!("at least {least}");
        Err(Error::Setting { field, value: value.to_string(), expected })
    };
    least("mtu", usize::from(config.mtu), 576)?;
    if let Some(discovery) = config.mtu_discovery {
        least("mtu_discovery.min", usize::from(discovery.min), 576)?;
        least("mtu_discovery.max", usize::from(discovery.max), usize::from(config.mtu))?;
    }
    least("send_buffer", config.send_buffer, 1500)?;
    least("receive_buffer", config.receive_buffer, 1500)?;
    least("outbound_streams", usize::from(config.outbound_streams), 1)?;
    least("inbound_streams", usize::from(config.inbound_streams), 1)?;
    least("sack_every", config.sack_every as usize, 1)
}

/// Refuses a name that no congestion control has, and parameters that it does not take.
fn check_congestion(name: &str) -> Result<(), Error> {
    let Err(error) = manypath_cc::algorithm(name) else { return Ok(()) };
    let expected = match error {
        AlgorithmError::Unknown(unknown) => {
            format!("an existing {}; {}", unknown.kind, unknown.remedy())
        }
        error @ AlgorithmError::Value { .. } => format!("right parameters: {error}"),
    };
    Err(Error::Setting { field: "congestion", value: format!("{name:?}"), expected })
}
