//! A local address fails and returns, and its owner reports this to the endpoint. RFC 9260 §8.2, §8.3

use manypath_core::{Address, Span, Time};
use manypath_sctp::{Config, Endpoint, Event, PathState};

use crate::pair::{A, FIRST, Fault, Pair, Side, Z, path};

fn down_and_up(pair: &mut Pair) -> Vec<Event> {
    let events = pair.events(A);
    let of_paths = |event: &Event| {
        matches!(event, Event::PathDown { .. } | Event::PathUp { .. } | Event::Closed { .. })
    };
    events.into_iter().filter(of_paths).collect()
}

#[test]
fn chunks_in_flight_move_to_another_path_without_a_timeout() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.drive(Span::from_secs(5));
    down_and_up(&mut pair);
    pair.send(A, 200_000);
    pair.drive(Span::from_millis(60));
    // The interface of the primary path goes down
    pair.network.rule(|sent| if sent.path == 0 { Fault::Lose } else { Fault::None });
    let begin = pair.now;
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, A.address(0)));
    assert_eq!(down_and_up(&mut pair), [Event::PathDown { association: FIRST, path: path(0) }]);
    // The peer's SACKs still take the path that is down, until they follow the data
    pair.drive_until(|pair| pair.read(Z) == 200_000);
    assert!(pair.now - begin < Span::from_secs(1), "{}", pair.now - begin);
    assert_eq!(pair.endpoint(A).stats(FIRST).timeouts, 0);

    // Reporting it again changes nothing
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, A.address(0)));
    assert_eq!(down_and_up(&mut pair), []);
}

#[test]
fn a_path_whose_address_is_back_is_probed_at_once() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.drive(Span::from_secs(5));
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, A.address(1)));
    down_and_up(&mut pair);
    pair.drive(Span::from_millis(500));
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(1)).state, PathState::Inactive);
    pair.act(A, |endpoint, now| endpoint.local_address_up(now, A.address(1)));
    pair.drive(Span::from_millis(500));
    assert_eq!(down_and_up(&mut pair), [Event::PathUp { association: FIRST, path: path(1) }]);
    // A working path is not probed
    pair.network.log.clear();
    pair.act(A, |endpoint, now| endpoint.local_address_up(now, A.address(1)));
    pair.drive(Span::from_millis(100));
    assert!(pair.network.log.is_empty());
}

#[test]
fn an_association_whose_only_address_disappears_temporarily_continues() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.send(A, 300_000);
    pair.drive(Span::from_millis(60));
    let rule = |sent: &crate::pair::Sent| if sent.from == A { Fault::Lose } else { Fault::None };
    pair.network.rule(rule);
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, A.address(0)));
    pair.drive(Span::from_secs(5));
    pair.network.forget_rules();
    pair.act(A, |endpoint, now| endpoint.local_address_up(now, A.address(0)));
    pair.drive(Span::from_secs(30));
    assert_eq!(pair.read(Z), 300_000);
    let is_down = |event: &Event| matches!(event, Event::PathDown { .. });
    assert_eq!(down_and_up(&mut pair).iter().filter(|event| is_down(event)).count(), 1);
    let stats = pair.endpoint(A).path_stats(FIRST, path(0));
    assert_eq!((stats.state, stats.usable), (PathState::Active, true));
}

#[test]
fn a_path_that_answers_although_its_address_is_called_lost_is_used_again() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.send_many(A, 2, 1452);
    pair.act(A, |endpoint, now| {
        endpoint.local_address_down(now, A.address(0));
        endpoint.local_address_up(now, A.address(0));
    });
    assert_eq!(pair.network.log.last().map(|sent| sent.label.as_str()), Some("HEARTBEAT"));
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, A.address(0)));
    // Answers to data and to a probe of before prove nothing
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.read(Z), 2 * 1452);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).state, PathState::Inactive);
    // The next heartbeat
    pair.drive(Span::from_secs(60));
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).state, PathState::Active);
}

#[test]
fn other_addresses_do_not_matter() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.drive(Span::from_secs(5));
    down_and_up(&mut pair);
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, Z.address(0)));
    assert_eq!(down_and_up(&mut pair), []);
}

/// Settings under which a peer that is silent on all paths is given up after 12 to 31 seconds.
fn patient(quickly: bool) -> impl Fn(Side, &mut Config) {
    move |_, config| {
        config.concurrent = true;
        config.every_path_must_fail = true;
        config.potentially_failed_after = quickly.then_some(0);
        config.path_max_retransmissions = 3;
        config.association_max_retransmissions = 5;
        config.rto.max = Span::from_secs(5);
        config.heartbeat_interval = Span::from_secs(2);
    }
}

fn tell_all(pair: &mut Pair, paths: usize, tell: impl Fn(&mut Endpoint, Time, Address)) {
    for path in 0..paths {
        for side in [A, Z] {
            pair.act(side, |endpoint, now| tell(endpoint, now, side.address(path)));
        }
    }
}

/// Seconds until each side gives up the other one after all local addresses of both were lost.
fn patience(seed: u64, paths: usize, quickly: bool, sends: bool) -> [f64; 2] {
    let mut pair = Pair::seeded(seed, paths, patient(quickly));
    pair.connect();
    pair.drive(Span::from_millis(500));
    for _ in 0..if sends { paths * 10 } else { 0 } {
        pair.send(A, 1400);
    }
    (0..paths).for_each(|path| pair.network.cut(path));
    tell_all(&mut pair, paths, Endpoint::local_address_down);
    let begin = pair.now;
    [A, Z].map(|side| {
        let is_closed = |event: &Event| matches!(event, Event::Closed { .. });
        pair.drive_until(|pair| pair.events(side).iter().any(is_closed));
        (pair.now - begin).as_secs_f64()
    })
}

#[test]
fn a_peer_is_given_up_neither_earlier_nor_later_because_all_local_addresses_are_down() {
    for (quickly, sends) in [(false, false), (false, true), (true, false), (true, true)] {
        for (seed, paths) in (1..).zip([1, 1, 2, 2, 2, 2, 4, 4]) {
            // T3 alone: the sixth error of a path comes after 1 + 2 + 4 + 5 + 5 s. Without quick failover, an idle path
            // that has failed is probed by heartbeats alone
            let most = if quickly { 35.0 } else { 45.0 };
            for seconds in patience(seed, paths, quickly, sends) {
                let story = format!("{seconds} s, {paths} paths, seed {seed}, {quickly} {sends}");
                assert!((12.0..most).contains(&seconds), "{story}");
            }
        }
    }
}

#[test]
fn a_path_that_fell_silent_is_preferred_to_one_without_a_local_address() {
    let mut pair = Pair::configured(2, patient(true));
    pair.connect();
    pair.network.cut(0);
    pair.drive(Span::from_secs(15));
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, A.address(1)));
    for number in [0, 1] {
        assert_eq!(pair.endpoint(A).path_stats(FIRST, path(number)).state, PathState::Inactive);
    }
    pair.network.log.clear();
    pair.send(A, 100);
    assert_eq!(pair.data_packets(A).map(|sent| sent.path).collect::<Vec<_>>(), [0]);
}

/// How long A and Z still take for a transfer after one of two local addresses of each has come back.
fn time_after_return(quickly: bool, outage: Span, back: usize) -> Span {
    let mut pair = Pair::configured(2, patient(quickly));
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.send(A, 300_000);
    pair.drive(Span::from_millis(60));
    (0..2).for_each(|path| pair.network.cut(path));
    tell_all(&mut pair, 2, Endpoint::local_address_down);
    pair.drive(outage);
    pair.network.restore(back);
    for side in [A, Z] {
        pair.act(side, |endpoint, now| endpoint.local_address_up(now, side.address(back)));
    }
    let begin = pair.now;
    pair.drive_until(|pair| pair.read(Z) == 300_000);
    pair.now - begin
}

#[test]
fn what_waits_leaves_as_soon_as_the_first_of_all_addresses_is_back() {
    for quickly in [false, true] {
        for (outage, back) in (1..=11).flat_map(|seconds| [(seconds, 0), (seconds, 1)]) {
            let time = time_after_return(quickly, Span::from_secs(outage), back);
            assert!(time < Span::from_secs(1), "{time} after {outage} s, path {back}, {quickly}");
        }
    }
}
