//! The receive buffer: its content, the window for the peer, and when a larger window must be reported.

/// Accounting of the data that has arrived and waits for the application: payload bytes, and an overhead for each
/// chunk.
#[derive(Debug)]
pub(super) struct Buffer {
    capacity: usize,
    held: usize,
    /// Bytes that a chunk, or a reassembled message, counts in addition to its payload.
    overhead: usize,
    /// The window counts as closed below this number of free bytes.
    silly: usize,
    /// A growth of the window by this much is reported.
    step: usize,
    /// Window of the last SACK.
    advertised: u32,
    /// Whether the growth since the last SACK has been announced.
    announced: bool,
}

impl Buffer {
    /// An empty buffer of `capacity` bytes, for packets of at most `mtu` bytes. Each chunk takes `overhead` bytes in
    /// addition to its payload.
    pub(super) fn new(capacity: usize, mtu: usize, overhead: usize) -> Self {
        Self {
            capacity,
            held: 0,
            overhead,
            silly: (SILLY_PACKETS * mtu).min(capacity / 2),
            step: (capacity / 4).max(mtu),
            advertised: saturated(capacity),
            announced: false,
        }
    }

    /// Whether a chunk of `length` bytes fits. In an empty buffer any chunk fits, because it could never arrive
    /// otherwise.
    pub(super) fn fits(&self, length: usize) -> bool {
        self.held + self.overhead + length <= self.capacity || self.held == 0
    }

    /// Whether a chunk of `length` bytes that does not fit may have been sent within an earlier window.
    ///
    /// The peer counts only payload in the window, and with several paths SACKs overtake each other. Data in flight may
    /// therefore exceed the capacity by up to a quarter, which is enough for the overhead of full packets. The next
    /// window is smaller by this amount. Without an overhead both sides count alike.
    pub(super) fn fits_earlier_window(&self, length: usize) -> bool {
        self.overhead > 0 && self.held + self.overhead + length <= self.capacity + self.capacity / 4
    }

    /// Whether a chunk of `length` bytes may exceed the capacity to close the lowest gap or another one.
    ///
    /// A peer may exceed the window: by lost chunks, which do not count in its accounting until they are retransmitted
    /// (RFC 9260 §6.2.1), by a probe on each path, or because it has no such accounting. For this, memory of one more
    /// capacity is reserved, and of a third one for data that closes the lowest gap. So no behaviour of the peer can
    /// block the association: the data above this gap was accepted within two capacities. The unreadable data below it
    /// belongs to the one message that the gap interrupts (§6.9), which fits into the third capacity.
    pub(super) fn may_overdraw(&self, length: usize, closes_lowest_gap: bool) -> bool {
        let capacities = if closes_lowest_gap { 3 } else { 2 };
        self.held + self.overhead + length <= capacities * self.capacity
    }

    /// Bytes that wait for the application, or for other parts of their message or stream.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Bytes that this number of chunks counts in addition to the payload.
    pub(super) fn overhead(&self, chunks: usize) -> usize {
        self.overhead * chunks
    }

    /// Whether this number of bytes in this number of chunks exceeds the capacity.
    pub(super) fn is_exceeded_by(&self, length: usize, chunks: usize) -> bool {
        length + self.overhead(chunks) > self.capacity
    }

    /// Size of the buffer for a packet drop report.
    pub(super) fn capacity(&self) -> u32 {
        saturated(self.capacity)
    }

    /// Bytes in use for a packet drop report.
    pub(super) fn in_use(&self) -> u32 {
        saturated(self.held)
    }

    /// Accounts for a chunk of `length` bytes that arrived.
    pub(super) fn hold(&mut self, length: usize) {
        self.held += self.overhead + length;
    }

    /// Accounts for a chunk or a message of `length` bytes that was read or given up.
    pub(super) fn release(&mut self, length: usize) {
        self.held -= self.overhead + length;
    }

    /// Records that this number of chunks was joined into one message.
    pub(super) fn join(&mut self, chunks: usize) {
        self.held -= self.overhead * chunks.saturating_sub(1);
    }

    /// The window to advertise: the free space; 1 if that is too little for a reasonable packet; 0 if not even a chunk
    /// of one byte fits. If an open window accepted no data, a peer would conclude that the path has failed.
    ///
    /// RFC 9260 §6.1 leaves the avoidance of silly windows to RFC 1122 §4.2.3.3; 1 instead of 0 shows the peer that the
    /// application reads.
    pub(super) fn window(&self) -> u32 {
        match self.capacity.saturating_sub(self.held) {
            free if free <= self.overhead => 0,
            free if free < self.silly => 1,
            free => saturated(free),
        }
    }

    /// The window to advertise in a SACK that is being written.
    pub(super) fn advertise(&mut self) -> u32 {
        self.advertised = self.window();
        self.announced = false;
        self.advertised
    }

    /// Whether the window has grown since the last SACK by so much that it must be reported; true only once.
    pub(super) fn opened(&mut self) -> bool {
        if self.announced {
            return false;
        }
        let (now, then) = (self.window() as usize, self.advertised as usize);
        self.announced = now >= then + self.step || (then < self.silly && now >= self.silly);
        self.announced
    }
}

fn saturated(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// INET's swsLimit of 3000 bytes is two packets of 1500.
const SILLY_PACKETS: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_the_free_space_until_it_is_too_small() {
        let mut buffer = Buffer::new(10_000, 1500, 0);
        assert_eq!(buffer.window(), 10_000);
        buffer.hold(7000);
        assert_eq!(buffer.window(), 3000);
        buffer.hold(1);
        assert_eq!(buffer.window(), 1, "2999 bytes are less than two packets");
        buffer.hold(2999);
        assert_eq!(buffer.window(), 0);
        assert!(!buffer.fits(1) && buffer.fits(0));
    }

    #[test]
    fn a_window_is_closed_once_the_smallest_chunk_has_no_room() {
        let mut buffer = Buffer::new(10_000, 1500, 200);
        buffer.hold(10_000 - 200 - 201);
        assert!(buffer.fits(1));
        assert_eq!(buffer.window(), 1);
        buffer.hold(0);
        assert!(!buffer.fits(1));
        assert_eq!(buffer.window(), 0);
    }

    #[test]
    fn data_within_the_advertised_window_fits_despite_the_overhead() {
        let mut buffer = Buffer::new(10_000, 1500, 200);
        (0..8).for_each(|_| buffer.hold(1000));
        assert!(!buffer.fits(1000) && buffer.fits_earlier_window(1000));
        (0..2).for_each(|_| buffer.hold(1000));
        assert!(!buffer.fits_earlier_window(1000));
        assert_eq!(buffer.window(), 0);
        let mut buffer = Buffer::new(10_000, 1500, 0);
        buffer.hold(10_000);
        assert!(!buffer.fits_earlier_window(1), "both sides count payload alone");
    }

    #[test]
    fn a_buffer_of_one_packet_still_opens_its_window() {
        let mut buffer = Buffer::new(1500, 1500, 0);
        assert_eq!(buffer.window(), 1500);
        buffer.hold(750);
        assert_eq!(buffer.window(), 750);
        buffer.hold(1);
        assert_eq!(buffer.window(), 1);
    }

    #[test]
    fn a_window_that_opens_by_a_quarter_is_reported_once() {
        let mut buffer = Buffer::new(100_000, 1500, 0);
        buffer.hold(60_000);
        assert_eq!(buffer.advertise(), 40_000);
        buffer.release(24_999);
        assert!(!buffer.opened());
        buffer.release(1);
        assert!(buffer.opened());
        buffer.release(25_000);
        assert!(!buffer.opened(), "the SACK that is on its way will tell the whole");
        assert_eq!(buffer.advertise(), 90_000);
    }

    #[test]
    fn a_closed_window_is_reported_as_soon_as_it_is_large_enough() {
        let mut buffer = Buffer::new(100_000, 1500, 0);
        buffer.hold(99_000);
        assert_eq!(buffer.advertise(), 1);
        buffer.release(1999);
        assert!(!buffer.opened());
        buffer.release(1);
        assert!(buffer.opened());
    }

    #[test]
    fn data_that_arrives_and_is_read_between_two_sacks_is_not_reported() {
        let mut buffer = Buffer::new(100_000, 1500, 0);
        for _ in 0..1000 {
            buffer.hold(1452);
            buffer.release(1452);
            assert!(!buffer.opened());
        }
    }
}
