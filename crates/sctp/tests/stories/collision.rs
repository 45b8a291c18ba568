//! Simultaneous opening of both sides, and late cookies. RFC 9260 §5.2.1, §5.2.4

use manypath_core::{Span, Time};
use manypath_sctp::{Cause, CloseReason, Config, Control, Event, Init};

use crate::pair::{A, FIRST, Fault, Pair, Side, Z};
use crate::setup::init_of;

/// Data flows both ways over the first association of each side.
fn assert_works(pair: &mut Pair) {
    for side in [A, Z] {
        pair.send(side, 700);
    }
    pair.settle();
    assert_eq!((pair.read(A), pair.read(Z)), (700, 700));
}

fn tag_in(pair: &Pair, label: &str, from: Side) -> u32 {
    let sent = pair.network.log.iter().rfind(|sent| sent.label == label && sent.from == from);
    init_of(&sent.expect("it was sent").control).expect("it holds a tag").tag
}

#[test]
fn crossing_inits_make_one_association() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.open(Z);
    pair.settle();
    // Both cookies contain the tags of both INITs, so both create the same association (action D)
    assert!(pair.network.log.iter().all(|sent| sent.path == 0));
    let mut story = pair.arrows();
    story.sort();
    assert_eq!(
        story,
        [
            "A -> COOKIE ACK -> Z",
            "A -> COOKIE ECHO -> Z",
            "A -> INIT -> Z",
            "A -> INIT ACK -> Z",
            "Z -> COOKIE ACK -> A",
            "Z -> COOKIE ECHO -> A",
            "Z -> INIT -> A",
            "Z -> INIT ACK -> A",
        ]
    );
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    assert_works(&mut pair);
}

#[test]
fn an_init_in_cookie_wait_is_answered_with_the_values_of_the_own_init() {
    let mut pair = Pair::new(1);
    pair.network.times(1, A, "INIT", Fault::Lose);
    pair.open(A);
    pair.open(Z);
    pair.drive(Span::from_millis(15));
    assert_eq!(tag_in(&pair, "INIT ACK", A), tag_in(&pair, "INIT", A));
    pair.settle();
    // A's cookie established it: action B for A, which still waited for INIT ACK
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    assert_works(&mut pair);
}

#[test]
fn in_a_collision_only_addresses_that_the_application_named_are_answered() {
    let mut pair = Pair::new(2);
    pair.network.cut(0);
    // A uses only the first path; Z's INIT arrives on the second one
    pair.open_on(A, 1);
    pair.open(Z);
    pair.drive(Span::from_millis(1_500));
    let story = pair.arrows();
    assert!(story.contains(&"Z -> INIT -> A".to_owned()));
    assert!(!story.iter().any(|arrow| arrow.contains("INIT ACK")));
    pair.network.restore(0);
    pair.drive(Span::from_secs(10));
    assert!(pair.events(A).contains(&Event::Connected(FIRST)));
    assert_works(&mut pair);
}

#[test]
fn in_a_collision_init_ack_goes_to_the_source_of_the_init() {
    let mut pair = Pair::new(2);
    pair.network.rule(|_| Fault::Lose);
    pair.open(A);
    let init =
        Init { tag: 5, window: 10_000, outbound_streams: 1, inbound_streams: 1, ..Init::default() };
    let packet = pair.forge(A, 0, Control::Init(Box::new(init)));
    pair.inject(A, 1, packet);
    let answer = pair.network.log.iter().find(|sent| sent.label == "INIT ACK");
    assert_eq!(answer.map(|sent| sent.path), Some(1));
}

#[test]
fn a_second_init_of_the_peer_counts_where_its_first_answer_came_too() {
    // Z answers INIT as a listener, and begins to open its own association before COOKIE ECHO arrives
    let mut pair = Pair::new(1);
    pair.network.once(A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.settle();
    pair.open(Z);
    pair.settle();
    // A was in COOKIE-ECHOED with Z's first tag and changes to the second one (action B)
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    assert_works(&mut pair);
}

#[test]
fn a_cookie_of_an_earlier_answer_is_dropped_when_it_comes_late() {
    let mut pair = Pair::new(1);
    pair.network.once(A, "COOKIE ECHO", Fault::Hold);
    pair.open(A);
    pair.settle();
    // Z opens its own association, whose COOKIE ECHO is lost: Z knows A's tag and has a new tag itself
    pair.network.once(Z, "COOKIE ECHO", Fault::Lose);
    pair.open(Z);
    pair.settle();
    pair.arrows();
    pair.release();
    pair.drive(Span::from_millis(100));
    assert!(pair.arrows().is_empty(), "the late cookie changes nothing (action C)");
    assert!(pair.events(Z).is_empty());
    pair.drive(Span::from_secs(3));
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    assert_works(&mut pair);
}

#[test]
fn a_cookie_that_was_made_for_an_association_opens_no_other_one() {
    let mut pair = Pair::new(1);
    pair.network.once(Z, "COOKIE ECHO", Fault::Hold);
    pair.open(A);
    pair.open(Z);
    pair.settle();
    // A's cookies belong to the association that both have opened and that A aborts; Z does not receive the ABORT
    pair.send(A, 100);
    pair.settle();
    pair.network.once(A, "ABORT", Fault::Lose);
    pair.abort(A);
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedHere));
    pair.arrows();
    pair.release();
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> ABORT -> Z"]);
    assert_eq!(pair.events(A), []);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
}

/// Delivers a packet from the log again, or a lost one for the first time.
fn comes_late(pair: &mut Pair, from: Side, label: &str) {
    let sent = pair.network.log.iter().rfind(|sent| sent.from == from && sent.label == label);
    let sent = sent.expect("it was sent").clone();
    pair.inject(from.other(), 0, pair.forge(from.other(), sent.tag, sent.control[0].clone()));
}

#[test]
fn a_cookie_that_was_sealed_before_a_new_attempt_restarts_nothing() {
    let mut pair = Pair::configured(1, |side, config| {
        config.rto.initial = Span::from_millis(100);
        config.cookie_life = Span::from_millis(if side == Z { 200 } else { 60_000 });
    });
    pair.network.rule(|sent| match (sent.from, sent.label.as_str()) {
        (Z, "COOKIE ECHO") | (A, "INIT ACK") => Fault::Lose,
        (A, "COOKIE ECHO") if sent.at < Time::ZERO + Span::from_millis(250) => Fault::Lose,
        _ => Fault::None,
    });
    pair.open(A);
    pair.open(Z);
    pair.drive_until(|pair| pair.network.log.iter().any(|sent| sent.label == "ERROR"));
    // Z has refused the cookie as stale; but then it learns A's tag, and another copy establishes the association
    comes_late(&mut pair, A, "INIT ACK");
    comes_late(&mut pair, A, "COOKIE ECHO");
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    pair.drive(Span::from_millis(100));
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Restarted(FIRST)], "by A's new attempt");
    comes_late(&mut pair, Z, "COOKIE ECHO");
    assert_eq!(pair.events(A), []);
    assert_works(&mut pair);
}

#[test]
fn a_cookie_of_the_association_itself_is_good_even_if_it_is_old() {
    let mut pair =
        Pair::configured(1, |_, config: &mut Config| config.cookie_life = Span::from_millis(100));
    pair.network.once(Z, "COOKIE ACK", Fault::Lose);
    pair.open(A);
    pair.drive(Span::from_millis(1_100));
    let story = pair.arrows();
    assert_eq!(story[4..], ["A -> COOKIE ECHO -> Z", "Z -> COOKIE ACK -> A"]);
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
}

#[test]
fn an_init_with_a_new_address_in_cookie_echoed_is_refused() {
    let mut pair = Pair::new(2);
    pair.network.times(9, A, "COOKIE ECHO", Fault::Lose);
    pair.open_on(A, 1);
    pair.settle();
    let mut init = init_of(&pair.network.log[0].control).unwrap().clone();
    init.tag = 77;
    let new_address = manypath_core::Address::v4(192, 0, 2, 1);
    init.addresses = vec![Z.address(0), new_address];
    let packet = pair.forge(A, 0, Control::Init(Box::new(init)));
    pair.arrows();
    pair.inject(A, 0, packet);
    let answer = pair.network.log[0].clone();
    assert_eq!((answer.label.as_str(), answer.tag), ("ABORT", 77));
    let [Control::Abort { causes, .. }] = &answer.control[..] else { panic!("{answer}") };
    assert_eq!(*causes, [Cause::RestartWithNewAddresses(vec![new_address])]);
    assert!(pair.events(A).is_empty());
}

#[test]
fn in_a_collision_init_ack_is_sent_to_the_source_of_the_init() {
    let mut pair = Pair::new(2);
    pair.network.cut(0);
    pair.open(A);
    pair.open(Z);
    // The second INIT of each side takes the other path
    pair.drive(Span::from_millis(1_020));
    let acks = pair.network.log.iter().filter(|sent| sent.label == "INIT ACK");
    assert_eq!(acks.map(|sent| (sent.from, sent.path)).collect::<Vec<_>>(), [(Z, 1), (A, 1)]);
}
