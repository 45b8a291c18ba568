//! What both sides say to each other on stream 0.

use serde::{Deserialize, Serialize};

use super::{Failure, Request, Results};
use crate::{Association, Message};

/// A word of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// The client wants a test.
    Request {
        /// Version of the protocol.
        version: u32,
        /// The test.
        test: Request,
    },
    /// The server begins.
    Ready,
    /// The server does not do the test, and why.
    Refused(String),
    /// A sender has handed over everything.
    End {
        /// Payload bytes.
        bytes: u64,
    },
    /// A receiver has everything.
    Arrived,
    /// What the side has counted.
    Results(Box<Results>),
}

impl Word {
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Failure> {
        serde_json::from_slice(bytes).map_err(|_| Failure::Protocol)
    }

    pub(super) async fn say(&self, association: &Association) -> Result<(), Failure> {
        let text = serde_json::to_vec(self).map_err(|_| Failure::Protocol)?;
        Ok(association.send(Message::new(text)).await?)
    }

    /// The next word, while no data are expected.
    pub(super) async fn hear(association: &Association) -> Result<Self, Failure> {
        let message = association.receive().await?.ok_or(Failure::Ended)?;
        if message.stream != 0 {
            return Err(Failure::Protocol);
        }
        Self::decode(&message.payload)
    }
}

/// Version of the protocol.
pub(super) const VERSION: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_and_others_are_refused() {
        for word in [Word::Ready, Word::Refused("busy".to_owned()), Word::End { bytes: 1 << 50 }] {
            let text = serde_json::to_vec(&word).expect("JSON");
            assert_eq!(Word::decode(&text).expect("a word"), word);
        }
        for text in ["", "x", "{}", "[]", "\"sesame\"", "{\"end\":{}}", "{\"end\":{\"bytes\":-1}}"]
        {
            assert!(matches!(Word::decode(text.as_bytes()), Err(Failure::Protocol)), "{text}");
        }
    }
}
