//! Counters of associations and streams, which are always enabled.

use std::ops::Sub;

use manypath_core::Span;

/// A counter of `T`, a struct of counters.
#[derive(Debug)]
pub struct Counter<T> {
    /// The name of the field.
    pub name: &'static str,
    /// The meaning, in one line of Markdown.
    pub doc: &'static str,
    /// Reads the counter.
    pub get: fn(&T) -> u64,
}

/// Defines a struct of counters with the table of its counters, `COUNTERS`. Fields after the `;` are no counters.
macro_rules! counters {
    (
        $(#[$about:meta])*
        $of:ident {
            $($(#[doc = $doc:literal])+ $name:ident,)+
            $(; $($(#[doc = $state_doc:literal])+ $state:ident: $type:ty,)+)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub struct $of {
            $($(#[doc = $doc])+ pub $name: u64,)+
            $($($(#[doc = $state_doc])+ pub $state: $type,)+)?
        }

        impl $of {
            /// All counters, in the order of the fields.
            pub const COUNTERS: &[$crate::Counter<Self>] = &[$($crate::Counter {
                name: stringify!($name),
                doc: concat!($($doc),+).trim_ascii_start(),
                get: |it| it.$name,
            }),+];
        }
    };
}
pub(crate) use counters;

/// Defines [`Stats`], and [`FlowStats`] with the counters of `flow`.
macro_rules! association_counters {
    (
        flow { $($(#[doc = $doc:literal])+ $end:ident $name:ident,)+ }
        $($(#[doc = $own_doc:literal])+ $own:ident,)+
    ) => {
        counters! {
            /// Counters of an association.
            Stats { $($(#[doc = $own_doc])+ $own,)+ $($(#[doc = $doc])+ $name,)+ }
        }

        /// The counters since an earlier reading.
        impl Sub for Stats {
            type Output = Self;

            fn sub(self, earlier: Self) -> Self {
                Self {
                    $($own: self.$own - earlier.$own,)+
                    $($name: self.$name - earlier.$name,)+
                }
            }
        }

        counters! {
            /// Counters of a flow: each of its source, of its sink, or the sum of both.
            #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
            FlowStats { $($(#[doc = $doc])+ $name,)+ }
        }

        impl FlowStats {
            /// The counters of a flow whose ends have the counters `source` and `sink`.
            #[must_use]
            pub fn new(source: &Stats, sink: &Stats) -> Self {
                Self { $($name: association_counters!(@ $end source sink $name),)+ }
            }
        }
    };
    (@ source $source:ident $sink:ident $name:ident) => { $source.$name };
    (@ sink $source:ident $sink:ident $name:ident) => { $sink.$name };
    (@ both $source:ident $sink:ident $name:ident) => { $source.$name + $sink.$name };
}

// Results of simulations have the counters of `flow` by these names.
association_counters! {
    flow {
        /// DATA chunks that fast retransmission marked.
        source fast_retransmissions,
        /// Expiries of T3, the retransmission timer.
        source timeouts,
        /// Retransmitted DATA chunks.
        source retransmitted_chunks,
        /// DATA chunks that arrived more than once.
        sink duplicate_chunks,
        /// Spurious fast retransmissions: the peer reported the chunk as a duplicate.
        source spurious_fast_retransmissions,
        /// SACKs that caused at least two spurious fast retransmissions.
        source spurious_bursts,
        /// DATA chunks that were moved to another path because they blocked its buffer.
        source rescheduled_chunks,
        /// Packets that arrived damaged.
        both damaged_packets,
        /// Packet drop reports that arrived.
        source drop_reports,
        /// DATA chunks that a packet drop report marked for retransmission.
        source reported_chunks,
        /// DATA chunks dropped because the receive buffer was full.
        sink refused_chunks,
        /// Received DATA chunks that were dropped to make room for others in a full receive buffer (reneging).
        sink given_up_chunks,
    }
    /// Packets sent, of any kind.
    packets_sent,
    /// Packets received, of any kind.
    packets_received,
    /// Packets with DATA sent.
    data_packets,
    /// DATA chunks sent, retransmissions included.
    data_chunks_sent,
    /// SACKs sent.
    sacks_sent,
    /// SACKs received.
    sacks_received,
    /// SACKs that arrived after a newer one and were ignored.
    stale_sacks,
    /// Chunks that a timer marked for retransmission.
    timer_retransmissions,
    /// Packet drop reports sent.
    drop_reports_sent,
    /// Chunks that the peer's full receive buffer dropped, marked for retransmission when it has room again.
    probe_retransmissions,
    /// Messages that expired before their first transmission.
    messages_expired,
    /// Messages that the application sent.
    messages_sent,
    /// Payload bytes that the application sent.
    bytes_sent,
    /// Messages delivered to the application.
    messages_received,
    /// Payload bytes delivered to the application.
    bytes_received,
}

/// Head-of-line blocking on one inbound stream: complete ordered messages that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StreamStats {
    /// Ordered messages offered to the application.
    pub messages: u64,
    /// Messages of these that were complete but had to wait.
    pub waited: u64,
    /// Total waiting time of these.
    pub waiting: Span,
    /// Time during which at least one complete message waited.
    pub blocked: Span,
    /// Complete messages that are waiting; they are not counted in `waited` and `waiting` yet.
    pub waits: u32,
}

/// The part of the receive buffer that the application cannot read yet: fragments of incomplete messages, and complete
/// messages that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ReorderStats {
    /// Current payload bytes.
    pub bytes: u64,
    /// Largest number of payload bytes so far.
    pub most_bytes: u64,
    /// Integral over time in bytes times nanoseconds. Its growth between two readings divided by the time between them
    /// is the mean occupancy.
    pub byte_nanos: u128,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_has_the_counters_of_its_source_of_its_sink_or_of_both() {
        let ends = [1, 10].map(|count| {
            let early = Stats { timeouts: count, ..Stats::default() };
            let (timeouts, duplicate_chunks) = (3 * count, 4 * count);
            let late = Stats { timeouts, duplicate_chunks, damaged_packets: count, ..early };
            late - early
        });
        let flow = FlowStats::new(&ends[0], &ends[1]);
        let counted = FlowStats::COUNTERS.iter().map(|it| (it.name, (it.get)(&flow)));
        let counted: Vec<_> = counted.filter(|(_, count)| *count > 0).collect();
        assert_eq!(counted, [("timeouts", 2), ("duplicate_chunks", 40), ("damaged_packets", 11)]);
    }
}
