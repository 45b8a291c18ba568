//! Data that the sides write and read: each side has its own pattern, so that every byte shows its position.

use bytes::Bytes;

use super::{A, FIRST, Side, Stage, Z};

impl<const MULTIPATH: bool> Stage<MULTIPATH> {
    /// Writes this many bytes of the side's pattern.
    pub(crate) fn write(&mut self, side: Side, bytes: usize) {
        assert_eq!(self.write_what_fits(side, bytes), bytes, "{side:?} takes all of it");
    }

    /// Writes up to this many bytes, as far as there is room; returns how many, which is 0 if the side accepts none.
    pub(crate) fn write_what_fits(&mut self, side: Side, bytes: usize) -> usize {
        let from = self.written[side as usize];
        let bytes = bytes.min(self.endpoint(side).write_space(FIRST));
        let payload = pattern(side, from, bytes);
        if self.act(side, |endpoint, now| endpoint.write(now, FIRST, payload)).is_err() {
            return 0;
        }
        self.written[side as usize] += bytes as u64;
        bytes
    }

    /// Reads all available data and compares it with the pattern; returns the number of bytes.
    pub(crate) fn read(&mut self, side: Side) -> usize {
        self.read_at_most(side, usize::MAX)
    }

    /// Reads at most this many pieces.
    pub(crate) fn read_at_most(&mut self, side: Side, most: usize) -> usize {
        let pieces: Vec<Bytes> = self.act(side, |endpoint, now| {
            std::iter::from_fn(|| endpoint.read(now, FIRST)).take(most).collect()
        });
        let bytes = pieces.concat();
        let from = self.read[side as usize];
        assert!(bytes == pattern(side.other(), from, bytes.len()), "wrong bytes from {from} on");
        self.read[side as usize] += bytes.len() as u64;
        bytes.len()
    }

    /// Bytes that `side` has written, and how many of them the other side has read.
    pub(crate) fn written_and_read(&self, side: Side) -> (u64, u64) {
        (self.written[side as usize], self.read[side.other() as usize])
    }

    /// These numbers for both sides, for the message of an assertion.
    pub(super) fn account(&self) -> String {
        let [(a, a_read), (z, z_read)] = [A, Z].map(|side| self.written_and_read(side));
        format!(": {a_read} of {a} bytes of A and {z_read} of {z} bytes of Z have been read")
    }
}

/// The bytes of a side's stream: a shift by up to 64 kB is visible in them.
pub(crate) fn pattern(side: Side, from: u64, bytes: usize) -> Bytes {
    let byte = |at: u64| (at ^ at >> 8 ^ at >> 16) as u8 ^ side as u8;
    (from..from + bytes as u64).map(byte).collect()
}
