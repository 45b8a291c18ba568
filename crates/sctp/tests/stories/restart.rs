//! Restart of an association after a crash of the peer. RFC 9260 §5.2.2, §5.2.4

use manypath_core::{Address, SansIo, Span, Via};
use manypath_sctp::{Cause, CloseReason, Control, Event, Init, Packet};

use crate::pair::{A, FIRST, Fault, Pair, Z, path};
use crate::setup::init_of;

#[test]
fn a_restart_of_the_peer_resets_the_association() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.drive(Span::from_millis(100));
    for _ in 0..30 {
        pair.send(Z, 1400);
    }
    pair.drive(Span::from_millis(200));
    let window = pair.endpoint(Z).path_stats(FIRST, path(0)).window;
    pair.events(Z);
    pair.arrows();

    pair.reboot(A);
    pair.open(A);
    pair.drive(Span::from_millis(45));
    // Z answers INIT with a cookie that identifies the association (action A)
    let story = pair.arrows();
    assert_eq!(
        story[..4],
        ["A -> INIT -> Z", "Z -> INIT ACK -> A", "A -> COOKIE ECHO -> Z", "Z -> COOKIE ACK -> A"]
    );
    assert_eq!(pair.events(Z), [Event::Restarted(FIRST)]);
    assert!(pair.events(A).contains(&Event::Connected(FIRST)));
    assert!(
        pair.endpoint(Z).path_stats(FIRST, path(0)).window < window,
        "congestion control is reset"
    );

    pair.send(A, 500);
    pair.send(Z, 600);
    pair.drive(Span::from_secs(1));
    assert_eq!((pair.read(Z), pair.read(A)), (500, 600));
}

#[test]
fn a_cookie_that_has_restarted_an_association_opens_no_other_one() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.reboot(A);
    pair.open(A);
    pair.settle();
    assert!(pair.events(Z).contains(&Event::Restarted(FIRST)));
    pair.network.once(Z, "ABORT", Fault::Lose);
    pair.abort(Z);
    pair.events(Z);
    let echo = pair.network.log.iter().find(|sent| sent.label == "COOKIE ECHO").cloned();
    let echo = echo.expect("A echoes the cookie");
    pair.arrows();
    pair.inject(Z, 0, pair.forge(Z, echo.tag, echo.control[0].clone()));
    pair.settle();
    assert_eq!(pair.arrows(), ["Z -> ABORT -> A"]);
    assert_eq!(pair.events(Z), []);
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedByPeer));
}

#[test]
fn an_unexpected_init_changes_no_state_and_is_answered_with_a_new_tag() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let first: Vec<Init> =
        pair.network.log.iter().filter_map(|sent| init_of(&sent.control)).cloned().collect();
    pair.events(Z);
    pair.arrows();
    let packet = pair.forge(Z, 0, Control::Init(Box::new(Init { tag: 99, ..first[0].clone() })));
    pair.inject(Z, 0, packet);
    let answer = pair.network.log[0].clone();
    assert_eq!((answer.label.as_str(), answer.tag), ("INIT ACK", 99));
    let fresh = init_of(&answer.control).unwrap();
    assert_ne!(fresh.tag, first[1].tag);
    assert_eq!(
        (fresh.outbound_streams, fresh.window),
        (first[1].outbound_streams, first[1].window)
    );

    pair.send(A, 100);
    pair.settle();
    assert_eq!(pair.read(Z), 100);
    assert!(!pair.events(Z).contains(&Event::Restarted(FIRST)));
}

/// A restart has a new tag: table 12 of RFC 9260 §5.2.4 has no row for the previous one.
#[test]
fn an_init_with_the_previous_tag_is_no_restart() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let init = init_of(&pair.network.log[0].control).unwrap().clone();
    pair.events(Z);
    pair.arrows();
    pair.inject(Z, 0, pair.forge(Z, 0, Control::Init(Box::new(init))));
    let fresh = init_of(&pair.network.log[0].control).unwrap().clone();
    pair.arrows();
    let echo = Control::CookieEcho(fresh.cookie.unwrap());
    pair.inject(Z, 0, pair.forge(Z, fresh.tag, echo));
    assert!(pair.arrows().is_empty());
    assert_eq!(pair.events(Z), []);
}

#[test]
fn a_restart_must_not_add_addresses() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let unlisted = [Address::v4(192, 0, 2, 1), Address::v4(192, 0, 2, 2)];
    let init = Init {
        tag: 99,
        addresses: vec![unlisted[0], A.address(0), unlisted[1]],
        ..init_of(&pair.network.log[0].control).unwrap().clone()
    };
    pair.arrows();
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    let answer = pair.network.log[0].clone();
    assert_eq!(answer.tag, 99);
    let [Control::Abort { reflected: false, causes }] = &answer.control[..] else {
        panic!("{answer}")
    };
    assert_eq!(*causes, [Cause::RestartWithNewAddresses(unlisted.to_vec())]);
    pair.send(A, 100);
    pair.settle();
    assert_eq!(pair.read(Z), 100);
}

#[test]
fn an_init_from_a_new_address_matches_the_association_by_its_listed_addresses() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let init = Init { tag: 99, addresses: vec![A.address(0)], ..pair.announcements()[0].clone() };
    pair.arrows();
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    let unlisted = Via { local: Z.address(0), remote: Address::v4(10, 0, 0, 9) };
    let now = pair.now;
    let mut packet = packet;
    pair.endpoint(Z).handle_packet(now, unlisted, &mut packet);
    let mut answer = Packet::default();
    assert_eq!(pair.endpoint(Z).poll_transmit(now, &mut answer), Some(unlisted));
    let [Control::Abort { causes, .. }] = &answer.control[..] else { panic!("{answer:?}") };
    assert_eq!(*causes, [Cause::RestartWithNewAddresses(vec![unlisted.remote])]);
}

#[test]
fn the_cookie_for_an_unexpected_init_does_not_reveal_the_tags() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let tags: Vec<u32> = pair.announcements().iter().map(|init| init.tag).collect();
    let init = Init { tag: 99, ..pair.announcements()[0].clone() };
    pair.arrows();
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    let cookie = pair.announcements()[0].cookie.clone().unwrap();
    for tag in tags {
        assert!(!cookie.windows(4).any(|bytes| bytes == tag.to_be_bytes()));
    }
}

#[test]
fn a_restart_with_a_stale_cookie_is_refused_with_its_data() {
    let mut pair = Pair::configured(1, |_, config| config.cookie_life = Span::from_millis(200));
    pair.connect();
    pair.reboot(A);
    pair.network.once(A, "COOKIE ECHO", Fault::Delay(Span::from_millis(300)));
    pair.open(A);
    pair.send(A, 100);
    pair.drive(Span::from_millis(335));
    assert_eq!(pair.arrows()[2..], ["A -> COOKIE ECHO + DATA -> Z", "Z -> ERROR -> A"]);
    assert!(!pair.events(Z).contains(&Event::Restarted(FIRST)));
    assert_eq!(pair.read(Z), 0);
}

#[test]
fn a_cookie_that_ties_to_another_association_is_dropped() {
    // Two INITs of the restarted peer: the second COOKIE ECHO arrives after the first has restarted the association
    let mut pair = Pair::new(1);
    pair.connect();
    pair.reboot(A);
    pair.network.once(A, "COOKIE ECHO", Fault::Hold);
    pair.open(A);
    pair.settle();
    pair.reboot(A);
    pair.open(A);
    pair.settle();
    pair.events(Z);
    pair.arrows();
    pair.release();
    pair.drive(Span::from_millis(100));
    assert!(pair.arrows().is_empty());
    assert!(pair.events(Z).is_empty());
    pair.send(A, 100);
    pair.settle();
    assert_eq!(pair.read(Z), 100);
}

#[test]
fn a_restart_during_shutdown_is_refused() {
    // The cookie is created while the association is established, and returned after that
    let mut pair = Pair::new(1);
    pair.connect();
    pair.network.once(A, "SHUTDOWN", Fault::Hold);
    pair.shutdown(A);
    pair.reboot(A);
    pair.network.once(A, "COOKIE ECHO", Fault::Hold);
    pair.open(A);
    pair.settle();
    pair.network.times(1, Z, "SHUTDOWN ACK", Fault::Lose);
    pair.release();
    pair.arrows();
    pair.drive(Span::from_millis(15));
    // SHUTDOWN arrives first, then COOKIE ECHO: action A in SHUTDOWN-ACK-SENT
    assert_eq!(
        pair.arrows(),
        ["Z -> SHUTDOWN ACK -> lost", "Z -> SHUTDOWN ACK -> A", "Z -> ERROR -> A"]
    );
    pair.drive(Span::from_secs(5));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn a_restarted_peer_gets_shutdown_ack_and_ends_the_old_association_first() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.network.times(1, Z, "SHUTDOWN ACK", Fault::Lose);
    pair.shutdown(A);
    pair.drive(Span::from_millis(15));
    pair.reboot(A);
    pair.arrows();
    pair.open(A);
    pair.drive(Span::from_secs(3));
    // INIT is answered with SHUTDOWN ACK; A has no association and sends ABORT; its next INIT succeeds
    assert_eq!(
        pair.arrows(),
        [
            "A -> INIT -> Z",
            "Z -> SHUTDOWN ACK -> A",
            "A -> SHUTDOWN COMPLETE (T) -> Z",
            "A -> INIT -> Z",
            "Z -> INIT ACK -> A",
            "A -> COOKIE ECHO -> Z",
            "Z -> COOKIE ACK -> A"
        ]
    );
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
}
