//! Counters of associations and streams, which are always enabled.

use manypath_core::Span;

/// Defines counters of one end, `$all`, and those that the results of simulations have for a flow, `$flow`: each of its
/// source, of its sink, or the sum of both. Fields after the `;` are the state of the end.
macro_rules! end_counters {
    (
        $(#[$about:meta])* $all:ident {
            flow $(#[$flow_about:meta])* $flow:ident {
                $($(#[doc = $doc:literal])+ $end:ident $name:ident,)+
            }
            $($(#[doc = $own_doc:literal])+ $own:ident,)+
            $(; $($(#[doc = $state_doc:literal])+ $state:ident: $type:ty,)+)?
        }
    ) => {
        manypath_core::counters! {
            $(#[$about])*
            $all: u64 {
                $($(#[doc = $own_doc])+ $own,)+
                $($(#[doc = $doc])+ $name,)+
                $(; $($(#[doc = $state_doc])+ $state: $type,)+)?
            }
        }

        manypath_core::counters! {
            $(#[$flow_about])*
            #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
            $flow: u64 { $($(#[doc = $doc])+ $name,)+ }
        }

        impl $flow {
            /// The counters of a flow whose ends, source and sink, have these counters.
            #[must_use]
            pub fn new(ends: [&$all; 2]) -> Self {
                Self { $($name: $crate::stats::end_counters!(@ $end ends $name),)+ }
            }
        }
    };
    (@ source $ends:ident $name:ident) => { $ends[0].$name };
    (@ sink $ends:ident $name:ident) => { $ends[1].$name };
    (@ both $ends:ident $name:ident) => { $ends[0].$name + $ends[1].$name };
}
pub(crate) use end_counters;

end_counters! {
    /// Counters of an association.
    Stats {
        flow
        /// Counters of a flow.
        FlowStats {
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
        let flow = FlowStats::new([&ends[0], &ends[1]]);
        let counted = FlowStats::COUNTERS.iter().map(|it| (it.name, (it.get)(&flow)));
        let counted: Vec<_> = counted.filter(|(_, count)| *count > 0).collect();
        assert_eq!(counted, [("timeouts", 2), ("duplicate_chunks", 40), ("damaged_packets", 11)]);
    }
}
