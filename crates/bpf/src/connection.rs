//! The state of connections in the kernel's programs, with the layout of `bpf/connection.h`.

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
    /// The local address.
    pub local: SocketAddr,
    /// The peer's address.
    pub remote: SocketAddr,
    /// Bytes of a full segment when the subflow was opened.
    pub segment: u16,
    /// Congestion window in packets, as it counts in sums.
    pub window: u32,
    /// Slow-start threshold in packets; the window itself before the first loss.
    pub threshold: u32,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// The weight in standard TCPs, in units of 2^-24; zero if it is not set.
    pub weight: u32,
    /// Number of acknowledged packets, if the algorithm counts them.
    pub delivered: u64,
    /// Number of packets acknowledged while the window was not fully used.
    pub limited: u64,
    /// Sum of the RTT samples, if the algorithm counts them.
    pub rtt_sum: Duration,
    /// Number of RTT samples.
    pub rtt_samples: u32,
    /// Number of window cuts.
    pub losses: u32,
    /// Number of timeouts.
    pub timeouts: u32,
    /// Window at the last cut, in packets.
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
            // The entry was removed after the keys were listed.
            let Some(value) = value else { continue };
            connections.push(Self::parse(u64::from_ne_bytes(array(&key, 0)), &value));
        }
        connections.sort_by_key(|connection| connection.token);
        Ok(connections)
    }

    /// α of RFC 6356, the aggressiveness of the whole connection; 1 with a single subflow.
    #[must_use]
    pub fn alpha(&self) -> Option<f64> {
        let measured = || {
            let slots = self.slots.iter().map(|(_, slot)| slot);
            slots
                .map(|slot| (f64::from(slot.window), slot.srtt.as_secs_f64()))
                .filter(|it| it.1 > 0.0)
        };
        let total: f64 = measured().map(|(window, _)| window).sum();
        let rate: f64 = measured().map(|(window, rtt)| window / rtt).sum();
        let best = measured().map(|(window, rtt)| window / (rtt * rtt)).fold(0.0, f64::max);
        (rate > 0.0).then(|| total * best / (rate * rate))
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
    /// Window divided by the round-trip time, in bit/s; `None` before the first RTT sample.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let bits = f64::from(self.window) * f64::from(self.segment) * 8.0;
        (self.srtt > Duration::ZERO).then(|| bits / self.srtt.as_secs_f64())
    }

    /// A slot that is in use.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |at| u64::from_ne_bytes(array(bytes, at));
        let half = |at| u32::from_ne_bytes(array(bytes, at));
        let short = |at| u16::from_ne_bytes(array(bytes, at));
        let address = |at, port| SocketAddr::new(address(short(92), array(bytes, at)), port);
        (word(0) != 0).then(|| Self {
            local: address(96, short(88)),
            remote: address(112, short(90)),
            segment: short(94),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(window: u32, millis: u64) -> Slot {
        let address = SocketAddr::from(([10, 0, 0, 1], 80));
        Slot {
            local: address,
            remote: address,
            segment: 1448,
            window,
            threshold: window,
            srtt: Duration::from_millis(millis),
            weight: 0,
            delivered: 0,
            limited: 0,
            rtt_sum: Duration::ZERO,
            rtt_samples: 0,
            losses: 0,
            timeouts: 0,
            lost_at: 0,
        }
    }

    /// V-LIA-4.
    #[test]
    fn alpha_by_hand() {
        let slots = vec![(0, slot(30, 25)), (3, slot(10, 50))];
        let alpha = Connection { key: 1, token: 2, slots }.alpha().unwrap();
        assert!((alpha - 48.0 / 49.0).abs() < 1e-12, "{alpha}");
        let unmeasured = Connection { key: 1, token: 2, slots: vec![(0, slot(10, 0))] };
        assert_eq!(unmeasured.alpha(), None);
    }

    #[test]
    fn a_value_of_the_map_is_read_field_by_field() {
        let mut value = vec![0; HEADER + 16 * SLOT];
        value[0..4].copy_from_slice(&7_u32.to_ne_bytes());
        let of_slot = &mut value[HEADER + SLOT..HEADER + 2 * SLOT];
        of_slot[0..8].copy_from_slice(&1_u64.to_ne_bytes());
        of_slot[24..28].copy_from_slice(&20_u32.to_ne_bytes());
        of_slot[28..32].copy_from_slice(&800_000_u32.to_ne_bytes());
        of_slot[88..90].copy_from_slice(&443_u16.to_ne_bytes());
        of_slot[92..94].copy_from_slice(&IPV4.to_ne_bytes());
        of_slot[94..96].copy_from_slice(&1448_u16.to_ne_bytes());
        of_slot[96..100].copy_from_slice(&[192, 0, 2, 1]);
        let connection = Connection::parse(9, &value);
        assert_eq!((connection.key, connection.token), (9, 7));
        let [(1, slot)] = &connection.slots[..] else { panic!("{connection:?}") };
        assert_eq!(slot.local, SocketAddr::from(([192, 0, 2, 1], 443)));
        assert_eq!((slot.window, slot.srtt), (20, Duration::from_millis(100)));
        assert_eq!(slot.rate(), Some(20.0 * 1448.0 * 8.0 / 0.1));
    }
}
