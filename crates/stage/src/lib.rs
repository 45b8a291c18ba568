//! Two endpoints, A and Z, and the paths between them, in virtual time: the fixture of the stories of each protocol.
//!
//! A protocol implements [`Protocol`], which makes its endpoints and the entries of its packets in the log. Its tests
//! wrap [`Stage`] in a type that adds commands of the protocol, such as `connect`, and dereferences to the stage.

mod log;
mod network;
mod side;

use std::ops::DerefMut;

use manypath_core::{Packet, SansIo, Span, Streams, Time};

pub use log::Sent;
use network::Arrived;
pub use network::{Fault, Network, link};
pub use side::{A, Side, Z};

/// A protocol under test. A value of this type is an entry of a packet in the log, in addition to its label and size.
pub trait Protocol: Sized {
    /// Its packets.
    type Packet: Packet + Clone;
    /// Its endpoints.
    type Endpoint: SansIo<Packet = Self::Packet>;
    /// The configuration of an endpoint.
    type Config: Clone;

    /// More instants than any story of this protocol needs.
    const MOST_INSTANTS: u64;

    /// Whether a packet to an address on one path may come from an address on another path.
    const MIXES_PATHS: bool;

    /// A new endpoint.
    fn endpoint(config: Self::Config, streams: &Streams, name: &str) -> Self::Endpoint;

    /// The kind of a packet, such as `SACK + DATA`.
    fn label(packet: &Self::Packet) -> String;

    /// The fields of a packet that the log stores.
    fn content(packet: &Self::Packet) -> Self;

    /// Whether the packet carries data of the application.
    fn has_data(&self) -> bool;
}

/// An event of a protocol's endpoints.
type Event<P> = <<P as Protocol>::Endpoint as SansIo>::Event;

/// Two endpoints and the network between them.
pub struct Stage<P: Protocol> {
    /// The time.
    pub now: Time,
    /// The paths.
    pub network: Network<P>,
    /// The delay of every timer.
    pub late: Span,
    endpoints: [P::Endpoint; 2],
    configs: [P::Config; 2],
    events: [Vec<Event<P>>; 2],
    seed: u64,
    /// Number of reboots.
    reboots: u64,
    /// Number of instants at which something happened.
    instants: u64,
}

impl<P: Protocol> Stage<P> {
    /// Two endpoints across `network`.
    #[must_use]
    pub fn new(network: Network<P>, seed: u64, configs: [P::Config; 2]) -> Self {
        Self {
            now: Time::ZERO,
            network,
            late: Span::ZERO,
            endpoints: [A, Z].map(|side| endpoint::<P>(side, &configs, seed, 0)),
            configs,
            events: [Vec::new(), Vec::new()],
            seed,
            reboots: 0,
            instants: 0,
        }
    }

    /// Replaces an endpoint by a new one without state, as after a crash.
    pub fn reboot(&mut self, side: Side) {
        self.reboots += 1;
        *self.endpoint(side) = endpoint::<P>(side, &self.configs, self.seed, self.reboots);
    }

    /// An endpoint.
    pub fn endpoint(&mut self, side: Side) -> &mut P::Endpoint {
        &mut self.endpoints[side as usize]
    }

    /// Runs a command on an endpoint, then takes its packets and events.
    pub fn act<T>(&mut self, side: Side, act: impl FnOnce(&mut P::Endpoint, Time) -> T) -> T {
        let now = self.now;
        let result = act(self.endpoint(side), now);
        self.drain(side);
        result
    }

    /// Events since the last call.
    pub fn events(&mut self, side: Side) -> Vec<Event<P>> {
        std::mem::take(&mut self.events[side as usize])
    }

    /// The packets since the last call, such as `A -> INIT -> Z`; `A -> INIT -> lost` if the network lost it.
    pub fn arrows(&mut self) -> Vec<String> {
        self.network.log.drain(..).map(|sent| sent.to_string()).collect()
    }

    /// Sends the packets with [`Fault::Hold`], in order.
    pub fn release(&mut self) {
        self.network.release(self.now);
    }

    /// Advances to the next instant at which something happens; returns false if there is none.
    pub fn step(&mut self) -> bool {
        let next = self.next();
        if next == Time::NEVER {
            return false;
        }
        assert!(next >= self.now, "time goes back from {} to {next}", self.now);
        self.instants += 1;
        assert!(self.instants < P::MOST_INSTANTS, "it never rests");
        self.now = next;
        while let Some(Arrived { at, via, mut packet, damaged_byte }) = self.network.arrival(next) {
            self.act(at, |endpoint, now| match damaged_byte {
                None => endpoint.handle_packet(now, via, &mut packet),
                Some(byte) => endpoint.handle_damaged(now, via, &mut packet, byte),
            });
        }
        for side in [A, Z] {
            if self.timeout(side) <= next {
                self.act(side, SansIo::handle_timeout);
                let due = self.endpoint(side).poll_timeout();
                assert!(due > next, "{side:?} does not handle a timer at {next}");
            }
        }
        true
    }

    /// Handles everything that is due within `span`.
    pub fn drive(&mut self, span: Span) {
        let end = self.now + span;
        while self.next() <= end {
            self.step();
        }
        self.now = end;
    }

    /// Handles events until no packet is in flight.
    pub fn settle(&mut self) {
        while self.network.poll_timeout() != Time::NEVER {
            self.step();
        }
    }

    /// The time of the next event.
    #[must_use]
    pub fn next(&self) -> Time {
        let timers = [A, Z].map(|side| self.timeout(side));
        timers.into_iter().fold(self.network.poll_timeout(), Time::min)
    }

    /// The time of a side's next timer.
    fn timeout(&self, side: Side) -> Time {
        match self.endpoints[side as usize].poll_timeout() {
            Time::NEVER => Time::NEVER,
            due => due + self.late,
        }
    }

    /// Takes all packets and events of an endpoint.
    fn drain(&mut self, side: Side) {
        let now = self.now;
        let mut may_transmit = self.endpoint(side).may_transmit();
        for packets in 0.. {
            assert!(packets < 10_000, "{side:?} never stops sending at {now}");
            let mut packet = P::Packet::default();
            let Some(via) = self.endpoint(side).poll_transmit(now, &mut packet) else { break };
            assert!(
                may_transmit,
                "{side:?} sent a packet at {now} although `may_transmit` was false"
            );
            may_transmit = self.endpoint(side).may_transmit();
            self.network.send(now, side, via, packet);
        }
        while let Some(event) = self.endpoint(side).poll_event() {
            self.events[side as usize].push(event);
        }
    }
}

/// Handles events until `done` returns true, which must be within `limit`; returns the elapsed time. `state` describes a
/// failed story.
pub fn drive_until<P: Protocol, S: DerefMut<Target = Stage<P>>>(
    stage: &mut S,
    limit: Span,
    mut done: impl FnMut(&mut S) -> bool,
    state: impl Fn(&S) -> String,
) -> Span {
    let start = stage.now;
    while !done(stage) {
        assert!(stage.step(), "nothing more happens{}", state(stage));
        assert!(stage.now < start + limit, "it takes more than {limit}{}", state(stage));
    }
    stage.now - start
}

fn endpoint<P: Protocol>(
    side: Side,
    configs: &[P::Config; 2],
    seed: u64,
    reboots: u64,
) -> P::Endpoint {
    let streams = Streams::new(seed, reboots);
    P::endpoint(configs[side as usize].clone(), &streams, &format!("{side:?}"))
}
