//! The limits that stop a path from sending new data, and the time spent in each.

use crate::{Span, Time, counters};

/// The first limit that stops a path in its turn to send new data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SendLimit {
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

counters! {
    /// The time during which a path could not send new data, by the first limit in the order of the fields.
    ///
    /// A path that sends at each opportunity and then reaches a limit again is blocked by that limit all the time. Time
    /// without data to send is not counted.
    BlockedTime: Span {
        /// The path paused, was unconfirmed, had failed, or was a standby path.
        path,
        /// The congestion window was full, or the burst limit reached.
        window,
        /// No data waited, or not enough for a packet (Nagle), and the send buffer had no room for another packet or
        /// for another message of the last length; or 32,768 chunks were outstanding, the largest number that serial
        /// arithmetic allows.
        send_buffer,
        /// The path had used its share of a divided buffer.
        split_share,
        /// The peer's receive window was full.
        receive_window,
        /// The departure time of the next packet had not come (pacing).
        pacing,
    }
}

/// The limit for which a path waits, and the time that it has spent in each limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    limit: Option<SendLimit>,
    since: Time,
    before: BlockedTime,
}

impl Waiting {
    /// Records the limit at the end of the path's turn; `None` if the path sends as much as it can.
    #[inline]
    pub fn note(&mut self, now: Time, limit: Option<SendLimit>) {
        if self.limit != limit {
            (self.before, self.since, self.limit) = (self.until(now), now, limit);
        }
    }

    /// Whether pacing alone stopped the path in its last turn.
    #[inline]
    #[must_use]
    pub fn is_for_departure(&self) -> bool {
        self.limit == Some(SendLimit::Pacing)
    }

    /// How long the path has waited, up to `now`.
    #[must_use]
    pub fn until(&self, now: Time) -> BlockedTime {
        let mut blocked = self.before;
        let sum = match self.limit {
            Some(SendLimit::Path) => &mut blocked.path,
            Some(SendLimit::Window) => &mut blocked.window,
            Some(SendLimit::SendBuffer) => &mut blocked.send_buffer,
            Some(SendLimit::SplitShare) => &mut blocked.split_share,
            Some(SendLimit::ReceiveWindow) => &mut blocked.receive_window,
            Some(SendLimit::Pacing) => &mut blocked.pacing,
            Some(SendLimit::Application) | None => return blocked,
        };
        *sum += now.saturating_since(self.since);
        blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_millis(milliseconds)
    }

    #[test]
    fn each_wait_counts_for_what_the_path_waited_for_and_the_last_one_up_to_now() {
        let mut waiting = Waiting::default();
        waiting.note(at(10), Some(SendLimit::Window));
        waiting.note(at(15), Some(SendLimit::Window));
        waiting.note(at(30), Some(SendLimit::ReceiveWindow));
        waiting.note(at(37), None);
        waiting.note(at(50), Some(SendLimit::Window));
        let expected = BlockedTime {
            window: Span::from_millis(20 + 4),
            receive_window: Span::from_millis(7),
            ..BlockedTime::default()
        };
        assert_eq!(waiting.until(at(54)), expected);
    }

    #[test]
    fn a_path_without_anything_to_send_is_not_blocked() {
        let mut waiting = Waiting::default();
        waiting.note(at(1), Some(SendLimit::Application));
        assert_eq!(waiting.until(at(1000)), BlockedTime::default());
    }
}
