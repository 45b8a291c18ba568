//! Deliberate bugs for a test of the random tests, which must find each of them. They exist only with the feature
//! `soak`.
//!
//! The line `seeded!(Name => faulty code);` adds a bug. It has no effect until [`switch`] enables the bug.

/// Runs the faulty code while the bug of that name is enabled; expands to nothing without the feature `soak`.
macro_rules! seeded {
    ($bug:ident => $wrong:expr) => {
        #[cfg(feature = "soak")]
        if crate::seeded_bugs::is_enabled(crate::seeded_bugs::SeededBug::$bug) {
            $wrong;
        }
    };
}

#[cfg(feature = "soak")]
pub use bugs::{SeededBug, switch};

#[cfg(feature = "soak")]
pub(crate) use bugs::is_enabled;

#[cfg(feature = "soak")]
mod bugs {
    use std::cell::Cell;

    /// A deliberate bug.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    pub enum SeededBug {
        /// The last gap block of a SACK reports one TSN more than arrived.
        GapBlockTooLong,
        /// A chunk that arrives after a gap of one TSN moves the cumulative TSN over the gap.
        HoleSkipped,
        /// A chunk that arrives twice is delivered twice.
        DuplicateDelivered,
        /// A first fragment is appended to the message before it.
        FragmentsOfTwoMessagesJoined,
        /// The number of bytes in flight still includes acknowledged chunks.
        FlightNeverShrinks,
        /// The payload of a non-renegably acknowledged chunk is freed twice.
        KeptChunkFreedTwice,
        /// The retransmission timer is not restarted after it has expired.
        RetransmissionTimerForgotten,
        /// Lost chunks that wait on a failed path are never moved.
        LostChunksStayOnFailedPath,
        /// A closed window is never probed.
        WindowProbeNeverSent,
        /// The stream sequence number wraps at the wrong number.
        SsnWrapsWrong,
        /// The application is never notified that the send buffer has room again.
        WritableNeverReported,
        /// SHUTDOWN and SHUTDOWN ACK are never retransmitted.
        ShutdownNeverRetransmitted,
    }

    impl SeededBug {
        /// Every bug.
        pub const ALL: [Self; 12] = [
            Self::GapBlockTooLong,
            Self::HoleSkipped,
            Self::DuplicateDelivered,
            Self::FragmentsOfTwoMessagesJoined,
            Self::FlightNeverShrinks,
            Self::KeptChunkFreedTwice,
            Self::RetransmissionTimerForgotten,
            Self::LostChunksStayOnFailedPath,
            Self::WindowProbeNeverSent,
            Self::SsnWrapsWrong,
            Self::WritableNeverReported,
            Self::ShutdownNeverRetransmitted,
        ];
    }

    thread_local! {
        static ENABLED: Cell<Option<SeededBug>> = const { Cell::new(None) };
    }

    /// Enables `bug` on this thread, and disables all others.
    pub fn switch(bug: Option<SeededBug>) {
        ENABLED.set(bug);
    }

    pub(crate) fn is_enabled(bug: SeededBug) -> bool {
        ENABLED.get() == Some(bug)
    }
}
