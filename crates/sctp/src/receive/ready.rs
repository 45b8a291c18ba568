//! Messages that the application may read.

use std::collections::VecDeque;

use super::reassembly::Whole;
use crate::event::Message;

/// Complete messages whose turn has come, in the order in which the application gets them.
#[derive(Debug, Default)]
pub(super) struct Ready {
    messages: VecDeque<Message>,
    /// Payload bytes of all of them.
    bytes: usize,
}

impl Ready {
    pub(super) fn push(&mut self, whole: Whole) {
        self.bytes += whole.message.payload.len();
        self.messages.push_back(whole.message);
    }

    pub(super) fn pop(&mut self) -> Option<Message> {
        let message = self.messages.pop_front()?;
        self.bytes -= message.payload.len();
        Some(message)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Payload bytes that wait for nothing but the application.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
