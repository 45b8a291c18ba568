//! What random stories reach: state transitions and timers are noted, but only with the feature `soak`.

/// Notes a [`Hit`], as in `note!(Set(name))`; stands for nothing without the feature `soak`.
macro_rules! note {
    ($kind:ident($($of:expr),+)) => {
        #[cfg(feature = "soak")]
        crate::coverage::record(crate::coverage::Hit::$kind($($of),+));
    };
}

#[cfg(feature = "soak")]
pub use hits::{Hit, take};

#[cfg(feature = "soak")]
pub(crate) use hits::record;

#[cfg(feature = "soak")]
mod hits {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    /// Something inside of an association that a packet does not show.
    #[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
    pub enum Hit {
        /// From one state to another, or again to the same.
        Transition(&'static str, &'static str),
        /// A timer was set, whether it ran before or not.
        Set(&'static str),
        /// A timer ran out.
        Fired(&'static str),
        /// A timer that ran was stopped.
        Cancelled(&'static str),
    }

    thread_local! {
        static HITS: RefCell<BTreeMap<Hit, u64>> = const { RefCell::new(BTreeMap::new()) };
    }

    /// How often each hit happened on this thread since the last call.
    pub fn take() -> BTreeMap<Hit, u64> {
        HITS.take()
    }

    pub(crate) fn record(hit: Hit) {
        HITS.with_borrow_mut(|hits| *hits.entry(hit).or_default() += 1);
    }
}
