//! Packets that arrive damaged, and what their sender makes of the news. draft-stewart-sctp-pktdrprep

use manypath_core::{PathId, Time, Via};

use super::Association;
use super::state::State;
use super::timers::Timer;
use crate::packet::{COMMON_HEADER, Control, DATA_HEADER, HeartbeatInfo, Packet, PacketDrop, Part};
use crate::path::Probe;

impl Association {
    /// A packet with the right tag arrived damaged: it goes back to where it came from, if both sides agreed on that.
    ///
    /// Nothing is said of a packet whose first chunk cannot be told, nor of one that reports or ends something itself.
    pub(crate) fn handle_damaged(&mut self, via: Via, packet: &Packet, damaged_byte: u32) {
        self.stats.damaged_received += 1;
        let beginning = usize::from(packet.network_header) + COMMON_HEADER + DATA_HEADER;
        if !self.drop_reports
            || (damaged_byte as usize) < beginning
            || packet.control.iter().any(must_not_be_reported)
        {
            return;
        }
        let Some(path) = self.path_to(via) else { return };
        let buffer = self.receiver.buffer();
        let report = PacketDrop::new(buffer, packet.clone(), damaged_byte, self.room());
        self.stats.drop_reports_sent += 1;
        self.outbox.push_back((path, Control::PacketDrop(Box::new(report))));
    }

    /// A packet that was sent on `path` arrived damaged.
    ///
    /// The loss has nothing to do with congestion: windows and Fast Recovery stay as they are.
    pub(super) fn handle_packet_drop(
        &mut self,
        now: Time,
        path: Option<PathId>,
        report: &PacketDrop,
    ) {
        let Some(path) = path.filter(|_| self.drop_reports) else { return };
        self.stats.drop_reports_received += 1;
        for part in report.recognisable() {
            match part {
                Part::Control(control) => self.repeat_control(now, path, control),
                Part::Sack => self.receiver.demand_sack(),
                Part::Data(_) => {}
            }
        }
        if self.state.has_data_outstanding() {
            self.resend_dropped(now, path, report);
        }
    }

    fn resend_dropped(&mut self, now: Time, path: PathId, report: &PacketDrop) {
        let known = &mut self.paths[path.index()];
        let one_round_trip = Time::ZERO + known.srtt_or_initial(&self.config);
        let round_trip_ago = Time::ZERO + now.saturating_since(one_round_trip);
        let chunks = self.sender.take_dropped(report, path, round_trip_ago);
        if chunks > 0 {
            self.stats.drop_report_retransmissions += u64::from(chunks);
            known.retransmission_due = true;
            // As after a fast retransmission, T3 starts anew when the earliest chunk of the path leaves again
            if self.sender.extent(path).is_none() {
                self.timers.cancel(Timer::Retransmit(path));
            }
        }
        self.sender.note_buffer(report);
        self.open_opportunity(now, path);
    }

    /// A control chunk goes out again if its answer is still awaited. Its timer runs on: where all packets get damaged,
    /// it is the timer that finds out. INIT cannot be meant: when it is sent, nothing has been agreed on.
    fn repeat_control(&mut self, now: Time, path: PathId, control: &Control) {
        let again = match (control, &self.state) {
            (Control::CookieEcho(_), State::CookieEchoed { cookie, .. }) => {
                Control::CookieEcho(cookie.clone())
            }
            (Control::CookieAck, State::Established) => Control::CookieAck,
            (Control::Shutdown(_), State::ShutdownSent(_)) => {
                Control::Shutdown(self.receiver.cumulative())
            }
            (Control::ShutdownAck, State::ShutdownAckSent(_)) => Control::ShutdownAck,
            (Control::Heartbeat(info), _) => {
                let is_awaited = self.paths[path.index()].probe == Probe::Waiting(info.nonce);
                if !is_awaited || !self.timers.is_set(Timer::Heartbeat(path)) {
                    return;
                }
                Control::Heartbeat(HeartbeatInfo { sent_at: now.as_nanos(), ..*info })
            }
            _ => return,
        };
        self.outbox.push_back((path, again));
    }
}

fn must_not_be_reported(chunk: &Control) -> bool {
    matches!(chunk, Control::Abort { .. } | Control::InitAck(_) | Control::PacketDrop(_))
}
