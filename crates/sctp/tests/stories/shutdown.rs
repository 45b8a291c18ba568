//! Closing an association: gracefully, or with ABORT. RFC 9260 §9

use bytes::Bytes;
use manypath_core::Span;
use manypath_sctp::{Cause, CloseReason, Control, Event, SendError};

use crate::pair::{A, FIRST, Fault, Pair, Z, message};
use crate::setup::{init_of, tags_of};

#[test]
fn three_packets_close_an_association() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.shutdown(A);
    pair.settle();
    assert_eq!(
        pair.arrows(),
        ["A -> SHUTDOWN -> Z", "Z -> SHUTDOWN ACK -> A", "A -> SHUTDOWN COMPLETE -> Z"]
    );
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
    assert!(!pair.step(), "no timer is left");
}

#[test]
fn shutdown_waits_until_everything_has_arrived() {
    let mut pair = Pair::new(1);
    pair.connect();
    for _ in 0..50 {
        pair.send(A, 1400);
    }
    pair.shutdown(A);
    pair.drive(Span::from_secs(1));
    let story = pair.arrows();
    let last_data = story.iter().rposition(|arrow| arrow.contains("DATA")).unwrap();
    let shutdown = story.iter().position(|arrow| arrow.contains("SHUTDOWN")).unwrap();
    assert!(story[last_data..shutdown].contains(&"Z -> SACK -> A".to_owned()));
    assert_eq!(pair.read(Z), 50 * 1400);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
}

#[test]
fn no_message_is_accepted_after_shutdown() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send(Z, 1400);
    pair.shutdown(A);
    pair.drive(Span::from_millis(12));
    let now = pair.now;
    for side in [A, Z] {
        assert_eq!(pair.endpoint(side).send(now, FIRST, message(1)), Err(SendError::NotConnected));
    }
}

#[test]
fn the_peer_sends_all_data_and_gets_a_shutdown_for_every_packet() {
    let mut pair = Pair::new(1);
    pair.connect();
    for _ in 0..20 {
        pair.send(Z, 1400);
    }
    pair.shutdown(A);
    pair.settle();
    let story = pair.arrows();
    assert_eq!(pair.read(A), 20 * 1400);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
    let data = story.iter().filter(|arrow| arrow.ends_with("DATA -> A")).count();
    let sent = |label: &str| story.iter().filter(|arrow| *arrow == label).count();
    let answers = sent("A -> SHUTDOWN + SACK -> Z");
    // Each packet is answered at once with a SHUTDOWN and a SACK; the first SHUTDOWN had no packet to answer
    assert_eq!((answers, sent("A -> SHUTDOWN -> Z"), sent("A -> SACK -> Z")), (data, 1, 0));
}

#[test]
fn shutdown_acknowledges_data_without_a_sack() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send(Z, 100);
    pair.settle();
    pair.arrows();
    // The SACK for the second DATA is delayed by 200 ms; SHUTDOWN is sent earlier
    pair.send(Z, 100);
    pair.drive(Span::from_millis(15));
    pair.shutdown(A);
    pair.settle();
    assert_eq!(
        pair.arrows(),
        [
            "Z -> DATA -> A",
            "A -> SHUTDOWN -> Z",
            "Z -> SHUTDOWN ACK -> A",
            "A -> SHUTDOWN COMPLETE -> Z"
        ]
    );
}

#[test]
fn each_lost_packet_of_a_shutdown_is_retransmitted() {
    for (side, lost) in [(A, "SHUTDOWN"), (Z, "SHUTDOWN ACK"), (A, "SHUTDOWN COMPLETE")] {
        let mut pair = Pair::new(1);
        pair.connect();
        pair.network.once(side, lost, Fault::Lose);
        pair.shutdown(A);
        pair.drive(Span::from_secs(2));
        assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown), "{lost} lost");
        assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown), "{lost} lost");
    }
}

#[test]
fn a_lost_shutdown_complete_is_repeated_without_state() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.network.once(A, "SHUTDOWN COMPLETE", Fault::Lose);
    pair.shutdown(A);
    pair.drive(Span::from_secs(2));
    let story = pair.arrows();
    assert_eq!(story[3..], ["Z -> SHUTDOWN ACK -> A", "A -> SHUTDOWN COMPLETE (T) -> Z"]);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn an_answer_to_a_late_packet_may_overtake_shutdown_complete() {
    let mut pair = Pair::new(2);
    pair.network.once(Z, "HEARTBEAT", Fault::Delay(Span::from_millis(100)));
    pair.network.once(A, "SHUTDOWN COMPLETE", Fault::Delay(Span::from_millis(500)));
    pair.open(A);
    pair.drive(Span::from_millis(45));
    pair.shutdown(A);
    pair.drive(Span::from_millis(300));
    let story = pair.arrows();
    assert_eq!(story.last().unwrap(), "A -> ABORT (T) -> Z", "{story:?}");
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
    pair.drive(Span::from_secs(2));
    assert!(pair.arrows().is_empty(), "the late SHUTDOWN COMPLETE is not answered");
}

#[test]
fn an_abort_after_shutdown_ack_needs_the_t_bit_to_count_as_shutdown_complete() {
    for (reflected, reason) in [(true, CloseReason::Shutdown), (false, CloseReason::AbortedByPeer)]
    {
        let mut pair = Pair::new(1);
        pair.network.once(A, "SHUTDOWN COMPLETE", Fault::Lose);
        pair.open(A);
        pair.settle();
        let tags = tags_of(&pair);
        pair.shutdown(A);
        pair.drive(Span::from_millis(100));
        assert_eq!(pair.close_reason(Z), None);
        let tag = if reflected { tags[0] } else { tags[1] };
        let packet = pair.forge(Z, tag, Control::Abort { reflected, causes: Vec::new() });
        pair.inject(Z, 0, packet);
        assert_eq!(pair.close_reason(Z), Some(reason));
    }
}

#[test]
fn both_may_shut_down_at_once() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.shutdown(A);
    pair.shutdown(Z);
    pair.settle();
    let story = pair.arrows();
    assert_eq!(
        story[..4],
        [
            "A -> SHUTDOWN -> Z",
            "Z -> SHUTDOWN -> A",
            "Z -> SHUTDOWN ACK -> A",
            "A -> SHUTDOWN ACK -> Z"
        ]
    );
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn t2_doubles_and_gives_up_after_association_max_retransmits() {
    let mut pair = Pair::configured(1, |_, config| config.association_max_retransmissions = 4);
    pair.connect();
    pair.network.cut(0);
    let start = pair.now;
    pair.shutdown(A);
    pair.drive(Span::from_secs(60));
    let sent = pair.network.log.iter().filter(|sent| sent.label == "SHUTDOWN");
    let seconds: Vec<u64> = sent.map(|sent| (sent.at - start).as_nanos() / 1_000_000_000).collect();
    assert_eq!(seconds, [0, 1, 3, 7, 15]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
}

#[test]
fn shutdown_ack_is_repeated_association_max_retransmits_times_too() {
    let mut pair = Pair::configured(1, |_, config| config.association_max_retransmissions = 4);
    pair.connect();
    pair.shutdown(A);
    pair.network.once(Z, "SHUTDOWN ACK", Fault::Lose);
    pair.drive(Span::from_millis(15));
    pair.network.cut(0);
    pair.drive(Span::from_secs(60));
    let sent = pair.network.log.iter().filter(|sent| sent.label == "SHUTDOWN ACK").count();
    assert_eq!(sent, 5);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Unreachable));
}

#[test]
fn heartbeats_of_the_peer_do_not_delay_the_retransmission_of_shutdown() {
    let mut pair = Pair::configured(1, |side, config| {
        config.rto.min = Span::from_millis(if side == A { 3000 } else { 200 });
        config.heartbeat_interval = Span::from_millis(500);
    });
    pair.connect();
    pair.drive(Span::from_secs(5));
    pair.network.once(A, "SHUTDOWN", Fault::Lose);
    pair.shutdown(A);
    pair.drive(Span::from_secs(4));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn a_shutdown_without_data_names_the_tsn_before_the_first_one() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let first = pair.announcements()[1].initial_tsn;
    pair.shutdown(A);
    let [Control::Shutdown(named)] = pair.network.log.last().unwrap().control[..] else { panic!() };
    assert_eq!(named.next(), first);
}

#[test]
fn a_repeated_shutdown_takes_another_path() {
    let mut pair = Pair::configured(2, |_, config| config.path_max_retransmissions = 5);
    pair.connect();
    pair.network.cut(0);
    pair.shutdown(A);
    // One timeout, long before the path counts as failed
    pair.drive(Span::from_secs(2));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn the_guard_timer_ends_a_shutdown_that_never_ends() {
    // The application of A reads nothing: Z probes a closed window forever, and A answers each probe
    let mut pair = Pair::configured(1, |_, config| config.receive_buffer = 5_000);
    pair.connect();
    for _ in 0..10 {
        pair.send(Z, 1400);
    }
    let start = pair.now;
    pair.shutdown(A);
    pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
    assert_eq!(pair.now - start, Span::from_secs(5 * 60));
    pair.settle();
    assert_eq!(pair.arrows().last().unwrap(), "A -> ABORT -> Z");
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
}

#[test]
fn an_abort_ends_both_sides_at_once_and_is_not_answered() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send(A, 1400);
    pair.abort(A);
    pair.settle();
    let sent = pair.network.log.iter().find(|sent| sent.label == "ABORT").unwrap();
    let [Control::Abort { reflected: false, causes }] = &sent.control[..] else { panic!("{sent}") };
    assert_eq!(*causes, [Cause::UserInitiated(Default::default())]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedHere));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
    let story = pair.arrows();
    let after = &story[story.iter().position(|arrow| arrow == "A -> ABORT -> Z").unwrap() + 1..];
    assert!(
        after.iter().all(|arrow| !arrow.contains("ABORT") || arrow.contains("(T)")),
        "{after:?}"
    );
    assert!(!pair.step());
}

/// Z's packets in between are answered with an ABORT without a reason, on the path of the packet.
#[test]
fn the_reason_of_an_abort_arrives_whichever_path_is_slow() {
    for slow in [0, 1] {
        let mut pair = Pair::configured(2, |_, config| config.concurrent = true);
        pair.connect();
        pair.drive(Span::from_millis(100));
        pair.network.rule(move |sent| match sent.label.as_str() {
            "ABORT" if sent.path == slow => Fault::Delay(Span::from_millis(200)),
            _ => Fault::None,
        });
        for _ in 0..20 {
            pair.send(Z, 1400);
        }
        let reason = Bytes::from_static(b"enough");
        pair.act(A, |endpoint, now| endpoint.abort_with(now, FIRST, &reason));
        pair.settle();
        assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
        assert!(pair.arrows().contains(&"A -> ABORT (T) -> Z".to_owned()));
        assert_eq!(pair.endpoint(Z).abort_causes(FIRST), [Cause::UserInitiated(reason)]);
    }
}

#[test]
fn an_abort_before_init_ack_sends_no_packet() {
    let mut pair = Pair::new(1);
    pair.network.cut(0);
    pair.open(A);
    pair.abort(A);
    assert_eq!(pair.arrows(), ["A -> INIT -> lost"]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::AbortedHere));
    assert!(!pair.step());
}

#[test]
fn a_shutdown_before_the_association_is_established_waits_for_it() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.send(A, 300);
    pair.shutdown(A);
    let now = pair.now;
    assert_eq!(pair.endpoint(A).send(now, FIRST, message(1)), Err(SendError::NotConnected));
    pair.settle();
    assert_eq!(pair.read(Z), 300);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
}

#[test]
fn a_shutdown_by_the_application_is_ignored_while_the_peer_shuts_down() {
    let mut pair = Pair::new(1);
    pair.connect();
    for _ in 0..4 {
        pair.send(Z, 1400);
    }
    pair.shutdown(A);
    pair.drive(Span::from_millis(11));
    pair.shutdown(Z);
    pair.settle();
    assert!(!pair.arrows().contains(&"Z -> SHUTDOWN -> A".to_owned()));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn an_init_in_shutdown_ack_sent_is_answered_with_shutdown_ack() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let init = init_of(&pair.network.log[0].control).unwrap().clone();
    pair.network.times(3, Z, "SHUTDOWN ACK", Fault::Lose);
    pair.shutdown(A);
    pair.settle();
    pair.arrows();
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    assert_eq!(pair.arrows(), ["Z -> SHUTDOWN ACK -> lost"]);
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
}

#[test]
fn shutdown_before_establishment_is_ignored() {
    let mut pair = Pair::new(1);
    pair.network.once(A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.settle();
    let tag = init_of(&pair.network.log[0].control).unwrap().tag;
    pair.arrows();
    let packet = pair.forge(A, tag, Control::Shutdown(manypath_core::Tsn(1)));
    pair.inject(A, 0, packet);
    assert!(pair.arrows().is_empty());
    // This SHUTDOWN ACK is out of the blue: its sender has not received SHUTDOWN COMPLETE
    let packet = pair.forge(A, tag, Control::ShutdownAck);
    pair.inject(A, 0, packet);
    assert_eq!(pair.network.log[0].tag, tag);
    assert_eq!(pair.arrows(), ["A -> SHUTDOWN COMPLETE (T) -> Z"]);
    pair.drive(Span::from_secs(2));
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
}

#[test]
fn shutdown_complete_counts_in_shutdown_ack_sent_only() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let tag = init_of(&pair.network.log[0].control).unwrap().tag;
    pair.events(A);
    for chunk in [Control::ShutdownComplete { reflected: false }, Control::ShutdownAck] {
        let packet = pair.forge(A, tag, chunk);
        pair.inject(A, 0, packet);
    }
    assert!(pair.events(A).is_empty());
    pair.send(A, 10);
    pair.settle();
    assert_eq!(pair.read(Z), 10);
}

#[test]
fn heartbeats_end_with_the_shutdown() {
    let mut pair = Pair::configured(1, |_, config| config.association_max_retransmissions = 6);
    pair.connect();
    pair.network.cut(0);
    pair.shutdown(A);
    pair.drive(Span::from_secs(100));
    assert!(
        pair.network.log.iter().filter(|sent| sent.from == A).all(|sent| sent.label == "SHUTDOWN")
    );
}

#[test]
fn reads_after_the_end_set_no_timer() {
    let mut pair = Pair::configured(1, |_, config| config.receive_buffer = 4_000);
    pair.connect();
    for _ in 0..6 {
        pair.send(A, 500);
    }
    pair.shutdown(A);
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
    assert_eq!(pair.read(Z), 3_000);
    assert!(!pair.step(), "no window update is sent after the end");
}

#[test]
fn gaps_are_reported_by_sacks_while_the_association_shuts_down() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.network.once(Z, "DATA", Fault::Lose);
    for _ in 0..3 {
        pair.send(Z, 1400);
    }
    pair.shutdown(A);
    pair.drive(Span::from_millis(50));
    let reports = pair.network.log.iter().filter(|sent| sent.label == "SHUTDOWN + SACK");
    let gaps: Vec<u64> =
        reports.filter_map(|sent| sent.sack.as_ref()).map(|sack| sack.gaps.count()).collect();
    assert_eq!(gaps, [1, 2]);
}
