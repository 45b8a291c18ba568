//! Opening an association: INIT, INIT ACK, COOKIE ECHO, COOKIE ACK. RFC 9260 §5.1, §5.4

use bytes::Bytes;
use manypath_core::{Span, Ssn, Time, Tsn};
use manypath_sctp::{
    Cause, CloseReason, Control, Data, DataFlags, Event, Init, Offers, Packet, Sack, SendError,
};

use crate::pair::{A, FIRST, Fault, Pair, Side, Z, message, path};

const HANDSHAKE: [&str; 4] =
    ["A -> INIT -> Z", "Z -> INIT ACK -> A", "A -> COOKIE ECHO -> Z", "Z -> COOKIE ACK -> A"];

#[test]
fn four_packets_open_an_association() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    assert_eq!(pair.arrows(), HANDSHAKE);
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
}

#[test]
fn tags_are_those_that_the_peer_announced() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let tags: Vec<u32> = pair.network.log.iter().map(|sent| sent.tag).collect();
    let announced = tags_of(&pair);
    let [of_a, of_z] = announced[..] else { panic!("{announced:?}") };
    assert_eq!(tags, [0, of_a, of_z, of_a]);
    assert_ne!(of_a, of_z);
}

#[test]
fn the_tags_of_an_association_never_change() {
    let mut pair = Pair::new(1);
    pair.open(A);
    for _ in 0..100 {
        pair.send(A, 1400);
    }
    pair.drive(Span::from_secs(100));
    let announced = pair.announcements();
    let of_a = announced[0].tag;
    let of_z = announced[1].tag;
    assert!(pair.network.log.len() > 100);
    for sent in &pair.network.log[1..] {
        assert_eq!(sent.tag, if sent.from == A { of_z } else { of_a }, "{sent}");
    }
}

#[test]
fn tags_come_from_the_whole_range_and_none_is_zero() {
    let mut pair = Pair::new(1);
    for tag in 1..=1000 {
        let init = Init { tag, ..possible() };
        let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
        pair.inject(Z, 0, packet);
    }
    let mut tags: Vec<u32> = pair.announcements().iter().map(|ack| ack.tag).collect();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), 1000);
    assert!(tags[0] != 0);
    // A thousand draws leave a gap of a fiftieth of the range with a probability of 1/500,000
    let gaps = tags.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.max().unwrap() < u32::MAX / 50 && tags[0] < u32::MAX / 50);
}

#[test]
fn cookie_ack_to_an_unconfirmed_address_shares_its_packet_with_a_probe() {
    let mut pair = Pair::new(3);
    // INIT uses the first path, COOKIE ECHO arrives only on the third one
    pair.network.times(2, A, "COOKIE ECHO", Fault::Lose);
    pair.network.rule(|sent| match sent.label.as_str() {
        "COOKIE ECHO" if sent.path < 2 => Fault::Lose,
        _ => Fault::None,
    });
    pair.open(A);
    pair.drive_until(|pair| pair.events(A).contains(&Event::Connected(FIRST)));
    let answers = pair.network.log.iter().filter(|sent| sent.label.starts_with("COOKIE ACK"));
    let answers: Vec<(usize, &str)> = answers.map(|sent| (sent.path, &*sent.label)).collect();
    assert_eq!(answers, [(2, "COOKIE ACK + HEARTBEAT"), (0, "COOKIE ACK")]);
}

#[test]
fn the_responder_keeps_no_state_before_cookie_echo() {
    let mut pair = Pair::new(1);
    pair.network.times(3, A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.settle();
    assert_eq!(pair.endpoint(Z).send_space(FIRST), 0);
    let now = pair.now;
    assert_eq!(pair.endpoint(Z).send(now, FIRST, message(1)), Err(SendError::NotConnected));
    assert_eq!(manypath_core::SansIo::poll_timeout(pair.endpoint(Z)), manypath_core::Time::NEVER);
}

#[test]
fn data_follows_cookie_echo_in_its_packet_and_is_not_sent_alone_before_cookie_ack() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.send(A, 1000);
    pair.send(A, 1000);
    pair.network.once(Z, "COOKIE ACK", Fault::Delay(Span::from_millis(50)));
    pair.settle();
    // Z acknowledges the first DATA at once; A holds the second one until COOKIE ACK
    let mut story = pair.arrows();
    story.truncate(5);
    assert_eq!(
        story,
        [
            "A -> INIT -> Z",
            "Z -> INIT ACK -> A",
            "A -> COOKIE ECHO + DATA -> Z",
            "Z -> COOKIE ACK + SACK -> A",
            "A -> DATA -> Z"
        ]
    );
    assert_eq!(pair.read(Z), 2000);
}

/// Only an established peer sends DATA in a packet without COOKIE ECHO.
#[test]
fn data_before_cookie_ack_counts_as_cookie_ack() {
    let mut pair = Pair::new(1);
    pair.network.once(Z, "COOKIE ACK", Fault::Hold);
    pair.open(A);
    pair.drive_until(|pair| pair.events(Z).contains(&Event::Connected(FIRST)));
    pair.send(Z, 1000);
    pair.settle();
    assert_eq!(pair.events(A), [Event::Connected(FIRST), Event::Readable(FIRST)]);
    assert_eq!(pair.read(A), 1000);
    pair.send(A, 100);
    pair.release();
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.read(Z), 100);
    let count = |side, label: &str| {
        let is_meant = |sent: &&crate::pair::Sent| sent.from == side && sent.label.contains(label);
        pair.network.log.iter().filter(is_meant).count()
    };
    assert_eq!((count(Z, "DATA"), count(A, "DATA"), count(A, "COOKIE ECHO")), (1, 1, 1));
}

#[test]
fn data_before_cookie_echo_was_sent_is_discarded() {
    let mut pair = Pair::new(1);
    pair.network.once(Z, "INIT ACK", Fault::Lose);
    pair.open(A);
    pair.settle();
    let tag = init_of(&pair.network.log[0].control).unwrap().tag;
    let mut packet = pair.forge(A, tag, Control::CookieAck);
    packet.control.clear();
    packet.data.push(pair_data());
    pair.inject(A, 0, packet);
    assert!(pair.events(A).is_empty());
    assert_eq!(pair.read(A), 0);
}

/// A peer may discard DATA that overtakes COOKIE ACK. RFC 9260 §6
#[test]
fn cookie_ack_also_uses_the_path_of_the_data_after_it() {
    let mut pair = Pair::new(2);
    pair.network.once(A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.drive_until(|pair| pair.events(Z).contains(&Event::Connected(FIRST)));
    pair.send(Z, 1000);
    let sent = pair.network.log.iter().filter(|sent| sent.from == Z);
    let sent: Vec<(usize, &str)> = sent.map(|sent| (sent.path, &*sent.label)).collect();
    let expected = [(1, "COOKIE ACK + HEARTBEAT"), (0, "COOKIE ACK"), (0, "DATA")];
    assert_eq!(sent[1..], expected);
}

#[test]
fn t1_init_doubles_up_to_rto_max_and_gives_up_after_max_init_retransmits() {
    let mut pair = Pair::new(1);
    pair.network.cut(0);
    pair.open(A);
    pair.drive(Span::from_secs(400));
    let seconds: Vec<u64> =
        pair.network.log.iter().map(|sent| sent.at.as_nanos() / 1_000_000_000).collect();
    // 1, 2, 4, 8, 16, 32, 60, 60 s apart: the first INIT and eight more
    assert_eq!(seconds, [0, 1, 3, 7, 15, 31, 63, 123, 183]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
}

#[test]
fn t1_init_expires_exactly_at_its_time_and_a_late_timer_later_by_its_delay() {
    let repeated_at = |late| {
        let mut pair = Pair::new(1);
        pair.late = late;
        pair.network.once(A, "INIT", Fault::Lose);
        pair.open(A);
        pair.drive(Span::from_millis(1500));
        pair.network.log[1].at
    };
    let exactly = Time::ZERO + Span::from_secs(1);
    assert_eq!(repeated_at(Span::ZERO), exactly);
    assert_eq!(repeated_at(Span::from_millis(3)), exactly + Span::from_millis(3));
}

#[test]
fn t1_cookie_gives_up_after_max_init_retransmits() {
    let mut pair = Pair::configured(1, |_, config| config.init_max_retransmissions = 2);
    pair.network.times(9, A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.drive(Span::from_secs(60));
    assert_eq!(pair.arrows().iter().filter(|arrow| arrow.contains("COOKIE ECHO")).count(), 3);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
}

#[test]
fn each_lost_packet_of_the_handshake_is_retransmitted() {
    for (side, lost) in [(A, "INIT"), (Z, "INIT ACK"), (A, "COOKIE ECHO"), (Z, "COOKIE ACK")] {
        let mut pair = Pair::new(1);
        pair.network.once(side, lost, Fault::Lose);
        pair.open(A);
        pair.drive(Span::from_millis(1_100));
        assert_eq!(pair.events(A), [Event::Connected(FIRST)], "{lost} lost");
        assert_eq!(pair.events(Z), [Event::Connected(FIRST)], "{lost} lost");
    }
}

#[test]
fn duplicated_packets_of_the_handshake_have_no_effect() {
    for (side, doubled) in [(A, "INIT"), (Z, "INIT ACK"), (A, "COOKIE ECHO"), (Z, "COOKIE ACK")] {
        let mut pair = Pair::new(1);
        pair.network.once(side, doubled, Fault::Duplicate);
        pair.open(A);
        pair.settle();
        assert_eq!(pair.events(A), [Event::Connected(FIRST)], "{doubled} doubled");
        assert_eq!(pair.events(Z), [Event::Connected(FIRST)], "{doubled} doubled");
        pair.send(A, 100);
        pair.settle();
        assert_eq!(pair.read(Z), 100);
    }
}

#[test]
fn a_retransmitted_init_uses_the_next_path_and_init_ack_is_sent_to_its_source() {
    let mut pair = Pair::new(2);
    pair.network.cut(0);
    pair.open(A);
    pair.drive(Span::from_millis(1_100));
    let story: Vec<(String, usize)> =
        pair.network.log.iter().map(|sent| (sent.to_string(), sent.path)).collect();
    assert_eq!(story[0], ("A -> INIT -> lost".to_owned(), 0));
    assert_eq!(story[1], ("A -> INIT -> Z".to_owned(), 1));
    assert_eq!(story[2], ("Z -> INIT ACK -> A".to_owned(), 1));
    assert_eq!(pair.events(A)[0], Event::Connected(FIRST));
}

#[test]
fn the_paths_have_the_same_numbers_on_both_sides_whichever_path_init_took() {
    let mut pair = Pair::new(2);
    pair.network.once(A, "INIT", Fault::Lose);
    pair.open(A);
    pair.drive(Span::from_millis(1_200));
    pair.send(A, 500);
    pair.settle();
    // The primary path of A is path 0
    assert_eq!(pair.endpoint(Z).path_stats(FIRST, path(0)).bytes_received, 500);
}

#[test]
fn the_smaller_number_of_streams_counts() {
    let mut pair = Pair::configured(1, |side, config| match side {
        A => config.outbound_streams = 10,
        Z => config.inbound_streams = 3,
    });
    pair.connect();
    let now = pair.now;
    let on = |stream| manypath_sctp::Message { stream, ..message(10) };
    assert_eq!(pair.endpoint(A).send(now, FIRST, on(2)), Ok(()));
    assert_eq!(pair.endpoint(A).send(now, FIRST, on(3)), Err(SendError::NoSuchStream));
}

#[test]
fn nr_sack_needs_both_sides() {
    let speaks = |side: Side, both: bool| side == Z || both;
    for (both, expected) in [(true, "Z -> NR-SACK -> A"), (false, "Z -> SACK -> A")] {
        let mut pair = Pair::configured(1, |side, config| config.nr_sack = speaks(side, both));
        pair.connect();
        pair.send(A, 100);
        pair.settle();
        assert_eq!(pair.arrows(), ["A -> DATA -> Z", expected]);
    }
}

#[test]
fn the_responder_sends_data_on_a_path_only_after_its_probe_came_back() {
    let mut pair = Pair::configured(2, |_, config| config.concurrent = true);
    pair.open(A);
    pair.drive_until(|pair| pair.events(Z).contains(&Event::Connected(FIRST)));
    // A's application gave it both paths; Z knows that INIT ACK reached the first one
    for _ in 0..20 {
        pair.send(Z, 1400);
    }
    assert!(pair.network.log.iter().all(|sent| sent.path == 0 || !sent.label.contains("DATA")));
    assert_eq!(
        pair.network.log.iter().filter(|sent| sent.path == 1 && sent.label == "HEARTBEAT").count(),
        1
    );

    pair.drive(Span::from_millis(100));
    assert!(pair.events(Z).contains(&Event::PathUp { association: FIRST, path: path(1) }));
    assert!(
        pair.network
            .log
            .iter()
            .any(|sent| sent.from == Z && sent.path == 1 && sent.label.contains("DATA"))
    );
}

#[test]
fn an_address_that_init_ack_names_becomes_a_path_once_it_is_confirmed() {
    let mut pair = Pair::new(2);
    pair.open_on(A, 1);
    pair.drive_until(|pair| pair.events(A).contains(&Event::Connected(FIRST)));
    assert_eq!(pair.endpoint(A).path_count(FIRST), 2);
    assert!(!pair.endpoint(A).path_stats(FIRST, path(1)).usable);
    pair.settle();
    assert!(pair.endpoint(A).path_stats(FIRST, path(1)).usable);
    assert_eq!(pair.events(A), [Event::PathUp { association: FIRST, path: path(1) }]);
}

#[test]
fn an_unconfirmed_path_is_probed_every_rto_and_its_errors_do_not_close_the_association() {
    let mut pair = Pair::configured(2, |_, config| config.association_max_retransmissions = 2);
    pair.network.rule(|sent| if sent.path == 1 { Fault::Lose } else { Fault::None });
    pair.open(A);
    pair.drive(Span::from_secs(70));
    let probes = pair.network.log.iter().filter(|sent| sent.from == Z && sent.path == 1);
    let seconds: Vec<u64> = probes.map(|sent| sent.at.as_nanos() / 1_000_000_000).collect();
    assert_eq!(seconds, [0, 1, 3, 7, 15, 31]);
    let events = pair.events(Z);
    assert!(events.contains(&Event::PathDown { association: FIRST, path: path(1) }));
    assert!(!events.iter().any(|event| matches!(event, Event::Closed { .. })));
}

#[test]
fn unconfirmed_addresses_are_probed_one_after_the_other() {
    let mut pair = Pair::new(6);
    // The other paths lose all packets
    pair.network.rule(|sent| if sent.path > 0 { Fault::Lose } else { Fault::None });
    pair.open(A);
    pair.drive(Span::from_secs(20));
    let probes = pair.network.log.iter().filter(|sent| sent.from == Z && sent.path > 0);
    let times: Vec<(Time, usize)> = probes.map(|sent| (sent.at, sent.path)).collect();
    let gap = |pair: &[(Time, usize)]| pair[1].0 - pair[0].0;
    assert!(times.len() > 10, "{times:?}");
    // RTO.Initial is 1 s, and a missing answer increases the RTO of its path
    assert!(times.windows(2).all(|pair| gap(pair) >= Span::from_secs(1)), "{times:?}");
    let first: Vec<usize> = times[..5].iter().map(|(_, path)| *path).collect();
    assert_eq!(first, [1, 2, 3, 4, 5], "no address waits for the second probe of another one");
}

#[test]
fn a_simulation_probes_all_addresses_at_once() {
    let mut pair = Pair::configured(6, |_, config| config.heartbeat_burst = u32::MAX);
    pair.open(A);
    pair.settle();
    let probes = pair.network.log.iter().filter(|sent| sent.from == Z && sent.path > 0);
    let mut times: Vec<Time> = probes.map(|sent| sent.at).collect();
    times.dedup();
    assert_eq!(times.len(), 1, "{times:?}");
}

#[test]
fn a_stale_cookie_is_refused_and_a_new_init_fetches_a_fresh_one() {
    let mut pair = Pair::configured(1, |_, config| config.cookie_life = Span::from_millis(200));
    pair.network.once(A, "COOKIE ECHO", Fault::Delay(Span::from_millis(300)));
    pair.open(A);
    pair.settle();
    let refused =
        ["A -> INIT -> Z", "Z -> INIT ACK -> A", "A -> COOKIE ECHO -> Z", "Z -> ERROR -> A"];
    assert_eq!(pair.arrows(), [refused, HANDSHAKE].concat());
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
}

#[test]
fn data_after_a_stale_cookie_is_retransmitted() {
    let mut pair = Pair::configured(1, |_, config| config.cookie_life = Span::from_millis(200));
    pair.network.once(A, "COOKIE ECHO", Fault::Delay(Span::from_millis(300)));
    pair.open(A);
    for _ in 0..10 {
        pair.send(A, 400);
    }
    pair.drive(Span::from_secs(5));
    assert_eq!(pair.read(Z), 10 * 400);
}

#[test]
fn a_late_error_about_an_older_cookie_does_not_prevent_the_association() {
    let mut pair = Pair::configured(1, |_, config| {
        config.rto.initial = Span::from_millis(100);
        config.cookie_life = Span::from_millis(200);
    });
    pair.network.times(2, A, "COOKIE ECHO", Fault::Hold);
    pair.open(A);
    pair.drive_until(|pair| pair.announcements().len() == 3);
    // Z accepts the new cookie. Before A receives COOKIE ACK, late copies of the old cookie are refused
    pair.network.once(Z, "COOKIE ACK", Fault::Lose);
    pair.release();
    pair.drive(Span::from_secs(3));
    assert!(pair.events(A).contains(&Event::Connected(FIRST)));
    pair.send(A, 100);
    pair.send(Z, 200);
    pair.drive(Span::from_secs(3));
    assert_eq!((pair.read(Z), pair.read(A)), (100, 200));
}

/// A opens and sends 100 bytes, which Z acknowledges in a separate packet, as some peers do. COOKIE ACK is lost, so A
/// retransmits the cookie, which is delayed. Meanwhile Z aborts, and the ABORT is lost.
fn with_a_cookie_on_its_way_to_a_peer_that_has_aborted() -> Pair {
    let mut pair = Pair::configured(1, |_, config| {
        config.rto.initial = Span::from_millis(100);
        config.cookie_life = Span::from_millis(500);
        config.sack_every = 1;
    });
    let mut echoes = 0;
    pair.network.rule(move |sent| {
        echoes += u32::from(sent.label.starts_with("COOKIE ECHO"));
        match sent.label.as_str() {
            "COOKIE ECHO" if echoes == 2 => Fault::Hold,
            "COOKIE ACK + SACK" | "ABORT" if sent.at < Time::ZERO + Span::from_millis(200) => {
                Fault::Lose
            }
            _ => Fault::None,
        }
    });
    pair.open(A);
    pair.send(A, 100);
    pair.drive(Span::from_millis(50));
    let init = pair.announcements().swap_remove(0);
    let sack = Sack { cumulative: init.initial_tsn, window: 100_000, ..Sack::default() };
    let forged = pair.forge(A, init.tag, Control::CookieAck);
    pair.inject(A, 0, Packet { control: Vec::new(), sack, has_sack: true, ..forged });
    pair.drive(Span::from_millis(110));
    pair.abort(Z);
    pair.events(Z);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).bytes_acked, 100);
    pair
}

#[test]
fn a_cookie_opens_one_association_even_if_that_is_over_and_forgotten() {
    for forgets in [false, true] {
        let mut pair = with_a_cookie_on_its_way_to_a_peer_that_has_aborted();
        if forgets {
            pair.endpoint(Z).forget(FIRST);
        }
        pair.drive(Span::from_millis(50));
        pair.arrows();
        pair.release();
        pair.settle();
        assert_eq!(pair.arrows(), ["Z -> ABORT -> A"]);
        assert_eq!(pair.events(Z), []);
        assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedByPeer));
    }
}

#[test]
fn no_new_attempt_follows_if_a_peer_has_acknowledged_data_and_refuses_its_cookie() {
    let mut pair = with_a_cookie_on_its_way_to_a_peer_that_has_aborted();
    pair.arrows();
    pair.network.cut(0);
    pair.drive(Span::from_millis(600));
    pair.network.restore(0);
    pair.release();
    pair.settle();
    assert_eq!(pair.arrows().last().map(String::as_str), Some("Z -> ERROR -> A"));
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedByPeer));
}

#[test]
fn an_attempt_ends_if_its_cookies_are_always_stale() {
    let mut pair = Pair::configured(1, |_, config| config.cookie_life = Span::from_millis(1));
    pair.open(A);
    pair.drive(Span::from_secs(1000));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
    let inits = pair.announcements().len() / 2;
    assert_eq!(inits, 1 + 8, "Max.Init.Retransmits");
    assert!(!pair.step());
}

#[test]
fn the_stale_cookie_error_has_the_excess_lifetime() {
    let mut pair = Pair::configured(1, |_, config| config.cookie_life = Span::from_millis(200));
    pair.network.once(A, "COOKIE ECHO", Fault::Delay(Span::from_millis(300)));
    pair.open(A);
    pair.settle();
    let cause = pair.network.log.iter().find_map(|sent| match &sent.control[..] {
        [Control::Error(causes)] => match causes[..] {
            [Cause::StaleCookie(micros)] => Some(micros),
            _ => None,
        },
        _ => None,
    });
    // Created on arrival of INIT; INIT ACK and COOKIE ECHO took 10 ms each, plus their serialisation
    let late = cause.expect("an error says so");
    assert!((120_000..121_000).contains(&late), "{late} us");
}

#[test]
fn a_forged_cookie_is_dropped_in_silence() {
    let mut pair = Pair::new(1);
    pair.network.once(A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.settle();
    let sent = pair.network.log.last().unwrap().clone();
    let Some(Control::CookieEcho(cookie)) = sent.control.first() else { panic!("{sent}") };
    let mut forged = cookie.to_vec();
    forged[20] ^= 1;
    pair.arrows();
    let packet = pair.forge(Z, sent.tag, Control::CookieEcho(forged.into()));
    pair.inject(Z, 0, packet);
    let packet = pair.forge(Z, sent.tag ^ 1, Control::CookieEcho(cookie.clone()));
    pair.inject(Z, 0, packet);
    let packet = pair.forge(Z, sent.tag, Control::CookieEcho(cookie.clone()));
    pair.inject(Z, 0, Packet { source_port: 9, ..packet });
    assert!(pair.arrows().is_empty());
    assert!(pair.events(Z).is_empty());
}

#[test]
fn an_invalid_init_is_refused_with_its_initiate_tag() {
    let good = possible();
    let bad = [
        Init { outbound_streams: 0, ..good.clone() },
        Init { inbound_streams: 0, ..good.clone() },
        Init { window: 1499, ..good.clone() },
    ]
    .map(|init| (init, Cause::InvalidMandatoryParameter));
    let name = Bytes::from_static(&[0, 11, 0, 6, b'z', 0]);
    let offers = Some(Box::new(Offers { host_name: Some(name.clone()), ..Offers::default() }));
    let by_name = (Init { offers, ..good.clone() }, Cause::UnresolvableAddress(name));
    for (init, cause) in bad.into_iter().chain([by_name]) {
        let mut pair = Pair::new(1);
        let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
        pair.inject(Z, 0, packet);
        let abort = Control::Abort { reflected: false, causes: vec![cause] };
        assert_eq!((pair.network.log[0].tag, &pair.network.log[0].control), (7, &vec![abort]));
        assert_eq!(pair.arrows(), ["Z -> ABORT -> A"]);
    }
    // No peer has tag 0, so there is no answer
    let mut pair = Pair::new(1);
    let packet = pair.forge(Z, 0, Control::Init(Box::new(Init { tag: 0, ..good })));
    pair.inject(Z, 0, packet);
    assert!(pair.arrows().is_empty());
}

#[test]
fn a_list_of_families_that_leaves_out_the_one_in_use_is_no_error() {
    let only_ipv6 = Offers { address_types: Some(vec![6]), ..Offers::default() };
    let init = Init { offers: Some(Box::new(only_ipv6)), ..possible() };
    let mut pair = Pair::new(1);
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    assert_eq!(pair.arrows(), ["Z -> INIT ACK -> A"]);
}

#[test]
fn an_invalid_init_ack_ends_the_attempt() {
    let good = possible();
    let without_cookie = (good.clone(), Cause::MissingParameters(vec![7]));
    let baked = Init { cookie: Some(vec![1].into()), ..good };
    let without_streams =
        (Init { outbound_streams: 0, ..baked.clone() }, Cause::InvalidMandatoryParameter);
    let name = Bytes::from_static(&[0, 11, 0, 6, b'z', 0]);
    let offers = Some(Box::new(Offers { host_name: Some(name.clone()), ..Offers::default() }));
    let by_name = (Init { offers, ..baked }, Cause::UnresolvableAddress(name));
    for (ack, cause) in [without_cookie, without_streams, by_name] {
        let mut pair = Pair::new(1);
        pair.network.cut(0);
        pair.open(A);
        let tag = init_of(&pair.network.log[0].control).unwrap().tag;
        let packet = pair.forge(A, tag, Control::InitAck(Box::new(ack)));
        pair.arrows();
        pair.inject(A, 0, packet);
        assert_eq!(pair.network.log[0].tag, 7);
        let abort = Control::Abort { reflected: false, causes: vec![cause] };
        assert_eq!(pair.network.log.last().unwrap().control, [abort]);
        assert_eq!(pair.arrows(), ["A -> ABORT -> lost"]);
        assert_eq!(pair.close_reason(A), Some(CloseReason::ProtocolViolation));
    }
}

#[test]
fn an_abort_about_init_ack_is_sent_to_its_source_address() {
    let mut pair = Pair::new(2);
    pair.network.cut(0);
    pair.open(A);
    let tag = init_of(&pair.network.log[0].control).unwrap().tag;
    let packet = pair.forge(A, tag, Control::InitAck(Box::new(possible())));
    pair.network.log.clear();
    pair.inject(A, 1, packet);
    let aborts = pair.network.log.iter().map(|sent| (sent.label.as_str(), sent.path));
    assert_eq!(aborts.collect::<Vec<_>>(), [("ABORT", 1)]);
}

#[test]
fn packets_go_to_the_addresses_that_the_peer_has_listed_and_to_no_other_one() {
    // Both sides have three addresses, and A lists two of them
    let mut pair = Pair::configured(3, |_, config| {
        (config.heartbeat_interval, config.nagle) = (Span::from_secs(1), false);
    });
    pair.open_on(A, 2);
    pair.settle();
    let taken = |pair: &Pair| {
        let mut paths: Vec<usize> =
            pair.network.log.iter().filter(|sent| sent.from == Z).map(|sent| sent.path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    };
    // DATA from the third address changes nothing, nor do losses on both others
    let tag = pair.announcements()[1].tag;
    let mut packet = pair.forge(Z, tag, Control::Error(Vec::new()));
    packet.data.push(pair_data());
    pair.inject(Z, 2, packet);
    for path in [0, 1] {
        pair.network.cut(path);
        pair.send(Z, 20_000);
        pair.drive(Span::from_secs(60));
    }
    assert_eq!(taken(&pair), [0, 1]);
}

fn pair_data() -> Data {
    let payload = Bytes::from_static(b"stray");
    Data { tsn: Tsn(0), stream: 0, ssn: Ssn(0), ppid: 0, flags: DataFlags::WHOLE, payload }
}

#[test]
fn init_shares_its_packet_with_nothing() {
    let mut pair = Pair::new(1);
    let good = possible();
    let mut packet = pair.forge(Z, 0, Control::Init(Box::new(good)));
    packet.control.push(Control::CookieAck);
    pair.inject(Z, 0, packet);
    assert!(pair.arrows().is_empty());
}

#[test]
fn unexpected_handshake_chunks_are_silently_discarded() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let tag = init_of(&pair.network.log[0].control).unwrap().tag;
    pair.events(A);
    pair.arrows();
    let ack = Init { cookie: Some(vec![1].into()), ..possible() };
    for chunk in [
        Control::InitAck(Box::new(ack)),
        Control::CookieAck,
        Control::Error(vec![Cause::StaleCookie(1)]),
    ] {
        let packet = pair.forge(A, tag, chunk);
        pair.inject(A, 0, packet);
    }
    assert!(pair.arrows().is_empty());
    assert!(pair.events(A).is_empty());
    pair.send(A, 100);
    pair.settle();
    assert_eq!(pair.read(Z), 100);
}

/// An INIT body with the smallest allowed values and tag 7.
fn possible() -> Init {
    Init { tag: 7, window: 1500, outbound_streams: 1, inbound_streams: 1, ..Init::default() }
}

/// The INIT or INIT ACK among these chunks.
pub(crate) fn init_of(control: &[Control]) -> Option<&Init> {
    control.iter().find_map(|chunk| match chunk {
        Control::Init(init) | Control::InitAck(init) => Some(&**init),
        _ => None,
    })
}

/// The tags of all INITs and INIT ACKs so far, in the order of their packets.
pub(crate) fn tags_of(pair: &Pair) -> Vec<u32> {
    let chunks = pair.network.log.iter().filter_map(|sent| init_of(&sent.control));
    chunks.map(|init| init.tag).collect()
}
