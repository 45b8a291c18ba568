//! The control chunks that wait for a packet. RFC 9260 §6.10

use std::collections::VecDeque;

use manypath_core::PathId;

use super::paths::Paths;
use crate::packet::{Control, Packet, padded};

/// The control chunks that wait for a packet, each with its path.
#[derive(Debug, Default)]
pub(super) struct Outbox(VecDeque<(PathId, Control)>);

impl Outbox {
    pub(super) fn push(&mut self, path: PathId, chunk: Control) {
        self.0.push_back((path, chunk));
    }

    /// Queues an answer to a chunk of the peer. The queue is limited, so that a peer cannot fill the memory while a
    /// socket blocks. Answers beyond the limit are dropped, like packets that are lost in the network.
    pub(super) fn answer(&mut self, path: PathId, chunk: Control) {
        if self.0.len() < MOST_ANSWERS {
            self.push(path, chunk);
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the chunks whose path passes the test, which may change its number.
    pub(super) fn retain_paths(&mut self, mut test: impl FnMut(&mut PathId) -> bool) {
        self.0.retain_mut(|(path, _)| test(path));
    }

    /// Moves the first chunk into a packet, with chunks of the same path that fit and may be bundled; returns the path
    /// and the bytes of the chunks. A HEARTBEAT with its padding is a probe of the packet size, and stays alone.
    pub(super) fn fill(&mut self, packet: &mut Packet, paths: &Paths) -> Option<(PathId, usize)> {
        let (path, chunk) = self.0.pop_front()?;
        let mut used = padded(chunk.length());
        let is_alone = chunk.must_be_alone();
        packet.control.push(chunk);
        if self.has_padding(0) {
            packet.control.extend(self.0.pop_front().map(|(_, padding)| padding));
            return Some((path, used));
        }
        let room = paths[path].network.room();
        while !is_alone
            && !self.has_padding(1)
            && let Some((next_path, next)) = self.0.front()
            && *next_path == path
            && used + padded(next.length()) <= room
            && !next.must_be_alone()
        {
            used += padded(next.length());
            packet.control.extend(self.0.pop_front().map(|(_, next)| next));
        }
        Some((path, used))
    }

    fn has_padding(&self, index: usize) -> bool {
        matches!(self.0.get(index), Some((_, Control::Padding(_))))
    }
}

/// Number of waiting chunks beyond which chunks of the peer are not answered.
const MOST_ANSWERS: usize = 64;
