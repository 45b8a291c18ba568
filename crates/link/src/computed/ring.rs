//! The packets that may still wait or travel on a computed link.

use manypath_core::Time;

/// An accepted packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<T> {
    pub(super) entered: Time,
    /// When its transmission begins.
    pub(super) start: Time,
    pub(super) arrives: Time,
    pub(super) size: u32,
    /// The item that is returned when the packet arrives, if there is one and it was not yet returned.
    pub(super) item: Option<T>,
}

/// Records in the order in which the packets entered, which is also that of their arrivals. The capacity is a power of
/// two and grows when needed.
///
/// Records have numbers: that of the first packet is 0. The fields keep this order in memory: the fields that every
/// packet needs come first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Ring<T> {
    records: Vec<Record<T>>,
    /// Number of the next record, which is the number of packets that were accepted so far, at whatever time.
    tail: usize,
    /// Number of the oldest record that is kept.
    head: usize,
    /// Bytes of all packets.
    bytes: u64,
    /// When the packet of the record `landing` arrives; [`Time::NEVER`] if no record has an item.
    next_arrival: Time,
    /// Number of the first record with an item.
    landing: usize,
    /// Number of the first record whose packet waits, as of the last question.
    waiting: usize,
    /// Number of the first record whose bytes are not among `bytes_started`.
    started: usize,
    bytes_started: u64,
    /// The sum of the waiting times of packets whose records are no longer kept, in nanoseconds.
    waited: u128,
}

impl<T: Copy> Ring<T> {
    pub(super) fn new() -> Self {
        Self {
            records: vec![Record::EMPTY; FEWEST_RECORDS],
            tail: 0,
            head: 0,
            bytes: 0,
            next_arrival: Time::NEVER,
            landing: 0,
            waiting: 0,
            started: 0,
            bytes_started: 0,
            waited: 0,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.tail - self.head
    }

    pub(super) fn room(&self) -> usize {
        self.records.len()
    }

    /// Packets and bytes that were accepted so far.
    pub(super) fn accepted(&self) -> (u64, u64) {
        (self.tail as u64, self.bytes)
    }

    /// The sum of the waiting times of packets whose records are no longer kept, in nanoseconds.
    pub(super) fn waited(&self) -> u128 {
        self.waited
    }

    /// When the transmission of the last packet begins; zero before the first.
    pub(super) fn last_start(&self) -> Time {
        self.tail.checked_sub(1).map_or(Time::ZERO, |last| self.get(last).start)
    }

    /// When the first packet with an item arrives; [`Time::NEVER`] if there is none.
    #[inline]
    pub(super) fn next_arrival(&self) -> Time {
        self.next_arrival
    }

    #[inline]
    pub(super) fn push(&mut self, record: Record<T>) {
        if record.item.is_some() && self.next_arrival == Time::NEVER {
            self.landing = self.tail;
            self.next_arrival = record.arrives;
        }
        let place = self.place(self.tail);
        self.records[place] = record;
        self.tail += 1;
        self.bytes += u64::from(record.size);
    }

    /// Removes the first item, if there is one.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.next_arrival == Time::NEVER {
            return None;
        }
        let place = self.place(self.landing);
        let item = self.records[place].item.take();
        self.next_arrival = Time::NEVER;
        while self.landing != self.tail {
            let record = self.get(self.landing);
            if record.item.is_some() {
                self.next_arrival = record.arrives;
                break;
            }
            self.landing += 1;
        }
        item
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Record<T>> {
        (self.head..self.tail).map(|number| self.get(number))
    }

    /// The records of packets that arrive after `now`.
    pub(super) fn after(&self, now: Time) -> impl Iterator<Item = &Record<T>> {
        let (mut from, mut to) = (self.head, self.tail);
        while from < to {
            let middle = from.midpoint(to);
            if self.get(middle).arrives > now { to = middle } else { from = middle + 1 }
        }
        (from..self.tail).map(|number| self.get(number))
    }

    /// The number of packets that wait at `at`, which never decreases.
    #[inline]
    pub(super) fn waiting(&mut self, at: Time) -> usize {
        while self.waiting != self.tail && self.get(self.waiting).start <= at {
            self.waiting += 1;
        }
        self.tail - self.waiting
    }

    /// The bytes of the packets that [`waiting`](Self::waiting) counted last.
    pub(super) fn bytes_waiting(&mut self) -> u64 {
        while self.started < self.waiting {
            self.bytes_started += u64::from(self.get(self.started).size);
            self.started += 1;
        }
        self.bytes - self.bytes_started
    }

    /// Drops records of packets that arrived by `at` and have no item. No packet enters before `at`, and nothing is read
    /// before it.
    pub(super) fn drop_until(&mut self, at: Time) {
        while self.head != self.tail {
            let Record { entered, start, arrives, size, item } = *self.get(self.head);
            if arrives > at || item.is_some() {
                break;
            }
            self.waited += u128::from((start - entered).as_nanos());
            if self.started == self.head {
                self.bytes_started += u64::from(size);
                self.started += 1;
            }
            self.head += 1;
        }
        self.waiting = self.waiting.max(self.head);
    }

    /// Doubles the capacity.
    pub(super) fn grow(&mut self) {
        let kept: Vec<_> = self.iter().copied().collect();
        self.records.resize(2 * self.room(), Record::EMPTY);
        for (number, record) in (self.head..).zip(kept) {
            let place = self.place(number);
            self.records[place] = record;
        }
    }

    #[inline]
    fn get(&self, number: usize) -> &Record<T> {
        &self.records[self.place(number)]
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        number & (self.records.len() - 1)
    }
}

impl<T> Record<T> {
    const EMPTY: Self =
        Self { entered: Time::ZERO, start: Time::ZERO, arrives: Time::ZERO, size: 0, item: None };
}

/// The first capacity: a network may have thousands of links with a packet or two each.
pub(super) const FEWEST_RECORDS: usize = 16;
