//! The interface of a scheduler, and the registry of all schedulers: one line each.

use std::fmt::Debug;

use crate::subflow::Subflow;

/// Selects the subflow for the next bytes: the first subflow in an order of all subflows that may send.
pub(crate) trait Schedule: Debug + Sync {
    /// Sorts the subflows into the order in which they are tried. Called before every segment.
    fn arrange(&self, _order: &mut [usize], _subflows: &[Subflow]) {}

    /// The subflow at `place` of the order has taken new data.
    fn note_sent(&self, _order: &mut [usize], _place: usize) {}

    /// Whether each subflow carries all data that has not arrived, independently of the other subflows.
    fn carries_everything(&self) -> bool {
        false
    }
}

/// Expands one line for each scheduler, which names its file, its type and the name in scenarios.
macro_rules! schedulers {
    ($($file:ident::$Type:ident $name:literal: $summary:literal,)+) => {
        /// The subflow of the next data.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum Scheduler {
            $(
                #[doc = $summary]
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $Type,
            )+
        }

        impl Scheduler {
            /// All schedulers.
            pub const ALL: &'static [Self] = &[$(Self::$Type,)+];

            /// The name in scenarios.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$Type => $name,)+ }
            }

            /// A description in one line.
            #[must_use]
            pub fn summary(self) -> &'static str {
                match self { $(Self::$Type => $summary,)+ }
            }

            pub(crate) fn schedule(self) -> &'static dyn Schedule {
                match self { $(Self::$Type => &super::$file::$Type,)+ }
            }
        }
    };
}

schedulers! {
    lowest_rtt::LowestRtt "lowest-rtt": "data goes to the path with the smallest round-trip time among those with free windows",
    round_robin::RoundRobin "round-robin": "data goes to each path with a free window in turn",
    redundant::Redundant "redundant": "all paths carry the same data",
}
