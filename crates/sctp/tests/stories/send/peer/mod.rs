//! The peer of a sender. It has no rules of its own and reports what the test specifies.

mod report;

use bytes::Bytes;
use manypath_core::{Packet as _, SansIo, Span, Streams, Time, Tsn};
use manypath_sctp::{Burst, Config, Control, Endpoint, Init, Message, Packet, PathStats, Sack};

use crate::pair::{A, FIRST, path};
pub(crate) use report::Report;

/// The peer of an association with A. It has no rules of its own. Chunks are numbered from 1.
pub(crate) struct Peer {
    pub(crate) now: Time,
    pub(crate) endpoint: Endpoint,
    /// The verification tag that A expects.
    tag: u32,
    /// TSN of chunk 1.
    pub(crate) first: Tsn,
    /// Receive window in SACKs, in bytes.
    pub(crate) window: u32,
    /// The highest chunk that A has sent.
    pub(crate) highest: u32,
    /// All chunks up to this one were acknowledged before the story began.
    pub(crate) base: u32,
    /// The path of the last packet with DATA.
    pub(crate) last_path: usize,
}

impl Peer {
    pub(crate) fn of(config: Config) -> Self {
        Self::with_window(100_000, config)
    }

    pub(crate) fn with_window(window: u32, config: Config) -> Self {
        Self::on(1, window, config)
    }

    /// A connects to Z on `paths` paths. Both support NR-SACK.
    pub(crate) fn on(paths: usize, window: u32, config: Config) -> Self {
        let local = (0..paths).map(|path| A.address(path)).collect();
        let config = Config { port: 1001, local, nr_sack: true, ..config };
        let agrees = config.packet_drop_reports;
        let now = Time::ZERO + Span::from_secs(1);
        let mut endpoint = Endpoint::new(config, &Streams::new(1, 0), "A");
        let vias: Vec<_> = (0..paths).map(|path| A.via(path)).collect();
        endpoint.connect(now, &vias, 2002);
        let (tag, first) = (0, Tsn(0));
        let mut peer =
            Self { now, endpoint, tag, first, window, highest: 0, base: 0, last_path: 0 };
        let packets = peer.packets();
        let Control::Init(init) = &packets[0].control[0] else { panic!("{packets:?}") };
        (peer.tag, peer.first) = (init.tag, init.initial_tsn);
        let answer = Init {
            tag: 77,
            window,
            outbound_streams: 16,
            inbound_streams: 16,
            initial_tsn: Tsn(1),
            addresses: vias.iter().map(|via| via.remote).collect(),
            nr_sack: true,
            packet_drop_reports: agrees,
            cookie: Some(Bytes::from_static(b"cookie")),
            ..Init::default()
        };
        peer.answer(Control::InitAck(Box::new(answer)));
        peer.answer(Control::CookieAck);
        peer
    }

    /// A window of about 30 kB is in flight, and more data waits.
    pub(crate) fn grown() -> Self {
        let mut peer = Self::of(alone());
        peer.submit(100, 1452);
        while peer.stats(0).window < 30_000 {
            peer.advance(Span::from_millis(5));
            peer.sack(peer.base + 1, &[]);
            peer.base += 1;
        }
        assert!(peer.stats(0).outstanding >= peer.stats(0).window);
        peer
    }

    /// A's application submits messages; returns the chunks in each resulting packet.
    pub(crate) fn submit(&mut self, count: usize, length: usize) -> Vec<Vec<u32>> {
        for _ in 0..count {
            self.endpoint.send(self.now, FIRST, message(length)).expect("there is room");
        }
        self.chunks()
    }

    /// Sends a SACK; returns the chunks in each packet that follows at once.
    pub(crate) fn sack(&mut self, cumulative: u32, blocks: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let (first, window) = (self.first.previous(), self.window);
        let mut sack = Sack { cumulative: first.add(cumulative), window, ..Sack::default() };
        for tsn in blocks.iter().flat_map(|&(low, high)| low..=high) {
            sack.gaps.insert(first.add(tsn));
        }
        self.deliver(0, Packet { sack, has_sack: true, ..Packet::default() });
        self.chunks()
    }

    /// Like [`Self::sack`], with chunk numbers relative to the begin of the story.
    pub(crate) fn sack_after(&mut self, cumulative: u32, blocks: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let base = self.base;
        let blocks: Vec<_> = blocks.iter().map(|(low, high)| (base + low, base + high)).collect();
        self.sack(base + cumulative, &blocks)
    }

    /// Chunk 1 of the story is lost and the next ones arrive, up to each of `lasts`; returns whether 1 is
    /// retransmitted.
    pub(crate) fn lose_first(&mut self, lasts: &[u32]) -> bool {
        let packets = lasts.iter().flat_map(|&last| self.sack_after(0, &[(2, last)])).flatten();
        packets.collect::<Vec<_>>().contains(&(self.base + 1))
    }

    /// Advances the time; returns the chunks in each packet sent meanwhile.
    pub(crate) fn advance(&mut self, span: Span) -> Vec<Vec<u32>> {
        let end = self.now + span;
        let mut packets = Vec::new();
        while self.timer() <= end {
            packets.extend(self.expire());
        }
        self.now = end;
        packets
    }

    /// Advances the time until `count` packets were sent; returns the seconds until each.
    pub(crate) fn advance_to_packets(&mut self, count: usize) -> Vec<f64> {
        let start = self.now;
        let mut times = Vec::new();
        while times.len() < count {
            let packets = self.expire().len();
            times.extend(vec![(self.now - start).as_secs_f64(); packets]);
        }
        times
    }

    fn expire(&mut self) -> Vec<Vec<u32>> {
        self.now = self.timer();
        self.endpoint.handle_timeout(self.now);
        self.chunks()
    }

    /// When A's next timer expires.
    pub(crate) fn timer(&self) -> Time {
        self.endpoint.poll_timeout()
    }

    pub(crate) fn stats(&self, index: u8) -> PathStats {
        self.endpoint.path_stats(FIRST, path(index))
    }

    fn answer(&mut self, control: Control) {
        self.deliver(0, Packet { control: vec![control], ..Packet::default() });
        self.packets();
    }

    fn chunks(&mut self) -> Vec<Vec<u32>> {
        let before = self.first.previous();
        let packets = self.packets();
        let with_data = packets.iter().filter(|packet| !packet.data.is_empty());
        let numbers = |packet: &Packet| {
            packet.data.iter().map(|chunk| chunk.tsn.distance_from(before)).collect()
        };
        let chunks: Vec<Vec<u32>> = with_data.map(numbers).collect();
        self.highest =
            chunks.iter().flatten().fold(self.highest, |highest, chunk| highest.max(*chunk));
        chunks
    }

    pub(crate) fn packets(&mut self) -> Vec<Packet> {
        let mut packets = Vec::new();
        loop {
            let mut packet = Packet::default();
            let Some(via) = self.endpoint.poll_transmit(self.now, &mut packet) else {
                return packets;
            };
            assert!(packet.size() <= 1500);
            if !packet.data.is_empty() {
                self.last_path =
                    (0..).find(|&path| A.via(path) == via).expect("a path leads there");
            }
            packets.push(packet);
        }
    }
}

/// RFC 9260's rules, without heartbeats during a story.
pub(crate) fn alone() -> Config {
    Config {
        heartbeat_interval: Span::from_secs(3600),
        burst: Burst::None,
        send_buffer: 200_000,
        ..Config::default()
    }
}

/// An unordered message of this length.
pub(crate) fn message(length: usize) -> Message {
    Message {
        stream: 0,
        ppid: 0,
        unordered: true,
        payload: Bytes::from(vec![0; length]),
        part: None,
    }
}
