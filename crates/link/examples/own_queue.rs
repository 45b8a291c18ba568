//! A queue discipline of one's own, outside of the registry: docs/tutorials/own-queue.md goes through it.

use std::collections::VecDeque;

use manypath_core::Time;
use manypath_link::queue::Queue;
use manypath_link::{DropReason, Entry, Verdict};

/// First in, first out; a full queue drops the packet that has waited longest, and takes the new one.
#[derive(Debug)]
struct DropHead<T> {
    waiting: VecDeque<Entry<T>>,
    most: usize,
}

impl<T> DropHead<T> {
    /// An empty queue with room for so many packets.
    fn new(most: usize) -> Self {
        Self { waiting: VecDeque::with_capacity(most), most }
    }
}

impl<T: Copy> Queue<T> for DropHead<T> {
    fn enqueue(&mut self, _now: Time, entry: Entry<T>, discarded: &mut Vec<T>) -> Verdict {
        if self.most == 0 {
            return Verdict::Dropped(DropReason::Full);
        }
        if self.waiting.len() == self.most {
            discarded.extend(self.waiting.pop_front().map(|oldest| oldest.item));
        }
        self.waiting.push_back(entry);
        Verdict::Queued
    }

    fn dequeue(&mut self, _start: Time, _discarded: &mut Vec<T>) -> Option<Entry<T>> {
        self.waiting.pop_front()
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn bytes(&self) -> u64 {
        self.waiting.iter().map(|entry| u64::from(entry.size)).sum()
    }
}

fn main() {
    let mut queue = DropHead::new(2);
    let mut discarded = Vec::new();
    for packet in ['a', 'b', 'c'] {
        let verdict = queue.enqueue(Time::ZERO, Entry::new(packet, 1500), &mut discarded);
        println!("{packet} arrives: {verdict:?}");
    }
    println!("discarded: {discarded:?}");
    println!("waiting: {} packets, {} bytes", queue.len(), queue.bytes());
    while let Some(entry) = queue.dequeue(Time::ZERO, &mut discarded) {
        println!("{} leaves", entry.item);
    }
}
