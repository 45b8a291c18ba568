//! An established association receives forged packets with right tags and checksums.

use bolero::TypeGenerator;
use bytes::Bytes;
use manypath_core::Span;
use manypath_fuzz::SHRINK_TIME;
use manypath_fuzz::forge::{Changes, Forgery, Heard, Small, seal};
use manypath_fuzz::host::NETWORK_HEADER;
use manypath_fuzz::ledger::{Batch, Ledger};
use manypath_fuzz::setting::{A, Setting, Side, Z};
use manypath_fuzz::stage::{FIRST, Stage};
use manypath_sctp::{Control, Event, Packet};

#[derive(Clone, Debug, TypeGenerator)]
struct Story {
    setting: Setting,
    #[generator(bolero::produce::<Vec<Act>>().with().len(0..=24_usize))]
    acts: Vec<Act>,
}

#[derive(Clone, Debug, TypeGenerator)]
enum Act {
    /// This number of milliseconds passes.
    Wait(Small),
    /// A forged packet arrives on a path that may not exist.
    Forge {
        at: Side,
        #[generator(0..4_u8)]
        path: u8,
        forgery: Forgery,
        /// Number of repetitions.
        #[generator(0..4_u8)]
        again: u8,
    },
    /// The last packet of the peer arrives again, modified.
    Replay {
        at: Side,
        #[generator(0..4_u8)]
        path: u8,
        changes: Changes,
        /// Whether the checksum is corrected.
        mended: bool,
    },
    /// Sends messages.
    Send {
        from: Side,
        #[generator(1..=8_u8)]
        count: u8,
        #[generator(0..20_u8)]
        stream: u8,
        unordered: bool,
        #[generator(1..=8_000_u16)]
        length: u16,
    },
    /// Reads all waiting messages.
    Read(Side),
    /// The application shuts down.
    Shutdown(Side),
    /// The application aborts.
    Abort(Side),
}

fn main() {
    let check = bolero::check!().with_type().with_max_depth(16).with_iterations(0);
    check.with_shrink_time(SHRINK_TIME).for_each(run);
}

fn run(story: &Story) {
    let mut stage = Stage::new(&story.setting, false);
    stage.open(&story.setting);
    stage.drive(Span::from_secs(3));
    for side in [A, Z] {
        assert!(stage.host(side).events().contains(&Event::Connected(FIRST)));
    }
    let ledgers = [Ledger::default(), Ledger::default()];
    let mut run = Run { stage, ledgers, is_honest: true, is_over: false };
    for act in &story.acts {
        run.act(act);
        run.is_bounded();
    }
    run.ends();
}

struct Run {
    stage: Stage,
    /// By receiving side.
    ledgers: [Ledger; 2],
    /// Whether no packet with false data or acknowledgements has arrived.
    is_honest: bool,
    /// Whether an application has ended the association.
    is_over: bool,
}

impl Run {
    fn act(&mut self, act: &Act) {
        let now = self.stage.now;
        match act {
            Act::Wait(span) => self.stage.drive(Span::from_millis(span.get().into())),
            Act::Forge { at, path, forgery, again } => {
                for packet in forgery.packets(self.stage.heard(*at)) {
                    for _ in 0..=*again {
                        self.inject(*at, *path, &packet);
                    }
                }
            }
            Act::Replay { at, path, changes, mended } => {
                let mut packet = self.stage.heard(at.other()).sent.clone();
                changes.apply(0, &mut packet);
                if *mended {
                    seal(&mut packet);
                }
                self.inject(*at, *path, &packet);
            }
            Act::Send { from, count, stream, unordered, length } => {
                let (count, stream, unordered, length) = (*count, *stream, *unordered, *length);
                let batch = Batch { count, stream, unordered, length };
                batch.leave(*from, &mut self.stage, &mut self.ledgers);
            }
            Act::Read(side) => self.read(*side),
            Act::Shutdown(side) => {
                self.is_over = true;
                self.stage.act(*side, |endpoint| endpoint.shutdown(now, FIRST));
            }
            Act::Abort(side) => {
                self.is_over = true;
                self.stage.act(*side, |endpoint| endpoint.abort(now, FIRST));
            }
        }
    }

    fn inject(&mut self, at: Side, path: u8, packet: &[u8]) {
        self.is_honest &= is_harmless(packet, self.stage.heard(at));
        let sent = self.stage.inject(at, at.via(path), packet);
        assert!(sent <= MOST_ANSWERS, "{sent} packets answer one");
    }

    fn read(&mut self, side: Side) {
        while let Some(message) = self.stage.read(side) {
            if self.is_honest {
                self.ledgers[side as usize].arrived(&message);
            }
        }
    }

    fn is_bounded(&self) {
        let stage = &self.stage;
        let seconds = stage.now.as_secs_f64() as u64;
        let arrived: u64 = [A, Z].iter().map(|side| stage.host(*side).received() / 32).sum();
        let most = 200 + 4 * (stage.packets() + arrived) + 20 * seconds;
        assert!(stage.wakes() <= most, "{} wake-ups, {most} are plenty", stage.wakes());
        for side in [A, Z] {
            let host = stage.host(side);
            assert!(host.held() <= MOST_HELD, "{side:?} holds {} bytes", host.held());
            assert!(host.peak() <= MOST_PEAK, "one call held {} bytes more", host.peak());
        }
    }

    /// An association without false packets carries all messages, or has ended for a reason. Any association comes to
    /// rest.
    fn ends(mut self) {
        let is_alive =
            |stage: &Stage| [A, Z].iter().all(|side| stage.close_reason(*side).is_none());
        if self.is_honest && !self.is_over {
            for from in [A, Z] {
                self.act(&Act::Send { from, count: 1, stream: 3, unordered: false, length: 2_000 });
            }
            let settles = (0..600).any(|_| {
                self.stage.drive(Span::from_secs(1));
                [A, Z].into_iter().for_each(|side| self.read(side));
                self.ledgers.iter().all(Ledger::is_settled)
            });
            assert!(
                is_alive(&self.stage),
                "{:?}",
                [A, Z].map(|side| self.stage.close_reason(side))
            );
            assert!(settles, "not all has arrived at {}: {:?}", self.stage.now, self.ledgers);
        } else {
            for _ in 0..30 {
                self.stage.drive(Span::from_secs(10));
                [A, Z].into_iter().for_each(|side| self.read(side));
            }
        }
        self.is_bounded();
        for side in [A, Z] {
            self.stage.abandon(side);
            let held = self.stage.host(side).held();
            assert!(held <= MOST_LEFT, "{side:?} holds {held} bytes after the end");
        }
    }
}

/// Whether a packet is harmless: it contains no data, acknowledges only what the true peer has acknowledged, and
/// neither opens nor ends anything.
fn is_harmless(packet: &[u8], heard: &Heard) -> bool {
    let mut read = Packet::default();
    let result = read.decode(&Bytes::copy_from_slice(packet), NETWORK_HEADER as u16);
    if result.is_err_and(|error| error.discards_packet()) {
        return true;
    }
    let sack = &read.sack;
    let tells_no_more =
        sack.cumulative.is_at_or_before(heard.acknowledged) && sack.kept_gaps.is_empty();
    let is_idle = |chunk: &Control| match chunk {
        Control::Heartbeat(_)
        | Control::HeartbeatAck(_)
        | Control::CookieAck
        | Control::Error(_)
        | Control::PacketDrop(_)
        | Control::Padding(_)
        | Control::InitAck(_)
        | Control::Unrecognized(_) => true,
        Control::Init(_) => read.tag != 0,
        _ => false,
    };
    (!read.has_sack || tells_no_more) && read.data.is_empty() && read.control.iter().all(is_idle)
}

/// Largest number of packets that one packet causes: a window.
const MOST_ANSWERS: u64 = 64;
/// Bytes that an endpoint may hold: several times its buffers.
const MOST_HELD: i64 = 300_000;
/// Additional bytes that one call may hold temporarily.
const MOST_PEAK: i64 = 200_000;
/// Bytes that an endpoint may hold after the end of its only association.
const MOST_LEFT: i64 = 8_192;
