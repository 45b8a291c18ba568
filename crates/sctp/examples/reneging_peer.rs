//! Cost of two SACKs for a sender whose peer acknowledges nearly all data by gap blocks and then reneges it.
//!
//! `cargo run --release -p manypath-sctp --example reneging_peer`

#![expect(clippy::disallowed_types, reason = "the example measures time")]

use std::time::Instant;

use bytes::Bytes;
use manypath_core::{Address, SansIo, Span, Streams, Time, Tsn, TsnRange, Via};
use manypath_sctp::{
    AssociationId, Burst, Config, Control, CumAck, Endpoint, Message, Packet, Sack,
};

fn main() {
    for (name, cuc) in [("association", CumAck::Association), ("path-v2", CumAck::PathV2)] {
        let mut sender = Sender::connected(cuc);
        sender.fills_up();
        let mut micros: Vec<u128> = (0..PAIRS).map(|_| sender.takes_pair()).collect();
        micros.sort_unstable();
        println!(
            "{name}: {} chunks outstanding, a pair of SACKs takes {} us (median of {PAIRS}, highest {})",
            sender.outstanding(),
            micros[PAIRS / 2],
            micros[PAIRS - 1],
        );
    }
}

/// The attacked endpoint, and the state of its peer.
struct Sender {
    endpoint: Endpoint,
    now: Time,
    tag: u32,
    /// The lowest unacknowledged TSN.
    base: Tsn,
    next: Tsn,
}

impl Sender {
    /// Another endpoint plays the peer until the association is established.
    fn connected(cuc: CumAck) -> Self {
        let config = |port| Config {
            port,
            cuc,
            burst: Burst::None,
            receive_buffer: 1 << 30,
            initial_tsn: Some(Tsn(1)),
            heartbeat_interval: Span::from_secs(3600),
            ..Config::default()
        };
        let streams = Streams::new(1, 0);
        let mut endpoint = Endpoint::new(config(1), &streams, "a");
        let mut peer = Endpoint::new(config(2), &streams, "z");
        let (now, mut tag) = (Time::ZERO, 0);
        endpoint.connect(now, &[here()], 2);
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for packet in packets(&mut endpoint, now) {
                moved = true;
                peer.handle_packet(now, there(), &mut packet.clone());
            }
            for packet in packets(&mut peer, now) {
                moved = true;
                if let Some(Control::InitAck(_)) = packet.control.first() {
                    tag = packet.tag;
                }
                endpoint.handle_packet(now, here(), &mut packet.clone());
            }
        }
        Self { endpoint, now, tag, base: Tsn(1), next: Tsn(1) }
    }

    /// Sends messages of one byte, until the limit of outstanding chunks is reached.
    fn fills_up(&mut self) {
        loop {
            for _ in 0..CHUNKS {
                let message = Message {
                    stream: 0,
                    ppid: 0,
                    unordered: true,
                    payload: Bytes::from_static(b"x"),
                    part: None,
                };
                self.endpoint.send(self.now, AssociationId(0), message).ok();
            }
            self.sends();
            if self.outstanding() == CHUNKS {
                return;
            }
            self.base = self.next;
            self.hears(None);
        }
    }

    /// Processing time of a SACK for all TSNs except the lowest and the highest, and of a SACK for none; in
    /// microseconds.
    fn takes_pair(&mut self) -> u128 {
        let gaps = TsnRange { first: self.base.next(), last: self.next.previous().previous() };
        let start = Instant::now();
        self.hears(Some(gaps));
        self.hears(None);
        start.elapsed().as_micros()
    }

    fn outstanding(&self) -> u32 {
        self.next.distance_from(self.base)
    }

    fn hears(&mut self, gaps: Option<TsnRange>) {
        self.now += Span::from_micros(1);
        let mut packet =
            Packet { source_port: 2, destination_port: 1, tag: self.tag, ..Packet::default() };
        packet.has_sack = true;
        packet.sack = Sack { cumulative: self.base.previous(), window: 1 << 30, ..Sack::default() };
        if let Some(gaps) = gaps {
            packet.sack.gaps.push(gaps);
        }
        self.endpoint.handle_packet(self.now, here(), &mut packet);
    }

    fn sends(&mut self) {
        for packet in packets(&mut self.endpoint, self.now) {
            for chunk in packet.data {
                self.next = self.next.max_serial(chunk.tsn.next());
            }
        }
    }
}

fn packets(endpoint: &mut Endpoint, now: Time) -> Vec<Packet> {
    let mut packets = Vec::new();
    loop {
        let mut packet = Packet::default();
        if endpoint.poll_transmit(now, &mut packet).is_none() {
            return packets;
        }
        packets.push(packet);
    }
}

fn here() -> Via {
    Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) }
}

fn there() -> Via {
    Via { local: here().remote, remote: here().local }
}

/// The largest number of outstanding chunks.
const CHUNKS: u32 = 1 << 15;
const PAIRS: usize = 9;
