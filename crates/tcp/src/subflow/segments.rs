//! Construction of segments: data, acknowledgements, SYN, window probes.

use manypath_core::Time;

use super::{Phase, Room, Step, Subflow};
use crate::config::Config;
use crate::segment::{Flags, Segment};
use crate::send::SentFlags;
use crate::stats::Stats;

impl Subflow {
    /// Whether an acknowledgement that is sent now would report gaps. A data segment has no room for the report.
    #[inline]
    pub(crate) fn reports_gaps(&self) -> bool {
        self.sending.uses_sack() && self.receiving.sack_blocks().len() > 0
    }

    /// Fills the segment with a pure acknowledgement.
    #[inline]
    pub(crate) fn write_ack(
        &mut self,
        segment: &mut Segment,
        room: Room,
        config: &Config,
        stats: &mut Stats,
    ) {
        let probe = self.sending.take_probe();
        self.write_header(segment, self.sending.next(), room);
        if let Some(seq) = probe {
            segment.seq = seq;
            stats.window_probes_sent += 1;
        }
        segment.options.other_bytes = config.ack_option_bytes;
        if self.reports_gaps() {
            let blocks = config.sack_blocks(config.ack_option_bytes);
            let reported = self.receiving.sack_blocks().take(blocks);
            reported.for_each(|block| segment.options.sack.push(block));
        }
        stats.acks_sent += 1;
        self.stats.acks_sent += 1;
    }

    /// Fills the header of a data segment and records it as sent. New data begins at `data` in the stream. Returns the
    /// offset and the length of the payload, which the connection adds.
    // Without inlining, the result is passed through memory
    #[inline(always)]
    pub(crate) fn write_data(
        &mut self,
        now: Time,
        segment: &mut Segment,
        step: Step,
        data: u64,
        room: Room,
        stats: &mut Stats,
    ) -> (u64, u64) {
        let (offset, data, length, has_fin) = match step {
            Step::New(new) => {
                let offset = self.sending.next();
                self.sending.push(now, new, data);
                (offset, data, new.length, new.is_last)
            }
            Step::Resend { serial, is_rescue } => {
                self.count_retransmission(stats);
                let sent = self.sending.resend(now, serial, is_rescue);
                (sent.offset, sent.data, sent.payload(), sent.flags.contains(SentFlags::FIN))
            }
        };
        self.write_header(segment, offset, room);
        if has_fin {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        (data, length)
    }

    fn count_retransmission(&mut self, stats: &mut Stats) {
        if matches!(self.sending.phase(), Phase::FastRecovery(_)) {
            self.stats.fast_retransmissions += 1;
            stats.fast_retransmissions += 1;
        } else {
            self.stats.timer_retransmissions += 1;
            stats.timer_retransmissions += 1;
        }
    }

    /// Completes a segment with data or FIN: options and counters. A FIN without data is no packet with data.
    #[inline]
    pub(crate) fn finish_data(
        &mut self,
        segment: &mut Segment,
        payload: u64,
        config: &Config,
        stats: &mut Stats,
    ) {
        segment.options.other_bytes = config.data_option_bytes;
        let (packets, bytes) =
            if payload > 0 { (1, segment.header_length() as u64 + payload) } else { (0, 0) };
        self.stats.data_packets += packets;
        self.stats.wire_bytes_sent += bytes;
        stats.data_packets += packets;
    }

    /// Fills the segment with RST and a sequence number that the peer must accept. RFC 9293 §3.10.7.1, RFC 5961 §3
    pub(crate) fn write_reset(&mut self, segment: &mut Segment) {
        self.put_ports(segment);
        segment.seq = self.sending.seq(self.sending.next());
        segment.ack = self.receiving.ack();
        segment.flags = Flags::RST.with(Flags::ACK);
        segment.window = 0;
    }

    #[inline]
    fn write_header(&mut self, segment: &mut Segment, offset: u64, room: Room) {
        self.put_ports(segment);
        segment.seq = self.sending.seq(offset);
        segment.ack = self.receiving.ack();
        segment.flags = Flags::ACK;
        segment.window = self.receiving.announce(room, self.sending.mss());
        // A window probe is a separate segment, so it is still due
        self.receiving.note_acknowledged(self.sending.probe_due());
    }

    #[inline]
    pub(super) fn put_ports(&self, segment: &mut Segment) {
        segment.source_port = self.local_port;
        segment.destination_port = self.peer_port;
    }
}
