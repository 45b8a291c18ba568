//! Tests of the whole receiving side, and its comparison with a model that uses only sets.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use manypath_core::Ssn;
use proptest::prelude::*;

use super::*;
use crate::event::Message;

#[test]
fn an_unordered_message_is_readable_at_once() {
    let mut receiver = started(&Config::default());
    let arrival = deliver(&mut receiver, [unordered(5, 100)]);
    assert_eq!(arrival, Arrival { new_bytes: 100, ..Arrival::default() });
    let message = receiver.read().expect("nothing to wait for").message;
    assert!(message.unordered && message.payload.len() == 100);
    assert!(receiver.read().is_none());
}

#[test]
fn an_ordered_message_waits_for_the_one_before_it() {
    let mut receiver = started(&Config::default());
    deliver(&mut receiver, [ordered(2, 1, 10)]);
    assert!(!receiver.is_readable());
    deliver(&mut receiver, [ordered(1, 0, 20)]);
    assert_eq!(lengths_read(&mut receiver), [20, 10]);
}

#[test]
fn the_payload_is_on_account_until_it_is_read() {
    let mut receiver = started(&Config { receive_buffer: 10_000, ..Config::default() });
    deliver(&mut receiver, [unordered(1, 1000), ordered(3, 1, 500)]);
    assert_eq!(sack(&mut receiver).window, 8500);
    receiver.read();
    assert_eq!(sack(&mut receiver).window, 9500, "the ordered one still waits");
}

#[test]
fn duplicates_are_counted_and_reported_once() {
    let mut receiver = started(&Config::default());
    deliver(&mut receiver, [unordered(1, 10), unordered(3, 10)]);
    sack(&mut receiver);
    let arrival = deliver(&mut receiver, [unordered(1, 10), unordered(3, 10)]);
    assert_eq!(arrival, Arrival { duplicates: 2, ..Arrival::default() });
    assert!(receiver.sack_due());
    assert_eq!(sack(&mut receiver).duplicates, [Tsn(1), Tsn(3)]);
    assert!(sack(&mut receiver).duplicates.is_empty());
    assert_eq!(lengths_read(&mut receiver), [10, 10]);
}

#[test]
fn a_chunk_of_an_invalid_stream_is_acknowledged_and_discarded() {
    let mut receiver = started(&Config { receive_buffer: 10_000, ..Config::default() });
    let stray = Data { stream: 16, ..unordered(1, 100) };
    deliver(&mut receiver, [stray]);
    assert_eq!(receiver.take_invalid_stream(), Some(16));
    assert_eq!(receiver.take_invalid_stream(), None);
    assert!(!receiver.is_readable());
    let sack = sack(&mut receiver);
    assert_eq!((sack.cumulative, sack.window), (Tsn(1), 10_000));
}

#[test]
fn a_chunk_without_data_is_named() {
    let mut receiver = started(&Config::default());
    let arrival = deliver(&mut receiver, [unordered(1, 0)]);
    assert_eq!(arrival.without_data, Some(Tsn(1)));
    assert_eq!(receiver.cumulative(), Tsn(0));
}

#[test]
fn a_full_buffer_drops_chunks_beyond_the_window_and_sends_a_sack_at_once() {
    let mut receiver = started(&Config { receive_buffer: 4000, ..Config::default() });
    deliver(
        &mut receiver,
        [unordered(1, 1000), unordered(2, 1000), unordered(3, 1000), unordered(4, 1000)],
    );
    assert_eq!(sack(&mut receiver).window, 0);
    let arrival = deliver(&mut receiver, [unordered(5, 1)]);
    assert_eq!(arrival, Arrival { dropped: 1, ..Arrival::default() });
    assert!(receiver.sack_due());
    assert_eq!(sack(&mut receiver).cumulative, Tsn(4));

    assert!(!receiver.window_opened());
    receiver.read();
    assert!(!receiver.window_opened(), "1000 bytes are not even one packet");
    receiver.read();
    assert!(receiver.window_opened() && !receiver.window_opened());
    assert_eq!(sack(&mut receiver).window, 2000);
}

#[test]
fn the_highest_tsn_is_dropped_for_one_that_closes_a_gap() {
    let mut receiver = started(&Config { receive_buffer: 3000, ..Config::default() });
    let [second, third, fourth] = [ordered(2, 1, 1000), ordered(3, 2, 1000), fragment(4, 1000)];
    deliver(&mut receiver, [second, third.clone(), fourth]);
    let arrival = deliver(&mut receiver, [ordered(1, 0, 1500)]);
    assert_eq!((arrival.new_bytes, arrival.dropped), (1500, 0));
    assert_eq!(sack(&mut receiver).cumulative, Tsn(2), "3 and 4 were given up");
    assert_eq!(lengths_read(&mut receiver), [1500, 1000]);
    deliver(&mut receiver, [third]);
    assert_eq!(lengths_read(&mut receiver), [1000]);
}

#[test]
fn the_window_includes_the_room_of_dropped_chunks() {
    let mut receiver = started(&Config { receive_buffer: 12_000, ..Config::default() });
    deliver(&mut receiver, [ordered(2, 1, 4000), ordered(3, 2, 4000), ordered(4, 3, 4000)]);
    assert_eq!(sack(&mut receiver).window, 0);
    assert_eq!(deliver(&mut receiver, [ordered(1, 0, 1000)]).given_up, 1);
    let sack = sack(&mut receiver);
    assert_eq!((sack.cumulative, sack.window), (Tsn(3), 12_000 - 9000));
    assert!(sack.gaps.is_empty());
}

#[test]
fn readable_messages_are_never_dropped() {
    let mut receiver = started(&Config { receive_buffer: 3000, ..Config::default() });
    deliver(&mut receiver, [unordered(2, 1500), unordered(3, 1500)]);
    assert_eq!(deliver(&mut receiver, [unordered(1, 10)]).dropped, 1);
    assert_eq!(lengths_read(&mut receiver), [1500, 1500]);
    assert_eq!(deliver(&mut receiver, [unordered(1, 10)]).dropped, 0);
}

#[test]
fn no_chunk_is_dropped_for_a_higher_tsn() {
    let mut receiver = started(&Config { receive_buffer: 3000, ..Config::default() });
    deliver(&mut receiver, [ordered(2, 1, 1500), unordered(4, 1500)]);
    assert_eq!(deliver(&mut receiver, [ordered(3, 2, 10)]).dropped, 1);
    receiver.read();
    assert_eq!(deliver(&mut receiver, [ordered(1, 0, 10)]).dropped, 0);
    assert_eq!(lengths_read(&mut receiver), [10, 1500]);
}

#[test]
fn data_that_was_acknowledged_non_renegably_stays_when_the_buffer_is_full() {
    let mut receiver =
        started(&Config { receive_buffer: 3000, nr_sack: true, ..Config::default() });
    deliver(&mut receiver, [ordered(2, 1, 1500), ordered(4, 3, 1500)]);
    assert_eq!(deliver(&mut receiver, [ordered(5, 4, 1)]).dropped, 1, "beyond all others");
    assert_eq!(deliver(&mut receiver, [ordered(3, 2, 1500), ordered(1, 0, 1500)]).dropped, 0);
    let sack = sack(&mut receiver);
    assert_eq!((sack.cumulative, sack.window), (Tsn(4), 0));
    assert_eq!(lengths_read(&mut receiver), [1500; 4]);
}

#[test]
fn without_never_renege_only_readable_messages_are_acknowledged_non_renegably() {
    let config = Config { nr_sack: true, never_renege: false, ..Config::default() };
    let mut receiver = started(&config);
    let mut lists_after = |chunk| {
        deliver(&mut receiver, [chunk]);
        let sack = sack(&mut receiver);
        assert!(sack.non_renegable_chunk);
        [&sack.gaps, &sack.kept_gaps].map(|list| offsets(list, 0).into_iter().collect::<Vec<_>>())
    };
    // Stream 1 begins with chunk 3; chunk 1 is never received
    let on_stream_1 = |tsn, ssn| Data { stream: 1, ..ordered(tsn, ssn, 10) };
    assert_eq!(lists_after(on_stream_1(4, 1)), [vec![4], vec![]]);
    assert_eq!(lists_after(unordered(6, 10)), [vec![4], vec![6]]);
    assert_eq!(lists_after(fragment(8, 10)), [vec![4, 8], vec![6]]);
    assert_eq!(lists_after(on_stream_1(3, 0)), [vec![8], vec![3, 4, 6]]);
    let end = DataFlags::END.with(DataFlags::UNORDERED);
    assert_eq!(lists_after(Data { flags: end, ..fragment(9, 10) }), [vec![], vec![3, 4, 6, 8, 9]]);
    assert_eq!(lists_after(Data { stream: 99, ..ordered(11, 0, 10) })[1].last(), Some(&11));
    assert_eq!(lists_after(ordered(2, 1, 10)), [vec![2], vec![3, 4, 6, 8, 9, 11]]);
    assert_eq!(lists_after(ordered(1, 0, 10)), [vec![], vec![6, 8, 9, 11]]);
}

#[test]
fn the_overdraft_of_the_buffer_is_limited() {
    let mut receiver =
        started(&Config { receive_buffer: 3000, nr_sack: true, ..Config::default() });
    deliver(&mut receiver, [ordered(99, 98, 3000)]);
    let dropped =
        (2..90).map(|tsn| deliver(&mut receiver, [unordered(tsn, 100)]).dropped).sum::<u64>();
    assert_eq!(dropped, 88 - 30);
}

#[test]
fn the_lowest_missing_chunk_is_accepted_from_a_peer_that_exceeded_the_window_twice() {
    let mut receiver =
        started(&Config { receive_buffer: 3000, nr_sack: true, ..Config::default() });
    deliver(&mut receiver, [ordered(6, 3, 1500), ordered(5, 2, 1500), ordered(4, 1, 3000)]);
    // A message of the size of the buffer, in three fragments
    let part = |tsn, flags| Data { flags, ..ordered(tsn, 0, 1000) };
    assert_eq!(deliver(&mut receiver, [part(3, DataFlags::END)]).dropped, 1, "not yet");
    let middle = DataFlags::default();
    deliver(&mut receiver, [part(1, DataFlags::BEGIN), part(2, middle), part(3, DataFlags::END)]);
    assert_eq!(lengths_read(&mut receiver), [3000, 3000, 1500, 1500]);
}

proptest! {
    #[test]
    fn the_receiver_equals_a_model_of_sets(
        initial in any::<u32>(),
        transfer in transfers(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), 1usize..5), 1..120),
    ) {
        let chunks = transfer.chunks(initial);
        let mut receiver = Receiver::new(&Config { receive_buffer: 1_000_000, ..Config::default() });
        receiver.start(Tsn(initial), 16);
        let mut model = Model::default();
        let in_the_end = (0..chunks.len()).map(|index| (index, 1));
        for (start, count) in picks.iter().map(|(pick, count)| (pick.index(chunks.len()), *count)).chain(in_the_end) {
            let packet = start..(start + count).min(chunks.len());
            deliver(&mut receiver, packet.clone().map(|index| chunks[index].clone()));
            model.arrived.extend(packet);
            let sack = sack(&mut receiver);
            prop_assert_eq!(sack.cumulative, Tsn(initial).add(model.prefix() as u32).previous());
            prop_assert_eq!(offsets(&sack.gaps, initial), model.beyond_prefix());
            while let Some(message) = receiver.read().map(|received| received.message) {
                prop_assert!(model.take(&transfer, &message), "not complete, not its turn, or not for the first time");
            }
            prop_assert_eq!(model.readable(&transfer).len(), 0, "the receiver holds back what could be read");
        }
        prop_assert_eq!(model.taken.len(), transfer.0.len());
    }

    #[test]
    fn all_messages_pass_a_small_buffer(
        transfer in transfers(),
        nr_sack in any::<bool>(),
        never_renege in any::<bool>(),
        slow_reader in any::<bool>(),
        partial_delivery in any::<bool>(),
        mut luck in prop::collection::vec(any::<u64>(), 1..40),
    ) {
        let chunks = transfer.chunks(1);
        let config =
            Config { receive_buffer: LONGEST, nr_sack, never_renege, partial_delivery, ..Config::default() };
        let mut parts = BTreeMap::new();
        let mut receiver = started(&config);
        let (mut kept, mut model) = (BTreeSet::new(), Model::default());
        for _ in 0..10_000 {
            let sack = sack(&mut receiver);
            let known = (sack.cumulative.0 as usize, offsets(&sack.gaps, 1), offsets(&sack.kept_gaps, 1));
            let has = |index: &usize| *index < known.0 || known.1.contains(index) || known.2.contains(index);
            prop_assert!(kept.iter().all(has), "data acknowledged non-renegably was dropped");
            prop_assert!(known.1.iter().all(|index| !known.2.contains(index)), "one chunk in both lists");
            prop_assert!(!nr_sack || !never_renege || known.1.is_empty());
            kept.extend((0..chunks.len()).filter(|index| *index < known.0 || known.2.contains(index)));
            let missing: Vec<usize> = (0..chunks.len()).filter(|index| !has(index)).take(30).collect();
            let probe = missing.first().copied();
            // The peer ignores the window. The bits select the lost chunks, and whether the first or the last chunks
            // are sent first.
            let bits = luck.pop().unwrap_or(u64::MAX);
            let mut sent: Vec<_> = missing.into_iter().filter(|index| bits >> (index % 63) & 1 == 1).collect();
            sent.extend(probe.filter(|_| sent.is_empty()));
            if bits >> 63 == 0 {
                sent.reverse();
            }
            for index in sent {
                model.arrived.insert(index);
                deliver(&mut receiver, [chunks[index].clone()]);
                prop_assert!(receiver.buffer.held() <= 3 * LONGEST);
            }
            let reads = if slow_reader { 1 } else { usize::MAX };
            let read = || receiver.read().map(|received| received.message);
            for message in std::iter::from_fn(read).take(reads) {
                prop_assert!(partial_delivery || message.part.is_none());
                if let Some(message) = joined(&mut parts, message) {
                    prop_assert!(model.take(&transfer, &message));
                }
            }
            if model.taken.len() == transfer.0.len() {
                return Ok(());
            }
        }
        prop_assert!(false, "the transfer came to a standstill");
    }
}

/// The message that is complete with this part, if any.
fn joined(parts: &mut BTreeMap<u32, Vec<u8>>, message: Message) -> Option<Message> {
    let Some(part) = message.part else { return Some(message) };
    let known = parts.entry(part.message.0).or_default();
    known.extend_from_slice(&message.payload);
    if part.more_follows {
        return None;
    }
    let payload = parts.remove(&part.message.0)?.into();
    Some(Message { payload, part: None, ..message })
}

/// A message of the test: its number in the transfer is in its payload.
#[derive(Clone, Debug)]
struct Sent {
    stream: u16,
    ordered: bool,
    /// Payload lengths of its fragments.
    fragments: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Transfer(Vec<Sent>);

fn transfers() -> impl Strategy<Value = Transfer> {
    let fragments = prop_oneof![
        3 => prop::collection::vec(1usize..200, 1),
        1 => prop::collection::vec(1usize..200, 2..6),
    ];
    let sent = (0u16..3, any::<bool>(), fragments);
    let sent = sent.prop_map(|(stream, ordered, fragments)| Sent { stream, ordered, fragments });
    prop::collection::vec(sent, 1..40).prop_map(Transfer)
}

/// The largest message of a transfer, in bytes.
const LONGEST: usize = 5 * 200;

impl Transfer {
    /// The transfer as a peer would send it.
    fn chunks(&self, initial: u32) -> Vec<Data> {
        let mut chunks = Vec::new();
        let mut next_ssn = BTreeMap::<u16, u16>::new();
        for (number, sent) in self.0.iter().enumerate() {
            let ssn = next_ssn.entry(sent.stream).or_default();
            let last = sent.fragments.len() - 1;
            for (index, &length) in sent.fragments.iter().enumerate() {
                let mut flags = DataFlags(0);
                for (flag, set) in [
                    (DataFlags::BEGIN, index == 0),
                    (DataFlags::END, index == last),
                    (DataFlags::UNORDERED, !sent.ordered),
                ] {
                    flags = if set { flags.with(flag) } else { flags };
                }
                chunks.push(Data {
                    tsn: Tsn(initial).add(chunks.len() as u32),
                    stream: sent.stream,
                    ssn: Ssn(*ssn),
                    ppid: number as u32,
                    flags,
                    payload: vec![index as u8; length].into(),
                });
            }
            *ssn += u16::from(sent.ordered);
        }
        chunks
    }

    /// For each message, the range of its chunks.
    fn positions(&self) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let range = |sent: &Sent| {
            let start = end;
            end += sent.fragments.len();
            start..end
        };
        self.0.iter().map(range).collect()
    }
}

/// A receiver in its simplest form: positions of chunks and numbers of messages.
#[derive(Default)]
struct Model {
    arrived: BTreeSet<usize>,
    taken: BTreeSet<usize>,
}

impl Model {
    fn prefix(&self) -> usize {
        (0..).take_while(|index| self.arrived.contains(index)).count()
    }

    fn beyond_prefix(&self) -> BTreeSet<usize> {
        self.arrived.range(self.prefix()..).copied().collect()
    }

    /// The complete messages that are next in order.
    fn readable(&self, transfer: &Transfer) -> Vec<usize> {
        let positions = transfer.positions();
        let is_next = |number: usize| {
            let sent = &transfer.0[number];
            let before = |other: &usize| {
                transfer.0[*other].ordered && transfer.0[*other].stream == sent.stream
            };
            !sent.ordered || (0..number).filter(before).all(|other| self.taken.contains(&other))
        };
        let complete =
            |number: usize| positions[number].clone().all(|index| self.arrived.contains(&index));
        let new = (0..positions.len()).filter(|number| !self.taken.contains(number));
        new.filter(|&number| complete(number) && is_next(number)).collect()
    }

    /// Takes a message that the receiver delivered; returns false if the model does not expect it.
    fn take(&mut self, transfer: &Transfer, message: &Message) -> bool {
        let number = message.ppid as usize;
        let sent = &transfer.0[number];
        let parts = sent.fragments.iter().enumerate();
        let payload: Vec<u8> =
            parts.flat_map(|(index, &length)| vec![index as u8; length]).collect();
        let expected = self.readable(transfer).contains(&number);
        self.taken.insert(number);
        expected
            && message.payload == payload
            && message.stream == sent.stream
            && message.unordered != sent.ordered
    }
}

/// Chunks on invalid streams take no buffer, so the number of their gaps has its own limit.
#[test]
fn chunks_on_streams_that_do_not_exist_make_only_so_many_gaps() {
    let mut receiver = started(&Config::default());
    let stray = |tsn| Data { stream: 16, ..unordered(tsn, 1) };
    let most = MOST_STRAY_ISLANDS as u32;
    let arrival = deliver(&mut receiver, (1..=most + 9).map(|number| stray(2 * number)));
    assert_eq!(arrival.dropped, 9);
    assert_eq!(receiver.arrived.islands(), MOST_STRAY_ISLANDS);
    // The lowest TSN is accepted with any data above it, and so is a message on an existing stream
    let lowest = deliver(&mut receiver, [stray(1), stray(3), unordered(9000, 1)]);
    assert_eq!(lowest, Arrival { new_bytes: 3, ..Arrival::default() });
    assert_eq!(receiver.cumulative(), Tsn(4));
}

fn offsets(ranges: &manypath_core::Ranges, initial: u32) -> BTreeSet<usize> {
    let positions = |range: TsnRange| {
        let first = range.first.distance_from(Tsn(initial)) as usize;
        first..first + range.count() as usize
    };
    ranges.iter().flat_map(positions).collect()
}

/// A receiver that waits for TSN 1 and has 16 streams.
fn started(config: &Config) -> Receiver {
    let mut receiver = Receiver::new(config);
    receiver.start(Tsn(1), 16);
    receiver
}

fn deliver(receiver: &mut Receiver, chunks: impl IntoIterator<Item = Data>) -> Arrival {
    receiver.handle_packet(Time::ZERO, PathId(0), &mut chunks.into_iter().collect())
}

fn sack(receiver: &mut Receiver) -> Sack {
    let mut sack = Sack::default();
    receiver.write_sack(1468, &mut sack);
    sack
}

fn lengths_read(receiver: &mut Receiver) -> Vec<usize> {
    std::iter::from_fn(|| receiver.read()).map(|received| received.message.payload.len()).collect()
}

fn unordered(tsn: u32, length: usize) -> Data {
    let flags = DataFlags::WHOLE.with(DataFlags::UNORDERED);
    Data { flags, ..ordered(tsn, 0, length) }
}

fn ordered(tsn: u32, ssn: u16, length: usize) -> Data {
    let payload = Bytes::from(vec![0; length]);
    Data { tsn: Tsn(tsn), stream: 0, ssn: Ssn(ssn), ppid: 0, flags: DataFlags::WHOLE, payload }
}

/// The first fragment of a message that is never completed.
fn fragment(tsn: u32, length: usize) -> Data {
    Data { flags: DataFlags::BEGIN.with(DataFlags::UNORDERED), ..ordered(tsn, 0, length) }
}
