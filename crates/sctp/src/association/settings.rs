//! Settings that the application changes while the association lives. What it shares with others is copied first.

use std::sync::Arc;

use manypath_core::{PathId, RtoLimits, Span, Time};

use super::Association;
use crate::config::Config;

impl Association {
    fn own_config(&mut self) -> &mut Config {
        Arc::make_mut(&mut self.config)
    }

    /// The retransmission timeouts of all paths keep these limits from now on.
    pub(crate) fn set_rto(&mut self, rto: RtoLimits) {
        self.own_config().rto = rto;
        for path in &mut self.paths {
            path.rtt.set_limits(rto);
        }
    }

    /// The pause before the probes of an idle path, from the next one on.
    pub(crate) fn set_heartbeat_interval(&mut self, interval: Span) {
        self.own_config().heartbeat_interval = interval;
    }

    /// A SACK leaves for every so many DATA packets, and at the latest after `delay`.
    pub(crate) fn set_sack(&mut self, every: u32, delay: Span) {
        let config = self.own_config();
        (config.sack_every, config.sack_delay) = (every, delay);
        self.receiver.set_sack_every(every);
    }

    /// So many chunks may be outstanding at most.
    pub(crate) fn set_max_outstanding(&mut self, chunks: usize) {
        self.own_config().max_outstanding = chunks;
        self.sender.limit_outstanding(chunks);
    }

    /// The path that data takes while it works; false if there is none with that number.
    pub(crate) fn set_primary(&mut self, now: Time, path: PathId) -> bool {
        let exists = path.index() < self.paths.len();
        if exists {
            self.primary = path;
            self.open_opportunity(now, self.data_path());
        }
        exists
    }
}
