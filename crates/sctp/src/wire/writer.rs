//! Puts chunks, parameters and causes one behind the other, with their lengths and their padding. RFC 9260 §3.2

use bytes::BufMut;

/// Appends a packet to a buffer that may hold something else already.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Where the packet begins.
    start: usize,
}

impl<'a> Writer<'a> {
    /// The packet begins at the end of `out`.
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    /// A chunk, padded; its length counts the padding between its parameters and not that behind it.
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

    /// A chunk that is complete with its header, padded.
    pub(super) fn whole(&mut self, chunk: &[u8]) {
        self.put(chunk);
        self.pad();
    }

    /// A parameter or an error cause; what stands before it is padded. RFC 9260 §3.2.1, §3.3.10
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

    /// These bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    /// So many zeros.
    pub(super) fn fill(&mut self, zeros: usize) {
        self.out.resize(self.out.len() + zeros, 0);
    }

    /// Two bytes, the most significant first.
    pub(super) fn put_u16(&mut self, value: u16) {
        self.out.put_u16(value);
    }

    /// Four bytes, the most significant first.
    pub(super) fn put_u32(&mut self, value: u32) {
        self.out.put_u32(value);
    }

    /// Everything written since the packet began.
    pub(super) fn packet(&mut self) -> &mut [u8] {
        &mut self.out[self.start..]
    }

    /// Zeros up to a multiple of four.
    fn pad(&mut self) {
        let length = self.packet().len();
        self.out.resize(self.start + length.next_multiple_of(4), 0);
    }

    /// The part that began at `start` ends here: its length goes into its third and fourth byte.
    fn set_length(&mut self, start: usize) {
        let length = u16::try_from(self.out.len() - start).expect("a packet of less than 64 KiB");
        self.out[start + 2..start + 4].copy_from_slice(&length.to_be_bytes());
    }
}
