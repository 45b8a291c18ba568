//! Storage of the packets in flight. Packets are recycled and referenced by handles.

use std::num::NonZeroU32;

use manypath_core::Packet;

/// The packets of a world.
///
/// The data that a hop needs (position on the route, size) is stored apart from the packets, so it is compact and stays
/// in the cache.
#[derive(Debug)]
pub struct Slab<P> {
    packets: Vec<P>,
    journeys: Vec<Journey>,
    /// Cleared packets for reuse; the last one released is the first one reused.
    free: Vec<Handle>,
}

/// Identifies a packet in the slab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub(crate) NonZeroU32);

impl Handle {
    #[inline]
    fn index(self) -> usize {
        self.0.get() as usize
    }
}

/// The state of a packet on its route.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Journey {
    /// Index of the current step of its route.
    pub(crate) step: u32,
    /// Network-layer size in bytes, computed once when the packet was sent.
    pub(crate) size: u32,
    /// Offset from the network header of the byte that a link damaged. If several links damage the packet, the first
    /// one counts.
    pub(crate) damaged_byte: Option<u32>,
}

impl<P: Packet> Slab<P> {
    /// A slab without packets.
    #[must_use]
    pub(crate) fn new() -> Self {
        // The first place is not used, so that no handle is zero and an optional one takes no more space.
        let journeys = vec![Journey::default()];
        Self { packets: vec![P::default()], journeys, free: Vec::new() }
    }

    /// A cleared packet that is still free. Call [`take`](Self::take) to use it.
    #[inline]
    pub(crate) fn blank(&mut self) -> (Handle, &mut P) {
        let handle = match self.free.last() {
            Some(&handle) => handle,
            None => self.grow(),
        };
        (handle, &mut self.packets[handle.index()])
    }

    /// Marks the blank packet as in flight.
    #[inline]
    pub(crate) fn take(&mut self, handle: Handle, journey: Journey) {
        let taken = self.free.pop();
        debug_assert_eq!(taken, Some(handle), "only the blank packet can be taken");
        self.journeys[handle.index()] = journey;
    }

    /// The packet itself.
    #[inline]
    pub(crate) fn packet_mut(&mut self, handle: Handle) -> &mut P {
        &mut self.packets[handle.index()]
    }

    /// The state of the packet on its route.
    #[inline]
    pub(crate) fn journey_mut(&mut self, handle: Handle) -> &mut Journey {
        &mut self.journeys[handle.index()]
    }

    /// Ends the packet's journey: clears the packet and marks it as free.
    #[inline]
    pub(crate) fn release(&mut self, handle: Handle) {
        self.packet_mut(handle).clear();
        self.free.push(handle);
    }

    /// The number of packets in flight, without those that are already known to be lost later. If a packet is released
    /// twice, the number is too small and the conservation check fails.
    #[must_use]
    pub fn travelling(&self) -> usize {
        self.capacity().saturating_sub(self.free.len())
    }

    /// The number of packets in flight or free: the largest number that was ever in flight at once, and perhaps one
    /// more.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.packets.len() - 1
    }

    #[cold]
    fn grow(&mut self) -> Handle {
        let place = u32::try_from(self.packets.len()).ok().and_then(NonZeroU32::new);
        let handle = Handle(place.expect("fewer than 2^32 packets"));
        self.packets.push(P::default());
        self.journeys.push(Journey::default());
        self.free.push(handle);
        handle
    }
}
