//! Which conversation a control chunk belongs to.

use manypath_core::{PathId, Time};

use super::Association;
use crate::packet::{Cause, Control};

impl Association {
    /// Takes a control chunk other than SACK; `path` is where it came from, if that is known.
    pub(super) fn handle_control(&mut self, now: Time, path: Option<PathId>, control: &Control) {
        match control {
            Control::InitAck(ack) => self.handle_init_ack(now, path, ack),
            Control::CookieAck => self.handle_cookie_ack(now),
            Control::Heartbeat(info) => self.handle_heartbeat(path, *info),
            Control::HeartbeatAck(info) => self.handle_heartbeat_ack(now, *info),
            Control::Shutdown(cumulative) => self.handle_shutdown(now, path, *cumulative),
            Control::ShutdownAck => self.handle_shutdown_ack(path),
            Control::ShutdownComplete { .. } => self.handle_shutdown_complete(),
            Control::Abort { .. } => self.handle_abort(),
            Control::Error(Cause::StaleCookie(_)) => self.handle_stale_cookie(now),
            Control::PacketDrop(report) => self.handle_packet_drop(now, path, report),
            // Other errors tell the application nothing that it could act on; INIT and COOKIE ECHO are the endpoint's
            Control::Error(_) | Control::Init(_) | Control::CookieEcho(_) => {}
        }
    }
}
