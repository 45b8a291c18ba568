//! Messages that wait for their first transmission, cut into fragments as they leave. RFC 9260 §6.9

use std::collections::VecDeque;

use bytes::Bytes;
use manypath_core::{Ssn, Time};

use crate::event::{Message, SendError};
use crate::packet::DataFlags;

/// Messages in the order in which the application handed them over.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    messages: VecDeque<Waiting>,
    /// How many of them expire.
    expiring: usize,
    /// Bytes of the first message that have not left yet; 0 if none waits.
    first: usize,
    /// Number of the next ordered message, per stream.
    next_ssn: Vec<Ssn>,
    /// Payload bytes that wait.
    bytes: usize,
}

/// A message, and until when its first transmission may begin.
#[derive(Debug)]
struct Waiting {
    message: Message,
    /// [`Time::NEVER`] without a limit.
    expires: Time,
}

/// A message or a part of it, ready to become a DATA chunk.
#[derive(Debug)]
pub(crate) struct Fragment {
    pub(crate) stream: u16,
    pub(crate) ssn: Ssn,
    pub(crate) ppid: u32,
    pub(crate) flags: DataFlags,
    pub(crate) payload: Bytes,
}

impl Queue {
    /// So many streams were negotiated. Messages that wait for others are dropped; how many bytes these had.
    pub(crate) fn start(&mut self, streams: u16) -> usize {
        self.next_ssn.clear();
        self.next_ssn.resize(usize::from(streams), Ssn(0));
        let before = self.bytes;
        self.messages.retain(|Waiting { message, expires }| {
            let stays = message.stream < streams;
            if !stays {
                self.bytes -= message.payload.len();
                self.expiring -= usize::from(*expires != Time::NEVER);
            }
            stays
        });
        self.first = self.length_of_first();
        before - self.bytes
    }

    /// Takes a message whose first transmission must begin before `expires`.
    pub(crate) fn push(&mut self, message: Message, expires: Time) -> Result<(), SendError> {
        if message.payload.is_empty() {
            return Err(SendError::Empty);
        }
        if !self.next_ssn.is_empty() && usize::from(message.stream) >= self.next_ssn.len() {
            return Err(SendError::NoSuchStream);
        }
        self.bytes += message.payload.len();
        if self.is_empty() {
            self.first = message.payload.len();
        }
        self.expiring += usize::from(expires != Time::NEVER);
        self.messages.push_back(Waiting { message, expires });
        Ok(())
    }

    /// Whether any message may expire.
    #[inline]
    pub(crate) fn has_expiring(&self) -> bool {
        self.expiring > 0
    }

    /// Whether the first message has expired and nothing of it has left.
    pub(crate) fn is_expired(&self, now: Time) -> bool {
        self.messages.front().is_some_and(|Waiting { message, expires }| {
            *expires <= now && self.first == message.payload.len()
        })
    }

    /// Takes out the first message if it has expired.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<Message> {
        if self.is_expired(now) { self.take_first() } else { None }
    }

    /// Takes out the first message with all that is left of it.
    pub(crate) fn take_first(&mut self) -> Option<Message> {
        let mut message = self.pop()?;
        let left = self.first;
        self.first = self.length_of_first();
        self.bytes -= left;
        message.payload = message.payload.split_off(message.payload.len() - left);
        Some(message)
    }

    fn pop(&mut self) -> Option<Message> {
        let Waiting { message, expires } = self.messages.pop_front()?;
        self.expiring -= usize::from(expires != Time::NEVER);
        Some(message)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first == 0
    }

    /// Messages that wait, the one that has left in part included.
    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Payload bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Payload of the next chunk, 0 if none waits.
    pub(crate) fn next_length(&self, max_payload: usize) -> usize {
        self.first.min(max_payload)
    }

    /// Takes the next chunk's worth of the first message.
    pub(crate) fn take(&mut self, max_payload: usize) -> Option<Fragment> {
        let Waiting { message, .. } = self.messages.front()?;
        let ssn = self.next_ssn[usize::from(message.stream)];
        let whole = self.first == message.payload.len() && self.first <= max_payload;
        let fragment =
            if whole { self.take_whole(ssn)? } else { self.take_part(ssn, max_payload)? };
        self.bytes -= fragment.payload.len();
        if !fragment.flags.contains(DataFlags::UNORDERED) && fragment.flags.contains(DataFlags::END)
        {
            self.next_ssn[usize::from(fragment.stream)] = ssn.next();
            seeded!(SsnWrapsWrong => self.next_ssn[usize::from(fragment.stream)].0 |= ssn.0 & 0x8000);
        }
        Some(fragment)
    }

    fn take_whole(&mut self, ssn: Ssn) -> Option<Fragment> {
        let Message { stream, ppid, unordered, payload, .. } = self.pop()?;
        self.first = self.length_of_first();
        Some(Fragment {
            stream,
            ssn,
            ppid,
            flags: order_flag(DataFlags::WHOLE, unordered),
            payload,
        })
    }

    fn take_part(&mut self, ssn: Ssn, max_payload: usize) -> Option<Fragment> {
        let Waiting { message, .. } = self.messages.front()?;
        let start = message.payload.len() - self.first;
        let end = message.payload.len().min(start + max_payload);
        let begin = if start == 0 { DataFlags::BEGIN } else { DataFlags::default() };
        let is_last = end == message.payload.len();
        let flags = if is_last { begin.with(DataFlags::END) } else { begin };
        let fragment = Fragment {
            stream: message.stream,
            ssn,
            ppid: message.ppid,
            flags: order_flag(flags, message.unordered),
            payload: message.payload.slice(start..end),
        };
        self.first -= end - start;
        if is_last {
            self.pop();
            self.first = self.length_of_first();
        }
        Some(fragment)
    }

    fn length_of_first(&self) -> usize {
        self.messages.front().map_or(0, |waiting| waiting.message.payload.len())
    }
}

fn order_flag(flags: DataFlags, unordered: bool) -> DataFlags {
    if unordered { flags.with(DataFlags::UNORDERED) } else { flags }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: usize, unordered: bool) -> Message {
        Message { stream: 0, ppid: 7, unordered, payload: Bytes::from(vec![1; length]), part: None }
    }

    #[test]
    fn a_long_message_leaves_in_fragments_that_share_one_ssn() {
        let mut queue = Queue::default();
        queue.start(1);
        queue.push(message(3000, false), Time::NEVER).unwrap();
        queue.push(message(10, false), Time::NEVER).unwrap();

        let fragments: Vec<_> = std::iter::from_fn(|| queue.take(1452)).collect();

        let shape: Vec<_> =
            fragments.iter().map(|f| (f.flags.0, f.ssn.0, f.payload.len())).collect();
        assert_eq!(shape, [(0x02, 0, 1452), (0x00, 0, 1452), (0x01, 0, 96), (0x03, 1, 10)]);
        assert_eq!(queue.bytes(), 0);
    }

    #[test]
    fn unordered_messages_do_not_use_up_stream_sequence_numbers() {
        let mut queue = Queue::default();
        queue.start(1);
        queue.push(message(10, true), Time::NEVER).unwrap();
        queue.push(message(10, false), Time::NEVER).unwrap();
        let flags_and_ssn: Vec<_> =
            std::iter::from_fn(|| queue.take(1452)).map(|f| (f.flags.0, f.ssn.0)).collect();
        assert_eq!(flags_and_ssn, [(0x07, 0), (0x03, 0)]);
    }

    #[test]
    fn messages_for_streams_that_the_peer_refuses_are_dropped() {
        let mut queue = Queue::default();
        for stream in [0, 7, 1] {
            queue.push(Message { stream, ..message(100, false) }, Time::NEVER).unwrap();
        }
        assert_eq!(queue.start(2), 100);
        let streams: Vec<_> = std::iter::from_fn(|| queue.take(1452)).map(|f| f.stream).collect();
        assert_eq!((streams, queue.bytes()), (vec![0, 1], 0));
    }

    #[test]
    fn an_empty_message_and_an_unknown_stream_are_refused() {
        let mut queue = Queue::default();
        queue.start(1);
        assert_eq!(queue.push(message(0, true), Time::NEVER), Err(SendError::Empty));
        let stray = Message { stream: 1, ..message(1, true) };
        assert_eq!(queue.push(stray, Time::NEVER), Err(SendError::NoSuchStream));
    }

    #[test]
    fn only_messages_that_have_not_begun_to_leave_expire() {
        let at = Time::from_nanos;
        let mut queue = Queue::default();
        queue.start(1);
        queue.push(message(2000, true), at(10)).unwrap();
        queue.push(message(50, true), at(20)).unwrap();
        queue.push(message(70, true), Time::NEVER).unwrap();
        assert!(queue.take_expired(at(9)).is_none());
        queue.take(1452);
        assert!(queue.take_expired(at(11)).is_none(), "half of it is on its way");
        queue.take(1452);
        assert!(queue.has_expiring());
        assert_eq!(queue.take_expired(at(20)).map(|message| message.payload.len()), Some(50));
        assert!(queue.take_expired(at(99)).is_none() && !queue.has_expiring());
        assert_eq!((queue.bytes(), queue.len()), (70, 1));
    }
}
