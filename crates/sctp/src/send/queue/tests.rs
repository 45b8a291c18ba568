//! The order and the paths of messages from the send queue.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

const ANY: Taker = Taker { path: PathId(0), takes_any: true };

fn message(length: usize, unordered: bool) -> Message {
    Message { stream: 0, ppid: 7, unordered, payload: Bytes::from(vec![1; length]), part: None }
}

#[test]
fn a_long_message_leaves_in_fragments_that_share_one_ssn() {
    let mut queue = Queue::default();
    queue.start(1);
    queue.push(message(3000, false), Time::NEVER, None).unwrap();
    queue.push(message(10, false), Time::NEVER, None).unwrap();

    let fragments: Vec<_> = std::iter::from_fn(|| queue.take(ANY, 1452)).collect();

    let shape: Vec<_> = fragments.iter().map(|f| (f.flags.0, f.ssn.0, f.payload.len())).collect();
    assert_eq!(shape, [(0x02, 0, 1452), (0x00, 0, 1452), (0x01, 0, 96), (0x03, 1, 10)]);
    assert_eq!(queue.bytes(), 0);
}

#[test]
fn unordered_messages_do_not_use_up_stream_sequence_numbers() {
    let mut queue = Queue::default();
    queue.start(1);
    queue.push(message(10, true), Time::NEVER, None).unwrap();
    queue.push(message(10, false), Time::NEVER, None).unwrap();
    let flags_and_ssn: Vec<_> =
        std::iter::from_fn(|| queue.take(ANY, 1452)).map(|f| (f.flags.0, f.ssn.0)).collect();
    assert_eq!(flags_and_ssn, [(0x07, 0), (0x03, 0)]);
}

#[test]
fn messages_for_streams_that_the_peer_refuses_are_dropped() {
    let mut queue = Queue::default();
    for stream in [0, 7, 1] {
        queue.push(Message { stream, ..message(100, false) }, Time::NEVER, None).unwrap();
    }
    assert_eq!(queue.start(2), 100);
    let streams: Vec<_> = std::iter::from_fn(|| queue.take(ANY, 1452)).map(|f| f.stream).collect();
    assert_eq!((streams, queue.bytes()), (vec![0, 1], 0));
}

#[test]
fn an_empty_message_and_an_unknown_stream_are_refused() {
    let mut queue = Queue::default();
    queue.start(1);
    assert_eq!(queue.push(message(0, true), Time::NEVER, None), Err(SendError::Empty));
    let stray = Message { stream: 1, ..message(1, true) };
    assert_eq!(queue.push(stray, Time::NEVER, None), Err(SendError::NoSuchStream));
}

#[test]
fn only_messages_that_have_not_begun_to_leave_expire() {
    let at = Time::from_nanos;
    let mut queue = Queue::default();
    queue.start(1);
    queue.push(message(2000, true), at(10), None).unwrap();
    queue.push(message(50, true), at(20), None).unwrap();
    queue.push(message(70, true), Time::NEVER, None).unwrap();
    assert!(queue.take_expired(at(9)).is_none());
    queue.take(ANY, 1452);
    assert!(queue.take_expired(at(11)).is_none(), "its first fragment was sent");
    queue.take(ANY, 1452);
    assert_eq!(queue.next_expiry(), at(20));
    assert_eq!(queue.take_expired(at(20)).map(|message| message.payload.len()), Some(50));
    assert!(queue.take_expired(at(99)).is_none() && queue.next_expiry() == Time::NEVER);
    assert_eq!((queue.bytes(), queue.len()), (70, 1));
}

/// An ordered message of this length on a stream.
fn on(stream: u16, length: usize) -> Message {
    Message { stream, ..message(length, false) }
}

fn taker(path: u8, takes_any: bool) -> Taker {
    Taker { path: PathId(path), takes_any }
}

fn lane(path: u8) -> Lane {
    Some(PathId(path))
}

/// Lengths of all chunks that a path takes.
fn taken(queue: &mut Queue, taker: Taker) -> Vec<usize> {
    std::iter::from_fn(|| {
        (queue.next_length(taker, 1452) > 0).then(|| queue.take(taker, 1452).unwrap().payload.len())
    })
    .collect()
}

#[test]
fn a_path_takes_its_own_messages_and_those_that_name_none_in_order() {
    let mut queue = Queue::default();
    queue.start(9);
    for (length, lane) in [(1, None), (2, lane(1)), (3, None), (4, lane(0)), (5, lane(1))] {
        queue.push(message(length, true), Time::NEVER, lane).unwrap();
    }
    assert_eq!(taken(&mut queue, taker(0, true)), [1, 3, 4]);
    assert_eq!(taken(&mut queue, taker(2, false)), [0; 0]);
    assert_eq!(taken(&mut queue, taker(1, false)), [2, 5]);
    assert!(queue.is_empty() && !queue.has_bound());
}

#[test]
fn no_ordered_message_overtakes_one_of_its_stream() {
    let mut queue = Queue::default();
    queue.start(9);
    // Stream 1 continues on the path of its last message, stream 2 on any path
    for (message, lane) in
        [(on(1, 1), lane(1)), (on(1, 2), None), (on(2, 3), None), (on(1, 4), lane(0))]
    {
        queue.push(message, Time::NEVER, lane).unwrap();
    }
    assert_eq!(taken(&mut queue, taker(0, true)), [3]);
    assert_eq!(taken(&mut queue, taker(1, false)), [1, 2]);
    assert_eq!(taken(&mut queue, taker(0, true)), [4]);
}

#[test]
fn a_bound_message_waits_for_those_of_its_stream_that_any_path_may_take() {
    let mut queue = Queue::default();
    queue.start(9);
    queue.push(on(1, 1), Time::NEVER, None).unwrap();
    queue.push(on(1, 2), Time::from_nanos(5), None).unwrap();
    queue.push(on(1, 3), Time::NEVER, lane(1)).unwrap();
    assert_eq!(taken(&mut queue, taker(1, false)), [0; 0]);
    queue.take(taker(0, true), 1452).unwrap();
    assert_eq!(taken(&mut queue, taker(1, false)), [0; 0]);
    queue.take_expired(Time::from_nanos(5)).unwrap();
    assert_eq!(taken(&mut queue, taker(1, false)), [3]);
}

#[test]
fn messages_for_a_path_that_fails_take_any_other_one() {
    let mut queue = Queue::default();
    queue.start(9);
    for (message, lane) in
        [(on(1, 2000), lane(1)), (on(1, 3), lane(1)), (on(2, 4), None), (on(1, 5), lane(2))]
    {
        queue.push(message, Time::NEVER, lane).unwrap();
    }
    queue.take(taker(1, false), 1452).unwrap();
    assert_eq!(taken(&mut queue, taker(0, true)), [0; 0], "a message was sent in part");
    queue.unbind(PathId(1));
    assert_eq!(taken(&mut queue, taker(0, true)), [548, 3, 4]);
    assert_eq!(taken(&mut queue, taker(2, false)), [5]);
}

#[test]
fn a_message_expires_wherever_it_waits() {
    let at = Time::from_nanos;
    let mut queue = Queue::default();
    queue.start(9);
    queue.push(message(1, true), Time::NEVER, None).unwrap();
    for (length, expires) in [(2, 30), (3, 10), (4, 20)] {
        queue.push(message(length, true), at(expires), lane(length as u8)).unwrap();
    }
    assert_eq!(queue.next_expiry(), at(10));
    let expired: Vec<usize> =
        std::iter::from_fn(|| queue.take_expired(at(20))).map(|it| it.payload.len()).collect();
    assert_eq!((expired, queue.next_expiry()), (vec![3, 4], at(30)));
    assert_eq!((queue.bytes(), queue.len()), (3, 2));
}

#[test]
fn all_waiting_messages_are_returned_in_order() {
    let mut queue = Queue::default();
    queue.start(9);
    for (length, lane) in [(2000, None), (2, lane(1)), (3, None), (4, lane(0))] {
        queue.push(message(length, true), Time::NEVER, lane).unwrap();
    }
    queue.take(taker(0, true), 1452).unwrap();
    let lengths: Vec<usize> = queue.take_all().iter().map(|it| it.payload.len()).collect();
    assert_eq!(lengths, [548, 2, 3, 4]);
    assert!(queue.is_empty());
}

/// An operation on a queue.
#[derive(Clone, Debug)]
enum Step {
    Push { stream: u16, unordered: bool, length: usize, expires: Option<u64>, lane: Option<u8> },
    Take { path: u8 },
    Expire { at: u64 },
    Unbind { path: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let push = (0..3_u16, any::<bool>(), 1..4000_usize, option::of(0..9_u64), option::of(0..3_u8));
    let push = push.prop_map(|(stream, unordered, length, expires, lane)| Step::Push {
        stream,
        unordered,
        length,
        expires,
        lane,
    });
    prop_oneof![
        4 => push,
        6 => (0..3_u8).prop_map(|path| Step::Take { path }),
        1 => (0..9_u64).prop_map(|at| Step::Expire { at }),
        1 => (0..3_u8).prop_map(|path| Step::Unbind { path }),
    ]
}

/// A queue and its expected content.
#[derive(Default)]
struct Watched {
    queue: Queue,
    /// Number and path of messages that were not sent completely; the PPID of a message is its number.
    waiting: BTreeMap<u32, Lane>,
    pushed: u32,
    next_ssn: [u16; 3],
    /// The last ordered message that was sent on each stream.
    latest: [Option<u32>; 3],
    /// The message that was sent in part.
    begun: Option<u32>,
}

impl Watched {
    fn go(&mut self, step: &Step) {
        match *step {
            Step::Push { stream, unordered, length, expires, lane } => {
                let number = self.pushed;
                self.pushed += 1;
                let message = Message { stream, ppid: number, ..message(length, unordered) };
                let expires = expires.map_or(Time::NEVER, Time::from_nanos);
                self.queue.push(message, expires, lane.map(PathId)).unwrap();
                self.waiting.insert(number, lane.map(PathId));
            }
            Step::Take { path } => {
                self.take(taker(path, path == 0));
            }
            Step::Expire { at } => {
                while let Some(message) = self.queue.take_expired(Time::from_nanos(at)) {
                    assert_ne!(self.begun, Some(message.ppid));
                    assert!(self.waiting.remove(&message.ppid).is_some());
                }
            }
            Step::Unbind { path } => {
                self.queue.unbind(PathId(path));
                let bound = self.waiting.values_mut().filter(|lane| **lane == Some(PathId(path)));
                bound.for_each(|lane| *lane = None);
            }
        }
    }

    fn take(&mut self, taker: Taker) -> bool {
        let length = self.queue.next_length(taker, 1452);
        if length == 0 {
            return false;
        }
        let Fragment { stream, ssn, ppid, flags, payload } =
            self.queue.take(taker, 1452).expect("a chunk waits");
        assert_eq!(payload.len(), length);
        let lane = self.waiting[&ppid];
        assert!(lane.is_none_or(|path| path == taker.path), "{ppid} was meant for {lane:?}");
        assert_eq!(self.begun.is_none(), flags.contains(DataFlags::BEGIN));
        assert!(self.begun.is_none_or(|begun| begun == ppid), "{ppid} interrupts another one");
        let ends = flags.contains(DataFlags::END);
        self.begun = (!ends).then_some(ppid);
        if ends {
            self.waiting.remove(&ppid);
        }
        let stream = usize::from(stream);
        if !flags.contains(DataFlags::UNORDERED) {
            assert_eq!(ssn.0, self.next_ssn[stream]);
            assert!(self.latest[stream] <= Some(ppid), "{ppid} is late");
            self.latest[stream] = Some(ppid);
            self.next_ssn[stream] += u16::from(ends);
        }
        true
    }
}

proptest! {
    #[test]
    fn messages_are_sent_in_the_order_of_their_stream(
        steps in vec(step(), 1..80)
    ) {
        let mut watched = Watched::default();
        watched.queue.start(3);
        steps.iter().for_each(|step| watched.go(step));
        while (0..3).any(|path| watched.take(taker(path, path == 0))) {}
        prop_assert!(watched.waiting.is_empty(), "{:?} are stuck", watched.waiting);
        prop_assert_eq!((watched.queue.bytes(), watched.queue.len()), (0, 0));
        prop_assert!(!watched.queue.has_bound());
    }
}
