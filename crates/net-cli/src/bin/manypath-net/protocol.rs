//! The messages between sender and receiver of a file, each one SCTP message.
//!
//! The sender sends a hello on stream 0 and waits until the receiver is ready. Data follows on all streams, each piece
//! with its offset in the file, and on stream 0 the hash of the file. The receiver answers after it has verified the
//! file. Every ten seconds it reports that it is still busy, because writing and verifying a large file takes long.

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// A message of the protocol.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Word {
    /// The sender offers a file.
    Hello {
        /// Its length in bytes.
        length: u64,
        /// Its name, without folders.
        name: String,
    },
    /// The receiver is ready for the file.
    Ready,
    /// A piece of the file.
    Data {
        /// The offset of the piece in the file.
        offset: u64,
        /// The bytes.
        bytes: Bytes,
    },
    /// The receiver is still working.
    Busy,
    /// The sender has sent everything.
    End {
        /// BLAKE3 hash of the whole file as it was read.
        hash: [u8; 32],
    },
    /// The file is complete, has this hash, and was renamed to its name.
    Verified,
    /// The receiver cannot take the file, or could not complete it.
    Failed(String),
}

impl Word {
    /// Encodes the message.
    pub(crate) fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        match self {
            Self::Hello { length, name } => {
                out.put_u8(HELLO);
                out.put_u8(VERSION);
                out.put_u64(*length);
                out.put_slice(name.as_bytes());
            }
            Self::Ready => out.put_u8(READY),
            Self::Busy => out.put_u8(BUSY),
            Self::Data { offset, bytes } => {
                out.put_u8(DATA);
                out.put_u64(*offset);
                out.put_slice(bytes);
            }
            Self::End { hash } => {
                out.put_u8(END);
                out.put_slice(hash);
            }
            Self::Verified => out.put_u8(VERIFIED),
            Self::Failed(text) => {
                out.put_u8(FAILED);
                out.put_slice(text.as_bytes());
            }
        }
        out.freeze()
    }

    /// Decodes a message; `None` if it does not belong to this protocol.
    pub(crate) fn decode(mut message: Bytes) -> Option<Self> {
        let text = |bytes: Bytes| String::from_utf8(bytes.into()).ok();
        Some(match message.try_get_u8().ok()? {
            HELLO if message.try_get_u8().ok()? == VERSION => {
                Self::Hello { length: message.try_get_u64().ok()?, name: text(message)? }
            }
            READY => Self::Ready,
            BUSY => Self::Busy,
            DATA => Self::Data { offset: message.try_get_u64().ok()?, bytes: message },
            END => Self::End { hash: message.as_ref().try_into().ok()? },
            VERIFIED => Self::Verified,
            FAILED => Self::Failed(text(message)?),
            _ => return None,
        })
    }
}

/// The header of a piece; the file can be read into the bytes after it.
pub(crate) fn data_header(offset: u64) -> [u8; DATA_HEADER] {
    let mut header = [DATA; DATA_HEADER];
    header[1..].copy_from_slice(&offset.to_be_bytes());
    header
}

/// Bytes of the header of each piece.
pub(crate) const DATA_HEADER: usize = 9;

/// In version 2 the receiver reports that it is busy.
const VERSION: u8 = 2;
const HELLO: u8 = b'H';
const READY: u8 = b'R';
const BUSY: u8 = b'B';
const DATA: u8 = b'D';
const END: u8 = b'E';
const VERIFIED: u8 = b'V';
const FAILED: u8 = b'F';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_decoded_unchanged() {
        let words = [
            Word::Hello { length: 7 << 40, name: "löwe.txt".to_owned() },
            Word::Ready,
            Word::Busy,
            Word::Data { offset: 1 << 33, bytes: Bytes::from_static(b"abc") },
            Word::Data { offset: 0, bytes: Bytes::new() },
            Word::End { hash: [9; 32] },
            Word::Verified,
            Word::Failed("no space".to_owned()),
        ];
        for word in words {
            assert_eq!(Word::decode(word.encode()), Some(word));
        }
    }

    #[test]
    fn a_piece_begins_with_its_header() {
        let word = Word::Data { offset: 77, bytes: Bytes::from_static(b"abc") };
        assert_eq!(word.encode()[..DATA_HEADER], data_header(77));
    }

    #[test]
    fn other_messages_are_refused() {
        for message in ["", "X", "H", "H\u{1}........name", "D123", "Eshort"] {
            assert_eq!(Word::decode(Bytes::from_static(message.as_bytes())), None, "{message:?}");
        }
        assert_eq!(Word::decode(Bytes::from_static(b"F\xff\xfe")), None);
    }
}
