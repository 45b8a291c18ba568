//! Addresses of the peer that the application names and the peer's INIT ACK does not list. RFC 9260 §5.1.2

use bytes::Bytes;
use manypath_core::Address;
use manypath_sctp::{Control, Event, HeartbeatInfo, Init, SendOptions};

use crate::pair::{A, FIRST, Fault, Pair, Side, Z, message, path};

/// A peer that has the first `own` of these paths' addresses.
fn peer_with(own: usize, paths: usize) -> Pair {
    Pair::configured(paths, |side, config| {
        if side == Z {
            config.local.truncate(own);
        }
    })
}

/// The addresses of A's peer.
fn peers(pair: &mut Pair) -> Vec<Address> {
    let endpoint = pair.endpoint(A);
    (0..16).map_while(|index| Some(endpoint.path_via(FIRST, path(index))?.remote)).collect()
}

/// Transfers data both ways; returns the paths of A's packets after INIT.
fn paths_of_a_transfer(pair: &mut Pair) -> Vec<usize> {
    for side in [A, Z] {
        for _ in 0..50 {
            pair.send(side, 1400);
        }
    }
    let mut got = [0; 2];
    pair.drive_until(|pair| {
        for side in [A, Z] {
            got[side as usize] += pair.read(side);
        }
        got == [70_000; 2]
    });
    let sent = pair.network.log.iter().filter(|sent| sent.from == A && sent.label != "INIT");
    let mut used: Vec<usize> = sent.map(|sent| sent.path).collect();
    used.sort_unstable();
    used.dedup();
    used
}

#[test]
fn an_address_that_init_ack_does_not_list_is_not_used() {
    // With two addresses of its own, Z lists them; with one, the source of INIT ACK is all
    for own in [1, 2] {
        let mut pair = peer_with(own, 3);
        pair.open(A);
        pair.drive_until(|pair| pair.events(A).contains(&Event::Connected(FIRST)));
        let expected: Vec<Address> = (0..own).map(|path| Z.address(path)).collect();
        assert_eq!(peers(&mut pair), expected);
        let used = paths_of_a_transfer(&mut pair);
        assert_eq!(used, (0..own).collect::<Vec<_>>());
    }
}

#[test]
fn the_first_listed_address_becomes_the_primary_one() {
    // INIT to the first two addresses is lost. The peer has the third one alone
    let mut pair = Pair::configured(3, |side, config| {
        if side == Z {
            config.local = vec![Z.address(2)];
        }
    });
    pair.network.rule(|sent| if sent.path < 2 { Fault::Lose } else { Fault::None });
    pair.open(A);
    pair.drive_until(|pair| pair.events(A).contains(&Event::Connected(FIRST)));
    assert_eq!(peers(&mut pair), [Z.address(2)]);
    assert_eq!(pair.endpoint(A).primary_path(FIRST), Some(path(0)));
    pair.network.forget_rules();
    let before = pair.network.log.len();
    pair.send(A, 1000);
    pair.drive_until(|pair| pair.read(Z) == 1000);
    assert!(pair.network.log[before..].iter().all(|sent| sent.path == 2));
}

#[test]
fn a_message_for_a_path_that_is_removed_takes_another_one() {
    let mut pair = peer_with(1, 2);
    pair.open(A);
    for number in [1, 0] {
        let options = SendOptions { path: Some(path(number)), ..SendOptions::default() };
        pair.act(A, |endpoint, now| endpoint.send_with(now, FIRST, message(500), options)).unwrap();
    }
    let mut got = 0;
    pair.drive_until(|pair| {
        got += pair.read(Z);
        got == 1000
    });
}

#[test]
fn a_peer_may_answer_from_an_address_that_was_not_named() {
    let mut pair = Pair::new(2);
    pair.network.once(Z, "INIT ACK", Fault::Lose);
    pair.open_on(A, 1);
    pair.drive_until(|pair| pair.network.log.len() == 2);
    let [init, ack] = &pair.announcements()[..] else { panic!("two packets") };
    let ack = Init { addresses: Vec::new(), ..ack.clone() };
    let packet = pair.forge(A, init.tag, Control::InitAck(Box::new(ack)));
    pair.inject(A, 1, packet);
    assert_eq!(peers(&mut pair), [Z.address(1)]);
    let echo = pair.network.log.last().expect("a packet");
    assert_eq!((echo.from, echo.path, echo.label.as_str()), (A, 1, "COOKIE ECHO"));
}

#[test]
fn chunks_after_init_ack_find_the_paths_with_their_new_numbers() {
    let mut pair = Pair::new(2);
    pair.network.times(2, A, "INIT", Fault::Lose);
    pair.open(A);
    let init = pair.announcements()[0].clone();
    let cookie = Some(Bytes::from_static(&[0; 8]));
    let ack = Init { tag: 9, cookie, addresses: Vec::new(), ..init.clone() };
    let probe = || {
        let info = HeartbeatInfo { nonce: 1, sent_at: 0, address: A.address(1) };
        Control::Heartbeat(info.into())
    };
    // The first chunk lets the packet pass, although INIT ACK must be alone
    let mut packet = pair.forge(A, init.tag, probe());
    packet.control.extend([Control::InitAck(Box::new(ack)), probe()]);
    pair.inject(A, 1, packet);
    assert_eq!(peers(&mut pair), [Z.address(1)]);
    let answer = pair.network.log.last().expect("a packet");
    assert_eq!((answer.path, answer.label.as_str()), (1, "COOKIE ECHO + HEARTBEAT ACK"));
}

#[test]
fn in_a_collision_the_addresses_of_the_peers_init_count() {
    let mut pair = peer_with(1, 2);
    // Both INIT ACKs are lost, so that A learns the addresses from the cookie of Z's INIT
    pair.network.times(2, Z, "INIT ACK", Fault::Lose);
    pair.open(A);
    pair.open_on(Z, 1);
    pair.drive_until(|pair| pair.events(A).contains(&Event::Connected(FIRST)));
    assert_eq!(peers(&mut pair), [Z.address(0)]);
}

#[test]
fn all_addresses_that_the_peer_has_stay_paths() {
    let mut pair = Pair::new(3);
    pair.open_on(A, 2);
    pair.drive_until(|pair| pair.events(A).contains(&Event::Connected(FIRST)));
    let all: Vec<Address> = [0, 1, 2].map(|path| Side::address(Z, path)).to_vec();
    assert_eq!(peers(&mut pair), all);
}
