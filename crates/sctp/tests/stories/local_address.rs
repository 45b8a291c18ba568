//! A local address fails and returns, and its owner reports this to the endpoint. RFC 9260 §8.2, §8.3

use manypath_core::Span;
use manypath_sctp::{Event, PathState};

use crate::pair::{A, FIRST, Fate, Pair, Z, path};

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
    pair.network.rule(|sent| if sent.path == 0 { Fate::Lose } else { Fate::Pass });
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
fn an_association_whose_only_address_vanishes_for_a_while_goes_on() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.send(A, 300_000);
    pair.drive(Span::from_millis(60));
    let rule = |sent: &crate::pair::Sent| if sent.from == A { Fate::Lose } else { Fate::Pass };
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
fn other_addresses_do_not_matter() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.drive(Span::from_secs(5));
    down_and_up(&mut pair);
    pair.act(A, |endpoint, now| endpoint.local_address_down(now, Z.address(0)));
    assert_eq!(down_and_up(&mut pair), []);
}
