//! The limits that stop a path from sending new data, and the time spent in each.

use std::ops::{Add, Sub};

use crate::{Span, Time};

/// Defines the limits, each with its meaning, its field and its variant, in the order in which they are tested.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident $limit:ident,)+) => {
        /// The first limit that stops a path in its turn to send new data.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum SendLimit {
            $($(#[doc = $doc])+ $limit,)+
            /// The application had nothing to send, or not enough for a packet (Nagle), and the send buffer had room.
            Application,
        }

        /// A value for each limit that stops a path from sending new data, such as [`BlockedTime`].
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct ByLimit<T> {
            $($(#[doc = $doc])+ pub $name: T,)+
        }

        impl ByLimit<&'static str> {
            /// The meanings, each in one line.
            pub const MEANINGS: Self =
                Self { $($name: concat!($($doc),+).trim_ascii_start(),)+ };
        }

        impl<T> ByLimit<T> {
            /// The values with the names of the limits.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, &T)> {
                [$((stringify!($name), &self.$name)),+].into_iter()
            }

            /// The results of `of` for all values.
            #[must_use]
            pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> ByLimit<U> {
                ByLimit { $($name: of(self.$name),)+ }
            }

            /// The pairs of values of both.
            #[must_use]
            pub fn zip<U>(self, other: ByLimit<U>) -> ByLimit<(T, U)> {
                ByLimit { $($name: (self.$name, other.$name),)+ }
            }

            /// The values.
            pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
                [$(&mut self.$name),+].into_iter()
            }

            /// The value of a limit; `None` if the application is the limit.
            fn get_mut(&mut self, limit: SendLimit) -> Option<&mut T> {
                match limit {
                    SendLimit::Application => None,
                    $(SendLimit::$limit => Some(&mut self.$name),)+
                }
            }
        }
    };
}

limits! {
    /// The path paused, was unconfirmed, had failed, or was a standby path.
    path Path,
    /// The congestion window was full, or the burst limit reached.
    window Window,
    // Full: no room for another packet, or for another message of the last length. Serial arithmetic sets the number.
    /// No packet of data waited because the send buffer was full, or 32,768 chunks were outstanding.
    send_buffer SendBuffer,
    /// The path had used its share of a divided buffer.
    split_share SplitShare,
    /// The peer's receive window was full.
    receive_window ReceiveWindow,
    /// The departure time of the next packet had not come (pacing).
    pacing Pacing,
}

/// The time during which a path could not send new data, by the first limit in the order of the fields.
///
/// A path that sends at each opportunity and then reaches a limit again is blocked by that limit all the time. Time
/// without data to send is not counted while the window and the send buffer have room.
pub type BlockedTime = ByLimit<Span>;

/// The sum of both times.
impl Add for BlockedTime {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other).map(|(one, other)| one + other)
    }
}

/// The time since an earlier reading.
impl Sub for BlockedTime {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        self.zip(earlier).map(|(now, before)| now - before)
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
        if let Some(sum) = self.limit.and_then(|limit| blocked.get_mut(limit)) {
            *sum += now.saturating_since(self.since);
        }
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
