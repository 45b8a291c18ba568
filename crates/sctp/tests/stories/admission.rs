//! Admission of associations: which peers may open them, how many, and the cost of unknown peers. RFC 9260 §5.1, §8.4

use manypath_core::{Address, Packet as _, SansIo, Span, Time, Via};
use manypath_sctp::{
    Cause, CloseReason, Config, Control, Endpoint, Event, HeartbeatInfo, Init, Packet,
};

use crate::crowd::{Crowd, via_of};
use crate::pair::{A, FIRST, Pair, Z, message};

fn init(tag: u32) -> Init {
    let streams = 10;
    Init {
        tag,
        window: 10_000,
        outbound_streams: streams,
        inbound_streams: streams,
        ..Init::default()
    }
}

fn refused_with(pair: &Pair) -> Vec<Vec<Cause>> {
    let chunks = pair.network.log.iter().filter(|sent| sent.from == Z);
    let chunks = chunks.flat_map(|sent| &sent.control);
    let aborts = chunks.filter_map(|chunk| match chunk {
        Control::Abort { reflected: false, causes } => Some(causes.clone()),
        _ => None,
    });
    aborts.collect()
}

#[test]
fn an_endpoint_that_does_not_listen_refuses_init_and_opens_associations_itself() {
    let mut pair = Pair::configured(1, |side, config| config.listens = side == A);
    pair.open(A);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> INIT -> Z", "Z -> ABORT -> A"]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedByPeer));
    pair.endpoint(A).forget(FIRST);
    pair.open(Z);
    pair.settle();
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
}

#[test]
fn with_settings_for_real_networks_init_is_refused_before_listen() {
    let mut pair = Pair::configured(1, |_, config| {
        let Config { port, local, .. } = config.clone();
        *config = Config { port, local, ..Config::for_real_networks() };
    });
    pair.open(A);
    pair.settle();
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedByPeer));
    assert!(pair.events(Z).is_empty());
    pair.endpoint(A).forget(FIRST);
    pair.act(Z, |endpoint, _| endpoint.listen(1));
    pair.open(A);
    pair.settle();
    assert_eq!(pair.events(Z), [Event::Incoming(FIRST)]);
}

#[test]
fn a_cookie_that_comes_after_the_endpoint_has_stopped_listening_is_refused() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.drive_until(|pair| pair.network.log.iter().any(|sent| sent.label == "COOKIE ECHO"));
    pair.endpoint(Z).stop_listening();
    pair.settle();
    assert_eq!(refused_with(&pair), [[]]);
    assert!(pair.events(Z).is_empty());
}

#[test]
fn crossing_inits_need_no_side_that_listens() {
    let mut pair = Pair::configured(1, |_, config| config.listens = false);
    pair.open(A);
    pair.open(Z);
    pair.settle();
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
}

#[test]
fn incoming_associations_wait_until_they_are_accepted() {
    let mut crowd = Crowd::new(|config| config.backlog = Some(2));
    crowd.call();
    crowd.call();
    let [Event::Incoming(first), Event::Incoming(second)] = crowd.events[..] else {
        panic!("{:?}", crowd.events)
    };
    // There is no room for a third one
    crowd.sent.clear();
    crowd.call();
    let refusal = Control::Abort { reflected: false, causes: vec![Cause::OutOfResource] };
    let [(2, answer)] = &crowd.sent[..] else { panic!("{:?}", crowd.sent) };
    assert_eq!(answer.control, [refusal]);
    // Waiting associations already receive data
    crowd.act(0, |peer, id, now| peer.send(now, id, message(5)).unwrap());
    assert_eq!(crowd.server.accept(), Some(first));
    assert!(crowd.server.receive(crowd.now, first).is_some());
    crowd.call();
    assert_eq!(crowd.server.accept(), Some(second));
    assert!(crowd.server.accept().is_some());
    assert_eq!(crowd.server.accept(), None);
}

#[test]
fn an_association_that_ends_before_it_is_accepted_leaves_the_backlog() {
    let mut crowd = Crowd::new(|config| config.backlog = Some(2));
    for _ in 0..100 {
        let number = crowd.call();
        crowd.act(number, |peer, id, now| peer.abort(now, id));
    }
    assert_eq!(crowd.server.accept(), None);
    // An ended association with unread data can still be accepted
    let number = crowd.call();
    crowd.act(number, |peer, id, now| {
        peer.send(now, id, message(7)).unwrap();
        peer.shutdown(now, id);
    });
    crowd.wait(Span::from_secs(1));
    let id = crowd.server.accept().expect("it waits");
    assert!(crowd.server.receive(crowd.now, id).is_some());
    crowd.server.forget(id);
}

#[test]
fn an_association_that_ends_before_it_is_accepted_is_announced_and_announced_as_closed() {
    let mut crowd = Crowd::new(|config| config.backlog = Some(1));
    for _ in 0..2 {
        let number = crowd.call();
        let Some(&Event::Incoming(association)) = crowd.events.last() else {
            panic!("{:?}", crowd.events);
        };
        crowd.act(number, |peer, id, now| peer.abort(now, id));
        let reason = CloseReason::AbortedByPeer;
        assert_eq!(crowd.events.last(), Some(&Event::Closed { association, reason }));
        // The second association shares the endpoint with one that the endpoint has opened itself
        crowd.server.connect(crowd.now, &[via_of(99)], 5001);
        crowd.deliver();
    }
}

#[test]
fn peers_open_no_more_associations_than_the_endpoint_admits() {
    let mut crowd = Crowd::new(|config| config.max_associations = 3);
    for _ in 0..5 {
        crowd.call();
    }
    let ids = crowd.connected();
    assert_eq!(ids.len(), 3);
    crowd.act(0, |peer, id, now| peer.abort(now, id));
    crowd.call();
    assert!(crowd.connected().is_empty(), "a closed association counts until it is forgotten");
    crowd.server.forget(ids[0]);
    crowd.call();
    assert_eq!(crowd.connected().len(), 1);
}

/// Even if all listed addresses are IPv6 and the path MTU is small.
#[test]
fn init_ack_with_all_addresses_of_a_peer_fits_a_narrow_path() {
    let v6 = |host: u128| Address::from_bits(0x2001_0db8 << 96 | host);
    let mut crowd = Crowd::new(|config| {
        config.local = (1..40).map(v6).collect();
        config.mtu = 600;
    });
    let via = Via { local: v6(1), remote: v6(1000) };
    let addresses = (1000..1040).map(v6).collect();
    let control = vec![Control::Init(Box::new(Init { addresses, ..init(7) }))];
    let ports = Packet { source_port: 5001, destination_port: 80, ..Packet::default() };
    crowd.server.handle_packet(Time::ZERO, via, &mut Packet { control, ..ports });
    let mut answer = Packet::default();
    assert!(crowd.server.poll_transmit(Time::ZERO, &mut answer).is_some());
    assert!(matches!(answer.control[..], [Control::InitAck(_)]));
    assert!(answer.size() <= 600, "{} bytes", answer.size());
}

#[test]
fn init_ack_names_few_addresses_and_stays_a_small_multiple_of_any_init() {
    let local: Vec<Address> = (0..40).map(|host| Address::v4(192, 0, 2, host + 1)).collect();
    let mut crowd = Crowd::new(|config| config.local = local.clone());
    let mut largest = 0;
    for count in [0, 1, 2, 16, 17, 100, 8000] {
        let listed =
            |number: u32| Address::from_bits(Address::v4(10, 1, 0, 0).bits() + u128::from(number));
        let mut init = init(7);
        init.addresses = (0..count).map(listed).collect();
        let mut packet = Packet {
            source_port: 5001,
            destination_port: 80,
            network_header: 20,
            control: vec![Control::Init(Box::new(init))],
            ..Packet::default()
        };
        let size = packet.size();
        crowd.server.handle_packet(Time::ZERO, via_of(1), &mut packet);
        let mut answer = Packet::default();
        assert!(crowd.server.poll_transmit(Time::ZERO, &mut answer).is_some());
        assert!(matches!(answer.control[..], [Control::InitAck(_)]));
        assert!(answer.size() <= 6 * size, "{} bytes answer {size}", answer.size());
        largest = answer.size().max(largest);
    }
    assert!(largest < 700, "{largest}");
}

#[test]
fn a_listed_address_of_another_family_or_scope_becomes_no_path() {
    let mut pair = Pair::new(1);
    let mut init = init(9);
    let v6 = Address::from_bits(0x2001_0db8 << 96 | 1);
    init.addresses = vec![A.address(0), v6, Address::v4(127, 0, 0, 1), Address::v4(224, 0, 0, 9)];
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    let answers = pair.announcements();
    let [ack] = &answers[..] else { panic!("{answers:?}") };
    let echo = Control::CookieEcho(ack.cookie.clone().expect("INIT ACK has a cookie"));
    let packet = pair.forge(Z, ack.tag, echo);
    pair.inject(Z, 0, packet);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    assert_eq!(pair.endpoint(Z).path_count(FIRST), 1);
}

#[test]
fn packets_from_and_to_groups_are_dropped_in_silence() {
    let mut pair = Pair::new(1);
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init(5))));
    pair.inject(Z, 0, packet);
    let Init { tag, cookie, .. } = pair.announcements().swap_remove(0);
    let cookie = cookie.expect("INIT ACK has a cookie");
    pair.arrows();
    let group = Address::v4(224, 0, 0, 1);
    let ways = [
        Via { local: group, remote: A.address(0) },
        Via { local: Z.address(0), remote: group },
        Via { local: Z.address(0), remote: Address::v4(255, 255, 255, 255) },
    ];
    for via in ways {
        for (tag, chunk) in [
            (0, Control::Init(Box::new(init(5)))),
            (5, Control::ShutdownAck),
            (tag, Control::CookieEcho(cookie.clone())),
            (5, Control::Shutdown(manypath_core::Tsn(1))),
        ] {
            let packet = pair.forge(Z, tag, chunk);
            pair.inject_via(Z, via, packet);
        }
    }
    assert!(pair.arrows().is_empty() && pair.events(Z).is_empty());
    // The cookie itself is valid
    let packet = pair.forge(Z, tag, Control::CookieEcho(cookie));
    pair.inject(Z, 0, packet);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
}

#[test]
fn out_of_the_blue_packets_use_bounded_memory_while_the_socket_blocks() {
    let mut crowd = Crowd::new(|_| ());
    for number in 0..10_000 {
        let mut packet = Packet {
            source_port: 5001,
            destination_port: 80,
            control: vec![Control::Init(Box::new(init(number + 1)))],
            ..Packet::default()
        };
        crowd.server.handle_packet(Time::ZERO, via_of(number as usize), &mut packet);
    }
    crowd.deliver();
    assert_eq!(crowd.sent.len(), 256);
    let last = crowd.sent.last().map(|(number, _)| *number);
    assert_eq!(last, Some(9_999), "the latest packets are answered");
}

#[test]
fn a_peer_fills_no_memory_with_probes_while_the_socket_blocks() {
    let mut crowd = Crowd::new(|_| ());
    crowd.call();
    crowd.connected();
    let tag = crowd.sent.iter().find_map(|(_, packet)| match &packet.control[..] {
        [Control::InitAck(ack)] => Some(ack.tag),
        _ => None,
    });
    crowd.sent.clear();
    let info = HeartbeatInfo { nonce: 1, sent_at: 2, address: Address::v4(192, 0, 2, 1) };
    for _ in 0..10_000 {
        let mut packet = Packet {
            source_port: 5001,
            destination_port: 80,
            tag: tag.unwrap(),
            control: vec![Control::Heartbeat(info.into())],
            ..Packet::default()
        };
        crowd.server.handle_packet(Time::ZERO, via_of(0), &mut packet);
    }
    crowd.deliver();
    let answers: usize = crowd.sent.iter().map(|(_, packet)| packet.control.len()).sum();
    assert_eq!(answers, 64);
}

#[test]
fn an_endpoint_with_a_secret_seed_draws_its_tags_from_it_alone() {
    let open = |seed| {
        let mut endpoint = Endpoint::with_seed(Config::default(), [seed; 32]);
        endpoint.connect(Time::ZERO, &[A.via(0)], 80);
        let mut packet = Packet::default();
        endpoint.poll_transmit(Time::ZERO, &mut packet);
        let [Control::Init(init)] = &packet.control[..] else { panic!("{packet:?}") };
        (init.tag, init.initial_tsn)
    };
    assert_eq!(open(1), open(1));
    let (one, other) = (open(1), open(2));
    assert!(one.0 != other.0 && one.1 != other.1);
}
