//! Messages larger than a packet, on one path and on several, through losses. RFC 9260 §6.9

use bytes::Bytes;
use manypath_core::{Span, Ssn};
use manypath_sctp::{Config, Data, DataFlags, Message, SendError};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Z, path};

/// A message whose bytes depend on its number and their position.
fn large(number: u32, length: usize, unordered: bool) -> Message {
    let payload: Vec<u8> = (0..length).map(|at| (at / 7 + number as usize * 31) as u8).collect();
    Message {
        stream: (number % 3) as u16,
        ppid: number,
        unordered,
        payload: Bytes::from(payload),
        part: None,
    }
}

fn chunks_of(pair: &Pair, number: u32) -> Vec<&Data> {
    pair.data_packets(A).flat_map(|sent| &sent.data).filter(|chunk| chunk.ppid == number).collect()
}

#[test]
fn fragments_have_consecutive_tsns_one_ssn_and_the_bits_of_first_and_last() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send_all(A, [large(3, 100, false), large(0, 20_000, false), large(6, 100, false)]);
    pair.drive(Span::from_secs(2));
    let chunks = chunks_of(&pair, 0);
    assert_eq!(chunks.len(), 20_000_usize.div_ceil(1452));
    assert!(chunks.windows(2).all(|pair| pair[0].tsn.next() == pair[1].tsn));
    assert!(chunks.iter().all(|chunk| (chunk.stream, chunk.ssn) == (0, Ssn(1))));
    let flags: Vec<DataFlags> = chunks.iter().map(|chunk| chunk.flags).collect();
    let (first, rest) = flags.split_first().unwrap();
    let (last, middle) = rest.split_last().unwrap();
    assert_eq!((*first, *last), (DataFlags::BEGIN, DataFlags::END));
    assert!(middle.iter().all(|flags| *flags == DataFlags(0)));
    assert!(chunks.iter().rev().skip(1).all(|chunk| chunk.payload.len() == 1452));
    assert_eq!(
        chunks_of(&pair, 6)[0].ssn,
        Ssn(2),
        "a message has one SSN, whatever the number of its fragments"
    );
}

#[test]
fn fragments_that_take_different_paths_become_one_message_again() {
    let mut pair = Pair::configured(2, |_, config| {
        let (port, local) = (config.port, config.local.clone());
        *config = Config { port, local, ..concurrent() };
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.network.rule(|sent| match (sent.from, sent.path) {
        (A, 1) => Fault::Delay(Span::from_millis(33)),
        _ => Fault::None,
    });
    pair.send_all(A, [large(0, 150_000, false), large(1, 40_000, true)]);
    pair.drive(Span::from_secs(5));
    let paths: Vec<usize> = pair.data_packets(A).map(|sent| sent.path).collect();
    assert!(paths.contains(&0) && paths.contains(&1), "both paths carry fragments");
    let mut messages = pair.read_messages(Z);
    messages.sort_by_key(|message| message.ppid);
    assert!(messages == [large(0, 150_000, false), large(1, 40_000, true)]);
}

#[test]
fn only_the_lost_fragment_is_retransmitted() {
    for lost in [1, 5, 14] {
        let mut pair = Pair::new(1);
        pair.connect();
        let (mut seen, mut done) = (0, false);
        pair.network.rule(move |sent| {
            seen += usize::from(sent.from == A && !sent.data.is_empty());
            let is_meant = seen == lost && !std::mem::replace(&mut done, seen == lost);
            if is_meant { Fault::Lose } else { Fault::None }
        });
        pair.send_all(A, [large(0, 14 * 1452, false)]);
        pair.drive(Span::from_secs(5));
        let again: Vec<u32> = pair.retransmissions(A).iter().map(|(_, chunk)| *chunk).collect();
        assert_eq!(again, [lost as u32]);
        assert!(pair.read_messages(Z) == [large(0, 14 * 1452, false)]);
    }
}

#[test]
fn messages_of_other_streams_pass_a_large_one_that_waits_for_a_fragment() {
    let mut pair = Pair::configured(1, |_, config| config.nagle = false);
    pair.connect();
    pair.network.once(A, "DATA", Fault::Lose);
    // Message 0 has lost its first fragment; 1 and 3 follow on streams 1 and 0, and 5 is unordered
    let messages =
        [large(0, 2000, false), large(1, 50, false), large(3, 50, false), large(5, 50, true)];
    pair.send_all(A, messages);
    pair.drive(Span::from_millis(500));
    let numbers = |pair: &mut Pair| -> Vec<u32> {
        pair.read_messages(Z).iter().map(|message| message.ppid).collect()
    };
    assert_eq!(numbers(&mut pair), [1, 5]);
    pair.drive(Span::from_secs(2));
    assert_eq!(numbers(&mut pair), [0, 3]);
}

#[test]
fn without_fragmentation_messages_larger_than_a_packet_are_refused() {
    let mut pair = Pair::configured(1, |_, config| config.fragmentation = false);
    pair.connect();
    assert_eq!(pair.hand_over(A, large(0, 1453, true)), Err(SendError::TooLarge));
    assert_eq!(pair.hand_over(A, large(0, 1452, true)), Ok(()));
    pair.endpoint(A).set_path_mtu(FIRST, path(0), 1280);
    assert_eq!(pair.hand_over(A, large(0, 1233, true)), Err(SendError::TooLarge));
    pair.settle();
    assert_eq!(pair.read(Z), 1452);
}
