//! Cost of unknown peers and idle associations for an endpoint: `cargo run --release --example endpoint_load`.
//!
//! Three measurements, each in this process and without a network: a million INITs, the memory of an idle association,
//! and the cost of a packet with one association and with ten thousand.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

use bytes::Bytes;
use manypath_core::{Address, SansIo, Span, Time, Via};
use manypath_sctp::{AssociationId, Config, Control, Endpoint, Event, Init, Message, Packet};

/// Counts allocated bytes, and the sizes of blocks if enabled.
struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);
static TRACED: AtomicBool = AtomicBool::new(false);
/// Allocated bytes by block size.
static BY_SIZE: [AtomicIsize; 16_384] = [const { AtomicIsize::new(0) }; 16_384];

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait; this one only counts")]
// SAFETY: all calls are passed unchanged to the system's allocator
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`
        unsafe { System.dealloc(block, layout) }
    }
}

fn count(size: usize, sign: isize) {
    let change = size as isize * sign;
    IN_USE.fetch_add(change, Relaxed);
    if TRACED.load(Relaxed) && size < BY_SIZE.len() {
        BY_SIZE[size].fetch_add(change, Relaxed);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    million_inits();
    idle_memory();
    cost_per_packet();
}

/// A clock for measurements; the library itself reads none.
#[expect(clippy::disallowed_types, reason = "a measurement needs a clock")]
fn timed<T>(act: impl FnOnce() -> T) -> (T, f64) {
    let start = std::time::Instant::now();
    let result = act();
    (result, start.elapsed().as_secs_f64())
}

fn million_inits() {
    let mut server = server();
    let mut packet = Packet::default();
    flood(&mut server, &mut packet, 10_000);
    let before = IN_USE.load(Relaxed);
    let ((), seconds) = timed(|| flood(&mut server, &mut packet, 1_000_000));
    let after = IN_USE.load(Relaxed);
    println!("INITs answered per second        {:>12.0}", 1e6 / seconds);
    println!("bytes in use before and after    {before:>12} {after}");
}

fn flood(server: &mut Endpoint, packet: &mut Packet, count: u32) {
    for number in 0..count {
        let init = Init {
            tag: number + 1,
            window: 100_000,
            outbound_streams: 10,
            inbound_streams: 10,
            ..Init::default()
        };
        fill(packet, 0, Control::Init(Box::new(init)));
        server.handle_packet(Time::ZERO, via(number), packet);
        assert!(server.poll_transmit(Time::ZERO, packet).is_some(), "INIT has an answer");
    }
}

fn idle_memory() {
    let mut server = server();
    let mut peers = Vec::new();
    open(&mut server, 0..100, &mut peers);
    let before = IN_USE.load(Relaxed);
    TRACED.store(true, Relaxed);
    // The peers are dropped at once, so that only the server's state counts
    let mut passing = Vec::new();
    for number in 100..MANY {
        open(&mut server, number..number + 1, &mut passing);
        passing.clear();
    }
    TRACED.store(false, Relaxed);
    let opened = (MANY - 100) as isize;
    let bytes = (IN_USE.load(Relaxed) - before) / opened;
    println!("bytes per idle association       {bytes:>12}");
    let shares = BY_SIZE.iter().map(|in_use| in_use.load(Relaxed) / opened);
    let mut shares: Vec<(isize, usize)> = shares.zip(0..).filter(|(share, _)| *share > 9).collect();
    shares.sort_unstable_by(|one, other| other.cmp(one));
    for (share, size) in shares {
        println!("  of that in blocks of {size:>6} B  {share:>12}");
    }
}

/// Both endpoints alternate in short rounds, and the fastest round of each counts, because other load affects both
/// equally.
fn cost_per_packet() {
    let mut sides = [1, MANY].map(|associations| {
        let mut server = server();
        let mut peers = Vec::new();
        open(&mut server, 0..1, &mut peers);
        let mut others = Vec::new();
        for number in 1..associations {
            open(&mut server, number..number + 1, &mut others);
            others.clear();
        }
        (server, peers.remove(0), f64::INFINITY)
    });
    for _ in 0..ROUNDS {
        for (server, peer, best) in &mut sides {
            let ((), seconds) = timed(|| exchange(server, peer, MESSAGES));
            *best = best.min(seconds);
        }
    }
    let costs = sides.map(|(.., best)| best * 1e9 / f64::from(MESSAGES));
    println!("ns per message with      1 association  {:>6.0}", costs[0]);
    println!("ns per message with {MANY:>6} associations {:>6.0}", costs[1]);
    println!("ratio                            {:>12.2}", costs[1] / costs[0]);
}

struct Peer {
    endpoint: Endpoint,
    id: AssociationId,
    at_server: AssociationId,
    number: u32,
    now: Time,
}

/// The peer sends messages; the server reads them and acknowledges every second one.
fn exchange(server: &mut Endpoint, peer: &mut Peer, messages: u32) {
    let payload = Bytes::from_static(&[0; 1000]);
    let mut packet = Packet::default();
    for _ in 0..messages {
        peer.now += Span::from_micros(100);
        let message =
            Message { stream: 0, ppid: 0, unordered: false, payload: payload.clone(), part: None };
        peer.endpoint.send(peer.now, peer.id, message).expect("there is room");
        shuttle(server, &mut peer.endpoint, peer.number, peer.now, &mut packet);
        while server.receive(peer.now, peer.at_server).is_some() {}
        shuttle(server, &mut peer.endpoint, peer.number, peer.now, &mut packet);
    }
}

/// Delivers packets in both directions until there are none.
fn shuttle(
    server: &mut Endpoint,
    peer: &mut Endpoint,
    number: u32,
    now: Time,
    packet: &mut Packet,
) {
    loop {
        let mut quiet = true;
        while peer.poll_transmit(now, packet).is_some() {
            quiet = false;
            server.handle_packet(now, via(number), packet);
            clear(packet);
        }
        while server.poll_transmit(now, packet).is_some() {
            quiet = false;
            peer.handle_packet(now, via(number).reversed(), packet);
            clear(packet);
        }
        while peer.poll_event().is_some() {}
        if server.poll_timeout() <= now {
            server.handle_timeout(now);
            quiet = false;
        }
        if peer.poll_timeout() <= now {
            peer.handle_timeout(now);
            quiet = false;
        }
        if quiet {
            break;
        }
    }
}

/// Creates peers that open one association each.
fn open(server: &mut Endpoint, numbers: std::ops::Range<u32>, peers: &mut Vec<Peer>) {
    let mut packet = Packet::default();
    for number in numbers {
        let config = Config { local: vec![via(number).remote], ..settings() };
        let mut endpoint = Endpoint::with_seed(config, [1; 32]);
        let id = endpoint.connect(Time::ZERO, &[via(number).reversed()], PORT);
        shuttle(server, &mut endpoint, number, Time::ZERO, &mut packet);
        let at_server = std::iter::from_fn(|| server.poll_event()).find_map(|event| match event {
            Event::Connected(id) => Some(id),
            _ => None,
        });
        let at_server = at_server.expect("the association stands");
        peers.push(Peer { endpoint, id, at_server, number, now: Time::ZERO });
    }
}

fn server() -> Endpoint {
    Endpoint::with_seed(Config { port: PORT, local: vec![via(0).local], ..settings() }, [7; 32])
}

fn settings() -> Config {
    Config { nagle: false, ..Config::default() }
}

fn fill(packet: &mut Packet, tag: u32, chunk: Control) {
    clear(packet);
    (packet.source_port, packet.destination_port, packet.tag) = (5001, PORT, tag);
    packet.control.push(chunk);
}

fn clear(packet: &mut Packet) {
    manypath_core::Packet::clear(packet);
}

fn via(number: u32) -> Via {
    let [_, a, b, c] = number.to_be_bytes();
    Via { local: Address::v4(192, 0, 2, 1), remote: Address::v4(10, a, b, c) }
}

const PORT: u16 = 80;
const MANY: u32 = 10_000;
const ROUNDS: usize = 400;
/// Messages per round.
const MESSAGES: u32 = 1000;
