//! The path between the endpoints, and the faults that a story applies to the segments on it.

use manypath_core::{Packet as _, Rate, Span, Streams, Time};
use manypath_link::{Entry, LinkConfig, Pipe, Popped, Verdict};
use manypath_tcp::Segment;

use super::log::Sent;
use super::{A, Side, Z};

/// What the network does to a segment that an endpoint sends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    /// It is delivered.
    None,
    /// It is lost.
    Lose,
    /// It is delivered twice.
    Duplicate,
    /// It enters the link this much later.
    Delay(Span),
}

/// Chooses the faults of segments.
struct Rule(Box<dyn FnMut(&Sent) -> Fault>);

/// One pipe in each direction, and the segments in them.
pub(crate) struct Path {
    /// Segments that were sent, in order.
    pub(crate) log: Vec<Sent>,
    /// By sending side.
    pipes: [Pipe<usize>; 2],
    /// All segments in flight.
    segments: Vec<Option<Segment>>,
    rules: Vec<Rule>,
    is_cut: bool,
    late: Vec<(Time, Side, usize)>,
}

impl Path {
    /// 10 Mbit/s and 10 ms in each direction, with a queue of 100 packets.
    pub(crate) fn new() -> Self {
        Self::of(&link(10, 10))
    }

    /// The same link in both directions.
    pub(crate) fn of(link: &LinkConfig) -> Self {
        let pipe = |side: Side| Pipe::new(link, &Streams::new(1, 0), &format!("{side:?}"));
        Self {
            log: Vec::new(),
            pipes: [A, Z].map(pipe),
            segments: Vec::new(),
            rules: Vec::new(),
            is_cut: false,
            late: Vec::new(),
        }
    }

    /// Adds a rule. It chooses the fault of each further segment to which the earlier rules do nothing.
    pub(crate) fn rule(&mut self, fault: impl FnMut(&Sent) -> Fault + 'static) {
        self.rules.push(Rule(Box::new(fault)));
    }

    /// Applies `fault` to the next segment of `from` whose label begins with `label`.
    pub(crate) fn once(&mut self, from: Side, label: &'static str, fault: Fault) {
        self.times(1, from, label, fault);
    }

    /// Applies `fault` to the next `count` segments of `from` whose labels begin with `label`.
    pub(crate) fn times(&mut self, count: usize, from: Side, label: &'static str, fault: Fault) {
        let mut left = count;
        self.rule(move |sent| {
            let is_meant = left > 0 && sent.from == from && sent.label.starts_with(label);
            left -= usize::from(is_meant);
            if is_meant { fault } else { Fault::None }
        });
    }

    /// Drops the data segments of `from` with these numbers, counted from 1.
    pub(crate) fn lose(&mut self, from: Side, numbers: &'static [usize]) {
        let mut seen = 0;
        self.rule(move |sent| {
            if sent.from != from || !sent.has_data() {
                return Fault::None;
            }
            seen += 1;
            if numbers.contains(&seen) { Fault::Lose } else { Fault::None }
        });
    }

    /// Drops the next segment of `from` and its retransmissions, `count` segments in all.
    pub(crate) fn lose_repeatedly(&mut self, from: Side, count: usize) {
        let mut left = count;
        let mut victim = None;
        self.rule(move |sent| {
            if left == 0 || sent.from != from || *victim.get_or_insert(sent.seq) != sent.seq {
                return Fault::None;
            }
            left -= 1;
            Fault::Lose
        });
    }

    /// Drops all segments until [`Self::restore`].
    pub(crate) fn cut(&mut self) {
        self.is_cut = true;
    }

    pub(crate) fn restore(&mut self) {
        self.is_cut = false;
    }

    /// Removes all rules and restores the path.
    pub(crate) fn clear_rules(&mut self) {
        self.restore();
        self.rules.clear();
    }

    /// `from` sends a segment.
    pub(crate) fn send(&mut self, now: Time, from: Side, segment: Segment) {
        let mut sent = Sent::new(now, from, &segment);
        let mut decided =
            self.rules.iter_mut().map(|rule| (rule.0)(&sent)).filter(|fault| *fault != Fault::None);
        let fault = if self.is_cut { Fault::Lose } else { decided.next().unwrap_or(Fault::None) };
        sent.lost = fault == Fault::Lose;
        self.log.push(sent);
        let handle = self.segments.len();
        match fault {
            Fault::Lose => {}
            Fault::Duplicate => {
                self.segments.extend([Some(segment.clone()), Some(segment)]);
                self.push(now, from, handle);
                self.push(now, from, handle + 1);
            }
            Fault::Delay(span) => {
                self.segments.push(Some(segment));
                self.late.push((now + span, from, handle));
            }
            Fault::None => {
                self.segments.push(Some(segment));
                self.push(now, from, handle);
            }
        }
    }

    /// When the next segment arrives, or the next delayed one enters the link.
    pub(crate) fn poll_timeout(&self) -> Time {
        let pipes = self.pipes.iter().map(Pipe::poll_timeout);
        pipes.chain(self.late.iter().map(|(at, ..)| *at)).min().unwrap_or(Time::NEVER)
    }

    /// The next segment that arrives at or before `now`, and its receiver.
    pub(crate) fn arrival(&mut self, now: Time) -> Option<(Side, Segment)> {
        while let Some(index) = self.late.iter().position(|(at, ..)| *at <= now) {
            let (_, from, handle) = self.late.swap_remove(index);
            self.push(now, from, handle);
        }
        for from in [A, Z] {
            while let Some(popped) = self.pipes[from as usize].pop(now) {
                match popped {
                    Popped::Delivered(handle) => {
                        let segment = self.segments[handle].take().expect("it arrives once");
                        return Some((from.other(), segment));
                    }
                    Popped::Damaged { item, .. } | Popped::Lost { item, .. } => {
                        self.segments[item] = None;
                    }
                }
            }
        }
        None
    }

    fn push(&mut self, now: Time, from: Side, handle: usize) {
        let size = self.segments[handle].as_ref().map_or(0, |segment| segment.size() as u32);
        let verdict = self.pipes[from as usize].push(now, Entry::new(handle, size));
        if verdict != Verdict::Queued {
            self.segments[handle] = None;
        }
    }
}

/// A link of this many Mbit/s and milliseconds, with a queue of 100 packets.
pub(crate) fn link(megabits: u64, millis: u64) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(megabits * 1_000_000), Span::from_millis(millis))
}
