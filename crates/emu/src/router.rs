//! The network without a clock: packets travel over links from port to port.

use std::collections::VecDeque;
use std::fmt;

use manypath_core::Time;
use manypath_link::{Entry, Pipe, Popped, Verdict};

use crate::buffers::{Buffers, Journey};
use crate::flow::flow_of;

pub use crate::buffers::Handle;

/// Links, and the routes over them from port to port. A host is attached to each port.
///
/// The time is an argument and never decreases. A late caller gets the same results as a punctual one: a packet enters
/// its next link at the instant at which it left the last one.
pub struct Router {
    links: Vec<Pipe<Handle>>,
    /// When the next event of each link is due.
    due: Vec<Time>,
    /// All routes in sequence.
    steps: Vec<Step>,
    /// The index of the first step of each port's route.
    routes: Vec<u32>,
    packets: Buffers,
    /// Packets from the last links of their routes, in order of time.
    arrived: VecDeque<Delivery>,
    watch: Option<Box<dyn Watch>>,
}

/// A packet that has reached the port at the end of its route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// The port at which it leaves.
    pub port: usize,
    /// When it must leave.
    pub due: Time,
    /// Its handle, until it is [released](Router::release).
    pub packet: Handle,
}

/// An observer of the packets that links deliver.
pub trait Watch: Send {
    /// Called when a link delivers `packet`; `damaged` is the offset of its damaged byte, if any.
    fn see(&mut self, link: usize, at: Time, packet: &[u8], damaged: Option<u32>);
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Link(u32),
    Port(u32),
}

impl Router {
    /// A network without links, for packets of at most `mtu` bytes.
    #[must_use]
    pub fn new(mtu: usize) -> Self {
        Self {
            links: Vec::new(),
            due: Vec::new(),
            steps: Vec::new(),
            routes: Vec::new(),
            packets: Buffers::new(mtu),
            arrived: VecDeque::new(),
            watch: None,
        }
    }

    /// Adds one direction of a link; returns its number.
    pub fn add_link(&mut self, pipe: Pipe<Handle>) -> usize {
        self.due.push(pipe.poll_timeout());
        self.links.push(pipe);
        self.links.len() - 1
    }

    /// Adds a port; returns its number. Packets that enter there cross `links` and leave at the port `to`.
    ///
    /// # Panics
    /// If `links` is empty or contains an unknown number.
    pub fn add_port(&mut self, links: &[usize], to: usize) -> usize {
        assert!(!links.is_empty(), "a route needs a link");
        assert!(links.iter().all(|&link| link < self.links.len()), "a route over a missing link");
        self.routes.push(self.steps.len() as u32);
        self.steps.extend(links.iter().map(|&link| Step::Link(link as u32)));
        self.steps.push(Step::Port(to as u32));
        self.routes.len() - 1
    }

    /// Calls `watch` for every packet that a link delivers from this call on.
    pub fn watch(&mut self, watch: Box<dyn Watch>) {
        self.watch = Some(watch);
    }

    /// The buffer for the next packet; the caller fills it from its start before the packet [enters](Self::enter).
    pub fn blank(&mut self) -> &mut [u8] {
        self.packets.blank()
    }

    /// The packet of `size` bytes in [`blank`](Self::blank) enters at `port`.
    pub fn enter(&mut self, now: Time, port: usize, size: usize) {
        self.advance(now);
        let flow = flow_of(&self.packets.blank()[..size]);
        let journey = Journey { step: self.routes[port], size: size as u32, flow };
        let packet = self.packets.take(journey);
        self.go_on(now, packet);
    }

    /// When the next delivery, or a step towards one, is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Time {
        match self.arrived.front() {
            Some(delivery) => delivery.due,
            None => self.first().0,
        }
    }

    /// The next packet that must leave at or before `now`. The caller must release it.
    pub fn poll_delivery(&mut self, now: Time) -> Option<Delivery> {
        if self.arrived.is_empty() {
            self.advance(now);
        }
        self.arrived.pop_front()
    }

    /// The bytes of a delivered packet.
    #[must_use]
    pub fn packet(&self, packet: Handle) -> &[u8] {
        self.packets.packet(packet)
    }

    /// Releases a packet that has left.
    pub fn release(&mut self, packet: Handle) {
        self.packets.release(packet);
    }

    /// A link with its counters and its queue.
    #[must_use]
    pub fn link(&self, link: usize) -> &Pipe<Handle> {
        &self.links[link]
    }

    /// Number of links.
    #[must_use]
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// Packets that wait for the transmitter of a link at `now`.
    pub fn queue_len(&mut self, now: Time, link: usize) -> usize {
        self.advance(now);
        self.links[link].queue_len(now)
    }

    /// Packets that have entered and are not released: inside links, or delivered.
    #[must_use]
    pub fn travelling(&self) -> usize {
        self.packets.travelling()
    }

    /// Handles everything that is due at or before `now`, in order, each link at its own instants.
    fn advance(&mut self, now: Time) {
        loop {
            let (due, link) = self.first();
            if due > now {
                return;
            }
            let popped = self.links[link].pop(due);
            self.due[link] = self.links[link].poll_timeout();
            if let Some(popped) = popped {
                self.come_out(due, link, popped);
            }
        }
    }

    /// The link that is due first. With few links, a linear search is cheaper than a sorted order.
    fn first(&self) -> (Time, usize) {
        let mut first = (Time::NEVER, 0);
        for (link, &due) in self.due.iter().enumerate() {
            if due < first.0 {
                first = (due, link);
            }
        }
        first
    }

    fn come_out(&mut self, at: Time, link: usize, popped: Popped<Handle>) {
        let (packet, damaged) = match popped {
            Popped::Delivered(packet) => (packet, None),
            Popped::Damaged { item, byte } => (item, Some(byte)),
            Popped::Lost { item, .. } => return self.packets.release(item),
        };
        if let Some(byte) = damaged {
            flip_bit(self.packets.packet_mut(packet), byte);
        }
        if let Some(watch) = &mut self.watch {
            watch.see(link, at, self.packets.packet(packet), damaged);
        }
        self.packets.journey_mut(packet).step += 1;
        self.go_on(at, packet);
    }

    /// Moves a packet to the next link of its route, or to the port at the end.
    fn go_on(&mut self, at: Time, packet: Handle) {
        let Journey { step, size, flow } = *self.packets.journey_mut(packet);
        match self.steps[step as usize] {
            Step::Port(port) => {
                self.arrived.push_back(Delivery { port: port as usize, due: at, packet });
            }
            Step::Link(link) => {
                let link = link as usize;
                let verdict = self.links[link].push(at, Entry { item: packet, size, flow });
                self.due[link] = self.links[link].poll_timeout();
                if let Verdict::Dropped(_) = verdict {
                    self.packets.release(packet);
                }
            }
        }
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router")
            .field("links", &self.links.len())
            .field("ports", &self.routes.len())
            .field("travelling", &self.travelling())
            .finish_non_exhaustive()
    }
}

/// Inverts one bit of the byte; the offset of the byte determines which bit.
fn flip_bit(packet: &mut [u8], byte: u32) {
    if let Some(wrong) = packet.get_mut(byte as usize) {
        *wrong ^= 1 << (byte % 8);
    }
}
