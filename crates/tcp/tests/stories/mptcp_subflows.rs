//! Subflows that join, leave and fail while the connection continues. RFC 8684 §3.1 to §3.4

use manypath_core::{PathId, Span};
use manypath_tcp::{CloseReason, Config, Event, Flags, MultipathOption, Options, Segment};

use crate::stage::{A, FIRST, Fault, PLAIN, Several, Side, Z, link};

fn up(path: u8) -> Event {
    Event::PathUp { connection: FIRST, path: PathId(path) }
}

/// The subflow has ended.
pub(crate) fn down(path: u8) -> Event {
    Event::PathDown { connection: FIRST, path: PathId(path) }
}

/// Both sides use Multipath TCP, and their sequence numbers are known.
pub(crate) fn predictable(paths: usize, change: impl Fn(Side, &mut Config)) -> Several {
    Several::configured(&vec![link(10, 10); paths], |side, config| {
        config.multipath = Some(PLAIN);
        config.initial_sequence = Some(1000);
        change(side, config);
    })
}

fn join(token: u32) -> Options {
    Options { multipath: Some(MultipathOption::Join { token }), ..Options::default() }
}

#[test]
fn a_path_that_joins_in_mid_transfer_carries_its_part() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.open(1);
    several.settle();
    let alone = several.transfer(2_000_000);
    several.join(A, 1);
    let together = several.transfer(2_000_000);
    assert!(together < alone * 2 / 3, "{together} and {alone}");
    assert_eq!(several.events(A).last(), Some(&Event::Writable(FIRST)));
    assert_eq!(several.endpoint(Z).path_count(FIRST), 2);
    assert!(several.path_stats(Z, 1).bytes_received > 800_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn removing_a_path_during_a_transfer_loses_no_data() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.write(A, 900_000);
    several.drive(Span::from_millis(200));
    let before = several.path_stats(A, 0);
    several.leave(A, PathId(0));
    several.transfer(1_000_000 - 900_000);
    let after = several.path_stats(A, 0);
    let again = after.retransmitted_segments() - before.retransmitted_segments();
    assert_eq!(after.data_packets, before.data_packets + again, "only FIN followed");
    assert!(several.events(A).contains(&down(0)) && several.events(Z).contains(&down(0)));
    assert!(!several.path_stats(A, 0).usable && several.path_stats(A, 1).usable);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn the_last_path_does_not_leave() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.leave(Z, PathId(1));
    several.leave(Z, PathId(0));
    several.settle();
    assert_eq!(several.events(A), [down(1)]);
    several.transfer(100_000);
    several.leave(A, PathId(7));
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn a_path_that_left_may_come_back() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.leave(A, PathId(1));
    several.settle();
    several.leave(A, PathId(1));
    several.leave(Z, PathId(1));
    several.join(A, 1);
    several.settle();
    assert_eq!(several.events(A), [down(1), up(2)]);
    assert_eq!(several.events(Z), [down(1), up(2)]);
    several.transfer(1_000_000);
    assert!(several.path_stats(Z, 2).bytes_received > 400_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn a_path_that_one_side_has_given_up_comes_back_although_the_other_side_still_has_it() {
    let mut several = Several::configured(&[link(10, 10), link(10, 10)], |_, config| {
        config.multipath = Some(PLAIN);
        config.max_retransmissions = 3;
    });
    several.connect();
    several.network.cut(1);
    several.transfer(500_000);
    several.drive(Span::from_secs(20));
    assert!(several.events(A).contains(&down(1)) && !several.events(Z).contains(&down(1)));
    several.network.restore(1);
    several.join(A, 1);
    several.drive(Span::from_secs(1));
    assert!(several.events(A).contains(&up(2)) && several.events(Z).contains(&up(2)));
    several.transfer(500_000);
    assert!(several.path_stats(Z, 2).bytes_received > 200_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
    several.drive(Span::from_secs(300));
    assert!(!several.step(), "no timer is left");
}

#[test]
fn a_path_that_the_peer_left_first_comes_back_before_its_time_wait_is_over() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.leave(Z, PathId(1));
    several.settle();
    several.join(A, 1);
    several.settle();
    assert_eq!(several.events(A), [down(1), up(2)]);
}

#[test]
fn data_of_a_failed_path_is_reinjected_on_another_path() {
    let mut several = Several::configured(&[link(10, 10), link(10, 10)], |_, config| {
        config.multipath = Some(PLAIN);
        config.max_retransmissions = 5;
    });
    several.connect();
    several.write(A, 1_000_000);
    several.drive(Span::from_millis(200));
    several.network.cut(0);
    let took = several.transfer(1_000_000);
    // 1.4 MB and more over one path of 10 Mbit/s, and a timeout
    assert!(took > Span::from_millis(1100) && took < Span::from_millis(1900), "{took}");
    assert!(several.path_stats(A, 0).timeouts > 0 && several.path_stats(A, 1).timeouts == 0);
    several.drive(Span::from_secs(20));
    assert!(several.events(A).contains(&down(0)), "six timeouts are enough");
    several.transfer(100_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn a_path_that_works_again_is_used_again() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.network.cut(0);
    several.transfer(1_000_000);
    several.network.restore(0);
    several.drive(Span::from_secs(10));
    let before = several.path_stats(Z, 0).bytes_received;
    several.transfer(1_000_000);
    assert!(several.path_stats(Z, 0).bytes_received > before + 300_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn without_any_path_the_connection_is_over() {
    let mut several = Several::configured(&[link(10, 10), link(10, 10)], |_, config| {
        config.multipath = Some(PLAIN);
        config.max_retransmissions = 3;
    });
    several.connect();
    (0..2).for_each(|path| several.network.cut(path));
    several.write(A, 100_000);
    several.drive(Span::from_secs(60));
    let closed = Event::Closed { connection: FIRST, reason: CloseReason::Unreachable };
    let events = several.events(A);
    assert!(events.ends_with(&[closed]), "{events:?}");
    assert!(events.contains(&down(0)) || events.contains(&down(1)));
}

#[test]
fn a_reset_takes_one_subflow_and_its_bytes_take_another() {
    let mut several = predictable(2, |_, _| ());
    several.connect();
    several.inject(Z, 1, Segment { seq: 1001, flags: Flags::RST, ..Segment::default() });
    assert_eq!(several.events(Z), [down(1)]);
    several.transfer(500_000);
    assert!(several.events(A).contains(&down(1)), "Z knows the subflow no more");
    assert_eq!(several.path_stats(Z, 0).bytes_received, 500_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn bytes_without_a_mapping_reset_their_subflow() {
    let mut several = predictable(2, |_, _| ());
    several.connect();
    let payload = vec![vec![7; 100].into()];
    let flags = Flags::ACK;
    several.inject(Z, 1, Segment { seq: 1001, ack: 1001, flags, payload, ..Segment::default() });
    several.settle();
    assert_eq!((several.events(Z), several.events(A)), (vec![down(1)], vec![down(1)]));
    several.transfer(100_000);
}

#[test]
fn a_join_with_a_wrong_token_is_refused() {
    let mut several = predictable(3, |_, _| ());
    several.open(2);
    several.settle();
    several.network.log.clear();
    let syn = Segment { seq: 5, flags: Flags::SYN, options: join(12_345), ..Segment::default() };
    several.inject(Z, 2, syn);
    let log = several.network.log.iter().filter(|sent| sent.path == 2);
    assert_eq!(log.map(|sent| sent.label.as_str()).collect::<Vec<_>>(), ["RST"]);
    assert_eq!(several.endpoint(Z).path_count(FIRST), 2);
    several.transfer(100_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn a_join_that_meets_a_peer_without_the_connection_is_given_up() {
    let mut several = predictable(2, |_, _| ());
    several.open(1);
    several.settle();
    several.network.times_if(usize::MAX, Fault::Lose, |sent| sent.path == 1 && sent.from == Z);
    several.join(A, 1);
    several.settle();
    let rst = Segment { ack: 1001, flags: Flags::RST.with(Flags::ACK), ..Segment::default() };
    several.inject(A, 1, rst);
    assert!(!several.path_stats(A, 1).usable);
    several.transfer(100_000);
    several.settle();
    assert_eq!(several.path_stats(A, 0).bytes_acked, 100_000);
}

#[test]
fn a_lost_syn_only_delays_a_join() {
    let mut several = predictable(2, |_, _| ());
    several.network.times_if(1, Fault::Lose, |sent| {
        (sent.path, sent.from) == (1, A) && sent.label.starts_with("SYN")
    });
    several.open(2);
    several.settle();
    several.transfer(100_000);
    several.drive(Span::from_secs(2));
    assert!(several.events(A).contains(&up(1)));
    assert_eq!(several.path_stats(A, 0).bytes_acked, 100_000);
}

#[test]
fn with_a_peer_without_multipath_tcp_the_first_path_carries_all_data() {
    for speaker in [A, Z] {
        let mut several = Several::configured(&[link(10, 10), link(10, 10)], |side, config| {
            config.multipath = (side == speaker).then_some(PLAIN);
        });
        several.open(2);
        several.settle();
        several.join(A, 1);
        several.transfer(500_000);
        assert!(several.network.log.iter().all(|sent| sent.path == 0));
        for side in [A, Z] {
            assert_eq!(several.endpoint(side).path_count(FIRST), 1);
        }
        assert_eq!(several.finish(), [CloseReason::Finished; 2]);
    }
}

#[test]
fn one_direction_ends_and_the_other_continues_over_all_paths() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.write(A, 50_000);
    several.close(A);
    several.drive(Span::from_millis(500));
    several.read(Z);
    assert!(several.events(Z).contains(&Event::PeerFinished(FIRST)));
    several.write(Z, 500_000);
    several.drive(Span::from_secs(1));
    several.read(A);
    assert_eq!(several.written_and_read(Z), (500_000, 500_000));
    for path in [0, 1] {
        assert!(several.path_stats(A, path).bytes_received > 150_000);
    }
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
    several.drive(Span::from_secs(30));
    assert!(!several.step(), "no timer is left");
}

#[test]
fn an_abort_ends_all_subflows_of_both_sides() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.write(A, 500_000);
    several.drive(Span::from_millis(100));
    several.abort(A);
    several.settle();
    let closed = |reason| Event::Closed { connection: FIRST, reason };
    assert!(several.events(A).contains(&closed(CloseReason::ResetHere)));
    assert!(several.events(Z).contains(&closed(CloseReason::ResetByPeer)));
    assert!(!several.step(), "no timer is left");
}
