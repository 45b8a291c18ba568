//! Head-of-line blocking of ordered messages: duration, number of messages, and used buffer. RFC 9260 §6.6

use bytes::Bytes;
use manypath_core::Span;
use manypath_sctp::{Message, ReorderStats, StreamStats};

use crate::pair::{A, FIRST, Fault, Pair, Z};

fn ordered(stream: u16, bytes: usize) -> Message {
    Message { stream, ppid: 0, unordered: false, payload: Bytes::from(vec![0; bytes]), part: None }
}

fn stream(pair: &mut Pair, stream: u16) -> StreamStats {
    let now = pair.now;
    pair.endpoint(Z).stream_stats(now, FIRST, stream)
}

fn reorder(pair: &mut Pair) -> ReorderStats {
    let now = pair.now;
    pair.endpoint(Z).reorder_stats(now, FIRST)
}

/// A sends ten ordered messages, each in its own packet. The first transmission of the first message is lost.
fn ten_messages(stream_of: impl Fn(u16) -> u16) -> Pair {
    let mut pair = Pair::configured(1, |_, config| {
        config.profile = manypath_cc::Profile::INET;
        config.nagle = false;
        config.sack_every = 1;
    });
    pair.connect();
    let mut lost = None;
    let mut copies = 0;
    pair.network.rule(move |sent| {
        let Some(chunk) = sent.data.first() else { return Fault::None };
        copies += usize::from(*lost.get_or_insert(chunk.tsn) == chunk.tsn);
        if lost == Some(chunk.tsn) && copies == 1 { Fault::Lose } else { Fault::None }
    });
    pair.send_all(A, (0..10).map(|number| ordered(stream_of(number), 1400)));
    pair
}

#[test]
fn messages_after_a_lost_one_wait_until_it_arrives() {
    let mut pair = ten_messages(|_| 3);
    pair.drive(Span::from_millis(30));
    assert_eq!(pair.read(Z), 0);
    let waiting = reorder(&mut pair);
    assert!(waiting.bytes > 0 && waiting.bytes.is_multiple_of(1400), "{waiting:?}");
    let waits = stream(&mut pair, 3).waits;
    assert_eq!(u64::from(waits) * 1400, waiting.bytes);

    pair.drive(Span::from_secs(5));
    assert_eq!(pair.read(Z), 14_000);
    let stats = stream(&mut pair, 3);
    let arrivals = reorder(&mut pair);
    assert_eq!((stats.messages, stats.waits), (10, 0));
    assert!((1..10).contains(&stats.waited), "{stats:?}");
    // Each waiting message holds its bytes for the same time
    assert_eq!(arrivals.byte_nanos, 1400 * u128::from(stats.waiting.as_nanos()));
    assert!(stats.waiting >= stats.blocked && stats.blocked > Span::from_millis(20), "{stats:?}");
    assert_eq!((arrivals.bytes, arrivals.most_bytes % 1400), (0, 0));
    assert!(arrivals.most_bytes >= waiting.bytes);
}

#[test]
fn with_one_stream_per_message_nothing_is_blocked() {
    let mut pair = ten_messages(|number| number);
    pair.drive(Span::from_millis(30));
    assert!(pair.read(Z) > 0, "all but the first one can be read at once");
    assert_eq!(reorder(&mut pair).bytes, 0);
    pair.drive(Span::from_secs(5));
    assert_eq!(pair.endpoint(Z).inbound_streams(FIRST), 10);
    for number in 0..10 {
        let stats = stream(&mut pair, number);
        assert_eq!(stats, StreamStats { messages: 1, ..StreamStats::default() });
    }
    assert_eq!(reorder(&mut pair).most_bytes, 0);
}

#[test]
fn fragments_hold_buffer_although_no_complete_message_waits() {
    let mut pair = Pair::configured(1, |_, config| config.nagle = false);
    pair.connect();
    pair.network.once(A, "DATA", Fault::Lose);
    pair.hand_over(A, ordered(0, 4000)).unwrap();
    pair.drive(Span::from_millis(50));
    let arrivals = reorder(&mut pair);
    assert_eq!(arrivals.bytes, 4000 - 1452, "the last two of three fragments");
    pair.drive(Span::from_secs(3));
    assert_eq!(pair.read(Z), 4000);
    let arrivals = reorder(&mut pair);
    assert_eq!((arrivals.bytes, arrivals.most_bytes), (0, 2548));
    let stats = stream(&mut pair, 0);
    assert_eq!(stats, StreamStats { messages: 1, ..StreamStats::default() });
}
