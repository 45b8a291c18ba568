//! The recorders of a run that see each packet and each host: capture, events, changes.

use manypath_core::Time;
use manypath_sim::{HostId, Observer, Sight};

use crate::capture::Capture;
use crate::changes::ChangeRecorder;
use crate::events::EventLog;
use crate::host::Host;
use crate::packet::Packet;

/// The recorders that the run was asked for.
#[derive(Debug, Default)]
pub(crate) struct Recorders {
    pub(crate) capture: Option<Capture>,
    pub(crate) events: Option<EventLog>,
    pub(crate) changes: Option<ChangeRecorder>,
}

impl Recorders {
    /// Whether no recorder was asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.capture.is_none() && self.events.is_none() && self.changes.is_none()
    }
}

impl Observer<Host> for Recorders {
    fn see_packet(&mut self, sight: &Sight<'_, Packet>) {
        if let Some(capture) = &mut self.capture {
            capture.see_packet(sight);
        }
        if let Some(events) = &mut self.events {
            events.see_packet(sight);
        }
        if let Some(changes) = &mut self.changes {
            changes.see_packet(sight);
        }
    }

    fn see_host(&mut self, now: Time, id: HostId, host: &Host) {
        if let Some(events) = &mut self.events {
            events.see_host(now, id, host);
        }
        if let Some(changes) = &mut self.changes {
            changes.see_host(now, id, host);
        }
    }
}
