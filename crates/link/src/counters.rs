//! What happened on a link, as plain numbers.

/// Packets and bytes of one direction of a link since the run began.
///
/// Bytes are network-layer bytes, framing excluded. At any instant, [`Counters::settled`] and the packets inside the
/// pipe add up to `arrived`.
///
/// In memory as they stand here, so that the first four, which every packet changes, share a cache line.
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
    /// Of `delivered`, those that the loss model damaged.
    pub damaged: u64,
    /// Packets refused by the queue on arrival, early drops included.
    pub dropped_queue: u64,
    /// Of `dropped_queue`, those refused although there was room (active queue management).
    pub dropped_early: u64,
    /// Packets that the queue accepted and dropped later.
    pub dropped_late: u64,
    /// Packets that arrived while the link was down.
    pub dropped_down: u64,
    /// Packets that the loss model took at the far end, after they had used the link.
    pub lost: u64,
    /// Packets waiting or in transmission when the link went down.
    pub lost_down: u64,
    /// Bytes that the loss model took at the far end.
    pub bytes_lost: u64,
}

impl Counters {
    /// Packets that were offered and are no longer inside: delivered, dropped or lost.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.delivered + self.dropped() + self.lost_in_all()
    }

    /// Packets dropped before their transmission: by the queue, early or late, or because the link was down.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped_queue + self.dropped_late + self.dropped_down
    }

    /// Packets lost by the loss model or when the link went down.
    #[must_use]
    pub fn lost_in_all(&self) -> u64 {
        self.lost + self.lost_down
    }
}
