//! The control messages on stream 0.

use manypath_net::{Association, Message};
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Results};

/// A control message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// The client requests a test.
    Request {
        /// Version of the protocol.
        version: u32,
        /// The test.
        test: Request,
    },
    /// The server begins.
    Ready,
    /// The server refuses the test, with the reason.
    Refused(String),
    /// A sender has sent all data.
    End {
        /// Payload bytes.
        bytes: u64,
    },
    /// A receiver has received all data.
    Arrived,
    /// The counters of a side.
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

    /// The next control message, while no data is expected.
    pub(super) async fn hear(association: &Association) -> Result<Self, Failure> {
        let message = association.receive().await?.ok_or(Failure::Ended)?;
        if message.stream != 0 {
            return Err(Failure::Protocol);
        }
        Self::decode(&message.payload)
    }
}

/// Version of the protocol.
pub(super) const VERSION: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_messages_are_decoded_as_encoded_and_others_are_refused() {
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
