//! The ledger of a flow: it records every message and removes those that arrived.

mod messages;
mod stream;

use thiserror::Error;

use self::messages::MessageLedger;
use self::stream::StreamLedger;
use super::messages::Messages;
use crate::endpoint::Incoming;

/// The messages of a flow that have arrived.
///
/// The sink owns it. The messages of the source follow from the seed, so the two ends need no connection except the one
/// under test.
#[derive(Debug)]
pub(crate) enum Ledger {
    /// For protocols that deliver messages.
    Messages(MessageLedger),
    /// For protocols that deliver a stream of bytes.
    Stream(StreamLedger),
}

/// A message that did not arrive as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    /// A message arrived that the source cannot have sent.
    #[error("message {number} was never sent")]
    NeverSent {
        /// Its number, as far as known.
        number: u64,
    },
    /// A message arrived a second time.
    #[error("message {number} was delivered twice")]
    Doubled {
        /// Its number.
        number: u64,
    },
    /// A message arrived with other bytes than it was sent with.
    #[error("message {number} was altered: {sent} bytes sent, {delivered} delivered")]
    Altered {
        /// Its number.
        number: u64,
        /// Bytes that were sent.
        sent: u32,
        /// Bytes that arrived.
        delivered: usize,
    },
    /// A byte of a message arrived altered.
    #[error("message {number} was altered at byte {offset}")]
    Garbled {
        /// Number of the message.
        number: u64,
        /// Offset of the first byte that may be wrong.
        offset: u32,
    },
    /// A message of an ordered stream arrived before its turn, or on another stream.
    #[error("message {number} was delivered on stream {stream} in the place of {expected}")]
    OutOfOrder {
        /// Its number.
        number: u64,
        /// The stream that delivered it.
        stream: u16,
        /// The number of the message that was expected on that stream.
        expected: u64,
    },
    /// Messages do not arrive although nothing delays them.
    #[error("{undelivered} messages are stuck although every link works")]
    Stuck {
        /// Messages that were sent and did not arrive.
        undelivered: u64,
    },
    /// Bytes were sent that neither arrived nor are still in the buffers.
    #[error(
        "{missing} bytes are missing: {sent} sent, {delivered} delivered, {inside} in the buffers"
    )]
    Lost {
        /// Number of these bytes.
        missing: u64,
        /// Bytes that the source handed over.
        sent: u64,
        /// Bytes that the sink received.
        delivered: u64,
        /// Bytes that the buffers still hold.
        inside: u64,
    },
}

impl Ledger {
    /// A ledger of `messages`, delivered in order on `streams` streams if `ordered`.
    pub(crate) fn of_messages(messages: Messages, ordered: bool, streams: u16) -> Self {
        Self::Messages(MessageLedger::new(messages, ordered, streams))
    }

    /// A ledger of `messages` that follow each other in a stream of bytes.
    pub(crate) fn of_stream(messages: Messages) -> Self {
        Self::Stream(StreamLedger::new(messages))
    }

    /// Messages that arrived.
    pub(crate) fn delivered(&self) -> u64 {
        match self {
            Self::Messages(ledger) => ledger.delivered(),
            Self::Stream(ledger) => ledger.delivered(),
        }
    }

    /// Number of the first message that has not arrived.
    pub(crate) fn first_open(&self) -> u64 {
        match self {
            Self::Messages(ledger) => ledger.first_open(),
            // A stream has no gaps.
            Self::Stream(ledger) => ledger.delivered(),
        }
    }

    /// Bytes that arrived.
    pub(crate) fn delivered_bytes(&self) -> u64 {
        match self {
            Self::Messages(ledger) => ledger.delivered_bytes(),
            Self::Stream(ledger) => ledger.delivered_bytes(),
        }
    }

    /// Records received data. `completed` is called for each message that is complete with it: with its number, and
    /// with the number of the first message that is not complete.
    #[inline]
    pub(crate) fn deliver(
        &mut self,
        incoming: &Incoming,
        mut completed: impl FnMut(u64, u64),
    ) -> Result<(), Violation> {
        match (self, incoming) {
            (Self::Messages(ledger), Incoming::Message(message)) => {
                let number = ledger.deliver(message)?;
                completed(number, ledger.first_open());
                Ok(())
            }
            (Self::Stream(ledger), Incoming::Bytes(bytes)) => ledger.deliver(bytes, completed),
            (Self::Messages(_), Incoming::Bytes(_)) | (Self::Stream(_), Incoming::Message(_)) => {
                unreachable!("the ledger of a flow is that of its protocol")
            }
        }
    }

    /// Compares the totals with those of the source and with what the buffers still hold, in messages and bytes.
    pub(crate) fn settle(&self, sent: u64, sent_bytes: u64, inside: u64) -> Result<(), Violation> {
        let delivered = self.delivered_bytes();
        match self {
            Self::Messages(ledger) => ledger.check_sent(sent)?,
            Self::Stream(ledger) => ledger.check_sent(sent_bytes)?,
        }
        let missing = sent_bytes.saturating_sub(delivered).saturating_sub(inside);
        if missing > 0 {
            return Err(Violation::Lost { missing, sent: sent_bytes, delivered, inside });
        }
        Ok(())
    }
}
