//! The paths between the endpoints, and what a story lets happen to the packets on them.

use manypath_core::{Packet as _, Rate, Span, Streams, Time, Via};
use manypath_link::{Entry, LinkConfig, Pipe, Popped, Verdict};
use manypath_sctp::Packet;

use super::{A, Sent, Side, Z, label};

/// What a story does to a packet that an endpoint sends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fate {
    /// Nothing: it takes its path.
    Pass,
    /// It is lost.
    Lose,
    /// It takes its path twice.
    Duplicate,
    /// It takes its path so much later.
    Delay(Span),
    /// It waits for [`Network::release`].
    Hold,
    /// It arrives with a wrong byte, counted from the network header on; one beyond its end counts as the last one.
    Damage(u32),
}

/// A packet under way.
struct UnderWay {
    packet: Packet,
    /// How its receiver sees its way.
    via: Via,
    /// The byte that is wrong, if one is.
    damaged_byte: Option<u32>,
}

/// A packet that arrives.
pub(super) struct Arrived {
    pub(super) at: Side,
    pub(super) via: Via,
    pub(super) packet: Packet,
    pub(super) damaged_byte: Option<u32>,
}

/// Decides what happens to a packet.
struct Rule(Box<dyn FnMut(&Sent) -> Fate>);

/// One pipe each way per path, and the packets in them.
pub(crate) struct Network {
    /// What was sent, in order.
    pub(crate) log: Vec<Sent>,
    /// By sending side, then by path.
    pipes: [Vec<Pipe<usize>>; 2],
    /// Every packet that is under way.
    packets: Vec<Option<UnderWay>>,
    rules: Vec<Rule>,
    broken: Vec<bool>,
    late: Vec<(Time, Side, usize, usize)>,
    held: Vec<(Side, usize, usize)>,
    /// Labels of the packets that arrived whole, in order.
    pub(crate) arrived: Vec<(Side, String)>,
    /// Packets that found a queue full.
    pub(crate) overflows: u64,
}

impl Network {
    pub(crate) fn new(paths: usize) -> Self {
        let link = LinkConfig::new(Rate::from_bits_per_second(10_000_000), Span::from_millis(10));
        Self::of(&vec![link; paths])
    }

    /// One path for each link, which is the same both ways.
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

    /// From now on `fate` decides about every packet, unless an earlier rule does not let it pass.
    pub(crate) fn rule(&mut self, fate: impl FnMut(&Sent) -> Fate + 'static) {
        self.rules.push(Rule(Box::new(fate)));
    }

    /// Everything passes again.
    pub(crate) fn forget_rules(&mut self) {
        self.rules.clear();
    }

    /// The next packet of `from` whose label begins so meets this fate.
    pub(crate) fn once(&mut self, from: Side, label: &'static str, fate: Fate) {
        self.times(1, from, label, fate);
    }

    /// The next so many packets of `from` whose labels begin so meet this fate.
    pub(crate) fn times(&mut self, count: usize, from: Side, label: &'static str, fate: Fate) {
        let mut left = count;
        self.rule(move |sent| {
            let is_meant = left > 0 && sent.from == from && sent.label.starts_with(label);
            left -= usize::from(is_meant);
            if is_meant { fate } else { Fate::Pass }
        });
    }

    /// Nothing that is sent on this path arrives until it is mended.
    pub(crate) fn cut(&mut self, path: usize) {
        self.broken[path] = true;
    }

    pub(crate) fn mend(&mut self, path: usize) {
        self.broken[path] = false;
    }

    /// Lets the packets go that were held, in order.
    pub(crate) fn release(&mut self, now: Time) {
        for (from, path, handle) in std::mem::take(&mut self.held) {
            self.push(now, from, path, handle);
        }
    }

    /// A packet leaves `from`.
    pub(super) fn send(&mut self, now: Time, from: Side, via: Via, packet: Packet) {
        let paths = 0..self.broken.len();
        let path = paths
            .clone()
            .find(|&path| from.other().address(path) == via.remote)
            .expect("a path leads there");
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
            self.rules.iter_mut().map(|rule| (rule.0)(&sent)).filter(|fate| *fate != Fate::Pass);
        let fate =
            if self.broken[path] { Fate::Lose } else { decided.next().unwrap_or(Fate::Pass) };
        sent.lost = fate == Fate::Lose;
        self.log.push(sent);
        let handle = self.packets.len();
        let last_byte = packet.size() as u32 - 1;
        let mut set_out = |packet, damaged_byte| {
            self.packets.push(Some(UnderWay { packet, via: via.reversed(), damaged_byte }));
        };
        match fate {
            Fate::Lose => return,
            Fate::Duplicate => {
                set_out(packet.clone(), None);
                set_out(packet, None);
                self.push(now, from, path, handle);
                return self.push(now, from, path, handle + 1);
            }
            Fate::Damage(byte) => set_out(packet, Some(byte.min(last_byte))),
            _ => set_out(packet, None),
        }
        match fate {
            Fate::Delay(span) => self.late.push((now + span, from, path, handle)),
            Fate::Hold => self.held.push((from, path, handle)),
            _ => self.push(now, from, path, handle),
        }
    }

    /// When the next packet arrives or sets out late.
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
