//! The limits that stop a path from sending new data, and the time spent in each.

use manypath_core::Time;

use crate::stats::Blocked;

/// The first limit that stops a path in its turn to send new data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Limit {
    /// The path does not work, pauses, or is not used for data.
    Path,
    /// The congestion window is full, or the burst has ended.
    Window,
    /// The application has nothing to send, or not enough for a packet (Nagle).
    Application,
    /// The application has more data than the send buffer takes, or the number of outstanding chunks has reached its
    /// limit.
    SendBuffer,
    /// The path has used up its share of a divided buffer.
    SplitShare,
    /// The receive window of the peer is full.
    ReceiveWindow,
    /// The departure time of the next packet has not come (pacing).
    Pacing,
}

/// The limit for which a path waits, and the time that it has spent in each limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    limit: Option<Limit>,
    since: Time,
    before: Blocked,
}

impl Waiting {
    /// Records the limit at the end of the path's turn; `None` if the path sends as much as it can.
    pub(crate) fn note(&mut self, now: Time, limit: Option<Limit>) {
        if self.limit != limit {
            (self.before, self.since, self.limit) = (self.until(now), now, limit);
        }
    }

    /// Whether pacing alone stopped the path in its last turn.
    #[inline]
    pub(crate) fn is_for_departure(&self) -> bool {
        self.limit == Some(Limit::Pacing)
    }

    /// How long the path has waited, up to `now`.
    pub(crate) fn until(&self, now: Time) -> Blocked {
        let mut blocked = self.before;
        let sum = match self.limit {
            Some(Limit::Path) => &mut blocked.path,
            Some(Limit::Window) => &mut blocked.window,
            Some(Limit::SendBuffer) => &mut blocked.send_buffer,
            Some(Limit::SplitShare) => &mut blocked.split_share,
            Some(Limit::ReceiveWindow) => &mut blocked.receive_window,
            Some(Limit::Pacing) => &mut blocked.pacing,
            Some(Limit::Application) | None => return blocked,
        };
        *sum += now.saturating_since(self.since);
        blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manypath_core::Span;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_millis(milliseconds)
    }

    #[test]
    fn each_wait_counts_for_what_the_path_waited_for_and_the_last_one_up_to_now() {
        let mut waiting = Waiting::default();
        waiting.note(at(10), Some(Limit::Window));
        waiting.note(at(15), Some(Limit::Window));
        waiting.note(at(30), Some(Limit::ReceiveWindow));
        waiting.note(at(37), None);
        waiting.note(at(50), Some(Limit::Window));
        let expected = Blocked {
            window: Span::from_millis(20 + 4),
            receive_window: Span::from_millis(7),
            ..Blocked::default()
        };
        assert_eq!(waiting.until(at(54)), expected);
    }

    #[test]
    fn a_path_without_anything_to_send_is_not_blocked() {
        let mut waiting = Waiting::default();
        waiting.note(at(1), Some(Limit::Application));
        assert_eq!(waiting.until(at(1000)), Blocked::default());
    }
}
