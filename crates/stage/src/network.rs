//! The paths between the endpoints, and the faults that a story causes on them.

use manypath_core::{Packet as _, Rate, Span, Streams, Time, Via};
use manypath_link::{Entry, LinkConfig, Pipe, Popped, Verdict};

use crate::{A, Protocol, Sent, Side, Z};

/// What the network does to a packet that an endpoint sends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// It is delivered.
    None,
    /// It is lost.
    Lose,
    /// It is delivered twice.
    Duplicate,
    /// It enters the link this much later.
    Delay(Span),
    /// It is held until [`Stage::release`](crate::Stage::release).
    Hold,
    /// It arrives with a wrong byte at this offset from the network header; an offset beyond the end means the last
    /// byte.
    Damage(u32),
}

/// A packet in flight.
struct InFlight<P: Protocol> {
    packet: P::Packet,
    /// The addresses as the receiver sees them.
    via: Via,
    /// Offset of the wrong byte, if any.
    damaged_byte: Option<u32>,
}

/// A packet that has arrived.
pub(crate) struct Arrived<P: Protocol> {
    pub(crate) at: Side,
    pub(crate) via: Via,
    pub(crate) packet: P::Packet,
    pub(crate) damaged_byte: Option<u32>,
}

/// A rule that chooses the faults of packets.
type Rule<P> = Box<dyn FnMut(&Sent<P>) -> Fault>;

/// The network: one pipe per path and direction, and the packets in flight.
pub struct Network<P: Protocol> {
    /// All sent packets, in order.
    pub log: Vec<Sent<P>>,
    /// By sending side, then by path.
    pipes: [Vec<Pipe<usize>>; 2],
    /// All packets in flight.
    packets: Vec<Option<InFlight<P>>>,
    rules: Vec<Rule<P>>,
    broken: Vec<bool>,
    late: Vec<(Time, Side, usize, usize)>,
    held: Vec<(Side, usize, usize)>,
    /// Labels of the packets that arrived undamaged, in order.
    pub arrived: Vec<(Side, String)>,
    /// Packets that were dropped because a queue was full.
    pub overflows: u64,
}

impl<P: Protocol> Network<P> {
    /// This number of paths with 10 Mbit/s and 10 ms in each direction, and queues of 100 packets.
    #[must_use]
    pub fn new(paths: usize) -> Self {
        Self::of(&vec![link(10, 10); paths])
    }

    /// One path per link, with equal directions.
    #[must_use]
    pub fn of(links: &[LinkConfig]) -> Self {
        let pipes = |side: Side| {
            let pipe =
                |(path, link)| Pipe::new(link, &Streams::new(1, 0), &format!("{side:?}{path}"));
            links.iter().enumerate().map(pipe).collect()
        };
        Self {
            log: Vec::new(),
            pipes: [A, Z].map(pipes),
            packets: Vec::new(),
            rules: Vec::new(),
            broken: vec![false; links.len()],
            late: Vec::new(),
            held: Vec::new(),
            arrived: Vec::new(),
            overflows: 0,
        }
    }

    /// Number of paths.
    #[must_use]
    pub fn paths(&self) -> usize {
        self.broken.len()
    }

    /// Adds a rule. The first rule with another result than [`Fault::None`] determines the fault of a packet.
    pub fn rule(&mut self, fault: impl FnMut(&Sent<P>) -> Fault + 'static) {
        self.rules.push(Box::new(fault));
    }

    /// The next packet of `from` whose label begins with `label` has this fault.
    pub fn once(&mut self, from: Side, label: &'static str, fault: Fault) {
        self.times(1, from, label, fault);
    }

    /// The next `count` packets of `from` whose labels begin with `label` have this fault.
    pub fn times(&mut self, count: usize, from: Side, label: &'static str, fault: Fault) {
        self.times_if(count, fault, move |sent| sent.from == from && sent.label.starts_with(label));
    }

    /// The next `count` packets for which `is_meant` returns true have this fault.
    pub fn times_if(
        &mut self,
        count: usize,
        fault: Fault,
        mut is_meant: impl FnMut(&Sent<P>) -> bool + 'static,
    ) {
        let mut left = count;
        self.rule(move |sent| {
            let applies = left > 0 && is_meant(sent);
            left -= usize::from(applies);
            if applies { fault } else { Fault::None }
        });
    }

    /// Loses the packets with data of `from` that have these numbers, counted from 1.
    pub fn lose(&mut self, from: Side, numbers: &'static [usize]) {
        let mut seen = 0;
        self.times_if(usize::MAX, Fault::Lose, move |sent| {
            let counts = sent.from == from && sent.has_data();
            seen += usize::from(counts);
            counts && numbers.contains(&seen)
        });
    }

    /// Removes all rules.
    pub fn forget_rules(&mut self) {
        self.rules.clear();
    }

    /// Loses all packets on this path until [`Self::restore`].
    pub fn cut(&mut self, path: usize) {
        self.broken[path] = true;
    }

    /// Ends [`Self::cut`].
    pub fn restore(&mut self, path: usize) {
        self.broken[path] = false;
    }

    /// Sends the held packets, in order.
    pub(crate) fn release(&mut self, now: Time) {
        for (from, path, handle) in std::mem::take(&mut self.held) {
            self.push(now, from, path, handle);
        }
    }

    /// Sends a packet of `from`.
    pub(crate) fn send(&mut self, now: Time, from: Side, via: Via, packet: P::Packet) {
        let path = (0..self.paths())
            .find(|&path| from.via(path).remote == via.remote)
            .expect("the address belongs to a path");
        assert!(P::MIXES_PATHS || from.via(path) == via, "wrong source on path {path}: {via:?}");
        let mut sent = Sent {
            at: now,
            from,
            path,
            label: P::label(&packet),
            size: packet.size(),
            lost: false,
            content: P::content(&packet),
        };
        let mut decided =
            self.rules.iter_mut().map(|rule| rule(&sent)).filter(|fault| *fault != Fault::None);
        let fault =
            if self.broken[path] { Fault::Lose } else { decided.next().unwrap_or(Fault::None) };
        sent.lost = fault == Fault::Lose;
        self.log.push(sent);
        let handle = self.packets.len();
        let last_byte = packet.size() as u32 - 1;
        let mut set_out = |packet, damaged_byte| {
            self.packets.push(Some(InFlight { packet, via: via.reversed(), damaged_byte }));
        };
        match fault {
            Fault::Lose => return,
            Fault::Duplicate => {
                set_out(packet.clone(), None);
                set_out(packet, None);
                self.push(now, from, path, handle);
                return self.push(now, from, path, handle + 1);
            }
            Fault::Damage(byte) => set_out(packet, Some(byte.min(last_byte))),
            _ => set_out(packet, None),
        }
        match fault {
            Fault::Delay(span) => self.late.push((now + span, from, path, handle)),
            Fault::Hold => self.held.push((from, path, handle)),
            _ => self.push(now, from, path, handle),
        }
    }

    /// When the next packet arrives, or a delayed one is sent.
    pub(crate) fn poll_timeout(&self) -> Time {
        let pipes = self.pipes.iter().flatten().map(Pipe::poll_timeout);
        pipes.chain(self.late.iter().map(|(at, ..)| *at)).min().unwrap_or(Time::NEVER)
    }

    /// The next packet that arrives at or before `now`.
    pub(crate) fn arrival(&mut self, now: Time) -> Option<Arrived<P>> {
        while let Some(index) = self.late.iter().position(|(at, ..)| *at <= now) {
            let (_, from, path, handle) = self.late.swap_remove(index);
            self.push(now, from, path, handle);
        }
        for from in [A, Z] {
            for pipe in &mut self.pipes[from as usize] {
                while let Some(popped) = pipe.pop(now) {
                    let (Popped::Delivered(handle)
                    | Popped::Damaged { item: handle, .. }
                    | Popped::Lost { item: handle, .. }) = popped;
                    let arrived = self.packets[handle].take().expect("a packet arrives once");
                    if !matches!(popped, Popped::Delivered(_)) {
                        continue;
                    }
                    let InFlight { packet, via, damaged_byte } = arrived;
                    let at = from.other();
                    if damaged_byte.is_none() {
                        self.arrived.push((at, P::label(&packet)));
                    }
                    return Some(Arrived { at, via, packet, damaged_byte });
                }
            }
        }
        None
    }

    fn push(&mut self, now: Time, from: Side, path: usize, handle: usize) {
        let size = self.packets[handle].as_ref().map_or(0, |it| it.packet.size() as u32);
        let verdict = self.pipes[from as usize][path].push(now, Entry::new(handle, size));
        if verdict != Verdict::Queued {
            self.packets[handle] = None;
            self.overflows += 1;
        }
    }
}

/// A link of this many Mbit/s and milliseconds, with a queue of 100 packets.
#[must_use]
pub fn link(megabits: u64, millis: u64) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(megabits * 1_000_000), Span::from_millis(millis))
}
