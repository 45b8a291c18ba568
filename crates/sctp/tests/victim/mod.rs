//! An endpoint on an open network, and the packets of a hostile peer.

use bytes::Bytes;
use manypath_core::{Address, Packet as _, SansIo, Ssn, Streams, Time, Tsn, Via};
use manypath_sctp::{AssociationId, Config, Control, Data, DataFlags, Endpoint, Packet};

/// An endpoint with an open association, and the tag that its peer uses.
pub(crate) struct Victim {
    pub(crate) endpoint: Endpoint,
    tag: u32,
    pub(crate) id: AssociationId,
    /// Number of chunks sent, including retransmissions.
    pub(crate) sent: u32,
}

impl Victim {
    pub(crate) fn new(config: Config) -> Self {
        let streams = Streams::new(1, 0);
        let peer = Config {
            port: 1,
            initial_tsn: Some(Tsn(1)),
            outbound_streams: u16::MAX,
            ..config.clone()
        };
        let mut peer = Endpoint::new(peer, &streams, "a");
        let mut endpoint =
            Endpoint::new(Config { port: 2, initial_tsn: Some(Tsn(1)), ..config }, &streams, "z");
        endpoint.listen(1);
        peer.connect(NOW, &[back()], 2);
        let mut tag = 0;
        for _ in 0..2 {
            exchange(&mut peer, &mut endpoint, here(), |packet| {
                tag = packet.tag;
            });
            exchange(&mut endpoint, &mut peer, back(), |_| ());
        }
        let id = endpoint.accept().expect("an association");
        while endpoint.poll_event().is_some() {}
        Self { endpoint, tag, id, sent: 0 }
    }

    /// Delivers a packet with these chunks; SACKs are sent at once.
    pub(crate) fn deliver(&mut self, data: impl IntoIterator<Item = Data>) {
        self.deliver_packet(Packet { data: data.into_iter().collect(), ..Packet::default() });
    }

    /// Delivers the chunks of a packet; the endpoint sends everything that it can.
    pub(crate) fn deliver_packet(&mut self, chunks: Packet) {
        let mut packet = Packet { source_port: 1, destination_port: 2, tag: self.tag, ..chunks };
        self.endpoint.handle_packet(NOW, here(), &mut packet);
        packet.clear();
        self.drain(&mut packet);
    }

    fn drain(&mut self, packet: &mut Packet) {
        while self.endpoint.poll_transmit(NOW, packet).is_some() {
            self.sent += packet.data.len() as u32;
            packet.clear();
        }
    }
}

fn exchange(from: &mut Endpoint, to: &mut Endpoint, via: Via, mut note: impl FnMut(&Packet)) {
    let mut packet = Packet::default();
    while from.poll_transmit(NOW, &mut packet).is_some() {
        if !matches!(packet.control.first(), Some(Control::Init(_))) {
            note(&packet);
        }
        to.handle_packet(NOW, via, &mut packet);
        packet.clear();
    }
}

fn here() -> Via {
    Via { local: Address::v4(10, 0, 0, 2), remote: Address::v4(10, 0, 0, 1) }
}

fn back() -> Via {
    Via { local: here().remote, remote: here().local }
}

pub(crate) const NOW: Time = Time::ZERO;
pub(crate) const WINDOW: usize = 500_000;

pub(crate) const STREAMS: u16 = 4096;

/// Settings for an open network.
pub(crate) fn open_network(nr_sack: bool) -> Config {
    Config {
        receive_buffer: WINDOW,
        inbound_streams: STREAMS,
        nr_sack,
        ..Config::for_real_networks()
    }
}

/// A chunk with a payload of this length, part of a datagram of 1500 bytes.
pub(crate) fn chunk(bytes: usize, flags: DataFlags) -> Data {
    let payload = Bytes::from(vec![1; 1500]).slice(..bytes);
    Data { tsn: Tsn(0), stream: 0, ssn: Ssn(0), ppid: 0, flags, payload }
}

pub(crate) fn unordered(bytes: usize) -> Data {
    chunk(bytes, DataFlags::WHOLE.with(DataFlags::UNORDERED))
}
