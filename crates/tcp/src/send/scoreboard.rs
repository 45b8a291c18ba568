//! The outstanding segments of one subflow: acknowledged, lost, retransmitted. RFC 6675 §3

use std::collections::VecDeque;

use manypath_core::{OffsetRange, OffsetRanges, Span, Time};

use crate::mptcp::DataRange;

/// A segment that was sent and is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// First offset in the sequence space of the subflow.
    pub(crate) offset: u64,
    /// First offset in the stream of the connection.
    pub(crate) data: u64,
    /// When it was last sent.
    pub(crate) sent_at: Time,
    /// Length in the sequence space, FIN included.
    pub(crate) length: u16,
    pub(crate) flags: SentFlags,
}

/// The state of a segment.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct SentFlags(u8);

impl SentFlags {
    /// The peer reported the segment in a SACK block.
    pub(crate) const SACKED: Self = Self(1);
    /// The first copy is considered lost; after a timeout, all copies up to it.
    pub(crate) const LOST: Self = Self(2);
    /// Retransmitted during the current recovery or slow start.
    pub(crate) const RESENT: Self = Self(4);
    /// Sent more than once, so its acknowledgement gives no round-trip time sample (Karn). RFC 6298 §3
    pub(crate) const AMBIGUOUS: Self = Self(8);
    /// The last sequence number is that of FIN.
    pub(crate) const FIN: Self = Self(16);
    /// Other subflows may carry its data too.
    const SHARED: Self = Self(32);

    #[inline]
    pub(crate) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline]
    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    #[inline]
    fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl Sent {
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }

    /// Bytes of payload.
    #[inline]
    pub(crate) fn payload(&self) -> u64 {
        u64::from(self.length) - u64::from(self.flags.contains(SentFlags::FIN))
    }

    /// The bytes that it counts in the pipe. RFC 6675 §4 SetPipe
    #[inline]
    fn in_pipe(&self) -> u64 {
        if self.flags == SentFlags::default() {
            return u64::from(self.length);
        }
        if self.flags.contains(SentFlags::SACKED) {
            return 0;
        }
        let first = u64::from(!self.flags.contains(SentFlags::LOST));
        let again = u64::from(self.flags.contains(SentFlags::RESENT));
        (first + again) * u64::from(self.length)
    }
}

/// All outstanding segments in the order of their offsets.
///
/// Segments are identified by serial numbers, which stay valid when the head is removed.
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    list: VecDeque<Sent>,
    /// Serial number of the head of the list.
    first: u64,
    /// Ranges that the peer reported beyond the cumulative acknowledgement.
    sacked: OffsetRanges,
    /// Bytes that are assumed to be in the network. RFC 6675 §4
    pipe: u64,
    /// Every segment before this one is lost or has arrived.
    judged: u64,
    /// No segment at or after this one is lost.
    lost_end: u64,
    /// Every segment before this one that had to be retransmitted was retransmitted. HighRxt of RFC 6675 §2
    resend: u64,
}

/// The effect of a cumulative acknowledgement on the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Acked {
    /// Bytes of payload.
    pub(crate) payload: u64,
    /// Time since the oldest and since the newest of these segments was sent; `None` if it would be ambiguous.
    pub(crate) samples: Option<(Span, Span)>,
}

impl Scoreboard {
    /// Bytes that are assumed to be in the network.
    #[inline]
    pub(crate) fn pipe(&self) -> u64 {
        self.pipe
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The oldest outstanding segment.
    #[inline]
    pub(crate) fn head(&self) -> Option<&Sent> {
        self.list.front()
    }

    /// The outstanding segments, the oldest one first.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Sent> {
        self.list.iter()
    }

    /// Adds a segment of new data.
    #[inline]
    pub(crate) fn push(&mut self, sent: Sent) {
        self.pipe += u64::from(sent.length);
        self.list.push_back(sent);
    }

    /// Removes everything below `offset`, which has arrived.
    #[inline]
    pub(crate) fn acknowledge(&mut self, now: Time, offset: u64) -> Acked {
        let mut acked = Acked::default();
        let mut ambiguous = false;
        let (mut oldest, mut newest) = (Time::NEVER, Time::ZERO);
        while let Some(head) = self.list.front_mut() {
            if head.end() > offset {
                if head.offset < offset {
                    acked.payload += self.trim_head(offset);
                }
                break;
            }
            acked.payload += head.payload();
            self.pipe -= head.in_pipe();
            ambiguous |= head.flags.contains(SentFlags::AMBIGUOUS);
            if !head.flags.contains(SentFlags::SACKED) {
                oldest = oldest.min(head.sent_at);
                newest = newest.max(head.sent_at);
            }
            self.list.pop_front();
            self.first += 1;
        }
        if !self.sacked.is_empty() {
            self.sacked.remove_below(offset);
        }
        if !ambiguous && oldest <= newest {
            acked.samples = Some((now - oldest, now - newest));
        }
        acked
    }

    /// Removes the first bytes of the head, which arrived without the rest: a peer may acknowledge any part of a
    /// segment.
    #[cold]
    fn trim_head(&mut self, offset: u64) -> u64 {
        let Some(head) = self.list.front_mut() else { return 0 };
        let cut = offset - head.offset;
        self.pipe -= head.in_pipe();
        head.offset = offset;
        head.data += cut;
        head.length -= cut as u16;
        self.pipe += head.in_pipe();
        cut
    }

    /// Records that the peer reported `block`; returns the number of newly reported bytes.
    pub(crate) fn sack(&mut self, block: OffsetRange) -> u64 {
        let Self { list, sacked, pipe, .. } = self;
        let (mut new_bytes, mut news) = (0, OffsetRange { start: u64::MAX, end: 0 });
        // A segment counts once all of it has arrived, which the union of all reported ranges shows.
        let whole = sacked.insert(block, |part| {
            new_bytes += part.length();
            news = OffsetRange { start: news.start.min(part.start), end: news.end.max(part.end) };
        });
        if new_bytes == 0 {
            return 0;
        }
        let from = list.partition_point(|sent| sent.end() <= news.start);
        for sent in list.range_mut(from..) {
            if sent.offset >= news.end {
                break;
            }
            let all = OffsetRange { start: sent.offset, end: sent.end() };
            if whole.covers(all) && !sent.flags.contains(SentFlags::SACKED) {
                *pipe -= sent.in_pipe();
                sent.flags.add(SentFlags::SACKED);
            }
        }
        new_bytes
    }

    /// Marks segments as lost if enough data above them has arrived: three reported ranges, or more than two segments
    /// of bytes. RFC 6675 §4 IsLost
    pub(crate) fn judge(&mut self, segment: u64) {
        let (mut bytes, mut ranges) = (0, 0);
        let mut below = None;
        for range in self.sacked.as_slice().iter().rev() {
            bytes += range.length();
            ranges += 1;
            if ranges >= DUP_THRESH || bytes > (DUP_THRESH - 1) * segment {
                below = Some(range.start);
                break;
            }
        }
        let Some(below) = below else { return };
        let mut serial = self.judged.max(self.first);
        while let Some(sent) = self.list.get_mut((serial - self.first) as usize) {
            if sent.offset >= below {
                break;
            }
            if !sent.flags.contains(SentFlags::SACKED) && !sent.flags.contains(SentFlags::LOST) {
                sent.flags.add(SentFlags::LOST);
                self.pipe -= u64::from(sent.length);
                self.lost_end = serial + 1;
            }
            serial += 1;
        }
        self.judged = serial;
    }

    /// Marks the head as lost, independently of SACK reports. RFC 6582 §3.2, RFC 6675 §5 step 4
    pub(crate) fn lose_head(&mut self) {
        let Some(head) = self.list.front_mut() else { return };
        if !head.flags.contains(SentFlags::SACKED) && !head.flags.contains(SentFlags::LOST) {
            head.flags.add(SentFlags::LOST);
            self.pipe -= u64::from(head.length);
            self.lost_end = self.lost_end.max(self.first + 1);
        }
    }

    /// Marks all segments that were not reported as lost after a timeout, retransmissions included. RFC 6298 §5.4,
    /// RFC 6675 §5.1
    pub(crate) fn lose_all(&mut self) {
        // The peer has discarded data that it had reported: otherwise the head would have been acknowledged.
        // RFC 2018 §8
        if self.list.front().is_some_and(|head| head.flags.contains(SentFlags::SACKED)) {
            self.sacked.clear();
            for sent in &mut self.list {
                sent.flags.remove(SentFlags::SACKED);
            }
        }
        for sent in &mut self.list {
            if !sent.flags.contains(SentFlags::SACKED) {
                sent.flags.add(SentFlags::LOST);
            }
            sent.flags.remove(SentFlags::RESENT);
        }
        self.pipe = 0;
        self.resend = self.first;
        self.judged = self.first + self.list.len() as u64;
        self.lost_end = self.judged;
    }

    /// Calls `out` with the data that were not reported, so that other subflows can carry them. Data of an earlier call
    /// are omitted unless `all` is true.
    pub(crate) fn share(&mut self, all: bool, mut out: impl FnMut(DataRange)) {
        for sent in &mut self.list {
            let is_named = sent.flags.contains(SentFlags::SHARED) && !all;
            if is_named || sent.flags.contains(SentFlags::SACKED) || sent.payload() == 0 {
                continue;
            }
            sent.flags.add(SentFlags::SHARED);
            out(DataRange { data: sent.data, length: sent.payload() });
        }
    }

    /// Begins a recovery: all lost segments may be retransmitted, even if an earlier recovery retransmitted them.
    pub(crate) fn begin_recovery(&mut self) {
        self.resend = self.first;
        for sent in &mut self.list {
            self.pipe -= sent.in_pipe();
            sent.flags.remove(SentFlags::RESENT);
            self.pipe += sent.in_pipe();
        }
    }

    /// Whether the head is lost and was not retransmitted.
    #[inline]
    pub(crate) fn head_is_lost(&self) -> bool {
        self.list.front().is_some_and(|head| {
            head.flags.contains(SentFlags::LOST) && !head.flags.contains(SentFlags::RESENT)
        })
    }

    /// The next lost segment that was not retransmitted. RFC 6675 §4 NextSeg 1
    #[inline]
    pub(crate) fn next_lost(&mut self) -> Option<u64> {
        self.resend = self.resend.max(self.first);
        while self.resend < self.lost_end {
            let flags = self.list[(self.resend - self.first) as usize].flags;
            let waits = flags.contains(SentFlags::LOST)
                && !flags.contains(SentFlags::RESENT)
                && !flags.contains(SentFlags::SACKED);
            if waits {
                return Some(self.resend);
            }
            self.resend += 1;
        }
        None
    }

    /// The next segment below the highest reported one that was neither reported nor retransmitted, lost or not.
    /// RFC 6675 §4 NextSeg 3
    pub(crate) fn next_doubtful(&mut self) -> Option<u64> {
        let highest = self.sacked.as_slice().last()?.end;
        let from = self.resend.max(self.first);
        let candidates = self.list.iter().enumerate().skip((from - self.first) as usize);
        let mut below = candidates.take_while(|(_, sent)| sent.offset < highest);
        let (index, _) = below.find(|(_, sent)| {
            !sent.flags.contains(SentFlags::SACKED) && !sent.flags.contains(SentFlags::RESENT)
        })?;
        Some(self.first + index as u64)
    }

    /// The highest segment that was not reported, unless it was retransmitted already. RFC 6675 §4 NextSeg 4
    pub(crate) fn last_unreported(&self) -> Option<u64> {
        let index = self.list.iter().rposition(|sent| !sent.flags.contains(SentFlags::SACKED))?;
        let is_rescued = self.list[index].flags.contains(SentFlags::RESENT);
        (!is_rescued).then_some(self.first + index as u64)
    }

    /// Records the retransmission of the segment with this serial number; returns the segment.
    pub(crate) fn resend(&mut self, now: Time, serial: u64, is_rescue: bool) -> Sent {
        let sent = &mut self.list[(serial - self.first) as usize];
        self.pipe -= sent.in_pipe();
        sent.flags.add(SentFlags::RESENT);
        sent.flags.add(SentFlags::AMBIGUOUS);
        sent.sent_at = now;
        self.pipe += sent.in_pipe();
        // A rescue retransmission does not move HighRxt. RFC 6675 §4 NextSeg 4
        if !is_rescue {
            self.resend = serial + 1;
        }
        *sent
    }

    /// The pipe as defined in RFC 6675 §4, computed from all segments.
    #[cfg(debug_assertions)]
    pub(crate) fn counted_pipe(&self) -> u64 {
        self.list.iter().map(Sent::in_pipe).sum()
    }
}

/// Number of duplicate acknowledgements or reported ranges that indicate a loss. RFC 6675 §2
pub(crate) const DUP_THRESH: u64 = 3;
