//! What a hostile peer makes an association compute, beside what an honest one does with packets of the same size.

#![expect(
    clippy::disallowed_types,
    reason = "the cost is real time, which the protocol never sees"
)]

mod victim;

use std::time::{Duration, Instant};

use bytes::Bytes;
use manypath_core::{Ssn, Tsn};
use manypath_sctp::{Config, Control, Data, DataFlags, Message, Packet, Sack};

use victim::{NOW, Victim, chunk, open_network, unordered};

impl Victim {
    /// Sends messages of one byte, TSN 1 first, until so many of them or more are outstanding; how many are not any more.
    fn has_outstanding(&mut self, chunks: u32) -> u32 {
        let id = self.id;
        let payload = Bytes::from_static(b"?");
        let message = Message { stream: 0, ppid: 0, unordered: true, payload, part: None };
        let mut acknowledged = 0;
        for _ in 0..MOST_ROUNDS {
            while self.endpoint.send_space(id) > 0 {
                self.endpoint.send(NOW, id, message.clone()).expect("room for a byte");
            }
            if self.sent - acknowledged >= chunks {
                return acknowledged;
            }
            // Each answer of the peer makes the window grow and lets a burst of packets go
            acknowledged += (self.sent - acknowledged) / 8;
            let sack = Sack { cumulative: Tsn(acknowledged), window: 1 << 30, ..Sack::default() };
            self.takes_packet(Packet { sack, has_sack: true, ..Packet::default() });
        }
        panic!("{} chunks were sent, and {acknowledged} acknowledged", self.sent);
    }
}

/// The time that a packet takes of those with these TSNs, 70 chunks in each: the median, which the rest of the machine
/// changes little, of the quickest of three attempts.
fn time_of(config: &Config, tsns: &[u32], shape: &dyn Fn(u32) -> Data) -> Duration {
    let attempt = || {
        let mut victim = Victim::new(config.clone());
        let at = |tsn: &u32| Data { tsn: Tsn(*tsn), ..shape(*tsn) };
        let packets: Vec<Vec<Data>> =
            tsns.chunks(CHUNKS).map(|tsns| tsns.iter().map(at).collect()).collect();
        let mut times: Vec<Duration> = packets
            .into_iter()
            .map(|data| {
                let began = Instant::now();
                victim.takes(data);
                began.elapsed()
            })
            .collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    (0..3).map(|_| attempt()).min().expect("three attempts")
}

/// Packets that an honest peer sends: nothing is missing, and all chunks fit the buffer.
fn honest() -> Duration {
    let config = Config { receive_buffer: 16_000_000, ..open_network(false) };
    let tsns: Vec<u32> = (1..30_000).collect();
    time_of(&config, &tsns, &|_| unordered(1))
}

/// The name of an attack, and how many times as long as an honest packet one of it may take.
type Attack = (&'static str, f64);

#[track_caller]
fn assert_cheap((name, most): Attack, config: &Config, tsns: &[u32], shape: &dyn Fn(u32) -> Data) {
    let (hostile, honest) = (time_of(config, tsns, shape), honest());
    let times = hostile.as_secs_f64() / honest.as_secs_f64();
    println!("{name}: {hostile:?} a packet, {times:.1} times as long as an honest one");
    assert!(times < most, "{name}: {hostile:?} and {honest:?}");
}

/// Every second TSN, the highest one first.
fn downwards(below: u32, from: u32) -> Vec<u32> {
    (from..below).rev().step_by(2).collect()
}

#[test]
fn fragments_without_neighbours_from_the_highest_tsn_downwards() {
    let fragment = |_| chunk(1, DataFlags::default());
    assert_cheap(
        ("fragments", MOST_TIMES),
        &open_network(false),
        &downwards(HIGHEST, 1),
        &fragment,
    );
}

#[test]
fn chunks_on_streams_that_do_not_exist_from_the_highest_tsn_downwards() {
    let stray = |_| Data { stream: u16::MAX, ..unordered(1) };
    assert_cheap(("stray chunks", FEW_TIMES), &open_network(false), &downwards(HIGHEST, 1), &stray);
}

#[test]
fn fragments_that_make_way_below_many_islands() {
    let tsns = [downwards(HIGHEST, 20_001), downwards(20_000, 2)].concat();
    let shape = |tsn: u32| match tsn {
        20_001.. => Data { stream: u16::MAX, ..unordered(1) },
        _ => chunk(1, DataFlags::default()),
    };
    assert_cheap(("making way", FEW_TIMES), &open_network(false), &tsns, &shape);
}

#[test]
fn messages_that_make_way_on_many_streams() {
    let config = Config { inbound_streams: u16::MAX, ..open_network(false) };
    let tsns: Vec<u32> = (2..HIGHEST).rev().collect();
    let early = |tsn: u32| {
        let stream = tsn as u16;
        Data { ssn: Ssn(1), stream, ..chunk(1, DataFlags::WHOLE) }
    };
    assert_cheap(("streams", MOST_TIMES), &config, &tsns, &early);
}

/// A SACK of one packet, with as many duplicates as it has room for.
fn sack(cumulative: u32, gaps: &[u32], duplicates: u32) -> Packet {
    let mut sack = Sack { cumulative: Tsn(cumulative), window: 1 << 30, ..Sack::default() };
    gaps.iter().for_each(|tsn| assert!(sack.gaps.insert(Tsn(*tsn))));
    sack.duplicates = (0..duplicates).map(|number| Tsn(1 << 20 | number)).collect();
    Packet { sack, has_sack: true, ..Packet::default() }
}

/// The shortest time that a packet takes.
fn time_to_take(victim: &mut Victim, packet: &Packet) -> Duration {
    let attempt = |_| {
        let (packet, began) = (packet.clone(), Instant::now());
        victim.takes_packet(packet);
        began.elapsed()
    };
    (0..30).map(attempt).min().expect("an attempt")
}

#[test]
fn duplicates_after_many_fast_retransmissions() {
    let mut victim = Victim::new(open_network(false));
    let lowest = victim.has_outstanding(1000);
    let honest = time_to_take(&mut victim, &sack(lowest, &[], 350));
    let gaps = [lowest + 900, lowest + 902, lowest + 904];
    (1..=3).for_each(|reports| victim.takes_packet(sack(lowest, &gaps[..reports], 0)));
    let hostile = time_to_take(&mut victim, &sack(lowest, &gaps, 350));
    println!("duplicates: {hostile:?} a packet, {honest:?} before");
    assert!(hostile.as_secs_f64() < MOST_TIMES * honest.as_secs_f64(), "{hostile:?}, {honest:?}");
}

#[test]
fn shutdowns_while_many_gaps_are_known() {
    let mut victim = Victim::new(Config { max_burst: 1000, ..open_network(false) });
    let lowest = victim.has_outstanding(3000);
    let shutdowns = |of: &mut Victim| {
        let control = vec![Control::Shutdown(Tsn(lowest)); 180];
        time_to_take(of, &Packet { control, ..Packet::default() })
    };
    let gaps: Vec<u32> = (1..1500).map(|number| lowest + 2 * number).collect();
    victim.takes_packet(sack(lowest, &gaps, 0));
    let hostile = shutdowns(&mut victim);
    victim.takes_packet(sack(lowest, &[], 0));
    let honest = shutdowns(&mut victim);
    println!("SHUTDOWNs: {hostile:?} a packet, without gaps {honest:?}");
    assert!(hostile.as_secs_f64() < 4.0 * honest.as_secs_f64(), "{hostile:?}, {honest:?}");
}

/// After so many answers of its peer an endpoint has a large window.
const MOST_ROUNDS: u32 = 1000;
/// Chunks of one byte that a packet of 1500 bytes has room for, about.
const CHUNKS: usize = 70;
/// Nearly as many TSNs as a receiver takes.
const HIGHEST: u32 = 65_000;
/// A hostile packet may take at most so many times as long as an honest one where it makes many small entries move: 9 have
/// been seen, and 75 or more before the attacks were mended.
const MOST_TIMES: f64 = 30.0;
/// The same where nothing has to move: 1.2 have been seen, and 17 or more before.
const FEW_TIMES: f64 = 6.0;
