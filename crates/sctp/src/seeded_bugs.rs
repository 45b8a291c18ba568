//! Bugs made on purpose, to prove that random stories find such bugs; they exist only with the feature `soak`.
//!
//! A bug is one line at its place, `seeded!(Name => what goes wrong);`, and sleeps until [`switch`] wakes it.

/// Does the wrong thing while the bug of that name is awake; stands for nothing without the feature `soak`.
macro_rules! seeded {
    ($bug:ident => $wrong:expr) => {
        #[cfg(feature = "soak")]
        if crate::seeded_bugs::is_awake(crate::seeded_bugs::SeededBug::$bug) {
            $wrong;
        }
    };
}

#[cfg(feature = "soak")]
pub use bugs::{SeededBug, switch};

#[cfg(feature = "soak")]
pub(crate) use bugs::is_awake;

#[cfg(feature = "soak")]
mod bugs {
    use std::cell::Cell;

    /// A bug made on purpose.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    pub enum SeededBug {
        /// The last gap block of a SACK reports one TSN more than arrived.
        GapBlockTooLong,
        /// A chunk that arrives behind a hole of one moves the cumulative TSN over the hole.
        HoleSkipped,
        /// A chunk that arrives a second time is delivered a second time.
        DuplicateDelivered,
        /// A fragment continues the message before it, though it begins a new one.
        FragmentsOfTwoMessagesJoined,
        /// A chunk that leaves the flight stays on the account of what the peer's window holds.
        FlightNeverShrinks,
        /// The payload of a chunk that the receiver promised to keep is freed twice.
        KeptChunkFreedTwice,
        /// The retransmission timer is not started again after it has expired.
        RetransmissionTimerForgotten,
        /// What waits to be sent again on a path that has failed waits forever.
        LostChunksStayOnFailedPath,
        /// A window that is closed is never probed.
        WindowProbeNeverSent,
        /// After the last stream sequence number the sender begins with the middle one.
        SsnWrapsWrong,
        /// The application never hears that the send buffer has room again.
        WritableNeverTold,
        /// SHUTDOWN and SHUTDOWN ACK are sent once only.
        ShutdownNeverRepeated,
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
            Self::WritableNeverTold,
            Self::ShutdownNeverRepeated,
        ];
    }

    thread_local! {
        static AWAKE: Cell<Option<SeededBug>> = const { Cell::new(None) };
    }

    /// Wakes a bug on this thread and puts the one before it to sleep.
    pub fn switch(bug: Option<SeededBug>) {
        AWAKE.set(bug);
    }

    pub(crate) fn is_awake(bug: SeededBug) -> bool {
        AWAKE.get() == Some(bug)
    }
}
