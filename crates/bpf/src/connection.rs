//! What the kernel's programs know of their connections, as `bpf/connection.h` lays it out.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use libbpf_rs::{MapCore, MapFlags};

use crate::Error;

/// Bytes before the first slot.
const HEADER: usize = 16;

/// Bytes of a slot.
const SLOT: usize = 128;

const IPV4: u16 = 2;

/// One Multipath TCP connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its key in the map.
    pub key: u64,
    /// Its token, as `ss -M` shows it.
    pub token: u32,
    /// Its subflows with the numbers of their slots.
    pub slots: Vec<(usize, Slot)>,
}

/// One subflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The own address.
    pub local: SocketAddr,
    /// The peer's address.
    pub remote: SocketAddr,
    /// Congestion window that counts in sums, packets.
    pub window: u32,
    /// Slow-start threshold, packets; the window itself before the first loss.
    pub threshold: u32,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// How many TCPs it is worth, in 2^-16; zero where nobody set it.
    pub weight: u32,
    /// Acknowledged packets, where the algorithm counts them.
    pub delivered: u64,
    /// Those of them that were acknowledged while the window was not used.
    pub limited: u64,
    /// Sum of the round-trip times, where the algorithm counts them.
    pub rtt_sum: Duration,
    /// How many there were.
    pub rtt_samples: u32,
    /// Cuts of the window.
    pub losses: u32,
    /// Timeouts.
    pub timeouts: u32,
    /// Window at the last cut, packets.
    pub lost_at: u32,
}

impl Connection {
    /// All connections of a map.
    pub(crate) fn read_all(map: &impl MapCore) -> Result<Vec<Self>, Error> {
        let mut connections = Vec::new();
        for key in map.keys() {
            let value = map.lookup(&key, MapFlags::ANY).map_err(|error| {
                Error::failed(format!("the connections cannot be read: {error}"))
            })?;
            // Gone since the keys were listed.
            let Some(value) = value else { continue };
            connections.push(Self::parse(u64::from_ne_bytes(array(&key, 0)), &value));
        }
        connections.sort_by_key(|connection| connection.token);
        Ok(connections)
    }

    fn parse(key: u64, value: &[u8]) -> Self {
        let slots = value[HEADER..].chunks_exact(SLOT).map(Slot::parse).enumerate();
        Self {
            key,
            token: u32::from_ne_bytes(array(value, 0)),
            slots: slots.filter_map(|(index, slot)| Some((index, slot?))).collect(),
        }
    }
}

impl Slot {
    /// A slot that has an owner.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |at| u64::from_ne_bytes(array(bytes, at));
        let half = |at| u32::from_ne_bytes(array(bytes, at));
        let short = |at| u16::from_ne_bytes(array(bytes, at));
        let address = |at, port| SocketAddr::new(address(short(92), array(bytes, at)), port);
        (word(0) != 0).then(|| Self {
            local: address(96, short(88)),
            remote: address(112, short(90)),
            window: half(24),
            srtt: Duration::from_nanos(u64::from(half(28)) * 1000 / 8),
            threshold: half(32),
            weight: half(36),
            delivered: word(48),
            limited: word(56),
            rtt_sum: Duration::from_micros(word(64)),
            rtt_samples: half(72),
            losses: half(76),
            timeouts: half(80),
            lost_at: half(84),
        })
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("N bytes")
}

fn address(family: u16, bytes: [u8; 16]) -> IpAddr {
    if family == IPV4 {
        let [a, b, c, d, ..] = bytes;
        return Ipv4Addr::new(a, b, c, d).into();
    }
    Ipv6Addr::from(bytes).to_canonical()
}
