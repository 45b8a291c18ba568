//! Where packets live while they travel: recycled, named by handles.

use manypath_core::Packet;

/// The packets of a world.
///
/// What a hop needs (place on the route, size) lies apart from the packets: it is compact and stays in the cache.
#[derive(Debug)]
pub struct Slab<P> {
    packets: Vec<P>,
    journeys: Vec<Journey>,
    /// Cleared packets, ready to be filled; the last one released is the first one used.
    free: Vec<Handle>,
}

/// Names a packet in the slab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(u32);

/// What a packet knows of its way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Journey {
    /// Index of the step of its route that it takes at present.
    pub(crate) step: u32,
    /// Network-layer size in bytes, asked for once, when it was sent.
    pub(crate) size: u32,
    /// The byte that a link on the way damaged, counted from the network header on; the first link counts.
    pub(crate) damaged_byte: Option<u32>,
}

impl<P: Packet> Slab<P> {
    /// No packets.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self { packets: Vec::new(), journeys: Vec::new(), free: Vec::new() }
    }

    /// A cleared packet that is still free: for [`take`](Self::take) if it is wanted.
    #[inline]
    pub(crate) fn blank(&mut self) -> (Handle, &mut P) {
        let handle = match self.free.last() {
            Some(&handle) => handle,
            None => self.grow(),
        };
        (handle, &mut self.packets[handle.0 as usize])
    }

    /// The blank packet begins its journey.
    #[inline]
    pub(crate) fn take(&mut self, handle: Handle, journey: Journey) {
        let taken = self.free.pop();
        debug_assert_eq!(taken, Some(handle), "only the blank packet can be taken");
        self.journeys[handle.0 as usize] = journey;
    }

    /// The packet itself.
    #[inline]
    pub(crate) fn packet_mut(&mut self, handle: Handle) -> &mut P {
        &mut self.packets[handle.0 as usize]
    }

    /// Its place on its way.
    #[inline]
    pub(crate) fn journey_mut(&mut self, handle: Handle) -> &mut Journey {
        &mut self.journeys[handle.0 as usize]
    }

    /// The journey is over: the packet is cleared and free.
    #[inline]
    pub(crate) fn release(&mut self, handle: Handle) {
        self.packet_mut(handle).clear();
        self.free.push(handle);
    }

    /// Packets on a journey. One that was released twice makes it too small, which no sum of a world survives.
    #[must_use]
    pub fn travelling(&self) -> usize {
        self.packets.len().saturating_sub(self.free.len())
    }

    /// Packets there are, travelling or free: the most that ever travelled at once, and perhaps one more.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.packets.len()
    }

    #[cold]
    fn grow(&mut self) -> Handle {
        let handle = Handle(u32::try_from(self.packets.len()).expect("fewer than 2^32 packets"));
        self.packets.push(P::default());
        self.journeys.push(Journey::default());
        self.free.push(handle);
        handle
    }
}
