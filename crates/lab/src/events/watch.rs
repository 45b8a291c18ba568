//! Detection of changes of a host.

use manypath_events::{Closed, EndWatch, Event, Side};

use crate::build::via;
use crate::host::Host;

/// The last known state of a host.
#[derive(Debug)]
pub(super) struct HostWatch {
    pub(super) flow: usize,
    pub(super) side: Side,
    paths: usize,
    end: EndWatch,
}

impl HostWatch {
    /// The state of a host that has done nothing.
    pub(super) fn new(flow: usize, side: Side, paths: usize) -> Self {
        Self { flow, side, paths, end: EndWatch::default() }
    }

    /// Passes the changes since the last call, with their paths, to `emit`: causes before effects.
    pub(super) fn look(&mut self, host: &Host, mut emit: impl FnMut(Option<usize>, &Event<'_>)) {
        let application = host.application();
        let Some(id) = application.connection() else { return };
        if self.side == Side::Source {
            self.end.start(|event| emit(None, event));
        }
        if application.is_connected() {
            self.end.connect(|event| emit(None, event));
        }
        for path in 0..self.paths {
            let via = match self.side {
                Side::Source => via(self.flow, path),
                Side::Sink => via(self.flow, path).reversed(),
            };
            let Some(now) = host.endpoint().view_path(id, path, via) else { continue };
            self.end.look_at_path(path, now, |event| emit(Some(path), event));
        }
        self.end.look_at_marks(host.endpoint().marks(id), |event| emit(None, event));
        if let Some(ending) = application.ending() {
            self.end.close(Closed { reason: ending.name }, |event| emit(None, event));
        }
    }
}
