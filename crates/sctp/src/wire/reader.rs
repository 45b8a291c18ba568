//! Decodes chunks, parameters and causes: a cursor over a datagram with bounds checks. RFC 9260 §3.2

use bytes::Bytes;

use super::decode_error::Rule;

/// The unread part of a datagram.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    datagram: &'a Bytes,
    at: usize,
    end: usize,
}

/// A broken rule, and the offset where it is broken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) rule: Rule,
}

/// A chunk with its value.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) value: Reader<'a>,
    /// The chunk with its header, without padding.
    pub(super) whole: Reader<'a>,
}

/// A parameter or an error cause.
#[derive(Debug)]
pub(super) struct Parameter<'a> {
    pub(super) kind: u16,
    pub(super) value: Reader<'a>,
    /// The parameter with its header, without padding.
    pub(super) whole: Reader<'a>,
}

impl<'a> Reader<'a> {
    /// A reader that begins at the common header.
    pub(super) fn new(datagram: &'a Bytes) -> Self {
        Self { datagram, at: 0, end: datagram.len() }
    }

    /// Offset of the next byte from the beginning of the datagram.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Number of unread bytes.
    pub(super) fn left(&self) -> usize {
        self.end - self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// A violation of `rule` at the next byte.
    pub(super) fn fault(&self, rule: Rule) -> Fault {
        Fault { offset: self.at, rule }
    }

    /// Reads an array of bytes; if there are fewer, reads nothing.
    #[inline]
    pub(super) fn take<const N: usize>(&mut self, rule: Rule) -> Result<[u8; N], Fault> {
        let Some(bytes) = self.as_slice().first_chunk::<N>() else { return Err(self.fault(rule)) };
        self.at += N;
        Ok(*bytes)
    }

    /// Reads this number of entries of `N` bytes; if there are fewer, reads nothing.
    pub(super) fn take_all<const N: usize>(
        &mut self,
        count: usize,
        rule: Rule,
    ) -> Result<&'a [[u8; N]], Fault> {
        let Some(bytes) = self.as_slice().get(..count * N) else { return Err(self.fault(rule)) };
        self.at += bytes.len();
        Ok(bytes.as_chunks().0)
    }

    /// Reads a 16-bit number in network byte order.
    #[inline]
    pub(super) fn take_u16(&mut self, rule: Rule) -> Result<u16, Fault> {
        self.take(rule).map(u16::from_be_bytes)
    }

    /// Reads a 32-bit number in network byte order.
    #[inline]
    pub(super) fn take_u32(&mut self, rule: Rule) -> Result<u32, Fault> {
        self.take(rule).map(u32::from_be_bytes)
    }

    /// All unread bytes, borrowed.
    pub(super) fn as_slice(&self) -> &'a [u8] {
        &self.datagram[self.at..self.end]
    }

    /// All unread bytes, as a reference-counted slice of the datagram.
    pub(super) fn to_bytes(&self) -> Bytes {
        self.datagram.slice(self.at..self.end)
    }

    /// Reads the next chunk; `None` at the end of the packet. The last chunk may lack its padding.
    #[inline]
    pub(super) fn chunk(&mut self) -> Result<Option<Chunk<'a>>, Fault> {
        if self.is_empty() {
            return Ok(None);
        }
        let start = self.clone();
        let [kind, flags, high, low] = self.take(Rule::PartialChunk)?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        let whole = start.first(length, Rule::ChunkLength, Rule::PartialChunk)?;
        let value = Reader { at: self.at, ..whole };
        self.at = self.end.min(start.at + length.next_multiple_of(4));
        Ok(Some(Chunk { kind, flags, value, whole }))
    }

    /// Reads the next parameter or error cause; `None` at the end of the chunk.
    ///
    /// Fewer than four remaining bytes are padding: some senders include the padding of the last parameter in the
    /// length of the chunk. RFC 9260 §3.2
    pub(super) fn parameter(&mut self) -> Result<Option<Parameter<'a>>, Fault> {
        if self.left() < HEADER {
            return Ok(None);
        }
        let start = self.clone();
        let kind = self.take_u16(Rule::Parameter)?;
        let length = usize::from(self.take_u16(Rule::Parameter)?);
        let whole = start.first(length, Rule::Parameter, Rule::Parameter)?;
        let value = Reader { at: self.at, ..whole };
        self.at = self.end.min(start.at + length.next_multiple_of(4));
        Ok(Some(Parameter { kind, value, whole }))
    }

    /// The first `length` bytes, including a header of four bytes.
    fn first(&self, length: usize, too_short: Rule, too_long: Rule) -> Result<Self, Fault> {
        match length {
            0..HEADER => Err(self.fault(too_short)),
            _ if length > self.left() => Err(self.fault(too_long)),
            _ => Ok(Self { end: self.at + length, ..*self }),
        }
    }
}

/// Bytes of the header of a chunk or a parameter.
const HEADER: usize = 4;
