//! A receiver may renege data that it has only acknowledged by gap blocks, and the sender retransmits it.
//! RFC 9260 §6.2.1 D iii), draft-natarajan-tsvwg-sctp-nrsack

use std::collections::BTreeSet;

use bytes::Bytes;
use manypath_core::{PathId, Span};
use manypath_sctp::{Config, Message, Sack, Stats, WindowOverrun};
use proptest::prelude::*;

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Side, Z};
use crate::send::peer::{Peer, Report, alone};

/// A sends numbered messages on one ordered stream into a small buffer, over two paths. One of them fails every four
/// seconds for two seconds. A exceeds the buffer like INET, so that there is no room for retransmissions.
fn through_a_small_buffer(nr_sack: bool, never_renege: bool) -> (Pair, Vec<Message>) {
    let mut pair = Pair::configured(2, |_, config| {
        *config = Config {
            concurrent: true,
            nr_sack,
            never_renege,
            window_overrun: WindowOverrun::Wraps,
            receive_buffer: 15_000,
            send_buffer: 100_000,
            ..config.clone()
        };
    });
    pair.connect();
    pair.drive(Span::from_millis(100));
    pair.network.rule(|sent| {
        let is_broken = sent.path == 0 && sent.at.as_secs_f64() % 4.0 >= 2.0;
        if is_broken { Fault::Lose } else { Fault::None }
    });
    let message = |ppid| Message {
        stream: 0,
        ppid,
        unordered: false,
        payload: Bytes::from(vec![ppid as u8; 1000]),
        part: None,
    };
    let mut received = Vec::new();
    for ppid in 0..MESSAGES {
        while pair.hand_over(A, message(ppid)).is_err() {
            pair.drive(Span::from_millis(10));
            received.extend(pair.read_messages(Z));
        }
    }
    for _ in 0..200 {
        pair.drive(Span::from_secs(1));
        received.extend(pair.read_messages(Z));
    }
    (pair, received)
}

const MESSAGES: u32 = 3000;

fn stats(pair: &mut Pair, side: Side) -> Stats {
    *pair.endpoint(side).stats(FIRST)
}

#[test]
fn a_receiver_that_reneges_delivers_everything_once_and_in_order() {
    for nr_sack in [false, true] {
        let (mut pair, received) = through_a_small_buffer(nr_sack, false);
        assert!(received.iter().map(|message| message.ppid).eq(0..MESSAGES));
        assert!(stats(&mut pair, Z).given_up_chunks > 0, "with NR-SACK: {nr_sack}");
        assert_eq!(pair.endpoint(A).send_space(FIRST), 100_000);
    }
}

#[test]
fn non_renegable_data_is_kept() {
    let (mut pair, received) = through_a_small_buffer(true, true);
    assert!(received.iter().map(|message| message.ppid).eq(0..MESSAGES));
    assert_eq!(stats(&mut pair, Z).given_up_chunks, 0);
}

#[test]
fn blocked_ordered_data_is_renegable_and_unordered_data_is_not() {
    for unordered in [false, true] {
        let mut pair = Pair::configured(1, |_, config| {
            *config =
                Config { nr_sack: true, never_renege: false, sack_every: 1, ..config.clone() };
        });
        pair.connect();
        pair.network.once(A, "DATA", Fault::Lose);
        let message = || Message {
            stream: 0,
            ppid: 0,
            unordered,
            payload: Bytes::from(vec![0; 1452]),
            part: None,
        };
        pair.send_all(A, (0..3).map(|_| message()));
        pair.drive(Span::from_millis(40));
        let (_, sack) = pair.sacks(Z).last().expect("a SACK");
        let listed = |sack: &Sack| (sack.gaps.count(), sack.kept_gaps.count());
        assert_eq!(listed(sack), if unordered { (0, 2) } else { (2, 0) });
    }
}

#[test]
fn reneged_and_retransmitted_chunks_count_as_newly_acknowledged() {
    let config = Config { association_max_retransmissions: 2, ..alone() };
    let mut peer = Peer::of(config);
    assert_eq!(peer.submit(3, 100), [[1, 2, 3]]);
    // Every copy of chunk 2 is lost, and chunk 3 is reneged after each report
    for round in 0..8 {
        let errors = peer.stats(0).timeouts;
        peer.sack(1, &[(3, 3)]);
        peer.sack(1, &[]);
        let again = peer.advance(peer.stats(0).rto);
        assert_eq!((peer.stats(0).timeouts, again), (errors + 1, vec![vec![2, 3]]), "{round}");
    }
    peer.sack(3, &[]);
    assert_eq!(peer.submit(1, 100), [[4]], "the association continues");
}

#[test]
fn reneged_bytes_count_once_as_acknowledged() {
    let mut peer = Peer::of(alone());
    peer.submit(3, 100);
    peer.sack(1, &[(3, 3)]);
    assert_eq!(peer.stats(0).bytes_acked, 200);
    peer.sack(1, &[]);
    assert_eq!(peer.advance(peer.stats(0).rto), [[2, 3]], "3 is sent again");
    peer.sack(1, &[(3, 3)]);
    assert_eq!(peer.stats(0).bytes_acked, 200);
    peer.sack(3, &[]);
    assert_eq!(peer.stats(0).bytes_acked, 300);
}

/// A step between a sender and a reneging receiver.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send(usize),
    Wait(Span),
    /// The receiver reports what has arrived: by gap blocks only, or partly as non-renegable.
    Report {
        keeps: u32,
        path: usize,
    },
    /// The receiver reneges a fraction of the chunks that it may renege.
    GiveUp(u32),
    Shutdown,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..6_usize).prop_map(Step::Send),
        2 => (1..2500_u64).prop_map(|ms| Step::Wait(Span::from_millis(ms))),
        6 => (1..9_u32, 0..2_usize).prop_map(|(keeps, path)| Step::Report { keeps, path }),
        3 => (1..4_u32).prop_map(Step::GiveUp),
        1 => Just(Step::Shutdown),
    ]
}

/// A receiver that reneges whatever it may, with its sender.
struct Reneger {
    peer: Peer,
    cumulative: u32,
    /// Above the cumulative one.
    arrived: BTreeSet<u32>,
    kept: BTreeSet<u32>,
    sent: u32,
    closing: bool,
    /// Random bits, which select the packets that arrive.
    luck: u64,
}

impl Reneger {
    fn record_arrivals(&mut self, packets: Vec<(usize, Vec<u32>)>) {
        for (_, chunks) in packets {
            self.luck = self.luck.rotate_left(1);
            if self.luck & 1 == 1 {
                self.arrived.extend(chunks.iter().filter(|&&chunk| chunk > self.cumulative));
            }
        }
        while self.arrived.remove(&(self.cumulative + 1)) {
            self.cumulative += 1;
            self.kept.remove(&self.cumulative);
        }
    }

    fn execute(&mut self, step: Step) {
        let packets = match step {
            Step::Send(count) if !self.closing => {
                self.sent += count as u32;
                self.peer.submit_by_path(count, 1452)
            }
            Step::Send(_) => Vec::new(),
            Step::Wait(span) => self.peer.advance_by_path(span),
            Step::Report { keeps, path } => {
                let kept = self.arrived.iter().filter(|chunk| *chunk % keeps == 1);
                self.kept.extend(kept);
                self.report(path)
            }
            Step::GiveUp(one_in) => {
                let kept = &self.kept;
                self.arrived.retain(|chunk| chunk % one_in != 0 || kept.contains(chunk));
                Vec::new()
            }
            Step::Shutdown => {
                self.closing = true;
                let now = self.peer.now;
                self.peer.endpoint.shutdown(now, FIRST);
                self.peer.advance_by_path(Span::ZERO)
            }
        };
        self.record_arrivals(packets);
    }

    fn report(&mut self, path: usize) -> Vec<(usize, Vec<u32>)> {
        let pairs = |chunks: &mut dyn Iterator<Item = &u32>| {
            chunks.map(|&chunk| (chunk, chunk)).collect::<Vec<_>>()
        };
        let gaps = pairs(&mut self.arrived.difference(&self.kept));
        let kept = pairs(&mut self.kept.iter());
        self.peer.sack_by_path(Report {
            cumulative: self.cumulative,
            gaps: &gaps,
            kept: &kept,
            packets: 2,
            path,
            ..Report::default()
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_receiver_that_reneges_everything_eventually_gets_all_data(
        cmt in any::<bool>(),
        steps in prop::collection::vec(step(), 1..80),
        luck in any::<u64>(),
    ) {
        let config = Config {
            send_buffer: 1_000_000,
            path_max_retransmissions: 1000,
            association_max_retransmissions: 1000,
            ..if cmt { concurrent() } else { alone() }
        };
        let peer = Peer::on(2, 100_000, config);
        let (arrived, kept) = (BTreeSet::new(), BTreeSet::new());
        let mut story =
            Reneger { peer, cumulative: 0, arrived, kept, sent: 0, closing: false, luck };
        for step in steps {
            story.execute(step);
        }
        story.luck = u64::MAX;
        for round in 0.. {
            prop_assert!(round < 2000, "{} of {} chunks have arrived", story.cumulative, story.sent);
            story.execute(Step::Report { keeps: 2, path: round % 2 });
            if story.cumulative == story.sent {
                break;
            }
            story.execute(Step::Wait(Span::from_secs(1)));
        }
        story.execute(Step::Report { keeps: 2, path: 0 });
        prop_assert_eq!(story.peer.endpoint.send_space(FIRST), 1_000_000);
        let paths = [0, 1].map(|path| story.peer.endpoint.path_stats(FIRST, PathId(path)));
        prop_assert!(paths.iter().all(|path| path.outstanding == 0));
        let bytes_acked: u64 = paths.iter().map(|path| path.bytes_acked).sum();
        prop_assert_eq!(bytes_acked, 1452 * u64::from(story.sent));
    }
}
