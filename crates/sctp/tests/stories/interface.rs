//! Settings, queries and events of applications. RFC 9260 §11

use bytes::Bytes;
use manypath_core::{RtoLimits, Span, Ssn, Tsn};
use manypath_sctp::{Cause, CloseReason, Control, Endpoint, Event, Message, Part, Received};

use crate::pair::{A, FIRST, Fault, Pair, Z, message, path};

fn detailed(paths: usize) -> Pair {
    let mut pair = Pair::configured(paths, |_, config| config.detailed_events = true);
    pair.connect();
    pair.events(A);
    pair.events(Z);
    pair
}

#[test]
fn the_peer_reads_the_reason_of_an_abort() {
    let mut pair = detailed(1);
    let reason = Bytes::from_static(b"the lift is full");
    pair.act(A, |endpoint, now| endpoint.abort_with(now, FIRST, &reason));
    pair.settle();
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
    assert_eq!(pair.endpoint(Z).abort_causes(FIRST), [Cause::UserInitiated(reason)]);
}

#[test]
fn a_reason_that_is_too_long_is_cut_to_one_packet() {
    let mut pair = detailed(1);
    let reason = Bytes::from(vec![7; 5000]);
    pair.act(A, |endpoint, now| endpoint.abort_with(now, FIRST, &reason));
    pair.settle();
    let [Cause::UserInitiated(read)] = pair.endpoint(Z).abort_causes(FIRST) else { panic!() };
    assert!(read.len() > 1400 && read.len() <= 1460, "{}", read.len());
}

#[test]
fn addresses_and_streams_can_be_asked_for() {
    let mut pair = Pair::configured(2, |side, config| {
        (config.outbound_streams, config.inbound_streams) = if side == A { (5, 7) } else { (9, 3) };
    });
    pair.open(A);
    assert_eq!(pair.endpoint(A).streams(FIRST), None);
    pair.settle();
    assert_eq!(pair.endpoint(A).streams(FIRST), Some((3, 7)));
    assert_eq!(pair.endpoint(Z).streams(FIRST), Some((7, 3)));
    let ways: Vec<_> = (0..3).map(|index| pair.endpoint(Z).path_via(FIRST, path(index))).collect();
    assert_eq!(ways, [Some(Z.via(0)), Some(Z.via(1)), None]);
}

#[test]
fn an_application_is_notified_of_the_peers_shutdown_and_of_the_arrival_of_all_data() {
    let mut pair = detailed(1);
    pair.send(A, 100);
    pair.settle();
    pair.drive(Span::from_secs(1));
    assert!(pair.events(A).contains(&Event::SenderDry(FIRST)));
    pair.shutdown(A);
    pair.settle();
    let heard = pair.events(Z);
    let closed = Event::Closed { association: FIRST, reason: CloseReason::Shutdown };
    assert_eq!(heard[heard.len() - 2..], [Event::PeerShutdown(FIRST), closed]);
}

#[test]
fn an_error_of_the_peer_is_reported_to_the_application() {
    let mut pair = detailed(1);
    let tag = pair.tag_of(A);
    let error = Control::Error(vec![Cause::InvalidStream(9)]);
    let packet = pair.forge(A, tag, error);
    pair.inject(A, 0, packet);
    let complaint =
        Event::RemoteError { association: FIRST, cause: Box::new(Cause::InvalidStream(9)) };
    assert_eq!(pair.events(A), [complaint]);
}

#[test]
fn a_received_message_has_its_tsn_and_ssn() {
    let mut pair = Pair::configured(1, |_, config| {
        config.initial_tsn = Some(Tsn(70));
        config.receive_buffer = 20_000;
    });
    pair.connect();
    let on = |stream, length| Message { stream, unordered: false, ppid: 5, ..message(length) };
    let messages = [on(3, 10), message(4000), on(3, 20), on(2, 30), on(3, 40_000)];
    pair.send_all(A, messages.clone());
    let mut read = Vec::new();
    let goes_on = |part: Part| part.more_follows;
    pair.drive_until(|pair| {
        let next = |endpoint: &mut Endpoint, now| endpoint.receive_numbered(now, FIRST);
        read.extend(std::iter::from_fn(|| pair.act(Z, next)));
        read.last().is_some_and(|last: &Received| last.message.part.is_some_and(|it| !goes_on(it)))
    });
    let (parts, whole): (Vec<_>, Vec<_>) =
        read.into_iter().partition(|received| received.message.part.is_some());
    // The second message takes three chunks
    let numbers = [(70, Some(0)), (71, None), (74, Some(1)), (75, Some(0))];
    for ((received, message), (tsn, ssn)) in whole.iter().zip(messages).zip(numbers) {
        let expected = Received { message, tsn: Tsn(tsn), ssn: ssn.map(Ssn) };
        assert_eq!(*received, expected);
    }
    assert!(whole.len() == 4 && parts.len() > 1);
    assert!(parts.iter().all(|part| (part.tsn, part.ssn) == (Tsn(76), Some(Ssn(2)))));
}

#[test]
fn unacknowledged_messages_are_reported_at_the_end() {
    let mut pair = detailed(1);
    pair.network.rule(|sent| if sent.data.is_empty() { Fault::None } else { Fault::Lose });
    for bytes in [1000, 2000, 3000, 4000, 50_000] {
        pair.send(A, bytes);
    }
    pair.abort(A);
    let failed = |sent_wanted| {
        move |event: &Event| match event {
            Event::SendFailed { message, sent, .. } if *sent == sent_wanted => {
                message.payload.len()
            }
            _ => 0,
        }
    };
    let events = pair.events(A);
    let sent: usize = events.iter().map(failed(true)).sum();
    let waiting: usize = events.iter().map(failed(false)).sum();
    assert_eq!(sent + waiting, 60_000);
    assert!(sent > 1000 && waiting > 40_000, "{sent} {waiting}");
    let end = Event::Closed { association: FIRST, reason: CloseReason::AbortedHere };
    assert_eq!(events.last(), Some(&end));
}

#[test]
fn a_message_that_expires_before_its_transmission_is_dropped_and_reported() {
    let mut pair = detailed(1);
    pair.network.cut(0);
    // More data than the window allows, then a message with a short lifetime, and one without
    pair.send(A, 20_000);
    for (bytes, lifetime) in [(123, 500), (77, 60_000)] {
        pair.act(A, |endpoint, now| {
            let lifetime = Span::from_millis(lifetime);
            endpoint.send_for(now, FIRST, message(bytes), lifetime).unwrap();
        });
    }
    pair.drive(Span::from_millis(700));
    pair.network.restore(0);
    let mut read = Vec::new();
    pair.drive_until(|pair| {
        read.extend(pair.read_messages(Z).iter().map(|message| message.payload.len()));
        read.len() == 2
    });
    assert_eq!(read, [20_000, 77]);
    let dropped =
        Event::SendFailed { association: FIRST, message: Box::new(message(123)), sent: false };
    assert!(pair.events(A).contains(&dropped));
    assert_eq!(pair.endpoint(A).stats(FIRST).messages_expired, 1);
}

#[test]
fn settings_of_one_association_can_be_changed_while_it_lives() {
    let mut pair = Pair::configured(2, |_, config| config.nagle = false);
    pair.connect();
    // Data uses the new primary path
    assert!(pair.act(A, |endpoint, now| endpoint.set_primary(now, FIRST, path(1))));
    assert!(!pair.act(A, |endpoint, now| endpoint.set_primary(now, FIRST, path(2))));
    pair.send(A, 100);
    pair.settle();
    let taken: Vec<usize> = pair.data_packets(A).map(|sent| sent.path).collect();
    assert_eq!(taken, [1]);
    // An immediate SACK, and another delay
    pair.drive(Span::from_secs(1));
    pair.act(Z, |endpoint, _| endpoint.set_sack(FIRST, 2, Span::from_millis(50)));
    let before = pair.sacks(Z).count();
    pair.send(A, 100);
    pair.drive(Span::from_millis(55));
    assert_eq!(pair.sacks(Z).count(), before);
    pair.drive(Span::from_millis(20));
    assert_eq!(pair.sacks(Z).count(), before + 1);
    // Fewer outstanding chunks than the window allows
    pair.act(A, |endpoint, _| endpoint.set_max_outstanding(FIRST, 2));
    pair.network.log.clear();
    pair.send(A, 1400);
    pair.send(A, 1400);
    pair.send(A, 1400);
    assert_eq!(pair.data_packets(A).count(), 2);
    pair.settle();
    assert_eq!(pair.data_packets(A).count(), 3);
    // Shorter timeouts
    let limits = RtoLimits { min: Span::from_millis(300), ..RtoLimits::RFC9260 };
    pair.act(A, |endpoint, _| endpoint.set_rto(FIRST, limits));
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(1)).rto, Span::from_millis(300));
    // More frequent probes
    pair.act(A, |endpoint, now| {
        endpoint.set_heartbeat_interval(now, FIRST, Span::from_secs(2));
    });
    pair.drive(Span::from_secs(40));
    pair.network.log.clear();
    pair.drive(Span::from_secs(30));
    let probes = pair.network.log.iter().filter(|sent| sent.from == A && sent.label == "HEARTBEAT");
    assert!(probes.count() > 15);
}

#[test]
fn an_application_may_stop_and_start_the_delay_of_small_messages() {
    let mut pair = Pair::configured(1, |_, config| config.nagle = false);
    pair.connect();
    for (nagle, packets) in [(true, 1), (false, 2), (true, 1)] {
        pair.act(A, |endpoint, _| endpoint.set_nagle(FIRST, nagle));
        pair.network.log.clear();
        pair.send(A, 100);
        pair.send(A, 100);
        assert_eq!(pair.data_packets(A).count(), packets, "{nagle}");
        // The acknowledgement may be delayed
        pair.drive(Span::from_secs(1));
        assert_eq!(pair.data_packets(A).count(), 2);
    }
}

#[test]
fn an_association_may_have_settings_of_its_own_from_the_start() {
    let mut pair = Pair::new(2);
    let vias = [A.via(0), A.via(1)];
    let id = pair.act(A, |endpoint, now| {
        endpoint.connect_with(now, &vias, 2002, |config| {
            config.cc = "lia".to_owned();
            config.outbound_streams = 2;
            config.port = 9;
        })
    });
    pair.settle();
    assert_eq!(pair.endpoint(A).streams(id).map(|(outbound, _)| outbound), Some(2));
}
