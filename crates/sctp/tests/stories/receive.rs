//! The answers of a receiver to DATA. The test plays the peer and sends any chunks. RFC 9260 §6

use bytes::Bytes;
use manypath_core::{Packet as _, PathId, SansIo, Span, Ssn, Streams, Time, Tsn, Via};
use manypath_sctp::{
    AssociationId, Cause, CloseReason, Config, Control, Data, DataFlags, Endpoint, Event, Init,
    Packet, Sack, SackPath, SackRequest,
};

use crate::pair::{A, FIRST, Z};

#[test]
fn the_first_packet_is_acknowledged_at_once_and_then_every_second_one() {
    let mut peer = Peer::of(Config::default());
    let sacks: Vec<bool> = (1..=5).map(|tsn| peer.send([data(tsn)]).is_some()).collect();
    assert_eq!(sacks, [true, false, true, false, true]);
}

#[test]
fn packets_count_not_chunks() {
    let mut peer = Peer::after_first_sack(Config::default());
    assert!(peer.send((2..12).map(data)).is_none());
    assert_eq!(peer.send([data(12)]).unwrap().cumulative, Tsn(12));
    assert_eq!(peer.read(), [100; 12], "all bundled chunks were taken");
}

#[test]
fn each_chunk_is_acknowledged_within_two_hundred_milliseconds() {
    let mut peer = Peer::after_first_sack(Config { sack_every: 100, ..Config::default() });
    peer.advance(Span::from_secs(1));
    peer.send([data(2)]);
    assert!(peer.advance(Span::from_millis(150)).is_empty());
    peer.send([data(3)]);
    assert!(peer.advance(Span::from_nanos(49_999_999)).is_empty());
    let answers = peer.advance(Span::from_nanos(1));
    assert_eq!(sacks(&answers).map(|sack| sack.cumulative).collect::<Vec<_>>(), [Tsn(3)]);
    assert!(peer.advance(Span::from_secs(1)).is_empty(), "the later packet does not count again");
}

#[test]
fn data_with_the_i_bit_is_acknowledged_at_once() {
    let mut peer = Peer::after_first_sack(Config { dac: true, ..Config::default() });
    let urgent = Data { flags: UNORDERED.with(DataFlags::IMMEDIATE), ..data(2) };
    assert!(peer.send([urgent]).is_some());
    assert!(peer.send([data(3)]).is_none());
}

#[test]
fn a_gap_is_reported_at_once_and_with_every_packet_until_it_closes() {
    let mut peer = Peer::after_first_sack(Config::default());
    assert_eq!(blocks(&peer.send([data(3)]).unwrap()), [(3, 3)]);
    assert_eq!(blocks(&peer.send([data(4)]).unwrap()), [(3, 4)]);
    assert_eq!(blocks(&peer.send([data(7)]).unwrap()), [(3, 4), (7, 7)]);
    let closing = peer.send([data(2)]).unwrap();
    assert_eq!((closing.cumulative, blocks(&closing)), (Tsn(4), vec![(7, 7)]));
    let closing = peer.send([data(5), data(6)]).unwrap();
    assert_eq!((closing.cumulative, blocks(&closing)), (Tsn(7), vec![]));
    assert!(peer.send([data(8)]).is_none(), "in order again");
}

#[test]
fn with_dac_a_gap_waits_and_the_sack_counts_the_packets() {
    let config = Config { dac: true, ..Config::default() };
    let mut peer = Peer::after_first_sack(config.clone());
    assert!(peer.send([data(3)]).is_none());
    assert_eq!(peer.send([data(5)]).unwrap().packets, 2);
    peer.send([data(7)]);
    let answers = peer.advance(Span::from_millis(200));
    assert_eq!(sacks(&answers).next().unwrap().packets, 1);

    let mut peer = Peer::after_first_sack(Config { sack_every: 5, ..config });
    let counts: Vec<u8> =
        (2..7).filter_map(|tsn| peer.send([data(tsn)])).map(|sack| sack.packets).collect();
    assert_eq!(counts, [3], "the two bits of the count saturate");
}

#[test]
fn a_packet_of_duplicates_is_answered_at_once_and_they_are_listed() {
    for dac in [false, true] {
        let mut peer = Peer::after_first_sack(Config { dac, ..Config::default() });
        let sack = peer.send([data(1), data(1)]).unwrap();
        assert_eq!(sack.duplicates, [Tsn(1), Tsn(1)]);
        assert!(peer.send([data(2), data(1)]).is_none(), "with something new there is no hurry");
        assert_eq!(peer.send([data(3)]).unwrap().duplicates, [Tsn(1)]);
        assert_eq!(peer.read(), [100, 100, 100], "each message once");
    }
}

#[test]
fn with_a_closed_window_data_above_the_highest_tsn_is_dropped_and_answered_immediately() {
    let mut peer = Peer::after_first_sack(Config { receive_buffer: 4000, ..Config::default() });
    peer.read();
    peer.send([sized(2, 2000), sized(3, 2000)]);
    for _ in 0..3 {
        let sack = peer.send([sized(4, 1)]).unwrap();
        assert_eq!((sack.cumulative, sack.window, blocks(&sack)), (Tsn(3), 0, vec![]));
    }
    assert_eq!(peer.endpoint.stats(FIRST).refused_chunks, 3);
}

#[test]
fn a_chunk_below_the_highest_one_takes_its_place_in_a_full_buffer() {
    let mut peer = Peer::after_first_sack(Config { receive_buffer: 4000, ..Config::default() });
    peer.read();
    let [early, late] = [1, 2].map(|ssn| Data {
        ssn: Ssn(ssn),
        flags: DataFlags::WHOLE,
        ..sized(2 + u32::from(ssn), 2000)
    });
    assert_eq!(blocks(&peer.send([early, late]).unwrap()), [(3, 4)]);
    let sack = peer.send([Data { flags: DataFlags::WHOLE, ..sized(2, 2000) }]).unwrap();
    assert_eq!((sack.cumulative, blocks(&sack)), (Tsn(3), vec![]), "4 is not reported any more");
    assert_eq!(peer.read(), [2000, 2000]);
}

#[test]
fn a_window_that_opens_is_announced_once_without_waiting_for_data() {
    let mut peer = Peer::after_first_sack(Config { receive_buffer: 20_000, ..Config::default() });
    peer.read();
    peer.send((2..22).map(|tsn| sized(tsn, 1000)));
    assert_eq!(peer.send([data(22)]).unwrap().window, 0);
    assert_eq!(peer.read().len(), 20, "in one go");
    let answers = peer.advance(Span::ZERO);
    assert_eq!(sacks(&answers).map(|sack| sack.window).collect::<Vec<_>>(), [20_000]);
    assert!(peer.advance(Span::from_secs(1)).is_empty());
}

#[test]
fn the_window_is_the_free_space_with_silly_window_avoidance() {
    let mut peer = Peer::after_first_sack(Config {
        receive_buffer: 10_000,
        sack_every: 1,
        ..Config::default()
    });
    peer.read();
    let windows: Vec<u32> =
        (2..6).map(|tsn| peer.send([sized(tsn, 2500)]).unwrap().window).collect();
    assert_eq!(windows, [7500, 5000, 1, 0], "2500 bytes are less than two packets");
}

#[test]
fn gap_blocks_fill_the_packet_and_no_more() {
    let mut peer = Peer::after_first_sack(Config::default());
    let mut last = None;
    for tsn in (3..1003).step_by(2) {
        last = peer.send([sized(tsn, 1)]);
    }
    let sack = last.unwrap();
    assert_eq!(sack.length(), 1500 - 20 - 12);
    assert_eq!(sack.gaps.len(), (1468 - 16) / 4);
    assert_eq!(sack.gaps.first(), Some(Tsn(3)), "the lowest come first");
}

#[test]
fn the_application_is_notified_once_until_it_has_read_all_messages() {
    let mut peer = Peer::of(Config::default());
    peer.send([data(1)]);
    peer.send([data(2)]);
    assert_eq!(peer.events(), [Event::Readable(FIRST)]);
    peer.read();
    peer.send([data(3)]);
    assert_eq!(peer.events(), [Event::Readable(FIRST)]);
}

#[test]
fn fragments_become_a_message_and_hold_their_buffer_meanwhile() {
    let mut peer = Peer::after_first_sack(Config {
        receive_buffer: 10_000,
        sack_every: 1,
        ..Config::default()
    });
    peer.read();
    let [begin, middle, end] = [DataFlags::BEGIN, DataFlags(0), DataFlags::END];
    assert_eq!(peer.send([Data { flags: end, ..sized(4, 500) }]).unwrap().window, 9500);
    assert_eq!(peer.send([Data { flags: begin, ..sized(2, 1400) }]).unwrap().window, 8100);
    assert!(peer.read().is_empty());
    peer.send([Data { flags: middle, ..sized(3, 1400) }]);
    assert_eq!(peer.read(), [3300]);
}

#[test]
fn data_without_user_data_ends_the_association() {
    let mut peer = Peer::after_first_sack(Config::default());
    let answers = peer.deliver_data(0, [sized(2, 0)]);
    let [(_, Packet { control, .. })] = &answers[..] else { panic!("one answer: {answers:?}") };
    let [Control::Abort { causes, .. }] = &control[..] else { panic!("{control:?}") };
    assert_eq!(*causes, [Cause::NoUserData(Tsn(2))]);
    let closed = Event::Closed { association: FIRST, reason: CloseReason::ProtocolViolation };
    assert!(peer.events().contains(&closed));
}

#[test]
fn data_on_an_invalid_stream_is_acknowledged_discarded_and_reported() {
    let mut peer = Peer::after_first_sack(Config { sack_every: 1, ..Config::default() });
    peer.read();
    let answers = peer.deliver_data(0, [Data { stream: 16, ..data(2) }]);
    let errors = answers.iter().flat_map(|(_, packet)| &packet.control);
    let invalid = |chunk: &Control| *chunk == Control::Error(vec![Cause::InvalidStream(16)]);
    assert_eq!(errors.map(invalid).collect::<Vec<_>>(), [true]);
    assert_eq!(sacks(&answers).map(|sack| sack.cumulative).collect::<Vec<_>>(), [Tsn(2)]);
    assert!(peer.read().is_empty());
}

#[test]
fn data_after_the_peers_shutdown_is_discarded() {
    let mut peer = Peer::after_first_sack(Config::default());
    peer.read();
    peer.deliver(0, |packet| packet.control.push(Control::Shutdown(Tsn(0))));
    assert!(peer.deliver_data(0, [data(2), data(3)]).is_empty());
    assert!(peer.read().is_empty());
}

#[test]
fn a_sack_takes_the_path_that_the_policy_names() {
    // The probe of path 1 was answered at once, so its RTT is smallest. The first SACK used path 0
    let cases = [
        (SackPath::FirstData, 1),
        (SackPath::LastData, 1),
        (SackPath::Primary, 0),
        (SackPath::RoundRobin, 1),
        (SackPath::SmallestSrtt, 1),
    ];
    for (sack_path, expected) in cases {
        let mut peer =
            Peer::after_first_sack(Config { sack_path, sack_every: 3, ..Config::default() });
        let packets = [(1, 2), (0, 3), (1, 4)];
        let answers =
            packets.into_iter().flat_map(|(path, tsn)| peer.deliver_data(path, [data(tsn)]));
        let paths: Vec<Via> = answers.map(|(via, _)| via).collect();
        assert_eq!(paths, [Z.via(expected)], "{sack_path:?}");
    }
    let config = |sack_path| Config { sack_path, sack_every: 2, ..Config::default() };
    for (sack_path, expected) in [(SackPath::FirstData, 0), (SackPath::LastData, 1)] {
        let mut peer = Peer::after_first_sack(config(sack_path));
        peer.deliver_data(0, [data(2)]);
        assert_eq!(peer.deliver_data(1, [data(3)])[0].0, Z.via(expected));
    }
}

#[test]
fn a_sack_uses_only_paths_that_carried_data() {
    for sack_path in
        [SackPath::FirstData, SackPath::LastData, SackPath::RoundRobin, SackPath::SmallestSrtt]
    {
        let mut peer = Peer::after_first_sack(Config { sack_path, ..Config::default() });
        for tsn in (2..8).step_by(2) {
            peer.deliver_data(0, [data(tsn)]);
            assert_eq!(peer.deliver_data(0, [data(tsn + 1)])[0].0, Z.via(0), "{sack_path:?}");
        }
    }
}

/// The offsets of gap blocks have 16 bits. RFC 9260 §3.3.4
#[test]
fn a_chunk_beyond_the_reach_of_gap_blocks_is_dropped() {
    let mut peer = Peer::after_first_sack(Config::default());
    peer.read();
    let farthest = 1 + u32::from(u16::MAX);
    let sack = peer.send([data(farthest + 1)]).expect("a dropped chunk is answered at once");
    assert_eq!((sack.cumulative, blocks(&sack)), (Tsn(1), vec![]));
    let sack = peer.send([data(farthest)]).unwrap();
    assert_eq!(blocks(&sack), [(farthest, farthest)]);
    assert_eq!(peer.read(), [100]);
    assert_eq!(peer.endpoint.stats(FIRST).refused_chunks, 1);
}

#[test]
fn one_packet_gets_one_sack() {
    let mut peer = Peer::of(Config {
        sack_every: 1,
        sack_immediately: SackRequest::FullWindow,
        ..Config::default()
    });
    for tsn in (1..100).chain(50..150).step_by(3) {
        let urgent = Data { flags: UNORDERED.with(DataFlags::IMMEDIATE), ..data(tsn) };
        assert_eq!(sacks(&peer.deliver_data(0, [urgent, data(tsn)])).count(), 1);
    }
    assert!(peer.advance(Span::from_millis(500)).is_empty());
}

/// The peer of an association with Z. It has no rules of its own.
struct Peer {
    now: Time,
    endpoint: Endpoint,
    /// The verification tag that Z expects.
    tag: u32,
}

const UNORDERED: DataFlags = DataFlags::WHOLE.with(DataFlags::UNORDERED);
const INITIAL: Tsn = Tsn(1);
const PATHS: usize = 2;

impl Peer {
    /// Opens an association on two paths, and answers the probe of the second one.
    fn of(config: Config) -> Self {
        let config = Config {
            port: 2002,
            local: (0..PATHS).map(|path| Z.address(path)).collect(),
            ..config
        };
        let now = Time::ZERO + Span::from_secs(1);
        let mut peer =
            Self { now, endpoint: Endpoint::new(config, &Streams::new(1, 0), "Z"), tag: 0 };
        let addresses = (0..PATHS).map(|path| A.address(path)).collect();
        let init = Init {
            tag: 77,
            window: 100_000,
            outbound_streams: 16,
            inbound_streams: 16,
            initial_tsn: INITIAL,
            addresses,
            ..Init::default()
        };
        let answers = peer.deliver(0, |packet| packet.control.push(Control::Init(Box::new(init))));
        let Control::InitAck(ack) = &answers[0].1.control[0] else { panic!("{answers:?}") };
        peer.tag = ack.tag;
        let cookie = ack.cookie.clone().expect("INIT ACK has a cookie");
        let answers = peer.deliver(0, |packet| packet.control.push(Control::CookieEcho(cookie)));
        for chunk in answers.iter().flat_map(|(_, packet)| &packet.control) {
            if let Control::Heartbeat(info) = chunk {
                let info = info.clone();
                peer.deliver(1, |packet| packet.control.push(Control::HeartbeatAck(info)));
            }
        }
        assert_eq!(peer.events()[0], Event::Connected(AssociationId(0)));
        assert!(peer.endpoint.path_stats(FIRST, PathId(1)).usable);
        peer
    }

    /// TSN 1 has been sent and acknowledged.
    fn after_first_sack(config: Config) -> Self {
        let mut peer = Self::of(config);
        assert!(peer.send([data(1)]).is_some());
        peer
    }

    /// Sends a packet of DATA on the first path; returns the SACK that is sent at once, if any.
    fn send(&mut self, chunks: impl IntoIterator<Item = Data>) -> Option<Sack> {
        let answers = self.deliver_data(0, chunks);
        sacks(&answers).next()
    }

    /// Sends a packet of DATA; returns the packets that are sent at once.
    fn deliver_data(
        &mut self,
        path: usize,
        chunks: impl IntoIterator<Item = Data>,
    ) -> Vec<(Via, Packet)> {
        self.deliver(path, |packet| packet.data.extend(chunks))
    }

    fn deliver(&mut self, path: usize, fill: impl FnOnce(&mut Packet)) -> Vec<(Via, Packet)> {
        let mut packet = Packet {
            source_port: 1001,
            destination_port: 2002,
            tag: self.tag,
            ..Packet::default()
        };
        fill(&mut packet);
        self.endpoint.handle_packet(self.now, Z.via(path), &mut packet);
        self.packets()
    }

    /// Advances the time; returns the packets sent meanwhile.
    fn advance(&mut self, span: Span) -> Vec<(Via, Packet)> {
        let end = self.now + span;
        let mut answers = Vec::new();
        while self.endpoint.poll_timeout() <= end {
            self.now = self.endpoint.poll_timeout();
            self.endpoint.handle_timeout(self.now);
            answers.extend(self.packets());
        }
        self.now = end;
        answers
    }

    /// Reads all messages at Z; returns their lengths.
    fn read(&mut self) -> Vec<usize> {
        let now = self.now;
        std::iter::from_fn(|| self.endpoint.receive(now, FIRST))
            .map(|message| message.payload.len())
            .collect()
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.endpoint.poll_event()).collect()
    }

    fn packets(&mut self) -> Vec<(Via, Packet)> {
        let mut answers = Vec::new();
        loop {
            let mut packet = Packet::default();
            let Some(via) = self.endpoint.poll_transmit(self.now, &mut packet) else {
                return answers;
            };
            assert!(packet.size() <= 1500);
            answers.push((via, packet));
        }
    }
}

fn sacks(answers: &[(Via, Packet)]) -> impl Iterator<Item = Sack> {
    answers.iter().filter(|(_, packet)| packet.has_sack).map(|(_, packet)| packet.sack.clone())
}

fn blocks(sack: &Sack) -> Vec<(u32, u32)> {
    sack.gaps.iter().map(|block| (block.first.0, block.last.0)).collect()
}

/// An unordered message of 100 bytes.
fn data(tsn: u32) -> Data {
    sized(tsn, 100)
}

fn sized(tsn: u32, length: usize) -> Data {
    let payload = Bytes::from(vec![0; length]);
    Data { tsn: Tsn(tsn), stream: 0, ssn: Ssn(0), ppid: 0, flags: UNORDERED, payload }
}
