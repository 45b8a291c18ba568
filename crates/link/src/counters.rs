//! Counters of a link.

/// Packets and bytes of one direction of a link since the run began.
///
/// Bytes are network-layer bytes, framing excluded. At any instant, [`Counters::settled`] and the packets inside the
/// pipe add up to `arrived`.
///
/// The fields keep this order in memory, so that the first four, which change with every packet, share a cache line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Counters {
    /// Packets offered to the link.
    pub arrived: u64,
    /// Bytes offered to the link.
    pub bytes_arrived: u64,
    /// Packets handed out at the far end, damaged ones included.
    pub delivered: u64,
    /// Bytes handed out at the far end.
    pub bytes_delivered: u64,
    /// The damaged packets among `delivered`.
    pub damaged: u64,
    /// Packets that the queue refused on arrival, early drops included.
    pub dropped_queue: u64,
    /// The packets among `dropped_queue` that were refused although there was room (active queue management).
    pub dropped_early: u64,
    /// Packets that the queue accepted and dropped later.
    pub dropped_late: u64,
    /// Packets that arrived while the link was down.
    pub dropped_down: u64,
    /// Packets that the loss model removed at the far end, after their transmission.
    pub lost: u64,
    /// Packets waiting or in transmission when the link went down.
    pub lost_down: u64,
}

impl Counters {
    /// Packets that were offered and have left the pipe: delivered, dropped or lost.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.delivered + self.dropped() + self.lost_in_all()
    }

    /// Packets dropped before their transmission: by the queue, early or late, or because the link was down.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped_queue + self.dropped_late + self.dropped_down
    }

    /// Packets lost by the loss model or because the link went down.
    #[must_use]
    pub fn lost_in_all(&self) -> u64 {
        self.lost + self.lost_down
    }
}
