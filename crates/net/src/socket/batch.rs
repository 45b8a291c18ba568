//! Encoded packets that wait for one socket. Packets of equal size to one destination are sent by one call.

use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::task::Poll;

use manypath_core::{Encode, Via};
use manypath_sctp::Packet;
use nix::libc::{EHOSTUNREACH, ENETUNREACH, ENOBUFS};

/// The waiting packets of one socket, in order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    runs: Vec<Waiting>,
    /// Number of runs that have been sent.
    sent: usize,
}

/// The result of passing packets to a socket.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Sent {
    /// Packets that the system refused.
    pub(crate) lost: usize,
    /// The system reported an error, possibly of an earlier packet; the error queue has the details.
    pub(crate) had_errors: bool,
    /// Packets of the run that still wait, because the socket blocks or the queue of the interface is full.
    pub(crate) left: usize,
    /// The queue of the interface is full: waiting packets must not be tried again at once.
    pub(crate) is_full: bool,
    /// This machine has no route to the destination.
    pub(crate) has_no_way: bool,
}

impl Sent {
    /// The result before the first of `count` packets is passed to the system.
    pub(super) fn none_of(count: usize) -> Self {
        Self { left: count, ..Self::default() }
    }

    /// Records the result of the next packet: it was sent, or the system refused it. Errors of earlier packets must be
    /// filtered out before.
    pub(super) fn note(&mut self, sent: Result<(), io::Error>) {
        self.left -= 1;
        let Err(error) = sent else { return };
        self.lost += 1;
        self.is_full = is_full(&error);
        self.had_errors |= !self.is_full;
        let code = error.raw_os_error();
        self.has_no_way |= matches!(code, Some(ENETUNREACH | EHOSTUNREACH));
    }
}

/// Whether the queue of the interface was full.
pub(super) fn is_full(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ENOBUFS)
}

/// Consecutive packets of equal size from one endpoint to one destination; the last one may be shorter.
#[derive(Debug)]
struct Waiting {
    to: SocketAddr,
    /// SCTP port of the sender.
    port: u16,
    bytes: Range<usize>,
    segment: usize,
    count: usize,
    may_fragment: bool,
}

/// A run for the socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    /// The destination.
    pub(crate) to: SocketAddr,
    /// SCTP port of the sender.
    pub(crate) port: u16,
    /// The packets without gaps.
    pub(crate) bytes: &'a [u8],
    /// Bytes of each packet except the last.
    pub(crate) segment: usize,
    /// IP may fragment them. RFC 9260 §6.9
    pub(crate) may_fragment: bool,
}

impl Run<'_> {
    /// Number of packets.
    pub(super) fn count(&self) -> usize {
        self.bytes.len().div_ceil(self.segment.max(1))
    }
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.sent == self.runs.len()
    }

    /// Waiting bytes.
    pub(crate) fn waiting(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a packet for a socket that sends up to `most` packets per call, and returns its bytes. If the socket blocks
    /// and too many bytes wait, the packet is dropped, as by a full queue, and the result is `None`.
    pub(crate) fn push(
        &mut self,
        to: SocketAddr,
        via: Via,
        packet: &Packet,
        most: usize,
    ) -> Option<&[u8]> {
        if self.bytes.len() > MOST_BYTES {
            return None;
        }
        let start = self.bytes.len();
        packet.encode(via, &(), &mut self.bytes);
        let bytes = start..self.bytes.len();
        let (port, may_fragment) = (packet.source_port, packet.may_fragment);
        let new = Waiting { to, port, segment: bytes.len(), bytes, count: 1, may_fragment };
        let last = self.runs.get_mut(self.sent..).and_then(<[_]>::last_mut);
        if let Some(run) = last.filter(|run| run.admits(&new, most)) {
            run.bytes.end = new.bytes.end;
            run.count += 1;
        } else {
            self.runs.push(new);
        }
        Some(&self.bytes[start..])
    }

    /// Passes runs to `send` until it is pending or the queue is full; returns the sum of the results.
    pub(crate) fn flush(&mut self, mut send: impl FnMut(Run<'_>) -> Poll<Sent>) -> Sent {
        let mut total = Sent::default();
        for run in &mut self.runs[self.sent..] {
            let Waiting { to, port, segment, may_fragment, .. } = *run;
            let bytes = &self.bytes[run.bytes.clone()];
            let Poll::Ready(sent) = send(Run { to, port, bytes, segment, may_fragment }) else {
                self.drop_sent();
                return total;
            };
            total.lost += sent.lost;
            total.had_errors |= sent.had_errors;
            total.is_full |= sent.is_full;
            if sent.left > 0 {
                run.bytes.start += (run.count - sent.left) * segment;
                run.count = sent.left;
            } else {
                self.sent += 1;
            }
            if sent.left > 0 || sent.is_full {
                self.drop_sent();
                return total;
            }
        }
        self.runs.clear();
        self.bytes.clear();
        self.sent = 0;
        total
    }

    /// Frees the memory of sent runs before the first waiting one.
    #[cold]
    fn drop_sent(&mut self) {
        let start = self.runs.get(self.sent).map_or(self.bytes.len(), |run| run.bytes.start);
        self.runs.drain(..self.sent);
        self.bytes.drain(..start);
        for run in &mut self.runs {
            run.bytes = run.bytes.start - start..run.bytes.end - start;
        }
        self.sent = 0;
    }
}

impl Waiting {
    /// Whether the packet of another run can be added to this one.
    #[inline]
    fn admits(&self, new: &Self, most: usize) -> bool {
        let is_full = self.count >= most || self.bytes.len() + new.segment > MOST_RUN;
        let ends_short = self.bytes.len() != self.count * self.segment;
        let is_alone = self.may_fragment || new.may_fragment;
        let is_alike = self.to == new.to && self.port == new.port && new.segment <= self.segment;
        !is_full && !ends_short && !is_alone && is_alike
    }
}

/// Largest number of waiting bytes of a blocked socket: about a quarter of a second at 30 Mbit/s.
const MOST_BYTES: usize = 1 << 20;
/// Largest size of a run, in bytes: the kernel handles it as one datagram before segmentation.
const MOST_RUN: usize = 65_000;

#[cfg(test)]
mod tests {
    use manypath_sctp::Control;

    use super::*;

    /// A packet of 16 bytes, or an ABORT with a reason of this length.
    fn packet(reason: usize) -> Packet {
        let reason = vec![0; reason].into();
        let cause = manypath_sctp::Cause::UserInitiated(reason);
        let abort = Control::Abort { reflected: false, causes: vec![cause] };
        Packet { control: vec![abort], ..Packet::default() }
    }

    fn runs(batch: &mut Batch) -> Vec<(u16, usize, usize)> {
        let mut runs = Vec::new();
        let sent = batch.flush(|run| {
            runs.push((run.to.port(), run.bytes.len(), run.segment));
            Poll::Ready(Sent::default())
        });
        assert_eq!(sent, Sent::default());
        runs
    }

    fn to(port: u16) -> SocketAddr {
        ([127, 0, 0, 1], port).into()
    }

    #[test]
    fn packets_of_equal_size_are_one_run_and_a_shorter_one_ends_it() {
        let mut batch = Batch::default();
        for length in [100, 100, 100, 40, 100, 200] {
            assert!(batch.push(to(1), Via::default(), &packet(length), 4).is_some());
        }
        assert!(batch.push(to(2), Via::default(), &packet(200), 4).is_some());
        let head = 12 + 4 + 4;
        let expected = [
            (1, 4 * head + 340, head + 100),
            (1, head + 100, head + 100),
            (1, head + 200, head + 200),
            (2, head + 200, head + 200),
        ];
        assert_eq!(runs(&mut batch), expected);
        assert!(batch.is_empty());
    }

    #[test]
    fn a_run_has_no_more_packets_than_one_call_takes() {
        let mut batch = Batch::default();
        (0..5).for_each(|_| assert!(batch.push(to(1), Via::default(), &packet(80), 2).is_some()));
        assert_eq!(runs(&mut batch), [(1, 200, 100), (1, 200, 100), (1, 100, 100)]);
    }

    #[test]
    fn a_socket_that_blocks_gets_the_rest_later_and_nothing_twice() {
        let mut batch = Batch::default();
        (0..3).for_each(|_| assert!(batch.push(to(1), Via::default(), &packet(80), 1).is_some()));
        let mut taken = 0;
        batch.flush(|_| {
            taken += 1;
            if taken == 2 { Poll::Pending } else { Poll::Ready(Sent::default()) }
        });
        assert!(!batch.is_empty());
        assert_eq!(runs(&mut batch).len(), 2);
    }

    #[test]
    fn the_rest_of_a_run_leaves_when_the_socket_takes_it() {
        let mut batch = Batch::default();
        for length in [80, 80, 80, 40] {
            assert!(batch.push(to(1), Via::default(), &packet(length), 8).is_some());
        }
        batch.flush(|_| Poll::Ready(Sent { left: 3, ..Sent::default() }));
        assert!(batch.push(to(1), Via::default(), &packet(80), 8).is_some());
        assert_eq!(runs(&mut batch), [(1, 260, 100), (1, 100, 100)]);
    }

    #[test]
    fn packets_beyond_the_limit_of_a_blocked_socket_are_dropped() {
        let mut batch = Batch::default();
        let accepted = (0..2000)
            .filter(|_| batch.push(to(1), Via::default(), &packet(1000), 1).is_some())
            .count();
        assert!((1000..1100).contains(&accepted), "{accepted}");
    }

    /// The kernel may refuse segmentation at any time: quinn-udp then reports 1 segment per call.
    #[test]
    fn a_run_has_what_one_call_takes_when_it_is_made() {
        let mut batch = Batch::default();
        for most in [4, 4, 1, 1] {
            assert!(batch.push(to(1), Via::default(), &packet(80), most).is_some());
        }
        assert_eq!(runs(&mut batch), [(1, 200, 100), (1, 100, 100), (1, 100, 100)]);
    }

    #[test]
    fn after_a_full_queue_nothing_more_is_offered_until_the_next_flush() {
        let mut batch = Batch::default();
        for destination in [1, 1, 1, 2] {
            let packet = packet(80);
            assert!(batch.push(to(destination), Via::default(), &packet, 8).is_some());
        }
        let refused = || io::Error::from_raw_os_error(ENOBUFS);
        let mut offered = 0;
        let sent = batch.flush(|run| {
            offered += 1;
            let mut sent = Sent::none_of(run.count());
            sent.note(Ok(()));
            sent.note(Err(refused()));
            Poll::Ready(sent)
        });
        assert_eq!((offered, sent.lost, sent.is_full, sent.had_errors), (1, 1, true, false));
        // If the last packet of a run is refused, the next run waits too
        let sent = batch.flush(|run| {
            offered += 1;
            let mut sent = Sent::none_of(run.count());
            sent.note(Err(refused()));
            Poll::Ready(sent)
        });
        assert_eq!((offered, sent.lost, sent.is_full), (2, 1, true));
        assert_eq!(runs(&mut batch), [(2, 100, 100)]);
    }
}
