//! Records the state transitions and timers that random tests reach, with the feature `soak` only.

/// Records a [`Hit`], as in `note!(Set(name))`; expands to nothing without the feature `soak`.
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

    /// An internal event of an association that its packets do not show.
    #[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
    pub enum Hit {
        /// From one state to another, or to the same state.
        Transition(&'static str, &'static str),
        /// A timer was set or set again.
        Set(&'static str),
        /// A timer expired.
        Fired(&'static str),
        /// A running timer was stopped.
        Cancelled(&'static str),
    }

    thread_local! {
        static HITS: RefCell<BTreeMap<Hit, u64>> = const { RefCell::new(BTreeMap::new()) };
    }

    /// How often each hit occurred on this thread since the last call.
    pub fn take() -> BTreeMap<Hit, u64> {
        HITS.take()
    }

    pub(crate) fn record(hit: Hit) {
        HITS.with_borrow_mut(|hits| *hits.entry(hit).or_default() += 1);
    }
}
