//! The messages of a flow: number and length follow from the seed, so both ends can compute them.

use manypath_core::{Random, Streams};

use crate::scenario::MessageSize;

/// The messages of one flow in the order in which the source sends them.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    random: Random,
    size: MessageSize,
}

impl Messages {
    /// The messages of the flow called `flow`; each call gives the same sequence.
    pub(crate) fn new(size: MessageSize, streams: &Streams, flow: &str) -> Self {
        Self { random: streams.stream(&format!("flow/{flow}/messages")), size }
    }

    /// Bytes of the next message.
    #[inline]
    pub(crate) fn next_length(&mut self) -> u32 {
        if self.size.min == self.size.max {
            return self.size.min;
        }
        self.random.between(self.size.min.into(), self.size.max.into()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_know_the_lengths() {
        let (streams, size) = (Streams::new(7, 3), MessageSize { min: 500, max: 1452 });
        let lengths =
            |mut messages: Messages| std::iter::repeat_with(move || messages.next_length());
        let source = lengths(Messages::new(size, &streams, "cmt"));
        let sink = lengths(Messages::new(size, &streams, "cmt"));
        assert!(
            source
                .zip(sink)
                .take(1000)
                .all(|(sent, known)| sent == known && (500..=1452).contains(&sent))
        );
    }
}
