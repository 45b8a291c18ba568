//! Queries about sent packets: their DATA and their SACKs.

use manypath_core::{Span, Time};
use manypath_sctp::{Message, Sack};

use super::{FIRST, Pair, Sent, Side};

impl Pair {
    /// Sends `count` unordered messages of this length.
    pub(crate) fn send_many(&mut self, side: Side, count: usize, bytes: usize) {
        self.send_all(side, (0..count).map(|_| super::message(bytes)));
    }

    /// Sends up to `most` unordered messages of this length while there is room; returns their number.
    pub(crate) fn offer(&mut self, side: Side, most: usize, bytes: usize) -> usize {
        self.act(side, |endpoint, now| {
            let taken = |_: &usize| endpoint.send(now, FIRST, super::message(bytes)).is_ok();
            (0..most).take_while(taken).count()
        })
    }

    /// Reads one message, if there is one.
    pub(crate) fn read_one(&mut self, side: Side) -> Option<Message> {
        self.act(side, |endpoint, now| endpoint.receive(now, FIRST))
    }

    /// Sends all messages at once.
    pub(crate) fn send_all(&mut self, side: Side, messages: impl IntoIterator<Item = Message>) {
        self.act(side, |endpoint, now| {
            for message in messages {
                endpoint.send(now, FIRST, message).expect("there is room");
            }
        });
    }

    /// Packets of `side` with DATA.
    pub(crate) fn data_packets(&self, side: Side) -> impl Iterator<Item = &Sent> {
        self.network.log.iter().filter(move |sent| sent.from == side && sent.has_data())
    }

    /// SACKs of `side` with the times at which they were sent.
    pub(crate) fn sacks(&self, side: Side) -> impl Iterator<Item = (Time, &Sack)> {
        let sent = self.network.log.iter().filter(move |sent| sent.from == side);
        sent.filter_map(|sent| Some((sent.at, sent.sack.as_ref()?)))
    }

    /// Times and numbers of the retransmitted chunks of `side`; chunks are numbered from 1 at the begin of the log.
    pub(crate) fn retransmissions(&self, side: Side) -> Vec<(Time, u32)> {
        let mut seen = std::collections::BTreeSet::new();
        let first = self.data_packets(side).next().map_or(0, |sent| sent.data[0].tsn.0);
        let mut again = Vec::new();
        for sent in self.data_packets(side) {
            for chunk in &sent.data {
                if !seen.insert(chunk.tsn.0) {
                    again.push((sent.at, chunk.tsn.0.wrapping_sub(first) + 1));
                }
            }
        }
        again
    }

    /// Continues and lets `side` read all data that arrives, until it has `bytes` payload bytes; returns the time that
    /// it took.
    pub(crate) fn drive_until_read(&mut self, side: Side, bytes: usize) -> Span {
        let mut read = 0;
        let elapsed = self.drive_until(|pair| {
            read += pair.read(side);
            read >= bytes
        });
        assert_eq!(read, bytes, "more data arrived than was sent");
        elapsed
    }
}
