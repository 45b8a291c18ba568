//! The paths between the endpoints, and the faults that a story causes on them.

use manypath_core::{Packet as _, Rate, Span, Streams, Time, Via};
use manypath_link::{Entry, LinkConfig, Pipe, Popped, Verdict};
use manypath_sctp::Packet;

use super::{A, Sent, Side, Z, label};

/// What the network does to a packet that an endpoint sends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    /// It is delivered.
    None,
    /// It is lost.
    Lose,
    /// It is delivered twice.
    Duplicate,
    /// It is delayed by this time.
    Delay(Span),
    /// It is held until [`Network::release`].
    Hold,
    /// It arrives with a wrong byte at this offset from the network header; an offset beyond the end means the last
    /// byte.
    Damage(u32),
}

/// A packet in flight.
struct UnderWay {
    packet: Packet,
    /// The addresses as the receiver sees them.
    via: Via,
    /// Offset of the wrong byte, if any.
    damaged_byte: Option<u32>,
}

/// A packet that has arrived.
pub(super) struct Arrived {
    pub(super) at: Side,
    pub(super) via: Via,
    pub(super) packet: Packet,
    pub(super) damaged_byte: Option<u32>,
}

/// A rule that chooses the faults of packets.
struct Rule(Box<dyn FnMut(&Sent) -> Fault>);

/// The network: one pipe per path and direction, and the packets in flight.
pub(crate) struct Network {
    /// All sent packets, in order.
    pub(crate) log: Vec<Sent>,
    /// By sending side, then by path.
    pipes: [Vec<Pipe<usize>>; 2],
    /// All packets in flight.
    packets: Vec<Option<UnderWay>>,
    rules: Vec<Rule>,
    broken: Vec<bool>,
    late: Vec<(Time, Side, usize, usize)>,
    held: Vec<(Side, usize, usize)>,
    /// Labels of the packets that arrived undamaged, in order.
    pub(crate) arrived: Vec<(Side, String)>,
    /// Packets that were dropped because a queue was full.
    pub(crate) overflows: u64,
}

impl Network {
    pub(crate) fn new(paths: usize) -> Self {
        let link = LinkConfig::new(Rate::from_bits_per_second(10_000_000), Span::from_millis(10));
        Self::of(&vec![link; paths])
    }

    /// One path per link, with equal directions.
    pub(crate) fn of(links: &[LinkConfig]) -> Self {
        let paths = links.len();
        let pipes = |_| {
            let named = links.iter().enumerate();
            named
                .map(|(path, link)| Pipe::new(link, &Streams::new(1, 0), &path.to_string()))
                .collect()
        };
        Self {
            log: Vec::new(),
            pipes: [A, Z].map(pipes),
            packets: Vec::new(),
            rules: Vec::new(),
            broken: vec![false; paths],
            late: Vec::new(),
            held: Vec::new(),
            arrived: Vec::new(),
            overflows: 0,
        }
    }

    pub(crate) fn paths(&self) -> usize {
        self.broken.len()
    }

    /// Adds a rule. The first rule with another result than [`Fault::None`] determines the fault of a packet.
    pub(crate) fn rule(&mut self, fault: impl FnMut(&Sent) -> Fault + 'static) {
        self.rules.push(Rule(Box::new(fault)));
    }

    /// Removes all rules.
    pub(crate) fn forget_rules(&mut self) {
        self.rules.clear();
    }

    /// The next packet of `from` whose label begins with `label` has this fault.
    pub(crate) fn once(&mut self, from: Side, label: &'static str, fault: Fault) {
        self.times(1, from, label, fault);
    }

    /// The next `count` packets of `from` whose labels begin with `label` have this fault.
    pub(crate) fn times(&mut self, count: usize, from: Side, label: &'static str, fault: Fault) {
        let mut left = count;
        self.rule(move |sent| {
            let is_meant = left > 0 && sent.from == from && sent.label.starts_with(label);
            left -= usize::from(is_meant);
            if is_meant { fault } else { Fault::None }
        });
    }

    /// Loses all packets on this path until [`Self::restore`].
    pub(crate) fn cut(&mut self, path: usize) {
        self.broken[path] = true;
    }

    pub(crate) fn restore(&mut self, path: usize) {
        self.broken[path] = false;
    }

    /// Sends the held packets, in order.
    pub(crate) fn release(&mut self, now: Time) {
        for (from, path, handle) in std::mem::take(&mut self.held) {
            self.push(now, from, path, handle);
        }
    }

    /// Sends a packet of `from`.
    pub(super) fn send(&mut self, now: Time, from: Side, via: Via, packet: Packet) {
        let paths = 0..self.broken.len();
        let path = paths
            .clone()
            .find(|&path| from.other().address(path) == via.remote)
            .expect("the addresses belong to a path");
        let control = packet.control.clone();
        let mut sent = Sent {
            at: now,
            from,
            path,
            label: label(&packet),
            tag: packet.tag,
            control,
            sack: packet.has_sack.then(|| packet.sack.clone()),
            data: packet.data.clone(),
            size: packet.size(),
            may_fragment: packet.may_fragment,
            lost: false,
        };
        let mut decided =
            self.rules.iter_mut().map(|rule| (rule.0)(&sent)).filter(|fault| *fault != Fault::None);
        let fault =
            if self.broken[path] { Fault::Lose } else { decided.next().unwrap_or(Fault::None) };
        sent.lost = fault == Fault::Lose;
        self.log.push(sent);
        let handle = self.packets.len();
        let last_byte = packet.size() as u32 - 1;
        let mut set_out = |packet, damaged_byte| {
            self.packets.push(Some(UnderWay { packet, via: via.reversed(), damaged_byte }));
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
    pub(super) fn poll_timeout(&self) -> Time {
        let pipes = self.pipes.iter().flatten().map(Pipe::poll_timeout);
        pipes.chain(self.late.iter().map(|(at, ..)| *at)).min().unwrap_or(Time::NEVER)
    }

    /// The next packet that arrives at or before `now`.
    pub(super) fn arrival(&mut self, now: Time) -> Option<Arrived> {
        while let Some(index) = self.late.iter().position(|(at, ..)| *at <= now) {
            let (_, from, path, handle) = self.late.swap_remove(index);
            self.push(now, from, path, handle);
        }
        for from in [A, Z] {
            for path in 0..self.broken.len() {
                if let Some(Popped::Delivered(handle)) = self.pipes[from as usize][path].pop(now) {
                    let UnderWay { packet, via, damaged_byte } =
                        self.packets[handle].take().expect("a packet arrives once");
                    let at = from.other();
                    if damaged_byte.is_none() {
                        self.arrived.push((at, label(&packet)));
                    }
                    return Some(Arrived { at, via, packet, damaged_byte });
                }
            }
        }
        None
    }

    fn push(&mut self, now: Time, from: Side, path: usize, handle: usize) {
        let size =
            self.packets[handle].as_ref().map_or(0, |under_way| under_way.packet.size() as u32);
        let verdict = self.pipes[from as usize][path].push(now, Entry::new(handle, size));
        if verdict != Verdict::Queued {
            self.packets[handle] = None;
            self.overflows += 1;
        }
    }
}
