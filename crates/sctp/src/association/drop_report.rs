//! Reports of damaged packets, on both sides. draft-stewart-sctp-pktdrprep

use bytes::Bytes;
use manypath_core::{Encode as _, Packet as _, PathId, Time, Via};

use super::Association;
use super::state::State;
use super::timers::Timer;
use crate::packet::{
    COMMON_HEADER, Control, DATA_HEADER, HeartbeatInfo, Packet, PacketDrop, Part,
    must_not_be_reported,
};
use crate::path::HeartbeatProbe;

impl Association {
    /// Handles a packet with the right tag that arrived damaged: all bits of one byte are inverted. `damaged_byte` is
    /// its offset from the beginning of the network header. The report carries the bytes as they would have arrived.
    pub(crate) fn handle_damaged(&mut self, via: Via, packet: &Packet, damaged_byte: u32) {
        let header = usize::from(packet.network_header);
        let place = (damaged_byte as usize).saturating_sub(header);
        if !self.peer.drop_reports || !leaves_first_chunk(place) {
            self.stats.damaged_packets += 1;
            return;
        }
        let mut damaged = Vec::with_capacity(packet.size());
        packet.encode(via, &(), &mut damaged);
        if let Some(byte) = damaged.get_mut(place) {
            *byte = !*byte;
        }
        self.handle_damaged_bytes(via, &damaged.into(), Some(place));
    }

    /// Handles a packet with the right tag and a wrong checksum: it is returned to its sender, if both sides agreed on
    /// that. `place` is the offset of the wrong byte from the beginning of the common header, if a simulation knows it.
    ///
    /// There is no report if the first chunk is known to be unrecognisable, or if the packet contains ABORT, INIT ACK
    /// or a packet drop report.
    pub(crate) fn handle_damaged_bytes(&mut self, via: Via, damaged: &Bytes, place: Option<usize>) {
        self.stats.damaged_packets += 1;
        if !self.peer.drop_reports
            || !place.is_none_or(leaves_first_chunk)
            || must_not_be_reported(damaged)
        {
            return;
        }
        let Some(path) = self.paths.of(via) else { return };
        let report =
            PacketDrop::new(self.receiver.buffer(), damaged, self.paths[path].network.room());
        self.stats.drop_reports_sent += 1;
        self.outbox.answer(path, Control::PacketDrop(Box::new(report)));
    }

    /// Handles the report that a packet sent on `path` arrived damaged.
    ///
    /// The loss does not indicate congestion: windows and Fast Recovery do not change.
    pub(super) fn handle_packet_drop(
        &mut self,
        now: Time,
        path: Option<PathId>,
        report: &PacketDrop,
    ) {
        let says_damage = report.bad_checksum && !report.from_middlebox;
        let Some(path) = path.filter(|_| self.peer.drop_reports && says_damage) else { return };
        self.stats.drop_reports += 1;
        for part in report.parts() {
            match part {
                Part::Sack => self.receiver.demand_sack(),
                // There are no control chunks after DATA
                Part::Data(_) => break,
                control => self.repeat_control(now, path, control),
            }
        }
        if self.state.has_data_outstanding() {
            self.resend_dropped(now, path, report);
        }
    }

    fn resend_dropped(&mut self, now: Time, path: PathId, report: &PacketDrop) {
        let known = &mut self.paths[path];
        let one_round_trip = Time::ZERO + known.srtt_or_initial(&self.config);
        let round_trip_ago = Time::ZERO + now.saturating_since(one_round_trip);
        let chunks = self.sender.take_dropped(report, path, round_trip_ago);
        if chunks > 0 {
            self.stats.reported_chunks += u64::from(chunks);
            known.retransmission_due = true;
            // As after a fast retransmission, T3 restarts when the earliest chunk of the path is retransmitted
            if self.sender.extent(path).is_none() {
                self.timers.cancel(Timer::Retransmit(path));
            }
        }
        self.sender.note_buffer(report);
        self.open_opportunity(now, path);
    }

    /// Retransmits a control chunk if its answer is still outstanding. Its timer continues: if all packets get damaged,
    /// the timer detects it. The chunk is never an INIT, because reports are not yet agreed on when it is sent.
    fn repeat_control(&mut self, now: Time, path: PathId, control: Part<'_>) {
        let again = match (control, &self.state) {
            (Part::CookieEcho(length), State::CookieEchoed { cookie, .. })
                if length == cookie.len() =>
            {
                Control::CookieEcho(cookie.clone())
            }
            (Part::CookieAck, State::Established) => Control::CookieAck,
            (Part::Shutdown, State::ShutdownSent(_)) => {
                Control::Shutdown(self.receiver.cumulative())
            }
            (Part::ShutdownAck, State::ShutdownAckSent(_)) => Control::ShutdownAck,
            (Part::Heartbeat(info), _) => {
                let known = &mut self.paths[path];
                let is_awaited = known.probe == HeartbeatProbe::Waiting(info.nonce);
                if !is_awaited || !self.timers.is_set(Timer::Heartbeat(path)) {
                    return;
                }
                known.probed_at = now;
                let (sent_at, address) = (now.as_nanos(), known.via.remote);
                Control::Heartbeat(HeartbeatInfo { sent_at, address, ..info }.into())
            }
            _ => return,
        };
        self.outbox.answer(path, again);
    }
}

/// Whether the first chunk is still recognisable if this byte is wrong; the offset is from the common header.
fn leaves_first_chunk(place: usize) -> bool {
    place >= COMMON_HEADER + DATA_HEADER
}
