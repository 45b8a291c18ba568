//! Messages larger than the receive buffer are delivered in parts. RFC 9260 §6.9

use bytes::Bytes;
use manypath_core::{Span, Ssn};
use manypath_sctp::{CloseReason, Event, Message};

use crate::pair::{A, FIRST, Fault, Pair, Z};

/// A message whose bytes depend on their position.
fn large(number: u32, length: usize, unordered: bool) -> Message {
    let payload: Vec<u8> = (0..length).map(|at| (at / 5 + number as usize * 17) as u8).collect();
    Message { stream: 1, ppid: number, unordered, payload: Bytes::from(payload), part: None }
}

/// Z has room for 20,000 bytes.
fn pair(chunk_overhead: usize) -> Pair {
    let mut pair = Pair::configured(1, |side, config| {
        if side == Z {
            (config.receive_buffer, config.chunk_overhead) = (20_000, chunk_overhead);
        }
    });
    pair.connect();
    pair
}

/// Z reads all data that arrives within `span`.
fn reads_for(pair: &mut Pair, span: Span) -> Vec<Message> {
    let end = pair.now + span;
    let mut read = Vec::new();
    while pair.now < end {
        pair.drive(Span::from_millis(20));
        read.extend(pair.read_messages(Z));
    }
    read
}

/// The joined payloads of parts of one message; checks that they name the same message and that only the last one ends
/// it.
fn joined(parts: &[Message]) -> Vec<u8> {
    let (last, others) = parts.split_last().expect("a part");
    let named = |message: &Message| message.part.expect("it is a part");
    assert!(!named(last).more_follows && others.iter().all(|part| named(part).more_follows));
    assert!(parts.iter().all(|part| named(part).message == named(last).message));
    parts.iter().flat_map(|part| part.payload.iter().copied()).collect()
}

#[test]
fn a_message_larger_than_the_buffer_is_delivered_in_parts() {
    for unordered in [false, true] {
        let mut pair = pair(0);
        let (before, message, after) =
            (large(0, 500, unordered), large(1, 150_000, unordered), large(2, 500, unordered));
        pair.send_all(A, [before.clone(), message.clone(), after.clone()]);
        let read = reads_for(&mut pair, Span::from_secs(20));
        assert_eq!((read.first(), read.last()), (Some(&before), Some(&after)));
        let parts = &read[1..read.len() - 1];
        assert!(parts.len() > 150_000 / 20_000 && parts.len() < 40, "{} parts", parts.len());
        assert!(parts.iter().all(|part| part.payload.len() <= 20_000));
        assert!(joined(parts) == message.payload);
        assert_eq!(pair.endpoint(Z).stats(FIRST).messages_received, 3);
    }
}

#[test]
fn a_message_that_fits_is_never_handed_over_in_parts() {
    let mut pair = pair(0);
    let messages = [large(1, 20_000, false), large(2, 20_000, true)];
    pair.send_all(A, messages.clone());
    assert!(reads_for(&mut pair, Span::from_secs(20)) == messages);
}

#[test]
fn fragments_whose_overhead_fills_the_buffer_get_through() {
    let mut pair = pair(3000);
    let message = large(1, 19_000, false);
    pair.send_all(A, [message.clone()]);
    let parts = reads_for(&mut pair, Span::from_secs(20));
    assert!(joined(&parts) == message.payload);
}

#[test]
fn losses_do_not_change_the_parts() {
    for unordered in [false, true] {
        let mut pair = pair(0);
        let mut count = 0;
        pair.network.rule(move |sent| {
            count += 1;
            if sent.label.contains("DATA") && count % 7 == 0 { Fault::Lose } else { Fault::None }
        });
        let message = large(1, 90_000, unordered);
        pair.send_all(A, [message.clone()]);
        let parts = reads_for(&mut pair, Span::from_secs(120));
        assert!(joined(&parts) == message.payload);
    }
}

#[test]
fn parts_of_a_message_are_distinguished_from_other_streams() {
    let mut pair = pair(0);
    let message = large(1, 60_000, true);
    let other = |number| Message { stream: 0, ..large(number, 300, true) };
    pair.send_all(A, [message.clone(), other(2), other(3)]);
    let read = reads_for(&mut pair, Span::from_secs(20));
    let (parts, others): (Vec<_>, Vec<_>) =
        read.into_iter().partition(|message| message.part.is_some());
    assert!(joined(&parts) == message.payload);
    assert_eq!(others, [other(2), other(3)]);
}

#[test]
fn an_abort_in_the_middle_leaves_a_message_without_an_end() {
    let mut pair = pair(0);
    pair.send_all(A, [large(1, 100_000, false)]);
    let parts = reads_for(&mut pair, Span::from_millis(200));
    assert!(!parts.is_empty());
    pair.abort(A);
    pair.drive(Span::from_secs(1));
    let rest = pair.read_messages(Z);
    assert!(parts.iter().chain(&rest).all(|part| part.part.is_some_and(|it| it.more_follows)));
    let closed = Event::Closed { association: FIRST, reason: CloseReason::AbortedByPeer };
    assert!(pair.events(Z).contains(&closed));
}

#[test]
fn an_aborted_partial_delivery_is_reported() {
    for (unordered, restarts) in [(false, false), (true, false), (false, true)] {
        let mut pair = Pair::configured(1, |_, config| {
            (config.receive_buffer, config.detailed_events) = (20_000, true);
        });
        pair.connect();
        // The first one is complete, so there is no event for it
        pair.send_all(A, [large(1, 50_000, unordered), large(2, 100_000, unordered)]);
        let mut last = None;
        pair.drive_until(|pair| {
            last = pair.read_messages(Z).pop().or(last.take());
            last.as_ref().is_some_and(|part| part.ppid == 2)
        });
        let part = last.and_then(|message| message.part).expect("a part of the second message");
        assert!(part.more_follows);
        if restarts {
            pair.reboot(A);
            pair.open(A);
        } else {
            pair.abort(A);
        }
        pair.events(Z);
        pair.drive(Span::from_secs(1));
        let aborted = Event::PartialDeliveryAborted {
            association: FIRST,
            message: part.message,
            stream: 1,
            ssn: (!unordered).then_some(Ssn(1)),
        };
        let end = if restarts {
            Event::Restarted(FIRST)
        } else {
            Event::Closed { association: FIRST, reason: CloseReason::AbortedByPeer }
        };
        let heard = pair.events(Z);
        let told: Vec<_> = heard.iter().filter(|it| **it == aborted || **it == end).collect();
        assert_eq!(told, [&aborted, &end]);
        let is_aborted = |event: &&Event| matches!(event, Event::PartialDeliveryAborted { .. });
        assert_eq!(heard.iter().filter(is_aborted).count(), 1);
    }
}

#[test]
fn without_partial_delivery_only_whole_messages_are_delivered() {
    let mut pair = Pair::configured(1, |_, config| {
        (config.receive_buffer, config.partial_delivery) = (20_000, false);
    });
    pair.connect();
    pair.send_all(A, [large(1, 60_000, false)]);
    assert_eq!(reads_for(&mut pair, Span::from_secs(20)), []);
}
