//! A warm connection does not allocate memory, with or without losses.

use bytes::Bytes;
use manypath_core::{Address, Rate, SansIo, Span, Streams, Time, Via};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{LinkConfig, LossConfig};
use manypath_sim::{HostId, World};
use manypath_tcp::{Config, Endpoint, Event, Segment};

static PATTERN: [u8; 4000] = [0x5a; 4000];

/// An endpoint whose application writes as much as the buffer takes, or reads all data that arrives.
struct Host {
    endpoint: Endpoint,
    /// Whether it writes; otherwise it reads.
    writes: bool,
    /// The path over which it opens a connection at the start, if it does.
    opens: Option<Via>,
    read: u64,
}

impl Host {
    fn handle_event(&mut self, now: Time, event: Event) {
        match event {
            Event::Connected(id) | Event::Writable(id) if self.writes => {
                // Writes of 1000 bytes: most segments hold the end of one and the beginning of the next
                while self.endpoint.write_space(id) >= 1000 {
                    let taken = self.endpoint.write(now, id, Bytes::from_static(&PATTERN[..1000]));
                    assert_eq!(taken, Ok(()));
                }
            }
            Event::Readable(id) => {
                while let Some(bytes) = self.endpoint.read(now, id) {
                    self.read += bytes.len() as u64;
                }
            }
            _ => {}
        }
    }
}

impl SansIo for Host {
    type Packet = Segment;
    type Event = std::convert::Infallible;

    fn handle_packet(&mut self, now: Time, via: Via, segment: &mut Segment) {
        self.endpoint.handle_packet(now, via, segment);
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(via) = self.opens.take() {
            self.endpoint.connect(now, &[via], 5001);
        }
        self.endpoint.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, segment: &mut Segment) -> Option<Via> {
        loop {
            if let Some(via) = self.endpoint.poll_transmit(now, segment) {
                return Some(via);
            }
            let event = self.endpoint.poll_event()?;
            self.handle_event(now, event);
        }
    }

    fn poll_timeout(&self) -> Time {
        if self.opens.is_some() { Time::ZERO } else { self.endpoint.poll_timeout() }
    }

    fn poll_event(&mut self) -> Option<Self::Event> {
        None
    }
}

/// Two hosts over a link of 10 Mbit/s and 10 ms that loses packets; the second one reads.
fn network(p: f64, sack: bool) -> (World<Host>, HostId) {
    let mut world = World::new();
    let ends = [Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2)];
    let via = Via { local: ends[0], remote: ends[1] };
    let streams = Streams::new(1, 0);
    let hosts = [Some(via), None].map(|opens| {
        let config = Config { sack, send_buffer: 200_000, ..Config::default() };
        let endpoint = Endpoint::new(config, &streams, "host");
        world.add_host(Host { endpoint, writes: opens.is_some(), opens, read: 0 })
    });
    let link = LinkConfig {
        loss: LossConfig::Bernoulli(BernoulliConfig { p }),
        ..LinkConfig::new(Rate::from_bits_per_second(10_000_000), Span::from_millis(10))
    };
    let there = world.add_link(&link, &streams, "there");
    let back = world.add_link(&link, &streams, "back");
    world.add_route(hosts[0], via, &[there], hosts[1]);
    world.add_route(hosts[1], via.reversed(), &[back], hosts[0]);
    (world, hosts[1])
}

#[test]
fn a_warm_connection_allocates_nothing() {
    let seconds = |seconds| Time::ZERO + Span::from_secs(seconds);
    for (p, sack) in [(0.0, true), (0.02, true), (0.02, false), (0.1, true)] {
        let (mut world, reader) = network(p, sack);
        // At 10 % loss the longest recovery so far may come late
        world.run_until(seconds(900));
        let before = world.host(reader).read;
        let measured = allocation_counter::measure(|| world.run_until(seconds(1000)));
        assert!(world.host(reader).read > before + 1_000_000);
        assert_eq!(measured.count_total, 0, "loss {p}, SACK {sack}");
    }
}
