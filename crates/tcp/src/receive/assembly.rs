//! Orders the bytes of the stream and stores them until the application reads them.

use std::collections::VecDeque;

use bytes::Bytes;

/// The received stream of a connection.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// Everything below has arrived.
    next: u64,
    /// In order, not yet read.
    ready: VecDeque<Bytes>,
    ready_bytes: u64,
    /// Beyond a gap, in ascending order, without overlap.
    early: VecDeque<Early>,
    early_bytes: u64,
}

#[derive(Debug)]
struct Early {
    start: u64,
    bytes: Bytes,
}

impl Early {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl Assembly {
    /// Everything below has arrived.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Bytes that wait to be read.
    #[inline]
    pub(crate) fn ready_bytes(&self) -> u64 {
        self.ready_bytes
    }

    /// Bytes that arrived beyond a gap.
    #[inline]
    pub(crate) fn early_bytes(&self) -> u64 {
        self.early_bytes
    }

    /// Takes the first `length` bytes out of `pieces`; the pieces are contiguous and begin at `start`. Returns how many
    /// of these bytes are new.
    #[inline]
    pub(crate) fn take(&mut self, start: u64, length: u64, pieces: &mut Vec<Bytes>) -> u64 {
        // Most segments arrive in order and contain one piece that is taken as a whole
        if start == self.next
            && self.early.is_empty()
            && pieces.len() == 1
            && let Some(whole) = pieces.pop_if(|only| length > 0 && only.len() as u64 == length)
        {
            self.deliver(whole);
            return length;
        }
        self.take_pieces(start, length, pieces)
    }

    fn take_pieces(&mut self, start: u64, length: u64, pieces: &mut Vec<Bytes>) -> u64 {
        let (mut at, mut left, mut new_bytes) = (start, length, 0);
        for mut piece in pieces.drain(..) {
            piece.truncate(left as usize);
            if piece.is_empty() {
                break;
            }
            let length = piece.len() as u64;
            new_bytes += self.insert(at, piece);
            at += length;
            left -= length;
        }
        new_bytes
    }

    /// Inserts bytes that begin at `start`; returns how many of them are new.
    fn insert(&mut self, start: u64, bytes: Bytes) -> u64 {
        if start == self.next && self.early.is_empty() {
            let length = bytes.len() as u64;
            self.deliver(bytes);
            return length;
        }
        self.insert_with_gaps(start, bytes)
    }

    /// Returns the next bytes in order for the application.
    #[inline]
    pub(crate) fn read(&mut self) -> Option<Bytes> {
        let bytes = self.ready.pop_front()?;
        self.ready_bytes -= bytes.len() as u64;
        Some(bytes)
    }

    #[inline]
    fn deliver(&mut self, bytes: Bytes) {
        self.next += bytes.len() as u64;
        self.ready_bytes += bytes.len() as u64;
        self.ready.push_back(bytes);
    }

    fn insert_with_gaps(&mut self, start: u64, bytes: Bytes) -> u64 {
        let before = self.next + self.early_bytes;
        let length = bytes.len() as u64;
        let gap_end = self.early.front().map_or(u64::MAX, |first| first.start);
        let early_end = self.early.back().map_or(self.next, Early::end);
        if start == self.next && start + length <= gap_end {
            self.deliver(bytes);
        } else if start > self.next && start >= early_end {
            self.early_bytes += length;
            self.early.push_back(Early { start, bytes });
        } else {
            self.keep(start, bytes);
        }
        while self.early.front().is_some_and(|early| early.start == self.next) {
            let Some(early) = self.early.pop_front() else { break };
            self.early_bytes -= early.bytes.len() as u64;
            self.deliver(early.bytes);
        }
        self.next + self.early_bytes - before
    }

    /// Stores the new part of `bytes` among the early pieces.
    fn keep(&mut self, start: u64, mut bytes: Bytes) {
        let end = start + bytes.len() as u64;
        let mut at = self.early.partition_point(|early| early.end() <= start);
        let mut from = start.max(self.next);
        bytes = bytes.slice((from.min(end) - start) as usize..);
        while from < end {
            let (gap_end, known_end) =
                self.early.get(at).map_or((end, end), |early| (early.start.min(end), early.end()));
            if from < gap_end {
                let rest = bytes.split_off((gap_end - from) as usize);
                self.early_bytes += bytes.len() as u64;
                self.early.insert(at, Early { start: from, bytes });
                bytes = rest;
                from = gap_end;
                at += 1;
            }
            let skipped = known_end.min(end).saturating_sub(from);
            bytes = bytes.slice(skipped as usize..);
            from += skipped;
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_pieces_in_any_order_become_the_stream(
            pieces in prop::collection::vec((0_usize..200, 1_usize..40), 1..80),
        ) {
            let stream: Vec<u8> = (0..240).map(|at| at as u8).collect();
            let mut assembly = Assembly::default();
            let mut arrived = vec![false; stream.len()];
            let mut read = Vec::new();
            for (start, length) in pieces {
                let bytes = Bytes::copy_from_slice(&stream[start..start + length]);
                let new = arrived[start..start + length].iter().filter(|known| !**known).count();
                arrived[start..start + length].fill(true);
                prop_assert_eq!(assembly.insert(start as u64, bytes), new as u64);
                let next = arrived.iter().position(|known| !known).unwrap_or(stream.len());
                prop_assert_eq!(assembly.next(), next as u64);
                let early = arrived[next..].iter().filter(|known| **known).count();
                prop_assert_eq!(assembly.early_bytes(), early as u64);
                prop_assert_eq!(assembly.ready_bytes() as usize, next - read.len());
                while let Some(bytes) = assembly.read() {
                    read.extend_from_slice(&bytes);
                }
                prop_assert_eq!(&read[..], &stream[..next]);
            }
        }
    }
}
