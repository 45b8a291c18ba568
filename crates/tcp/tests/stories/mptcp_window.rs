//! One receive window for all subflows: bytes on a slow path block those on a fast one, and the remedies.
//! RFC 8684 §3.3.1, §3.3.4

use std::collections::BTreeSet;

use manypath_core::Span;
use manypath_link::LinkConfig;
use manypath_tcp::{CloseReason, Multipath, MultipathOption, Scheduler};

use crate::stage::{A, PLAIN, Several, Z, link};

/// A short path and another one, with a small receive buffer.
fn unequal(other: LinkConfig, rules: Multipath) -> Several {
    let mut several = Several::configured(&[link(10, 10), other], |_, config| {
        config.multipath = Some(rules);
        config.receive_buffer = 60_000;
    });
    several.connect();
    several
}

#[test]
fn a_long_path_blocks_a_small_receive_buffer_and_both_remedies_help() {
    let takes = |opportunistic_retransmission, penalisation| {
        let scheduler = Scheduler::RoundRobin;
        let rules = Multipath { scheduler, opportunistic_retransmission, penalisation };
        unequal(link(10, 100), rules).transfer(10_000_000)
    };
    let neither = takes(false, false);
    let (retransmission, penalty, both) =
        (takes(true, false), takes(false, true), takes(true, true));
    assert!(retransmission < neither * 2 / 3, "{retransmission} and {neither}");
    assert!(penalty < neither * 2 / 3, "{penalty} and {neither}");
    assert!(both < retransmission && both < penalty, "{both}, {retransmission} and {penalty}");
}

#[test]
fn a_path_helps_a_slower_one_once_with_the_same_bytes() {
    let rules =
        Multipath { scheduler: Scheduler::RoundRobin, opportunistic_retransmission: true, ..PLAIN };
    let mut several = unequal(link(10, 100), rules);
    several.transfer(500_000);
    several.settle();
    let mut seen = BTreeSet::new();
    let of_a = several.network.log.iter().filter(|sent| sent.from == A && sent.path == 0);
    for sent in of_a.filter(|sent| sent.has_data()) {
        let Some(MultipathOption::Dss(signal)) = sent.options.multipath else { panic!("{sent}") };
        assert!(seen.insert(signal.data), "{} at {} leaves again", signal.data, sent.at);
    }
    let together: u64 = [0, 1].map(|path| several.path_stats(A, path).data_packets).iter().sum();
    assert!(together > 500_000_u64.div_ceil(1440) && several.stats(Z).duplicate_segments > 0);
    assert_eq!(several.path_stats(A, 0).retransmitted_segments(), 0);
}

#[test]
fn a_reader_that_sleeps_stops_all_paths_and_wakes_them() {
    let mut several = unequal(link(1, 100), PLAIN);
    several.write(A, 400_000);
    several.drive(Span::from_secs(20));
    let sent: u64 = [0, 1].map(|path| several.path_stats(Z, path).bytes_received).iter().sum();
    assert!(sent <= 60_000 && sent > 50_000, "{sent}");
    assert!(several.stats(A).window_probes_sent > 3);
    assert_eq!(several.stats(Z).refused_segments, 0);
    several.transfer(500_000 - 400_000);
    assert_eq!(several.written_and_read(A), (500_000, 500_000));
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}
