//! With every combination of options all data arrives once, unaltered and in order; the ledger of every run checks it.

use std::fmt::Debug;

use crate::networks::{disjoint, flow, link, outcomes, scenario};
use manypath_core::Span;
use manypath_lab::Job;
use manypath_lab::scenario::{Application, MessageSize, Network, SctpFlow};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::{LinkConfig, LossConfig};
use manypath_sctp::{BufferSplit, PathBlocking, Rescheduling, SplitBy};

#[test]
fn messages_of_any_size_arrive_on_any_number_of_streams() {
    all_arrive(80, |choice| {
        let (min, max) =
            choice.of(&[(1, 60), (1, 1452), (1, 20_000), (20_000, BUFFER), (BUFFER, BUFFER)]);
        let app = Application::Saturated {
            message: MessageSize { min, max },
            ordered: choice.of(&[false, true]),
        };
        SctpFlow {
            app,
            streams: choice.of(&[1, 5]),
            nr_sack: choice.of(&[false, true]),
            buffer_split: choice.of(&[BufferSplit::None, BufferSplit::Both]),
            ..small_buffers()
        }
    });
}

#[test]
fn the_switches_for_unequal_paths_go_together() {
    all_arrive(288, |choice| {
        let app = Application::Saturated {
            message: MessageSize { min: 500, max: 4000 },
            ordered: choice.of(&[false, true]),
        };
        let (nr_sack, never_renege) = choice.of(&[(false, false), (true, false), (true, true)]);
        SctpFlow {
            app,
            streams: 3,
            nr_sack,
            never_renege,
            buffer_split: choice.of(&[
                BufferSplit::None,
                BufferSplit::Sender,
                BufferSplit::Receiver,
                BufferSplit::Both,
            ]),
            split_by: choice.of(&[SplitBy::Outstanding, SplitBy::Buffered]),
            rescheduling: choice.of(&[
                Rescheduling::None,
                Rescheduling::Threshold,
                Rescheduling::Inet,
            ]),
            path_blocking: choice.of(&[PathBlocking::None, PathBlocking::RtoTimesPaths]),
            cc: "cmt-rpv2".to_owned(),
            ..small_buffers()
        }
    });
}

#[test]
fn damaged_packets_are_retransmitted_with_and_without_reports() {
    all_arrive(16, |choice| {
        let app = Application::Saturated {
            message: MessageSize { min: 1, max: 20_000 },
            ordered: choice.of(&[false, true]),
        };
        SctpFlow {
            app,
            streams: 3,
            packet_drop_reports: choice.of(&[false, true]),
            nr_sack: choice.of(&[false, true]),
            buffer_split: choice.of(&[BufferSplit::None, BufferSplit::Both]),
            ..small_buffers()
        }
    });
}

/// Runs each combination over paths that lose and damage packets, and reports those that fail.
fn all_arrive(combinations: usize, flow: impl Fn(&mut Choice) -> SctpFlow) {
    let scenarios: Vec<_> = (0..combinations)
        .map(|combination| {
            let mut choice = Choice { combination, made: Vec::new() };
            let flow = flow(&mut choice);
            assert_eq!(choice.combination, 0, "there are no {combinations} combinations");
            let scenario = scenario(unequal(), [("cmt", flow)], 1, 4);
            scenario.validate().unwrap();
            (choice.made.join(", "), scenario)
        })
        .collect();
    let jobs = scenarios.iter().map(|(_, scenario)| (scenario, Job { seed: 1, replication: 0 }));
    let results = outcomes(&jobs.collect::<Vec<_>>(), 2);
    let broken: Vec<_> = scenarios
        .iter()
        .zip(results)
        .filter_map(|((made, _), result)| match result {
            Ok(outcome) if outcome.flows["cmt"].delivered_messages > 0 => None,
            Ok(_) => Some(format!("{made}: nothing arrived")),
            Err(error) => Some(format!("{made}: {}", error.cause)),
        })
        .collect();
    assert!(broken.is_empty(), "{} of {combinations}\n{}", broken.len(), broken.join("\n"));
}

/// The choices of one combination.
struct Choice {
    combination: usize,
    made: Vec<String>,
}

impl Choice {
    /// Chooses one of `options`: all numbers of combinations together choose all of them.
    fn of<T: Copy + Debug>(&mut self, options: &[T]) -> T {
        let option = options[self.combination % options.len()];
        self.combination /= options.len();
        self.made.push(format!("{option:?}"));
        option
    }
}

fn small_buffers() -> SctpFlow {
    SctpFlow {
        send_buffer: 100_000,
        receive_buffer: BUFFER.into(),
        ..flow(&["south", "north"], "newreno")
    }
}

/// Two unequal paths: one loses packets, the other damages them.
fn unequal() -> Network {
    let loses = LossConfig::Bernoulli(BernoulliConfig { p: 0.01 });
    let damages = LossConfig::BitError(BitErrorConfig { rate: 1e-6, spared: 0 });
    disjoint([
        ("south", LinkConfig { loss: damages, ..link(10.0, Span::from_millis(1), 50) }),
        ("north", LinkConfig { loss: loses, ..link(1.0, Span::from_millis(20), 50) }),
    ])
}

/// Bytes of the receive buffer, and of the longest message.
const BUFFER: u32 = 60_000;
