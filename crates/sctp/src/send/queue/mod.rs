//! Messages before their first transmission, fragmented when they are sent. RFC 9260 §6.9

mod special;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use bytes::Bytes;
use manypath_core::{PathId, Ssn, Time};

use crate::event::{Message, SendError};
use crate::packet::DataFlags;
use special::{Key, Lane, Special};

/// Waiting messages in the order in which the application sent them.
///
/// Messages with a lifetime or a path are stored separately, so that they cost other messages nothing. A message whose
/// first fragment was sent precedes all others until its last fragment is sent, because its TSNs must be consecutive.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    messages: VecDeque<Waiting>,
    /// Set when the first message with a lifetime or a path is queued. While it is `None`, every path may send the
    /// first of `messages`.
    special: Option<Box<Special>>,
    /// Unsent bytes of the first of `messages`; 0 if there is none.
    first: usize,
    /// Number of messages queued so far.
    places: u64,
    /// SSN of the next ordered message, per stream.
    next_ssn: Vec<Ssn>,
    /// Waiting payload bytes.
    bytes: usize,
}

/// A message with its position in the order of all messages.
#[derive(Debug)]
struct Waiting {
    message: Message,
    place: u64,
}

/// The path that takes a message from the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taker {
    pub(crate) path: PathId,
    /// Whether the path may send messages that name no path.
    pub(crate) takes_any: bool,
}

/// The place of the next message of a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Next {
    Plain,
    Special(Key),
}

/// A whole message or a fragment, for a DATA chunk.
#[derive(Debug)]
pub(crate) struct Fragment {
    pub(crate) stream: u16,
    pub(crate) ssn: Ssn,
    pub(crate) ppid: u32,
    pub(crate) flags: DataFlags,
    pub(crate) payload: Bytes,
}

impl Queue {
    /// Sets the negotiated number of streams. Drops messages on other streams; returns their bytes.
    pub(crate) fn start(&mut self, streams: u16) -> usize {
        self.next_ssn.clear();
        self.next_ssn.resize(usize::from(streams), Ssn(0));
        let mut special = self.special.as_mut();
        let mut dropped = special.as_mut().map_or(0, |special| special.drop_streams_from(streams));
        self.messages.retain(|Waiting { message, .. }| {
            let stays = message.stream < streams;
            if !stays {
                if let Some(special) = &mut special {
                    special.forget_free(message);
                }
                dropped += message.payload.len();
            }
            stays
        });
        self.first = self.length_of_first();
        self.bytes -= dropped;
        dropped
    }

    /// Queues a message whose first transmission must begin before `expires`, on `path` if it is given.
    pub(crate) fn push(
        &mut self,
        message: Message,
        expires: Time,
        path: Lane,
    ) -> Result<(), SendError> {
        if message.payload.is_empty() {
            return Err(SendError::Empty);
        }
        if !self.next_ssn.is_empty() && usize::from(message.stream) >= self.next_ssn.len() {
            return Err(SendError::NoSuchStream);
        }
        self.bytes += message.payload.len();
        let place = self.places;
        self.places += 1;
        if expires == Time::NEVER && path.is_none() && self.special.is_none() {
            self.push_plain(message, place);
        } else {
            self.push_special(message, place, expires, path);
        }
        Ok(())
    }

    fn push_plain(&mut self, message: Message, place: u64) {
        if self.messages.is_empty() {
            self.first = message.payload.len();
        }
        self.messages.push_back(Waiting { message, place });
    }

    #[cold]
    fn push_special(&mut self, message: Message, place: u64, expires: Time, path: Lane) {
        let special = self.special.get_or_insert_default();
        if path.is_some() && !special.counts() {
            special.count(self.messages.iter().map(|waiting| &waiting.message));
        }
        let lane = path.or_else(|| special.lane_of_predecessor(&message, place));
        if expires == Time::NEVER && lane.is_none() {
            special.count_free(&message);
            self.push_plain(message, place);
        } else {
            special.insert(lane, place, message, expires);
        }
    }

    /// Whether a message with a lifetime or a path was ever queued.
    #[inline]
    pub(crate) fn has_special(&self) -> bool {
        self.special.is_some()
    }

    /// When the first message expires; [`Time::NEVER`] if none does.
    #[inline]
    pub(crate) fn next_expiry(&self) -> Time {
        self.special.as_ref().map_or(Time::NEVER, |special| special.next_expiry())
    }

    /// Removes an expired message whose transmission has not begun.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<Message> {
        let message = self.special.as_mut()?.take_expired(now)?;
        self.bytes -= message.payload.len();
        Some(message)
    }

    /// Whether any message that names a path waits, or was sent in part.
    #[inline]
    pub(crate) fn has_bound(&self) -> bool {
        self.special.as_ref().is_some_and(|special| special.has_bound())
    }

    /// Whether a message that names this path waits, or was sent in part.
    pub(crate) fn has_bound_to(&self, path: PathId) -> bool {
        self.special.as_ref().is_some_and(|special| special.has_bound_to(path))
    }

    /// Lets messages that name this path use any path.
    pub(crate) fn unbind(&mut self, path: PathId) {
        if let Some(special) = &mut self.special {
            special.unbind(path);
        }
    }

    /// Removes all messages, with their unsent parts, in order.
    pub(crate) fn take_all(&mut self) -> Vec<Message> {
        let special = self.special.take();
        let mut all: Vec<(u64, Message)> = special.map_or_else(Vec::new, |all| all.into_all());
        let begun = self.messages.front().map_or(0, |first| first.message.payload.len());
        let gone = begun - self.first;
        if let Some(first) = self.messages.front_mut() {
            first.message.payload = first.message.payload.split_off(gone);
        }
        let plain = std::mem::take(&mut self.messages).into_iter();
        all.extend(plain.map(|Waiting { message, place }| (place, message)));
        all.sort_unstable_by_key(|(place, _)| *place);
        (self.first, self.bytes) = (0, 0);
        all.into_iter().map(|(_, message)| message).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Number of waiting messages, including a partly sent one.
    pub(crate) fn len(&self) -> usize {
        self.messages.len() + self.special.as_ref().map_or(0, |special| special.len())
    }

    /// Waiting payload bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Payload of the next chunk of a path; 0 if there is none.
    #[inline]
    pub(crate) fn next_length(&self, taker: Taker, max_payload: usize) -> usize {
        let length = match &self.special {
            None => self.first,
            Some(special) => self.length_beside(special, taker),
        };
        length.min(max_payload)
    }

    #[cold]
    fn length_beside(&self, special: &Special, taker: Taker) -> usize {
        match self.next(special, taker) {
            Some(Next::Plain) => self.first,
            Some(Next::Special(key)) => special.length(key),
            None => 0,
        }
    }

    /// The next message of a path: the earliest that the path may send.
    #[cold]
    fn next(&self, special: &Special, taker: Taker) -> Option<Next> {
        let plain = self.messages.front();
        if plain.is_some_and(|first| self.first < first.message.payload.len()) {
            let may = special.begun_on().map_or(taker.takes_any, |path| path == taker.path);
            return may.then_some(Next::Plain);
        }
        let plain = plain.filter(|_| taker.takes_any).map(|first| (first.place, Next::Plain));
        let free = if taker.takes_any { special.first_free() } else { None };
        let own = special.first_on(taker.path);
        let apart = [free, own].into_iter().flatten().map(|key| (key.1, Next::Special(key)));
        apart.chain(plain).min_by_key(|(place, _)| *place).map(|(_, next)| next)
    }

    /// Removes the next chunk's payload of a path.
    pub(crate) fn take(&mut self, taker: Taker, max_payload: usize) -> Option<Fragment> {
        if let Some(special) = &self.special
            && let Some(Next::Special(key)) = self.next(special, taker)
        {
            self.begin(key);
        }
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

    /// Moves a separately stored message to the front.
    #[cold]
    fn begin(&mut self, key: Key) {
        let Some(message) = self.special.as_mut().and_then(|special| special.begin(key)) else {
            return;
        };
        self.first = message.payload.len();
        self.messages.push_front(Waiting { message, place: key.1 });
    }

    /// Removes the first message, which has been sent completely.
    fn pop(&mut self) -> Option<Message> {
        if self.special.is_some() {
            self.end_special();
        }
        let Waiting { message, .. } = self.messages.pop_front()?;
        self.first = self.length_of_first();
        Some(message)
    }

    /// The first message is about to end, while there are others with a lifetime or a path.
    #[cold]
    fn end_special(&mut self) {
        if let (Some(special), Some(first)) = (&mut self.special, self.messages.front()) {
            special.end(&first.message);
        }
    }

    fn take_whole(&mut self, ssn: Ssn) -> Option<Fragment> {
        let Message { stream, ppid, unordered, payload, .. } = self.pop()?;
        let flags = order_flag(DataFlags::WHOLE, unordered);
        Some(Fragment { stream, ssn, ppid, flags, payload })
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
