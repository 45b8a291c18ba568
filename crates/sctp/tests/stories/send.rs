//! What a sender does with SACKs and without them, told from the chair of a peer that reports whatever the story wants.
//! RFC 9260 §6.1 to §6.4, §7.2

use bytes::Bytes;
use manypath_core::{Packet as _, SansIo, Span, Streams, Time, Tsn};
use manypath_sctp::{
    Burst, Config, Control, DataFlags, Endpoint, Init, Message, Packet, PathStats, Sack,
};

use crate::pair::{A, FIRST, path};

#[test]
fn new_data_stops_where_the_peers_window_ends() {
    let mut peer = Peer::with_window(3000, alone());
    assert_eq!(peer.gets(7, 1000), [[1], [2], [3]]);
    // 4000 bytes are free, of which two chunks in flight will take 2000
    peer.window = 4000;
    assert_eq!(peer.reports(1, &[]), [[4], [5]]);
}

#[test]
fn one_chunk_probes_a_closed_window() {
    let mut peer = Peer::of(alone());
    peer.gets(6, 1000);
    peer.window = 0;
    assert_eq!(peer.reports(3, &[]), [[0; 0]; 0], "chunks are still in flight");
    assert_eq!(peer.reports(5, &[]), [[6]]);
    assert_eq!(peer.gets(5, 1000), [[0; 0]; 0]);
    // The probe is repeated at doubling intervals until the window opens
    assert_eq!(peer.waits_for_packets(4), [1.0, 3.0, 7.0, 15.0]);
    peer.window = 100_000;
    assert_eq!(peer.reports(6, &[])[0], [7]);
}

#[test]
fn probes_that_are_answered_and_not_taken_are_no_errors() {
    let mut peer = Peer::of(Config { association_max_retransmissions: 1, ..alone() });
    peer.gets(2, 1000);
    peer.window = 0;
    peer.reports(1, &[]);
    for _ in 0..8 {
        assert_eq!(peer.waits_for_packets(1).len(), 1);
        peer.reports(1, &[]);
    }
    peer.window = 100_000;
    peer.reports(2, &[]);
    assert_eq!(peer.gets(1, 1000), [[3]], "the association lives");
}

#[test]
fn a_packet_that_is_not_full_waits_while_data_is_outstanding() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.gets(1, 100), [[1]]);
    assert_eq!(peer.gets(3, 100), [[0; 0]; 0]);
    assert_eq!(peer.reports(1, &[]), [[2, 3, 4]]);
}

#[test]
fn the_window_is_exceeded_by_one_packet_and_by_less_than_a_chunk() {
    let mut peer = Peer::of(alone());
    // 916 bytes each, of which the first window of 4404 has room for 4.8
    assert_eq!(peer.gets(9, 900).len(), 5);
    assert_eq!((peer.stats(0).window, peer.stats(0).outstanding), (4404, 5 * 916));
    assert_eq!(peer.gets(9, 900), [[0; 0]; 0], "a full window admits nothing");
}

#[test]
fn a_burst_has_as_many_packets_as_max_burst_and_leaves_the_window_as_it_is() {
    let mut peer = Peer::of(Config { burst: Burst::MaxBurst, max_burst: 2, ..alone() });
    assert_eq!(peer.gets(9, 1452), [[1], [2]]);
    assert_eq!(peer.stats(0).window, 4404);
    assert_eq!(peer.reports(1, &[]), [[3], [4]]);
}

#[test]
fn a_long_message_leaves_in_fragments_that_fit_the_mtu() {
    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    peer.endpoint.send(peer.now, FIRST, message(4000)).unwrap();
    let packets = peer.packets();
    let sizes: Vec<usize> = packets.iter().map(Packet::size).collect();
    assert_eq!(sizes, [1500, 1500, 20 + 12 + 16 + 4000 - 2 * 1452]);
    let chunks: Vec<_> = packets.iter().flat_map(|packet| &packet.data).collect();
    let flags = [DataFlags::BEGIN, DataFlags(0), DataFlags::END];
    let flags = flags.map(|flags| flags.with(DataFlags::UNORDERED));
    assert!(chunks.iter().map(|chunk| chunk.flags).eq(flags));
    assert!(chunks.windows(2).all(|pair| pair[0].tsn.next() == pair[1].tsn));
    assert!(chunks.iter().all(|chunk| chunk.ssn == chunks[0].ssn));
}

#[test]
fn the_timer_runs_from_the_first_chunk_and_later_ones_do_not_touch_it() {
    let mut peer = Peer::of(alone());
    let start = peer.now;
    peer.gets(1, 1452);
    assert_eq!(peer.timer(), start + Span::from_secs(1));
    peer.waits(Span::from_millis(300));
    peer.gets(1, 1452);
    assert_eq!(peer.timer(), start + Span::from_secs(1));
}

#[test]
fn the_timer_restarts_with_news_of_the_earliest_chunk_and_stops_when_all_has_arrived() {
    let mut peer = Peer::of(alone());
    let start = peer.now;
    peer.gets(3, 1452);
    peer.waits(Span::from_millis(300));
    peer.reports(0, &[(2, 2)]);
    assert_eq!(peer.timer(), start + Span::from_secs(1));
    peer.waits(Span::from_millis(200));
    peer.reports(2, &[]);
    assert_eq!(peer.timer(), start + Span::from_millis(1500));
    peer.reports(3, &[]);
    assert!(peer.timer() > start + Span::from_secs(1000), "only the heartbeat is left");
}

#[test]
fn a_timeout_sends_one_chunk_and_then_what_is_lost_before_what_is_new() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.gets(8, 1452), [[1], [2], [3]]);
    let start = peer.now;
    assert_eq!(peer.waits(Span::from_secs(1)), [[1]]);
    assert_eq!(peer.stats(0).window, 1468);
    assert_eq!(peer.stats(0).ssthresh, 4 * 1468, "half of 4404 is less than four chunks");
    assert_eq!(peer.timer(), start + Span::from_secs(1 + 2), "the timeout has doubled");
    assert_eq!(peer.reports(1, &[]), [[2], [3]]);
    assert_eq!(peer.reports(3, &[]), [[4], [5], [6]]);
}

#[test]
fn small_chunks_share_packets_in_the_order_of_their_numbers() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.gets(12, 700), [[1, 2], [3, 4], [5, 6], [7, 8]]);
    let again =
        [peer.waits(Span::from_secs(1)), peer.reports(4, &[]), peer.reports(8, &[])].concat();
    assert!(
        again.iter().all(|packet| packet.is_sorted()) && again.concat().is_sorted(),
        "{again:?}"
    );
}

#[test]
fn a_timeout_moves_the_chunk_to_another_path_with_its_account_and_its_timer() {
    let mut peer = Peer::on(2, 100_000, alone());
    peer.gets(1, 1452);
    assert_eq!((peer.stats(0).outstanding, peer.stats(1).outstanding), (1468, 0));
    let start = peer.now;
    assert_eq!(peer.waits(Span::from_secs(1)), [[1]]);
    assert_eq!(peer.last_path, 1);
    assert_eq!((peer.stats(0).outstanding, peer.stats(1).outstanding), (0, 1468));
    assert_eq!(peer.stats(0).rto, Span::from_secs(2));
    assert_eq!(peer.timer(), start + Span::from_secs(1 + 1));
}

#[test]
fn one_sample_a_round_trip_and_none_of_a_retransmission() {
    let mut peer = Peer::of(alone());
    peer.gets(3, 1452);
    peer.waits(Span::from_millis(100));
    peer.reports(1, &[]);
    assert_eq!(peer.stats(0).srtt, Span::from_millis(100));
    peer.waits(Span::from_millis(90));
    peer.reports(2, &[]);
    assert_eq!(peer.stats(0).srtt, Span::from_millis(100), "less than a round trip later");

    let mut peer = Peer::of(alone());
    peer.gets(1, 1452);
    peer.waits(Span::from_millis(1200));
    peer.reports(1, &[]);
    assert_eq!(peer.stats(0).srtt, Span::ZERO, "nobody knows which of the two was answered");
}

#[test]
fn what_is_acknowledged_leaves_the_send_buffer_and_an_old_sack_changes_nothing() {
    let mut peer = Peer::of(alone());
    let space = peer.endpoint.send_space(FIRST);
    peer.gets(3, 1000);
    peer.reports(2, &[]);
    assert_eq!(peer.endpoint.send_space(FIRST), space - 1000);
    let before = peer.stats(0);
    peer.reports(1, &[(3, 3)]);
    assert_eq!(peer.stats(0), before);
    assert_eq!(peer.endpoint.stats(FIRST).stale_sacks, 1);
    assert_eq!(peer.endpoint.send_space(FIRST), space - 1000);
}

#[test]
fn the_third_report_retransmits_at_once_whatever_the_window() {
    let mut peer = Peer::grown();
    assert!(!peer.loses_first(&[2, 3]));
    let window = peer.stats(0).window;
    assert!(peer.loses_first(&[4]));
    let after = peer.stats(0);
    assert_eq!((after.window, after.ssthresh), (window / 2, window / 2));
    assert!(after.outstanding > after.window, "the retransmission did not wait for the window");
}

#[test]
fn a_chunk_is_fast_retransmitted_once() {
    let mut peer = Peer::grown();
    assert!(peer.loses_first(&[2, 3, 4]));
    assert!(!peer.loses_first(&[5, 6, 7, 8]));
    assert_eq!(peer.stats(0).fast_retransmissions, 1);
}

#[test]
fn fast_recovery_cuts_once_until_all_that_was_outstanding_has_arrived() {
    let mut peer = Peer::grown();
    peer.loses_first(&[2, 3, 4]);
    let (exit, window) = (peer.highest, peer.stats(0).window);
    // A second loss in the same flight: 5 is missing too
    for last in 6..9 {
        peer.reports_after(4, &[(6, last)]);
    }
    assert_eq!(peer.stats(0).fast_retransmissions, 2);
    assert_eq!((peer.stats(0).window_cuts, peer.stats(0).window), (1, window));
    // Everything arrives, and then a chunk of the next flight is lost
    peer.reports(exit, &[]);
    for last in 2..5 {
        peer.reports(exit, &[(exit + 2, exit + last)]);
    }
    assert_eq!(peer.stats(0).window_cuts, 2);
}

#[test]
fn reports_count_below_the_highest_tsn_that_is_newly_acknowledged() {
    let mut peer = Peer::grown();
    let base = peer.base;
    let report = |peer: &mut Peer, blocks: &[(u32, u32)]| peer.reports_after(0, blocks);
    // 1 and 4 are missing. News of 2 and 3 says nothing of 4
    report(&mut peer, &[(5, 5)]);
    report(&mut peer, &[(2, 2), (5, 5)]);
    assert_eq!(report(&mut peer, &[(2, 3), (5, 5)]), [[base + 1]]);
    assert!(!report(&mut peer, &[(2, 3), (5, 6)]).concat().contains(&(base + 4)));
    assert!(report(&mut peer, &[(2, 3), (5, 7)]).concat().contains(&(base + 4)));
}

#[test]
fn a_chunk_that_is_no_longer_reported_is_in_flight_again_and_missing_once() {
    let mut peer = Peer::grown();
    peer.reports_after(0, &[(2, 2)]);
    let flight = peer.stats(0).outstanding;
    peer.reports_after(0, &[]);
    assert_eq!(peer.stats(0).outstanding, flight + 1468);
    peer.reports_after(0, &[(3, 3)]);
    assert_eq!(peer.stats(0).fast_retransmissions, 0);
    // The third report of 1, and of 2, whose first report was the block that went away
    peer.reports_after(0, &[(3, 4)]);
    assert_eq!(peer.stats(0).fast_retransmissions, 2);
}

#[test]
fn a_sack_that_shows_a_loss_lets_the_window_grow_before_it_is_cut() {
    let mut peer = Peer::grown();
    let window = peer.stats(0).window;
    peer.reports_after(0, &[(3, 3)]);
    peer.reports_after(0, &[(3, 4)]);
    peer.reports_after(1, &[(3, 5)]);
    assert_eq!(peer.stats(0).window, (window + 1468) / 2);
}

#[test]
fn a_fast_retransmission_stays_on_the_path_of_the_original() {
    let mut peer = Peer::on(2, 100_000, alone());
    peer.gets(5, 1000);
    for last in 2..5 {
        peer.reports(0, &[(2, last)]);
    }
    assert_eq!(peer.stats(0).fast_retransmissions, 1);
    assert_eq!((peer.last_path, peer.stats(1).data_packets_sent), (0, 0));
}

/// RFC 9260's rules, and no heartbeat within a story.
fn alone() -> Config {
    Config {
        heartbeat_interval: Span::from_secs(3600),
        burst: Burst::None,
        send_buffer: 200_000,
        ..Config::default()
    }
}

/// The other end of an association with A, without any rules of its own. Chunks are numbered from 1.
struct Peer {
    now: Time,
    endpoint: Endpoint,
    /// What A wants to see in packets.
    tag: u32,
    /// TSN of chunk 1.
    first: Tsn,
    /// Receive window in SACKs, bytes.
    window: u32,
    /// The highest chunk that A has sent.
    highest: u32,
    /// Everything up to here was reported before the story began.
    base: u32,
    /// The path of the last packet with DATA.
    last_path: usize,
}

impl Peer {
    fn of(config: Config) -> Self {
        Self::with_window(100_000, config)
    }

    fn with_window(window: u32, config: Config) -> Self {
        Self::on(1, window, config)
    }

    /// A connects to Z on so many paths.
    fn on(paths: usize, window: u32, config: Config) -> Self {
        let local = (0..paths).map(|path| A.address(path)).collect();
        let config = Config { port: 1001, local, ..config };
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
            nr_sack: false,
            cookie: Some(Bytes::from_static(b"cookie")),
        };
        peer.answers(|packet| packet.control.push(Control::InitAck(Box::new(answer))));
        peer.answers(|packet| packet.control.push(Control::CookieAck));
        peer
    }

    /// A window of some 30 kB is in flight, and more waits to be sent.
    fn grown() -> Self {
        let mut peer = Self::of(alone());
        peer.gets(100, 1452);
        while peer.stats(0).window < 30_000 {
            peer.waits(Span::from_millis(5));
            peer.reports(peer.base + 1, &[]);
            peer.base += 1;
        }
        assert!(peer.stats(0).outstanding >= peer.stats(0).window);
        peer
    }

    /// A's application sends so many messages of so many bytes; the chunks in each packet that comes.
    fn gets(&mut self, count: usize, length: usize) -> Vec<Vec<u32>> {
        for _ in 0..count {
            self.endpoint.send(self.now, FIRST, message(length)).expect("there is room");
        }
        self.chunks()
    }

    /// Sends a SACK; the chunks in each packet that comes back at once.
    fn reports(&mut self, cumulative: u32, blocks: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let (first, window) = (self.first.previous(), self.window);
        let mut sack = Sack { cumulative: first.add(cumulative), window, ..Sack::default() };
        for tsn in blocks.iter().flat_map(|&(low, high)| low..=high) {
            sack.gaps.insert(first.add(tsn));
        }
        self.passes(|packet| (packet.sack, packet.has_sack) = (sack, true));
        self.chunks()
    }

    /// The same with numbers that begin at the story.
    fn reports_after(&mut self, cumulative: u32, blocks: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let base = self.base;
        let blocks: Vec<_> = blocks.iter().map(|(low, high)| (base + low, base + high)).collect();
        self.reports(base + cumulative, &blocks)
    }

    /// Chunk 1 of the story is lost and the next ones arrive, up to each of `lasts`; whether 1 came again.
    fn loses_first(&mut self, lasts: &[u32]) -> bool {
        let packets = lasts.iter().flat_map(|&last| self.reports_after(0, &[(2, last)])).flatten();
        packets.collect::<Vec<_>>().contains(&(self.base + 1))
    }

    /// Time passes; the chunks in each packet that comes meanwhile.
    fn waits(&mut self, span: Span) -> Vec<Vec<u32>> {
        let end = self.now + span;
        let mut packets = Vec::new();
        while self.timer() <= end {
            packets.extend(self.expires());
        }
        self.now = end;
        packets
    }

    /// Time passes until so many packets have come; after how many seconds each.
    fn waits_for_packets(&mut self, count: usize) -> Vec<f64> {
        let start = self.now;
        let mut times = Vec::new();
        while times.len() < count {
            let packets = self.expires().len();
            times.extend(vec![(self.now - start).as_secs_f64(); packets]);
        }
        times
    }

    fn expires(&mut self) -> Vec<Vec<u32>> {
        self.now = self.timer();
        self.endpoint.handle_timeout(self.now);
        self.chunks()
    }

    /// When A's next timer runs out.
    fn timer(&self) -> Time {
        self.endpoint.poll_timeout()
    }

    fn stats(&self, index: u8) -> PathStats {
        self.endpoint.path_stats(FIRST, path(index))
    }

    fn answers(&mut self, fill: impl FnOnce(&mut Packet)) {
        self.passes(fill);
        self.packets();
    }

    fn passes(&mut self, fill: impl FnOnce(&mut Packet)) {
        let (source_port, destination_port, tag) = (2002, 1001, self.tag);
        let mut packet = Packet { source_port, destination_port, tag, ..Packet::default() };
        fill(&mut packet);
        self.endpoint.handle_packet(self.now, A.via(0), &mut packet);
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

    fn packets(&mut self) -> Vec<Packet> {
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

/// An unordered message of so many bytes.
fn message(length: usize) -> Message {
    Message { stream: 0, ppid: 0, unordered: true, payload: Bytes::from(vec![0; length]) }
}
