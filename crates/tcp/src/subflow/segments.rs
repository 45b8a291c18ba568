//! Fills segments: data, acknowledgements, SYN, probes of the window.

use manypath_core::Time;

use super::{NewData, Phase, State, Subflow};
use crate::config::Config;
use crate::segment::{Flags, SackBlock, Segment};
use crate::send::{Sent, SentFlags};
use crate::stats::Stats;

/// Room for bytes of the peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Bytes that the buffer can take beyond what has arrived in order.
    pub(crate) free: u64,
    /// Bytes that it can take when it is empty.
    pub(crate) capacity: u64,
    /// The window field, if all subflows of the connection announce the same window.
    pub(crate) shared: Option<u16>,
}

impl Subflow {
    /// Fills the segment with SYN if that is due; whether it was.
    #[cold]
    pub(crate) fn write_syn(&mut self, now: Time, segment: &mut Segment, config: &Config) {
        self.syn_due = false;
        if self.retries == 0 {
            self.syn_sent_at = now;
        }
        self.syn_repeated |= self.retries > 0;
        let answers = self.state == State::SynReceived;
        self.put_ports(segment);
        segment.seq = self.iss;
        segment.flags = Flags::SYN;
        segment.window = config.receive_buffer.min(usize::from(u16::MAX)) as u16;
        segment.ack = 0;
        if answers {
            segment.flags = Flags::SYN.with(Flags::ACK);
            segment.ack = self.peer_seq(0);
        }
        segment.options.mss = Some(config.mss);
        segment.options.sack_permitted = if answers { self.sack } else { config.selective_acks };
        segment.options.window_scale = (!answers || self.scales).then(|| config.window_shift());
        self.timer = now + self.rtt.rto();
    }

    /// Whether SYN is due.
    #[inline]
    pub(crate) fn syn_due(&self) -> bool {
        self.syn_due
    }

    /// Whether an acknowledgement or a probe is due.
    #[inline]
    pub(crate) fn ack_due(&self) -> bool {
        self.ack_due || self.probe_due
    }

    /// Whether an acknowledgement that leaves now has gaps to report. Data has no room for that.
    #[inline]
    pub(crate) fn reports_gaps(&self) -> bool {
        self.sack && !self.arrivals.recent().is_empty()
    }

    /// Fills the segment with an acknowledgement and nothing else.
    #[inline]
    pub(crate) fn write_ack(
        &mut self,
        segment: &mut Segment,
        room: Room,
        config: &Config,
        stats: &mut Stats,
    ) {
        self.write_header(segment, self.nxt, room);
        if self.probe_due {
            // Unlike RFC 9293 §3.8.6.1: no byte of data but the place before the first one, which the peer must answer
            // as well; so a probe never cuts the stream into pieces
            segment.seq = self.own_seq(self.una).wrapping_sub(1);
            self.probe_due = false;
            stats.window_probes_sent += 1;
        }
        segment.options.other_bytes = config.ack_option_bytes;
        self.write_reports(segment, config.ack_option_bytes, config);
        stats.acks_sent += 1;
        self.stats.acks_sent += 1;
    }

    /// Fills the header of a segment for new data and notes it as sent; the payload is up to the connection.
    #[inline]
    pub(crate) fn write_new(
        &mut self,
        now: Time,
        segment: &mut Segment,
        new: NewData,
        data: u64,
        room: Room,
    ) {
        let offset = self.nxt;
        self.write_header(segment, offset, room);
        let mut flags = SentFlags::default();
        if new.fin {
            segment.flags = segment.flags.with(Flags::FIN);
            flags = SentFlags::FIN;
            self.fin_sent = true;
        }
        let length = (new.length + u64::from(new.fin)) as u16;
        self.board.push(Sent { offset, data, sent_at: now, length, flags });
        self.nxt += u64::from(length);
        self.small_due = false;
        self.keep_timer(now);
    }

    /// Fills the header of a segment that leaves again; what it holds.
    pub(crate) fn write_again(
        &mut self,
        now: Time,
        segment: &mut Segment,
        (serial, is_rescue): (u64, bool),
        room: Room,
        stats: &mut Stats,
    ) -> Sent {
        let sent = self.board.resend(now, serial, is_rescue);
        self.write_header(segment, sent.offset, room);
        if sent.flags.contains(SentFlags::FIN) {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        self.stats.retransmissions += 1;
        if self.phase == Phase::FastRecovery {
            self.stats.fast_retransmissions += 1;
            stats.fast_retransmissions += 1;
            // RFC 6675 §6: a repair that takes long must not look like a timeout. Only the oldest segment restarts the
            // timer: if others did, a lost retransmission would never time out while new losses keep coming
            if self.sack && sent.offset == self.una {
                self.start_timer(now);
            }
        } else {
            stats.timer_retransmissions += 1;
        }
        self.keep_timer(now);
        sent
    }

    /// Finishes a segment with data: options, and the books.
    #[inline]
    pub(crate) fn finish_data(
        &mut self,
        now: Time,
        segment: &mut Segment,
        payload: u64,
        config: &Config,
        stats: &mut Stats,
    ) {
        segment.options.other_bytes = config.data_option_bytes;
        self.last_sent = now;
        self.stats.data_packets_sent += 1;
        self.stats.wire_bytes_sent += segment.header_length() as u64 + payload;
        stats.data_packets_sent += 1;
    }

    /// Fills the segment with the end of the connection, as the peer must believe it. RFC 9293 §3.10.7.1, RFC 5961 §3
    pub(crate) fn write_reset(&mut self, segment: &mut Segment) {
        self.put_ports(segment);
        segment.seq = self.own_seq(self.nxt);
        segment.ack = self.peer_seq(self.arrivals.next());
        segment.flags = Flags::RST.with(Flags::ACK);
        segment.window = 0;
    }

    #[inline]
    fn write_header(&mut self, segment: &mut Segment, offset: u64, room: Room) {
        self.put_ports(segment);
        segment.seq = self.own_seq(offset);
        segment.ack = self.peer_seq(self.arrivals.next());
        segment.flags = Flags::ACK;
        segment.window = self.announce(room);
        self.ack_due = false;
        self.unacknowledged = 0;
        self.ack_timer = Time::NEVER;
    }

    #[inline]
    fn put_ports(&self, segment: &mut Segment) {
        segment.source_port = self.local_port;
        segment.destination_port = self.peer_port;
    }

    /// Reports what arrived beyond a gap. RFC 2018 §4
    #[inline]
    fn write_reports(&self, segment: &mut Segment, other_options: u8, config: &Config) {
        if !self.reports_gaps() {
            return;
        }
        for range in self.arrivals.recent().iter().take(config.sack_blocks(other_options)) {
            let (start, end) = (self.peer_seq(range.start), self.peer_seq(range.end));
            segment.options.sack.push(SackBlock { start, end });
        }
    }
}
