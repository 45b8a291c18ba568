//! Encodes chunks, parameters and causes with their lengths and padding. RFC 9260 §3.2

use bytes::BufMut;

/// Appends a packet to a buffer, which may contain earlier data.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Offset of the packet in the buffer.
    start: usize,
}

impl<'a> Writer<'a> {
    /// A writer for a packet that begins at the end of `out`.
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    /// Writes a chunk with padding. Its length includes the padding between its parameters, but not the padding at its
    /// end.
    ///
    /// ```text
    /// ┌────────┬────────┬─────────────────┐
    /// │ type   │ flags  │ length          │
    /// ├────────┴────────┴─────────────────┤
    /// │ value                             │
    /// └───────────────────────────────────┘
    /// ```
    pub(super) fn chunk(&mut self, kind: u8, flags: u8, value: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        self.put(&[kind, flags, 0, 0]);
        value(self);
        self.set_length(start);
        self.pad();
    }

    /// Writes a chunk that already has its header, and pads it.
    pub(super) fn whole(&mut self, chunk: &[u8]) {
        self.put(chunk);
        self.pad();
    }

    /// Pads the preceding bytes and writes a parameter or an error cause. RFC 9260 §3.2.1, §3.3.10
    ///
    /// ```text
    /// ┌─────────────────┬─────────────────┐
    /// │ type            │ length          │
    /// ├─────────────────┴─────────────────┤
    /// │ value                             │
    /// └───────────────────────────────────┘
    /// ```
    pub(super) fn parameter(&mut self, kind: u16, value: impl FnOnce(&mut Self)) {
        self.pad();
        let start = self.out.len();
        self.put_u16(kind);
        self.put_u16(0);
        value(self);
        self.set_length(start);
    }

    /// Writes bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    /// Writes this number of zeros.
    pub(super) fn fill(&mut self, zeros: usize) {
        self.out.resize(self.out.len() + zeros, 0);
    }

    /// Writes a 16-bit number in network byte order.
    pub(super) fn put_u16(&mut self, value: u16) {
        self.out.put_u16(value);
    }

    /// Writes a 32-bit number in network byte order.
    pub(super) fn put_u32(&mut self, value: u32) {
        self.out.put_u32(value);
    }

    /// The bytes of the packet so far.
    pub(super) fn packet(&mut self) -> &mut [u8] {
        &mut self.out[self.start..]
    }

    /// Writes zeros up to a multiple of four bytes.
    fn pad(&mut self) {
        let length = self.packet().len();
        self.out.resize(self.start + length.next_multiple_of(4), 0);
    }

    /// Writes the length of the part that began at `start` into its third and fourth byte.
    fn set_length(&mut self, start: usize) {
        let length = u16::try_from(self.out.len() - start).expect("a packet of less than 64 KiB");
        self.out[start + 2..start + 4].copy_from_slice(&length.to_be_bytes());
    }
}
