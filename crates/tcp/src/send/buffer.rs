//! The bytes that the application wrote, by their offset in the stream, until they have arrived.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::event::WriteError;

/// The application's writes in order, each with the offset of its first byte.
#[derive(Debug)]
pub(crate) struct SendBuffer {
    pieces: VecDeque<Piece>,
    /// Everything below has arrived. Its bytes may be kept for a subflow whose own copy is not acknowledged yet.
    start: u64,
    /// The offset of the next write.
    end: u64,
    /// The offset of new data: everything below was sent at least once.
    next: u64,
    capacity: u64,
    /// The piece in which the last copy ended. The next copy usually begins there.
    hint: usize,
    /// The length of the last write.
    written: u64,
}

#[derive(Debug)]
struct Piece {
    start: u64,
    bytes: Bytes,
}

impl SendBuffer {
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity as u64;
        Self { pieces: VecDeque::new(), start: 0, end: 0, next: 0, capacity, hint: 0, written: 0 }
    }

    /// Takes all of `bytes` or nothing.
    pub(crate) fn push(&mut self, bytes: Bytes) -> Result<(), WriteError> {
        let length = bytes.len() as u64;
        if length > self.capacity {
            return Err(WriteError::TooLarge);
        }
        if length > self.space() {
            return Err(WriteError::BufferFull);
        }
        if length > 0 {
            self.pieces.push_back(Piece { start: self.end, bytes });
            self.end += length;
            self.written = length;
        }
        Ok(())
    }

    /// Whether the buffer contains no bytes, neither new nor outstanding.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Number of free bytes.
    #[inline]
    pub(crate) fn space(&self) -> u64 {
        self.capacity - (self.end - self.start)
    }

    /// Whether there is no room for a segment of `least` bytes, or for another write of the last length.
    #[inline]
    pub(crate) fn lacks_room(&self, least: u64) -> bool {
        self.space() < least.max(self.written)
    }

    /// The offset of new data.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// The offset of the next write.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Number of bytes that were never sent.
    #[inline]
    pub(crate) fn unsent(&self) -> u64 {
        self.end - self.next
    }

    /// Records that everything below `end` was sent at least once.
    #[inline]
    pub(crate) fn reach(&mut self, end: u64) {
        debug_assert!(end <= self.end);
        self.next = self.next.max(end);
    }

    /// Frees everything below `offset`, which has arrived; returns whether any of it is newly freed.
    #[inline]
    pub(crate) fn release(&mut self, offset: u64) -> bool {
        if offset <= self.start {
            return false;
        }
        debug_assert!(offset <= self.next);
        self.start = offset;
        true
    }

    /// Discards the bytes below `offset`, which are not copied again.
    #[inline]
    pub(crate) fn discard(&mut self, offset: u64) {
        while let Some(piece) = self.pieces.front() {
            if piece.start + piece.bytes.len() as u64 > offset {
                break;
            }
            self.pieces.pop_front();
            self.hint = self.hint.saturating_sub(1);
        }
    }

    /// Appends `length` bytes from `offset` to `out`. The memory is shared, not copied.
    #[inline]
    pub(crate) fn copy(&mut self, offset: u64, length: u64, out: &mut Vec<Bytes>) {
        if length == 0 {
            return;
        }
        debug_assert!(self.pieces[0].start <= offset && offset + length <= self.end);
        // In most cases a segment contains one write
        if let Some(next) = self.pieces.get(self.hint)
            && next.start == offset
            && next.bytes.len() as u64 == length
        {
            out.push(next.bytes.clone());
            self.hint += 1;
            return;
        }
        self.copy_pieces(offset, length, out);
    }

    fn copy_pieces(&mut self, offset: u64, length: u64, out: &mut Vec<Bytes>) {
        let mut index = self.find(offset);
        let (mut from, mut left) = (offset - self.pieces[index].start, length);
        loop {
            let bytes = &self.pieces[index].bytes;
            let available = bytes.len() as u64 - from;
            if left < available {
                out.push(bytes.slice(from as usize..(from + left) as usize));
                break;
            }
            out.push(if from == 0 { bytes.clone() } else { bytes.slice(from as usize..) });
            index += 1;
            left -= available;
            from = 0;
            if left == 0 {
                break;
            }
        }
        self.hint = index;
    }

    /// The index of the piece that contains `offset`.
    fn find(&self, offset: u64) -> usize {
        let holds = |piece: &Piece| {
            piece.start <= offset && offset - piece.start < piece.bytes.len() as u64
        };
        if self.pieces.get(self.hint).is_some_and(holds) {
            return self.hint;
        }
        self.pieces.partition_point(|piece| piece.start <= offset) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(buffer: &mut SendBuffer, offset: u64, length: u64) -> String {
        let mut out = Vec::new();
        buffer.copy(offset, length, &mut out);
        String::from_utf8(out.concat()).unwrap()
    }

    #[test]
    fn a_copy_crosses_the_boundaries_of_writes() {
        let mut buffer = SendBuffer::new(20);
        for word in ["one", "two", "three"] {
            buffer.push(Bytes::from_static(word.as_bytes())).unwrap();
        }
        buffer.reach(5);
        assert_eq!((buffer.next(), buffer.unsent()), (5, 6));
        assert_eq!(text(&mut buffer, 0, 5), "onetw");
        assert_eq!(text(&mut buffer, 5, 6), "othree");
        assert_eq!(text(&mut buffer, 1, 4), "netw");
        assert!(buffer.release(4) && !buffer.release(3));
        assert_eq!(text(&mut buffer, 4, 2), "wo");
        assert_eq!((buffer.space(), buffer.unsent()), (13, 6));
    }

    #[test]
    fn a_write_is_accepted_completely_or_refused() {
        let mut buffer = SendBuffer::new(8);
        assert_eq!(buffer.push(Bytes::from_static(b"123456789")), Err(WriteError::TooLarge));
        buffer.push(Bytes::from_static(b"12345")).unwrap();
        assert_eq!(buffer.push(Bytes::from_static(b"6789")), Err(WriteError::BufferFull));
        assert_eq!((buffer.space(), buffer.unsent()), (3, 5));
    }
}
