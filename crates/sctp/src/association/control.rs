//! Dispatch of control chunks to their handlers.

use bytes::Bytes;
use manypath_core::{PathId, Time, Via};

use super::{Association, Notice};
use crate::packet::{CHUNK_HEADER, Cause, Control, padded};

impl Association {
    /// Handles a control chunk other than SACK that arrived from `via`; `path` is the path with these addresses, if known.
    pub(super) fn handle_control(
        &mut self,
        now: Time,
        via: Via,
        path: Option<PathId>,
        control: &Control,
    ) {
        match control {
            Control::InitAck(ack) => self.handle_init_ack(now, via, ack),
            Control::CookieAck => self.handle_cookie_ack(now),
            Control::Heartbeat(info) => self.handle_heartbeat(path, info),
            Control::HeartbeatAck(info) => self.handle_heartbeat_ack(now, info),
            Control::Shutdown(cumulative) => self.handle_shutdown(now, path, *cumulative),
            Control::ShutdownAck => self.handle_shutdown_ack(path),
            Control::ShutdownComplete { .. } => self.handle_shutdown_complete(),
            Control::Abort { reflected, causes } => self.handle_abort(*reflected, causes),
            Control::Error(causes) => self.handle_error(now, causes),
            Control::PacketDrop(report) => self.handle_packet_drop(now, path, report),
            Control::Unrecognized(chunks) => self.report_chunks(path, chunks),
            // The endpoint handles the first two; padding is ignored
            Control::Init(_) | Control::CookieEcho(_) | Control::Padding(_) => {}
        }
    }

    /// Only a stale cookie requires a reaction. RFC 9260 §3.3.10.3
    fn handle_error(&mut self, now: Time, causes: &[Cause]) {
        if self.config.detailed_events {
            for cause in causes {
                self.notices.push(Notice::RemoteError(Box::new(cause.clone())));
            }
        }
        if causes.iter().any(|cause| matches!(cause, Cause::StaleCookie(_))) {
            self.handle_stale_cookie(now);
        }
    }

    /// Reports unrecognised chunks to the peer in one ERROR chunk per packet. Chunks that do not fit are omitted. Each
    /// cause adds a header of four bytes, so the answer has at most twice the bytes of the chunks, and one more header.
    /// RFC 9260 §3.2, §3.3.10.6
    fn report_chunks(&mut self, path: Option<PathId>, chunks: &[Bytes]) {
        let Some(path) = path.filter(|_| self.peer.is_known() && !self.is_closed()) else { return };
        let mut room = self.paths[path].network.room().saturating_sub(CHUNK_HEADER);
        let mut causes = Vec::new();
        for chunk in chunks {
            let length = CHUNK_HEADER + padded(chunk.len());
            if length > room {
                break;
            }
            room -= length;
            causes.push(Cause::UnrecognizedChunk(chunk.clone()));
        }
        if !causes.is_empty() {
            self.outbox.answer(path, Control::Error(causes));
        }
    }
}
