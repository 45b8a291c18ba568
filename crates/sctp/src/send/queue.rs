//! Messages that wait for their first transmission, cut into fragments as they leave. RFC 9260 §6.9

mod special;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use bytes::Bytes;
use manypath_core::{PathId, Ssn, Time};

use crate::event::{Message, SendError};
use crate::packet::DataFlags;
use special::{Key, Lane, Special};

/// Messages in the order in which the application handed them over.
///
/// Those with a lifetime or a path of their own are apart, so that the others pay nothing for them. A message that leaves
/// in fragments comes before all others until its last one has left: the TSNs of a message follow each other.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    messages: VecDeque<Waiting>,
    special: Special,
    /// Whether `special` or `begun_on` has something. Otherwise every path may take the first of `messages`.
    has_special: bool,
    /// Bytes of the first of `messages` that have not left yet; 0 if there is none.
    first: usize,
    /// The path that the message must take whose first fragments have left.
    begun_on: Lane,
    /// How many messages were handed over.
    places: u64,
    /// Number of the next ordered message, per stream.
    next_ssn: Vec<Ssn>,
    /// Payload bytes that wait.
    bytes: usize,
}

/// A message, and its place in the order of all.
#[derive(Debug)]
struct Waiting {
    message: Message,
    place: u64,
}

/// The path for which the queue is asked for something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taker {
    pub(crate) path: PathId,
    /// Whether it carries messages that name no path.
    pub(crate) takes_any: bool,
}

/// Where the next message of a path is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Next {
    Plain,
    Special(Key),
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
        let mut dropped = self.special.drop_streams_from(streams);
        self.note_special();
        self.messages.retain(|Waiting { message, .. }| {
            let stays = message.stream < streams;
            if !stays {
                self.special.forget_free(message);
                dropped += message.payload.len();
            }
            stays
        });
        self.first = self.length_of_first();
        self.bytes -= dropped;
        dropped
    }

    /// Takes a message whose first transmission must begin before `expires`, on `path` if one is named.
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
        if expires == Time::NEVER && path.is_none() && !self.special.counts() {
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
        if path.is_some() && !self.special.counts() {
            self.special.count(self.messages.iter().map(|waiting| &waiting.message));
        }
        let lane = path.or_else(|| self.special.lane_of_predecessor(&message, place));
        if expires == Time::NEVER && lane.is_none() {
            self.special.count_free(&message);
            self.push_plain(message, place);
        } else {
            self.special.insert(lane, place, message, expires);
            self.has_special = true;
        }
    }

    /// When the first message expires; [`Time::NEVER`] if none does.
    #[inline]
    pub(crate) fn next_expiry(&self) -> Time {
        self.special.next_expiry()
    }

    /// Takes out a message that has expired and whose transmission has not begun.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<Message> {
        let message = self.special.take_expired(now)?;
        self.note_special();
        self.bytes -= message.payload.len();
        Some(message)
    }

    /// Whether messages wait that name a path, or one that does has left in part.
    #[inline]
    pub(crate) fn has_bound(&self) -> bool {
        self.special.has_bound() || self.begun_on.is_some()
    }

    /// Whether messages wait that name this path, or one that does has left in part.
    pub(crate) fn has_bound_to(&self, path: PathId) -> bool {
        self.special.has_lane(path) || self.begun_on == Some(path)
    }

    /// Messages that name this path may take any.
    pub(crate) fn unbind(&mut self, path: PathId) {
        if self.begun_on == Some(path) {
            self.begun_on = None;
        }
        self.special.unbind(path);
        self.note_special();
    }

    /// `special` or `begun_on` has changed.
    fn note_special(&mut self) {
        self.has_special = !self.special.is_empty() || self.begun_on.is_some();
    }

    /// Takes out all messages with what is left of them, in order.
    pub(crate) fn take_all(&mut self) -> Vec<Message> {
        let mut all: Vec<(u64, Message)> = self.special.take_all();
        let begun = self.messages.front().map_or(0, |first| first.message.payload.len());
        let gone = begun - self.first;
        if let Some(first) = self.messages.front_mut() {
            first.message.payload = first.message.payload.split_off(gone);
        }
        let plain = std::mem::take(&mut self.messages).into_iter();
        all.extend(plain.map(|Waiting { message, place }| (place, message)));
        all.sort_unstable_by_key(|(place, _)| *place);
        (self.first, self.bytes, self.begun_on) = (0, 0, None);
        self.note_special();
        all.into_iter().map(|(_, message)| message).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Messages that wait, the one that has left in part included.
    pub(crate) fn len(&self) -> usize {
        self.messages.len() + self.special.len()
    }

    /// Payload bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Payload of the next chunk of a path, 0 if none waits for it.
    #[inline]
    pub(crate) fn next_length(&self, taker: Taker, max_payload: usize) -> usize {
        if !self.has_special {
            return self.first.min(max_payload);
        }
        let length = match self.next(taker) {
            Some(Next::Plain) => self.first,
            Some(Next::Special(key)) => self.special.length(key),
            None => 0,
        };
        length.min(max_payload)
    }

    /// The message that leaves next on a path: the earliest of those that may.
    #[inline(never)]
    fn next(&self, taker: Taker) -> Option<Next> {
        let plain = self.messages.front();
        if plain.is_some_and(|first| self.first < first.message.payload.len()) {
            let may = self.begun_on.map_or(taker.takes_any, |path| path == taker.path);
            return may.then_some(Next::Plain);
        }
        let plain = plain.filter(|_| taker.takes_any).map(|first| (first.place, Next::Plain));
        let free = if taker.takes_any { self.special.first_free() } else { None };
        let own = self.special.first_on(taker.path);
        let special = [free, own].into_iter().flatten().map(|key| (key.1, Next::Special(key)));
        special.chain(plain).min_by_key(|(place, _)| *place).map(|(_, next)| next)
    }

    /// Takes the next chunk's worth of the message that leaves next on a path.
    pub(crate) fn take(&mut self, taker: Taker, max_payload: usize) -> Option<Fragment> {
        if self.has_special
            && let Some(Next::Special(key)) = self.next(taker)
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

    /// A message that was apart comes first of all.
    #[cold]
    fn begin(&mut self, key: Key) {
        let Some(message) = self.special.take(key) else { return };
        self.special.count_free(&message);
        (self.begun_on, self.first) = (key.0, message.payload.len());
        self.note_special();
        self.messages.push_front(Waiting { message, place: key.1 });
    }

    /// The first message has left as a whole, or its last fragment has.
    fn pop(&mut self) -> Option<Message> {
        let Waiting { message, .. } = self.messages.pop_front()?;
        self.special.forget_free(&message);
        if self.has_special {
            self.begun_on = None;
            self.note_special();
        }
        self.first = self.length_of_first();
        Some(message)
    }

    fn take_whole(&mut self, ssn: Ssn) -> Option<Fragment> {
        let Message { stream, ppid, unordered, payload, .. } = self.pop()?;
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
