//! A path or a lifetime of one message. RFC 9260 §11.1.5

use manypath_core::Span;
use manypath_sctp::{Event, Message, SendError, SendOptions};

use crate::pair::{A, FIRST, Fault, Pair, Z, message, path};

fn pair(paths: usize, concurrent: bool) -> Pair {
    let mut pair = Pair::configured(paths, |_, config| {
        config.nagle = false;
        config.concurrent = concurrent;
        config.detailed_events = true;
    });
    pair.connect();
    pair.drive(Span::from_secs(3));
    pair.network.log.clear();
    pair
}

fn hand_over(
    pair: &mut Pair,
    message: Message,
    lifetime_ms: Option<u64>,
    number: Option<u8>,
) -> Result<(), SendError> {
    let lifetime = lifetime_ms.map(Span::from_millis);
    let options = SendOptions { lifetime, path: number.map(path), ..SendOptions::default() };
    pair.act(A, |endpoint, now| endpoint.send_with(now, FIRST, message, options))
}

fn send_on(pair: &mut Pair, number: u8, bytes: usize) {
    hand_over(pair, message(bytes), None, Some(number)).unwrap();
}

/// Length and path of each chunk in A's log.
fn chunks(pair: &Pair) -> Vec<(usize, usize)> {
    let sent = pair.data_packets(A);
    sent.flat_map(|sent| sent.data.iter().map(|data| (data.payload.len(), sent.path))).collect()
}

#[test]
fn a_message_takes_the_path_that_it_names() {
    for concurrent in [false, true] {
        let mut pair = pair(3, concurrent);
        for (number, bytes) in [(2, 1000), (1, 1001), (0, 1002), (2, 1003)] {
            send_on(&mut pair, number, bytes);
        }
        pair.settle();
        let expected = [(1000, 2), (1001, 1), (1002, 0), (1003, 2)];
        assert_eq!(chunks(&pair), expected, "concurrent: {concurrent}");
        assert_eq!(pair.read_messages(Z).len(), 4);
    }
}

#[test]
fn messages_for_other_paths_do_not_wait_for_one_whose_path_is_full() {
    let mut pair = pair(2, true);
    for _ in 0..40 {
        send_on(&mut pair, 1, 1400);
    }
    pair.send(A, 900);
    assert_eq!(chunks(&pair).last(), Some(&(900, 0)));
    pair.drive_until(|pair| pair.events(A).contains(&Event::SenderDry(FIRST)));
    assert_eq!(pair.read(Z), 40 * 1400 + 900);
}

#[test]
fn the_fragments_of_a_message_follow_each_other_on_its_path() {
    let mut pair = pair(2, true);
    send_on(&mut pair, 1, 60_000);
    pair.send(A, 900);
    pair.drive_until(|pair| pair.events(A).contains(&Event::SenderDry(FIRST)));
    let sent = chunks(&pair);
    let (last, fragments) = sent.split_last().unwrap();
    assert!(fragments.iter().all(|(_, path)| *path == 1));
    assert_eq!(last.0, 900);
    assert_eq!(pair.read(Z), 60_900);
}

#[test]
fn a_message_whose_path_does_not_work_takes_another_one() {
    let mut pair = pair(2, false);
    pair.network.cut(1);
    pair.drive_until(|pair| pair.events(A).contains(&down(1)));
    pair.network.log.clear();
    send_on(&mut pair, 1, 700);
    pair.settle();
    assert_eq!(chunks(&pair), [(700, 0)]);
    // It fails while messages wait for it: they are sent on the other path, and none is lost
    pair.network.restore(1);
    pair.drive_until(|pair| {
        pair.events(A).contains(&Event::PathUp { association: FIRST, path: path(1) })
    });
    pair.network.cut(1);
    for _ in 0..30 {
        send_on(&mut pair, 1, 1400);
    }
    pair.drive_until(|pair| pair.events(A).contains(&Event::SenderDry(FIRST)));
    assert_eq!(pair.read(Z), 700 + 30 * 1400);
}

fn down(number: u8) -> Event {
    Event::PathDown { association: FIRST, path: path(number) }
}

#[test]
fn a_path_that_does_not_exist_is_refused() {
    let mut pair = pair(2, false);
    assert_eq!(hand_over(&mut pair, message(9), None, Some(2)), Err(SendError::NoSuchPath));
}

#[test]
fn a_message_expires_in_the_middle_of_the_queue_as_soon_as_its_time_is_over() {
    let mut pair = pair(1, false);
    pair.network.rule(|sent| if sent.data.is_empty() { Fault::None } else { Fault::Lose });
    // The window fills, and then the send buffer
    for _ in 0..20 {
        pair.send(A, 1400);
    }
    hand_over(&mut pair, message(123), Some(300), None).unwrap();
    hand_over(&mut pair, message(456), Some(200), None).unwrap();
    let rest = pair.endpoint(A).send_space(FIRST);
    pair.send(A, rest);
    pair.events(A);
    pair.drive(Span::from_millis(199));
    assert!(pair.events(A).is_empty());
    for bytes in [456, 123] {
        pair.drive(Span::from_millis(2));
        let failed = Event::SendFailed {
            association: FIRST,
            message: Box::new(message(bytes)),
            sent: false,
        };
        assert_eq!(pair.events(A), [failed, Event::Writable(FIRST)]);
        pair.drive(Span::from_millis(98));
    }
    assert_eq!(pair.endpoint(A).send_space(FIRST), 123 + 456);
    assert_eq!(pair.endpoint(A).stats(FIRST).messages_expired, 2);
}
