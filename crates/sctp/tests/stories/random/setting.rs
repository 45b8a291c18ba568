//! The setting of a random story: both configurations and the network.

use std::fmt;

use manypath_core::{Rate, RtoLimits, Span, Tsn};
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, QueueConfig};
use manypath_sctp::Config;
use proptest::prelude::*;

use super::switches::switches;

/// Both endpoints and the paths between them; shrinks towards the defaults.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) links: Vec<Link>,
    /// A and Z.
    pub(crate) ends: [End; 2],
    /// Both sides open the association at once.
    pub(crate) both_open: bool,
    /// Seed of the endpoints and of the faults.
    pub(crate) seed: u64,
}

/// An endpoint and its application.
#[derive(Clone)]
pub(crate) struct End {
    pub(crate) config: Config,
    /// The application reads all data as soon as it is notified.
    pub(crate) reads_at_once: bool,
}

/// A path with equal properties in both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) kilobits_per_second: u64,
    pub(crate) delay: Span,
    /// Capacity of the queue in packets.
    pub(crate) queue: u64,
}

/// The largest number of paths.
pub(crate) const PATHS: usize = 4;

/// Enough attempts to outlast the initial outage of the network.
const OPENING_ATTEMPTS: u32 = 60;

prop_compose! {
    pub(crate) fn setting()(
        links in prop::collection::vec(link(), 1..=PATHS),
        ends in [end(), end()],
        both_open in prop::bool::weighted(0.1),
        seed in any::<u64>().no_shrink(),
    ) -> Setting {
        Setting { links, ends, both_open, seed }
    }
}

prop_compose! {
    fn link()(
        kilobits_per_second in prop_oneof![4 => 1_000..20_000_u64, 1 => 64..1_000_u64],
        delay in millis(0..400),
        queue in prop_oneof![3 => 20..100_u64, 1 => 1..20_u64],
    ) -> Link {
        Link { kilobits_per_second, delay, queue }
    }
}

prop_compose! {
    fn end()(
        switches in switches(),
        sizes in sizes(),
        times in times(),
        overhead in prop_oneof![3 => Just(0), 1 => 1..300_usize],
        reads_at_once in any::<bool>(),
    ) -> End {
        let config = Config {
            mtu: sizes.mtu,
            outbound_streams: sizes.outbound_streams,
            inbound_streams: sizes.inbound_streams,
            initial_tsn: sizes.initial_tsn,
            send_buffer: sizes.send_buffer,
            receive_buffer: sizes.receive_buffer,
            // A message whose chunks exceed the buffer can only be delivered in parts
            chunk_overhead: if switches.partial_delivery { overhead } else { 0 },
            sack_every: sizes.sack_every,
            max_burst: sizes.max_burst,
            peer_window_threshold: sizes.peer_window_threshold,
            sack_delay: times.sack_delay,
            rto: times.rto,
            heartbeat_interval: times.heartbeat_interval,
            heartbeat_burst: times.heartbeat_burst,
            path_max_retransmissions: times.path_max_retransmissions,
            association_max_retransmissions: times.association_max_retransmissions,
            init_max_retransmissions: OPENING_ATTEMPTS,
            cookie_life: times.cookie_life,
            ..switches
        };
        End { config, reads_at_once }
    }
}

prop_compose! {
    fn sizes()(
        mtu in prop_oneof![4 => Just(1500), 1 => 576..1500_u16, 1 => 1500..9000_u16],
        outbound_streams in 1..=4_u16,
        inbound_streams in 1..=4_u16,
        chunks_before_wrap in prop::option::weighted(0.3, 1..60_u32),
        send_buffer in prop_oneof![1 => 1..3_000_usize, 4 => 3_000..80_000_usize],
        receive_buffer in prop_oneof![1 => 1_500..6_000_usize, 4 => 6_000..60_000_usize],
        sack_every in 1..=4_u32,
        max_burst in 1..=6_u32,
        threshold in prop_oneof![3 => Just(0), 1 => 0..3_000_u32],
    ) -> Config {
        Config {
            mtu,
            outbound_streams,
            inbound_streams,
            initial_tsn: chunks_before_wrap.map(|chunks| Tsn(chunks.wrapping_neg())),
            send_buffer,
            receive_buffer,
            sack_every,
            max_burst,
            peer_window_threshold: threshold,
            ..Config::default()
        }
    }
}

prop_compose! {
    fn times()(
        sack_delay in millis(0..500),
        rto_min in millis(100..1_500),
        rto_more in millis(0..1_500),
        rto_max in millis(10_000..30_000),
        heartbeat_interval in millis(1_000..40_000),
        heartbeat_burst in prop_oneof![Just(1), Just(u32::MAX)],
        path_max_retransmissions in 0..5_u32,
        peer_errors in prop_oneof![4 => Just(u32::MAX), 1 => 2..8_u32],
        cookie_life in millis(5_000..60_000),
    ) -> Config {
        Config {
            sack_delay,
            rto: RtoLimits {
                initial: rto_min + rto_more,
                min: rto_min,
                max: rto_max,
                ..Config::default().rto
            },
            heartbeat_interval,
            heartbeat_burst,
            path_max_retransmissions,
            association_max_retransmissions: peer_errors,
            cookie_life,
            ..Config::default()
        }
    }
}

fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Span> {
    range.prop_map(Span::from_millis)
}

impl Link {
    pub(crate) fn config(&self) -> LinkConfig {
        let rate = Rate::from_bits_per_second(1_000 * self.kilobits_per_second);
        let queue = QueueConfig::DropTail(Capacity::Packets(self.queue));
        LinkConfig { queue, ..LinkConfig::new(rate, self.delay) }
    }
}

/// Shows only settings that differ from the default.
impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |config: &Config| -> Vec<String> {
            format!("{config:#?}").lines().map(str::to_owned).collect()
        };
        let plain = lines(&Config::default());
        let set = lines(&self.config).into_iter().filter(|line| !plain.contains(line));
        let set: Vec<String> =
            set.map(|line| line.trim().trim_end_matches(',').to_owned()).collect();
        write!(f, "End {{ {}; reads_at_once: {} }}", set.join(", "), self.reads_at_once)
    }
}
