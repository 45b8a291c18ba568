//! The settings of the state machine for real networks, in one place.

use manypath_cc::{AlgorithmError, UnknownName};
use manypath_sctp::{BufferSplit, Burst, Config, CumAck, Endpoint, SendOrder, T3Reset};

use crate::Error;

/// What every endpoint begins with: the settings of the core for real networks, encapsulated, with buffers for fast links.
pub(crate) fn for_real_networks() -> Config {
    Config {
        udp_encapsulation: true,
        // A datagram lies in a slab with others: see `Slab`
        copy_payloads_below: 1024,
        send_buffer: 4 << 20,
        receive_buffer: 4 << 20,
        ..Config::for_real_networks()
    }
}

/// Lets all paths carry new data at once: CMT with split fast retransmit, windows that grow by their own path, and
/// divided buffers. DAC stays off, because the receiver delays SACKs for it and the sender may be another program.
///
/// A path whose timer expires gets no new data until a probe is answered (RFC 7829 with PFMR 0): each packet that it would
/// lose holds back what other paths deliver, until the receive buffer is full and all paths wait for its next timeout.
pub(crate) fn use_all_paths(config: &mut Config) {
    config.concurrent = true;
    config.cumack = CumAck::PathV2;
    config.split_fast_retransmit = true;
    config.path_fast_recovery = true;
    config.smart_fast_retransmit = true;
    config.nr_sack = true;
    config.buffer_split = BufferSplit::Both;
    config.burst = Burst::MaxBurst;
    config.send_order = SendOrder::SmallestLastTransmission;
    config.t3_reset = T3Reset::Smart;
    config.potentially_failed_after = Some(0);
}

/// Refuses more addresses than an association can have paths. RFC 9260 sets no limit; the state machine does.
pub(crate) fn check_count(field: &'static str, count: usize) -> Result<(), Error> {
    if count <= Endpoint::MOST_PATHS {
        return Ok(());
    }
    let expected = format!("at most {}", Endpoint::MOST_PATHS);
    Err(Error::Setting { field, value: format!("{count} addresses"), expected })
}

/// Refuses what the state machine would panic about or could not work with.
pub(crate) fn check(config: &Config) -> Result<(), Error> {
    check_congestion(&config.congestion)?;
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
        AlgorithmError::Unknown(UnknownName { kind, nearest, known, .. }) => {
            let nearest =
                nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"));
            format!("a {kind} of these: {}{nearest}", known.join(", "))
        }
        error @ AlgorithmError::Value { .. } => format!("right parameters: {error}"),
    };
    Err(Error::Setting { field: "congestion", value: format!("{name:?}"), expected })
}
