//! Messages with a lifetime or a path. The first to expire and the first for each path are found without a search.
//! RFC 9260 §11.1.5

use std::collections::{BTreeMap, BTreeSet};

use manypath_core::{PathId, Time};

use crate::event::Message;

/// The path of a message's first transmission; `None` means any path.
pub(super) type Lane = Option<PathId>;
/// The lane of a message, and its position in the order of all messages.
pub(super) type Key = (Lane, u64);

/// The separately stored messages.
///
/// On each stream, ordered messages that may use any path precede those that wait for a path. An ordered message after
/// one that waits for a path waits for the same path; otherwise it would block other messages of its lane.
#[derive(Debug, Default)]
pub(super) struct Special {
    waiting: BTreeMap<Key, Entry>,
    /// Messages with a lifetime.
    deadlines: BTreeSet<(Time, Key)>,
    /// The paths of ordered messages, by stream and position.
    bound: BTreeMap<(u16, u64), PathId>,
    /// For each stream, the number of ordered messages in the whole queue that may use any path. Counted from the first
    /// message on that names a path.
    free: Option<BTreeMap<u16, u32>>,
    /// The path of the partly sent message, if it names one.
    begun_on: Lane,
}

#[derive(Debug)]
struct Entry {
    message: Message,
    /// [`Time::NEVER`] if there is no limit.
    expires: Time,
}

impl Special {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether ordered messages are counted, because one has named a path.
    pub(super) fn counts(&self) -> bool {
        self.free.is_some()
    }

    /// Starts to count ordered messages: the stored ones, and those in `elsewhere`.
    pub(super) fn count<'a>(&mut self, elsewhere: impl Iterator<Item = &'a Message>) {
        let mut free = BTreeMap::new();
        let mut add = |message: &Message| {
            if !message.unordered {
                *free.entry(message.stream).or_default() += 1;
            }
        };
        self.waiting.values().for_each(|entry| add(&entry.message));
        elsewhere.for_each(add);
        self.free = Some(free);
    }

    /// Counts a message that may use any path.
    pub(super) fn count_free(&mut self, message: &Message) {
        if let Some(free) = &mut self.free
            && !message.unordered
        {
            *free.entry(message.stream).or_default() += 1;
        }
    }

    /// Stops counting a message that may use any path.
    pub(super) fn forget_free(&mut self, message: &Message) {
        if let Some(free) = &mut self.free
            && !message.unordered
            && let Some(count) = free.get_mut(&message.stream)
        {
            *count -= 1;
            if *count == 0 {
                free.remove(&message.stream);
            }
        }
    }

    /// The path for which the preceding ordered message of the stream waits, if any.
    pub(super) fn lane_of_predecessor(&self, message: &Message, place: u64) -> Lane {
        if message.unordered {
            return None;
        }
        let stream = message.stream;
        self.bound.range((stream, 0)..(stream, place)).next_back().map(|(_, path)| *path)
    }

    pub(super) fn insert(&mut self, lane: Lane, place: u64, message: Message, expires: Time) {
        match lane {
            Some(path) if !message.unordered => {
                self.bound.insert((message.stream, place), path);
            }
            Some(_) => {}
            None => self.count_free(&message),
        }
        if expires != Time::NEVER {
            self.deadlines.insert((expires, (lane, place)));
        }
        self.waiting.insert((lane, place), Entry { message, expires });
    }

    /// Removes a message.
    pub(super) fn take(&mut self, key: Key) -> Option<Message> {
        let Entry { message, expires } = self.remove(key)?;
        if expires != Time::NEVER {
            self.deadlines.remove(&(expires, key));
        }
        Some(message)
    }

    /// Removes a message whose transmission begins.
    pub(super) fn begin(&mut self, key: Key) -> Option<Message> {
        let message = self.take(key)?;
        self.count_free(&message);
        self.begun_on = key.0;
        Some(message)
    }

    /// Records that the transmission of a message is complete, wherever the message was stored.
    pub(super) fn end(&mut self, message: &Message) {
        self.forget_free(message);
        self.begun_on = None;
    }

    /// The path of the partly sent message, if it names one.
    pub(super) fn begun_on(&self) -> Lane {
        self.begun_on
    }

    fn remove(&mut self, key: Key) -> Option<Entry> {
        let entry = self.waiting.remove(&key)?;
        match key.0 {
            Some(_) => {
                self.bound.remove(&(entry.message.stream, key.1));
            }
            None => self.forget_free(&entry.message),
        }
        Some(entry)
    }

    /// When the first message expires; [`Time::NEVER`] if none does.
    pub(super) fn next_expiry(&self) -> Time {
        self.deadlines.first().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// Removes the message that expires first, if it has expired.
    pub(super) fn take_expired(&mut self, now: Time) -> Option<Message> {
        let &(at, key) = self.deadlines.first()?;
        if at > now {
            return None;
        }
        self.take(key)
    }

    /// Whether a message waits for a path, or one that does was sent in part.
    pub(super) fn has_bound(&self) -> bool {
        let last = self.waiting.last_key_value();
        last.is_some_and(|((lane, _), _)| lane.is_some()) || self.begun_on.is_some()
    }

    /// Whether a message waits for this path, or one that does was sent in part.
    pub(super) fn has_bound_to(&self, path: PathId) -> bool {
        self.first_in(Some(path)).is_some() || self.begun_on == Some(path)
    }

    fn first_in(&self, lane: Lane) -> Option<(Key, &Entry)> {
        let (key, entry) = self.waiting.range((lane, 0)..=(lane, u64::MAX)).next()?;
        Some((*key, entry))
    }

    /// The first message that may use any path.
    pub(super) fn first_free(&self) -> Option<Key> {
        self.first_in(None).map(|(key, _)| key)
    }

    /// The first message that waits for this path, unless another one of its stream must be sent before it.
    pub(super) fn first_on(&self, path: PathId) -> Option<Key> {
        let (key, Entry { message, .. }) = self.first_in(Some(path))?;
        let stream = message.stream;
        let follows = || {
            let waits_before = self.bound.range((stream, 0)..(stream, key.1)).next().is_some();
            waits_before || self.free.as_ref().is_some_and(|free| free.contains_key(&stream))
        };
        (message.unordered || !follows()).then_some(key)
    }

    /// Payload bytes of a message.
    pub(super) fn length(&self, key: Key) -> usize {
        self.waiting.get(&key).map_or(0, |entry| entry.message.payload.len())
    }

    /// Lets messages that wait for this path use any path, unless they follow a message of their stream that waits for
    /// another path.
    pub(super) fn unbind(&mut self, path: PathId) {
        self.begun_on = self.begun_on.filter(|begun_on| *begun_on != path);
        while let Some((key, _)) = self.first_in(Some(path))
            && let Some(Entry { message, expires }) = self.remove(key)
        {
            self.deadlines.remove(&(expires, key));
            let lane = self.lane_of_predecessor(&message, key.1);
            self.insert(lane, key.1, message, expires);
        }
    }

    /// Drops messages on streams that were not negotiated; returns their bytes.
    pub(super) fn drop_streams_from(&mut self, streams: u16) -> usize {
        let is_dropped = |entry: &&Entry| entry.message.stream >= streams;
        let keys = self.waiting.iter().filter(|(_, entry)| is_dropped(entry)).map(|(key, _)| *key);
        let keys: Vec<Key> = keys.collect();
        keys.into_iter().filter_map(|key| self.take(key)).map(|message| message.payload.len()).sum()
    }

    /// All messages with their positions.
    pub(super) fn into_all(self) -> Vec<(u64, Message)> {
        self.waiting.into_iter().map(|((_, place), entry)| (place, entry.message)).collect()
    }
}
