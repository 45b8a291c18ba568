//! Settings that the application changes during an association. Settings that are shared with others are copied first.

use std::sync::Arc;

use manypath_core::{PathId, RtoLimits, Span, Time};

use super::Association;
use crate::config::Config;

impl Association {
    fn own_config(&mut self) -> &mut Config {
        Arc::make_mut(&mut self.config)
    }

    /// Sets the limits of the retransmission timeouts of all paths.
    pub(crate) fn set_rto(&mut self, rto: RtoLimits) {
        self.own_config().rto = rto;
        for path in self.paths.iter_mut() {
            path.rtt.set_limits(rto);
        }
    }

    /// Sets the interval of the heartbeats of idle paths, from `now` on. [`Span::MAX`] disables them.
    pub(crate) fn set_heartbeat_interval(&mut self, now: Time, interval: Span) {
        if self.config.heartbeat_interval != interval {
            self.own_config().heartbeat_interval = interval;
            self.reschedule_heartbeats(now);
        }
    }

    /// Sets the number of DATA packets per SACK and the maximum delay of a SACK, `delay`.
    pub(crate) fn set_sack(&mut self, every: u32, delay: Span) {
        let config = self.own_config();
        (config.sack_every, config.sack_delay) = (every, delay);
        self.receiver.set_sack_every(every);
    }

    /// Sets whether a small message waits while data is outstanding.
    pub(crate) fn set_nagle(&mut self, nagle: bool) {
        self.own_config().nagle = nagle;
    }

    /// Sets the largest number of outstanding chunks.
    pub(crate) fn set_max_outstanding(&mut self, chunks: usize) {
        self.own_config().max_outstanding = chunks;
        self.sender.limit_outstanding(chunks);
    }

    /// Sets the primary path; returns false if there is no path with this number.
    pub(crate) fn set_primary(&mut self, now: Time, path: PathId) -> bool {
        let exists = self.paths.get(path).is_some();
        if exists {
            self.paths.primary = path;
            self.open_opportunity(now, self.paths.for_data(&self.config));
        }
        exists
    }
}
