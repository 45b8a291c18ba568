//! wVegas: windows follow the queueing delay, and the paths share a number of queued packets. \[C12]
//!
//! Once per round trip, the algorithm estimates the packets of a path in queues as w·(r − b)/r, with w packets in the
//! window, r the mean of the round's samples and b the smallest sample ever. The target is α queued packets: the window
//! grows by one packet below the target and shrinks by one packet above it. The αs of all paths sum up to ten and are
//! divided in proportion to the rates, which moves traffic to the paths with the shortest queues. Slow start ends when
//! more than one packet is queued. When the queueing delay has doubled since its minimum, the window is reduced so far
//! that the queue drains. Losses are handled as in standard TCP.
//!
//! As in the Linux implementation, all numbers are whole packets, rounded down. Unlike there, the queue is not drained
//! if the queueing delay is zero. A round is one window of acknowledged bytes.

use manypath_core::{PathId, Span, Time};

use crate::{Adjustment, Algorithm, Loss, PathAck, Paths, Stepping};

/// Sum of the packets in queues on all paths.
const TOTAL_QUEUED: f64 = 10.0;

/// The smallest α of a path, packets.
const LEAST_QUEUED: u64 = 2;

/// γ: slow start ends when more packets than this are in queues.
const SLOW_START_QUEUED: u64 = 1;

/// The smallest window after a round, packets.
const LEAST_WINDOW: u64 = 2;

/// Weighted Vegas.
#[derive(Clone, Debug, Default)]
pub struct Wvegas {
    subflows: Vec<Subflow>,
}

/// The state of a path.
#[derive(Clone, Copy, Debug)]
struct Subflow {
    /// The smallest sample ever.
    base: Option<Span>,
    round: Round,
    /// α: the target number of packets in queues for the path.
    queued: u64,
    /// Packets per nanosecond when the path was last above its α; zero before that and after a timeout.
    rate: f64,
    /// The shortest queueing delay since the last drain; `None` if there was none.
    queue_delay: Option<Span>,
}

/// The measurements of one round.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Bytes to be acknowledged until the round ends; `None` before it begins.
    left: Option<u64>,
    /// The sum of all samples, nanoseconds.
    sum: u64,
    samples: u64,
}

/// A window and a slow-start threshold in whole packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packets {
    window: u64,
    ssthresh: u64,
}

impl Default for Subflow {
    fn default() -> Self {
        Self {
            base: None,
            round: Round::default(),
            queued: LEAST_QUEUED,
            rate: 0.0,
            queue_delay: None,
        }
    }
}

impl Round {
    /// A round that ends when `window` bytes are acknowledged.
    const fn of(window: u64) -> Self {
        Self { left: Some(window), sum: 0, samples: 0 }
    }

    /// The mean of the samples; `None` if there are fewer than `least` samples.
    fn mean(&self, least: u64) -> Option<Span> {
        (self.samples >= least).then(|| Span::from_nanos(self.sum / self.samples))
    }
}

impl Subflow {
    /// The new window and threshold if slow start ends after a round with a round-trip time of `rtt`.
    fn leave_slow_start(before: Packets, base: Span, rtt: Span) -> Option<Packets> {
        if queued(before.window, base, rtt) <= SLOW_START_QUEUED {
            return None;
        }
        let window = before.window.min(part(before.window, base, rtt) + 1);
        Some(Packets { window, ssthresh: before.ssthresh.min(window.saturating_sub(1)) })
    }

    /// The new window and threshold after a round of congestion avoidance. The window may grow only if the last one was
    /// used.
    fn avoid(&mut self, before: Packets, base: Span, rtt: Span, was_used: bool) -> Packets {
        let Packets { mut window, mut ssthresh } = before;
        let waiting = queued(window, base, rtt);
        if waiting > self.queued {
            window = window.saturating_sub(1);
            ssthresh = ssthresh.min(window.saturating_sub(1));
        } else if waiting < self.queued && was_used {
            window += 1;
        }
        let delay = rtt - base;
        if delay > Span::ZERO {
            let shortest = self.queue_delay.map_or(delay, |shortest| shortest.min(delay));
            self.queue_delay = Some(shortest);
            if delay >= shortest * 2 {
                window = part(window, base, rtt * 2);
                self.queue_delay = None;
            }
        }
        Packets { window, ssthresh }
    }
}

/// How many of `window` packets are in queues.
fn queued(window: u64, base: Span, rtt: Span) -> u64 {
    part(window, rtt - base, rtt)
}

/// `window · time / whole`, rounded down.
fn part(window: u64, time: Span, whole: Span) -> u64 {
    (u128::from(window) * u128::from(time.as_nanos()) / u128::from(whole.as_nanos().max(1))) as u64
}

impl Wvegas {
    /// If the path is above its α, sets α to the path's share of all αs, by rate.
    fn share_queues(&mut self, paths: &Paths, path: PathId, packets: u64, rtt: Span) {
        self.subflows[path.index()].rate = packets as f64 / rtt.as_nanos().max(1) as f64;
        let total: f64 = paths.coupled_ids().map(|(id, _)| self.subflows[id.index()].rate).sum();
        let subflow = &mut self.subflows[path.index()];
        let share = paths.share(subflow.rate, total);
        subflow.queued = ((share * TOTAL_QUEUED) as u64).max(LEAST_QUEUED);
    }

    /// Updates the path at the end of the round that `ack` completes.
    fn end_round(&mut self, paths: &Paths, ack: &PathAck) -> Option<Packets> {
        let path = &paths[ack.path];
        let unit = path.unit();
        let before = Packets { window: path.window() / unit, ssthresh: path.ssthresh() / unit };
        let was_used = ack.was_full && ack.may_grow;
        let is_slow_start = paths.is_slow_start(ack.path);
        // TCP takes a sample with every acknowledgement and discards rounds with fewer than three; SCTP takes one
        // sample per round trip.
        let least = if paths.profile().stepping == Stepping::PerAck { 3 } else { 1 };
        let subflow = &self.subflows[ack.path.index()];
        let (Some(rtt), Some(base)) = (subflow.round.mean(least), subflow.base) else {
            // The growth of Reno in this round; slow start has added it already.
            let window = before.window + 1;
            return (was_used && !is_slow_start).then_some(Packets { window, ..before });
        };
        let after = if is_slow_start {
            Subflow::leave_slow_start(before, base, rtt)?
        } else {
            if queued(before.window, base, rtt) >= subflow.queued {
                self.share_queues(paths, ack.path, before.window, rtt);
            }
            self.subflows[ack.path.index()].avoid(before, base, rtt, was_used)
        };
        let window = after.window.max(LEAST_WINDOW);
        Some(Packets { window, ssthresh: after.ssthresh.max(window / 2 + window / 4) })
    }
}

impl Algorithm for Wvegas {
    fn uses_acks(&self) -> bool {
        true
    }

    /// Nothing is added here: windows change at the end of rounds.
    fn growth(&self, _paths: &Paths, _path: PathId) -> f64 {
        0.0
    }

    fn on_path_opened(&mut self, _paths: &Paths, _path: PathId) {
        self.subflows.push(Subflow::default());
    }

    fn on_path_closed(&mut self, _paths: &Paths, path: PathId) {
        self.subflows[path.index()] = Subflow::default();
    }

    fn on_rtt_sample(&mut self, path: PathId, sample: Span) {
        let subflow = &mut self.subflows[path.index()];
        subflow.base = Some(subflow.base.map_or(sample, |base| base.min(sample)));
        subflow.round.sum += sample.as_nanos();
        subflow.round.samples += 1;
    }

    fn on_acked(&mut self, _now: Time, paths: &Paths, ack: &PathAck) -> Option<Adjustment> {
        let path = &paths[ack.path];
        let round = &mut self.subflows[ack.path.index()].round;
        if ack.in_recovery {
            *round = Round::default();
            return None;
        }
        let Some(left) = &mut round.left else {
            round.left = Some(path.window());
            return None;
        };
        *left = left.saturating_sub(ack.bytes);
        if *left > 0 {
            return None;
        }
        let before = path.window() / path.unit();
        let after = self.end_round(paths, ack);
        let unit = path.unit();
        let adjustment = after.map(|after| Adjustment {
            // The fraction of a packet is kept.
            window: path.window() - before * unit + after.window * unit,
            ssthresh: after.ssthresh * unit,
        });
        let window = adjustment.map_or(path.window(), |adjustment| adjustment.window);
        self.subflows[ack.path.index()].round = Round::of(window);
        adjustment
    }

    fn on_loss(&mut self, _now: Time, _paths: &Paths, path: PathId, loss: Loss) {
        let subflow = &mut self.subflows[path.index()];
        subflow.round = Round::default();
        if loss == Loss::Timeout {
            subflow.rate = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, Profile, WindowState};

    const P: PathId = PathId(0);

    /// The state of a subflow at the beginning of a round: V-WV-1 to 4.
    struct Begin {
        window: u64,
        ssthresh: u64,
        base_us: u64,
        queued: u64,
        queue_delay_us: Option<u64>,
    }

    /// One round of three samples of `rtt_us` on the only path, packets of 1000 bytes.
    fn round(begin: &Begin, rtt_us: u64) -> (Packets, Subflow) {
        let mut paths = Paths::new(Profile::TCP);
        let path = paths.open(Profile::TCP.segment(1040, crate::IpVersion::V4));
        paths[path].segment.unit = 1000;
        (paths[path].window, paths[path].ssthresh) = (begin.window * 1000, begin.ssthresh * 1000);
        let mut wvegas = Wvegas::default();
        wvegas.on_path_opened(&paths, path);
        wvegas.subflows[0] = Subflow {
            base: Some(Span::from_micros(begin.base_us)),
            queued: begin.queued,
            queue_delay: begin.queue_delay_us.map(Span::from_micros),
            ..Subflow::default()
        };
        for _ in 0..3 {
            wvegas.on_rtt_sample(path, Span::from_micros(rtt_us));
        }
        let ack = PathAck { path, bytes: 1000, was_full: true, may_grow: true, in_recovery: false };
        let after = wvegas.end_round(&paths, &ack).expect("the window changes");
        (after, wvegas.subflows[0])
    }

    #[test]
    fn rounds_have_calculated_results() {
        let one =
            Begin { window: 20, ssthresh: 10, base_us: 100_000, queued: 2, queue_delay_us: None };
        let (after, subflow) = round(&one, 110_000);
        assert_eq!((after.window, subflow.queue_delay), (21, Some(Span::from_millis(10))));
        assert_eq!(queued(20, Span::from_millis(100), Span::from_millis(110)), 1);

        let two = Begin { queued: 6, ..one };
        let (after, subflow) = round(&two, 102_000);
        assert_eq!((after.window, subflow.queue_delay), (21, Some(Span::from_millis(2))));

        let three = Begin { window: 32, ssthresh: 64, ..two };
        let (after, subflow) = round(&three, 110_000);
        assert_eq!(after, Packets { window: 30, ssthresh: 29 });
        assert_eq!(subflow.queue_delay, None);

        let four = Begin {
            window: 40,
            ssthresh: 20,
            base_us: 50_000,
            queued: 10,
            queue_delay_us: Some(15_000),
        };
        let (after, subflow) = round(&four, 90_000);
        assert_eq!(after, Packets { window: 10, ssthresh: 20 });
        assert_eq!((subflow.queued, subflow.queue_delay), (10, None));
    }

    /// Without cross traffic, all samples may equal the base.
    #[test]
    fn without_a_queue_the_window_is_not_reduced() {
        let begin = Begin {
            window: 20,
            ssthresh: 10,
            base_us: 100_000,
            queued: 2,
            queue_delay_us: Some(3000),
        };
        let (after, subflow) = round(&begin, 100_000);
        assert_eq!((after.window, subflow.queue_delay), (21, Some(Span::from_millis(3))));
    }

    fn controller(profile: Profile) -> Controller {
        let mut controller = Controller::new(Box::<Wvegas>::default(), profile);
        for _ in 0..2 {
            let path = controller.open_path_with_unit(1000);
            controller.restore(path, WindowState { window: 20_000, ssthresh: 5000, partial: 0 });
        }
        controller
    }

    /// One window of acknowledgements, each with a sample.
    fn one_round(controller: &mut Controller, path: PathId, rtt: Span) {
        for _ in 0..controller.window(path) / 1000 {
            controller.on_rtt(path, rtt, rtt);
            let ack =
                PathAck { path, bytes: 1000, was_full: true, may_grow: true, in_recovery: false };
            controller.on_sack(Time::ZERO, &[ack], &[]);
        }
    }

    /// The bottleneck transmits one packet per 5 ms: 20 packets fit into the pipe, the others are queued.
    #[test]
    fn a_single_path_fills_its_bottleneck_and_drains_the_queue_repeatedly() {
        for profile in [Profile::TCP, Profile::PAPER] {
            let mut controller = controller(profile);
            let base = Span::from_millis(100);
            controller.close_path(PathId(1));
            controller.on_rtt(P, base, base);
            let windows: Vec<_> = (0..100)
                .map(|_| {
                    let packets = controller.window(P) / 1000;
                    one_round(&mut controller, P, base.max(Span::from_millis(5) * packets));
                    packets
                })
                .collect();
            let drains = windows.windows(2).filter(|pair| pair[1] + 5 < pair[0]).count();
            assert!(windows.iter().all(|&packets| packets <= 30), "{}: {windows:?}", profile.name);
            assert!(windows.iter().all(|&packets| packets >= 8), "{}: {windows:?}", profile.name);
            assert!(drains >= 3, "{}: {windows:?}", profile.name);
        }
    }

    #[test]
    fn paths_share_ten_queued_packets_by_rate() {
        let mut controller = controller(Profile::TCP);
        let mut wvegas = Wvegas { subflows: vec![Subflow::default(); 2] };
        let rtt = Span::from_millis(100);
        for (path, packets) in [(0, 40), (1, 10), (0, 40)] {
            wvegas.share_queues(controller.paths(), PathId(path), packets, rtt);
        }
        assert_eq!([0, 1].map(|path| wvegas.subflows[path].queued), [8, 2]);
        controller.close_path(PathId(1));
        wvegas.on_path_closed(controller.paths(), PathId(1));
        wvegas.share_queues(controller.paths(), P, 40, rtt);
        assert_eq!(wvegas.subflows[0].queued, 10);
    }

    /// Without the loss in its middle, the round would have ended here.
    #[test]
    fn a_loss_halves_the_window_and_begins_a_new_round() {
        let mut controller = controller(Profile::TCP);
        one_round(&mut controller, P, Span::from_millis(100));
        let before = controller.window(P);
        controller.on_sack(Time::ZERO, &[], &[P]);
        assert_eq!(controller.window(P), before / 2);
        let ack =
            PathAck { path: P, bytes: before, was_full: true, may_grow: true, in_recovery: false };
        controller.on_sack(Time::ZERO, &[ack], &[]);
        assert_eq!(controller.window(P), before / 2, "this acknowledgement only begins the round");
        controller.on_sack(Time::ZERO, &[ack], &[]);
        assert_eq!(controller.window(P), before / 2 + 1000, "without samples it is Reno's growth");
    }
}
