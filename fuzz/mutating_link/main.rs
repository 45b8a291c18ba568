//! Two endpoints over a link that loses, duplicates, delays and damages packets. Damage that the checksum detects must
//! only cost time; other damage must have no effect beyond the association.

use bolero::TypeGenerator;
use manypath_core::{Span, Time};
use manypath_fuzz::SHRINK_TIME;
use manypath_fuzz::ledger::{Batch, Ledger};
use manypath_fuzz::setting::{A, Setting, Side, Z};
use manypath_fuzz::stage::{FIRST, Fault, Stage};
use manypath_sctp::{CloseReason, Event};

#[derive(Clone, Debug, TypeGenerator)]
struct Story {
    setting: Setting,
    #[generator(bolero::produce::<Vec<Sending>>().with().len(0..=12_usize))]
    sendings: Vec<Sending>,
    /// The side that shuts down.
    closer: Side,
    #[generator(bolero::produce::<Vec<Fault>>().with().len(0..=80_usize))]
    faults: Vec<Fault>,
}

/// Messages that one side sends.
#[derive(Clone, Copy, Debug, TypeGenerator)]
struct Sending {
    from: Side,
    /// Milliseconds since the previous ones.
    after: u8,
    #[generator(1..=8_u8)]
    count: u8,
    #[generator(0..16_u8)]
    stream: u8,
    unordered: bool,
    #[generator(1..=8_000_u16)]
    length: u16,
}

fn main() {
    let check = bolero::check!().with_type().with_max_depth(16).with_iterations(0);
    check.with_shrink_time(SHRINK_TIME).for_each(run);
}

fn run(story: &Story) {
    let mut stage = Stage::new(&story.setting, true);
    stage.faults = story.faults.iter().rev().cloned().collect();
    stage.open(&story.setting);
    let mut run = Run { stage, ledgers: [Ledger::default(), Ledger::default()] };
    if story.faults.iter().any(|fault| matches!(fault, Fault::Change(_))) {
        run.survives(story);
    } else {
        run.delivers(story);
    }
}

struct Run {
    stage: Stage,
    /// By receiving side.
    ledgers: [Ledger; 2],
}

impl Run {
    /// Checks that everything arrives, and that both sides complete the shutdown.
    fn delivers(&mut self, story: &Story) {
        let connected = |stage: &Stage| {
            [A, Z].iter().all(|side| stage.host(*side).events().contains(&Event::Connected(FIRST)))
        };
        let ended = self
            .stage
            .drive_until(PATIENCE, |stage| connected(stage) || stage.close_reason(A).is_some());
        assert!(ended, "no association stands after {}", self.stage.now);
        if !connected(&self.stage) {
            let is_lost = |fault: &&Fault| matches!(fault, Fault::Lose | Fault::Damage(_));
            let lost = story.faults.iter().filter(is_lost).count();
            assert!(lost >= LOST_COOKIES, "the setup ends after {lost} lost packets");
            assert!(self.stage.now >= Time::ZERO + SETUP, "the setup ends at {}", self.stage.now);
            assert_eq!(self.stage.close_reason(A), Some(CloseReason::Unreachable));
            return self.is_bounded();
        }
        self.send_all(story);
        assert!(self.settles(), "not all has arrived at {}: {:?}", self.stage.now, self.ledgers);
        let start = self.stage.now;
        self.stage.act(story.closer, |endpoint| endpoint.shutdown(start, FIRST));
        let closed = self.stage.drive_until(PATIENCE, |stage| {
            [A, Z].iter().all(|side| stage.close_reason(*side).is_some())
        });
        assert!(closed, "the shutdown has not ended at {}", self.stage.now);
        let reasons = [A, Z].map(|side| self.stage.close_reason(side));
        let is_orderly = |reason: &Option<CloseReason>| *reason == Some(CloseReason::Shutdown);
        let orderly = reasons.iter().filter(|reason| is_orderly(reason)).count();
        // If SHUTDOWN COMPLETE is lost, a late packet finds no association and is answered with ABORT. RFC 9260 §8.4
        let is_late = |fault: &Fault| matches!(fault, Fault::Duplicate(_) | Fault::Delay(_));
        let least = match self.stage.now - start {
            span if span >= GUARD => 0,
            _ if story.faults.iter().any(is_late) => 1,
            _ => 2,
        };
        assert!(orderly >= least, "{reasons:?}");
        self.is_bounded();
    }

    /// Checks only that the association ends.
    fn survives(&mut self, story: &Story) {
        self.stage.drive(Span::from_secs(1));
        self.send_all(story);
        for _ in 0..20 {
            self.stage.drive(Span::from_secs(15));
            for side in [A, Z] {
                while self.stage.read(side).is_some() {}
            }
        }
        self.is_bounded();
        [A, Z].into_iter().for_each(|side| self.stage.abandon(side));
    }

    fn send_all(&mut self, story: &Story) {
        for sending in &story.sendings {
            self.stage.drive(Span::from_millis(sending.after.into()));
            let Sending { from, count, stream, unordered, length, .. } = *sending;
            let batch = Batch { count, stream, unordered, length };
            batch.leave(from, &mut self.stage, &mut self.ledgers);
        }
    }

    /// Reads messages until all have arrived.
    fn settles(&mut self) -> bool {
        let Self { stage, ledgers } = self;
        stage.drive_until(PATIENCE, |stage| {
            for side in [A, Z] {
                while let Some(message) = stage.read(side) {
                    ledgers[side as usize].arrived(&message);
                }
            }
            ledgers.iter().all(Ledger::is_settled)
        })
    }

    fn is_bounded(&self) {
        let stage = &self.stage;
        let seconds = stage.now.as_secs_f64() as u64;
        assert!(stage.wakes() <= 500 + 4 * stage.packets() + 2 * seconds, "{}", stage.wakes());
        for side in [A, Z] {
            let events = stage.host(side).heard();
            assert!(events <= 100 + 8 * stage.packets(), "{side:?} tells {events} events");
            let held = stage.host(side).held();
            assert!(held <= MOST_HELD, "{side:?} holds {held} bytes");
        }
    }
}

/// Time limit for two endpoints that lose dozens of packets in a row and wait for many timers of a minute.
const PATIENCE: Span = Span::from_secs(4 * 3600);
/// After so many lost packets, the host that made a cookie may have changed its secret. Then it does not answer the cookie,
/// not even as stale, and the setup fails in the end. RFC 9260 §5.1.5
const LOST_COOKIES: usize = 5;
/// Least duration of such a setup, whose last retransmissions are a minute apart.
const SETUP: Span = Span::from_secs(3_000);
/// After this time, a side ends the shutdown (T5-shutdown-guard). RFC 9260 §9.2
const GUARD: Span = Span::from_secs(5 * 60);
/// Bytes that an endpoint may hold.
const MOST_HELD: i64 = 300_000;
