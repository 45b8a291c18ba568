//! Storage of the packets in flight. Packets are recycled and referenced by handles.

/// The packets of a router, each with room for the largest one.
#[derive(Debug)]
pub(crate) struct Buffers {
    packets: Vec<Box<[u8]>>,
    journeys: Vec<Journey>,
    /// The last released buffer is the first one reused, because its memory is still in the cache.
    free: Vec<Handle>,
    /// The buffer that is filled next. It is not in `free`, because packets may be released while it is being filled.
    blank: Handle,
    /// Capacity of each buffer in bytes.
    room: usize,
}

/// Identifies a packet in the buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(u32);

/// The state of a packet on its route.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Journey {
    /// Index of the current step of its route.
    pub(crate) step: u32,
    /// Size in bytes, IP header included.
    pub(crate) size: u32,
    /// The packet's flow, for queues that distinguish flows.
    pub(crate) flow: u32,
}

impl Buffers {
    /// Creates the initial free packets of `room` bytes each.
    pub(crate) fn new(room: usize) -> Self {
        let (packets, journeys, free) = (Vec::new(), Vec::new(), Vec::new());
        let mut buffers = Self { packets, journeys, free, blank: Handle(0), room };
        buffers.blank = buffers.grow();
        for _ in 0..AT_FIRST {
            let handle = buffers.grow();
            buffers.free.push(handle);
        }
        buffers
    }

    /// A buffer to be filled; [`take`](Self::take) puts it in flight.
    pub(crate) fn blank(&mut self) -> &mut [u8] {
        &mut self.packets[self.blank.index()]
    }

    /// Puts the packet in the blank buffer in flight, and provides another blank buffer.
    pub(crate) fn take(&mut self, journey: Journey) -> Handle {
        let next = self.free.pop().unwrap_or_else(|| self.grow());
        let handle = std::mem::replace(&mut self.blank, next);
        self.journeys[handle.index()] = journey;
        handle
    }

    pub(crate) fn packet(&self, handle: Handle) -> &[u8] {
        let size = self.journeys[handle.index()].size as usize;
        &self.packets[handle.index()][..size]
    }

    pub(crate) fn packet_mut(&mut self, handle: Handle) -> &mut [u8] {
        let size = self.journeys[handle.index()].size as usize;
        &mut self.packets[handle.index()][..size]
    }

    pub(crate) fn journey_mut(&mut self, handle: Handle) -> &mut Journey {
        &mut self.journeys[handle.index()]
    }

    pub(crate) fn release(&mut self, handle: Handle) {
        self.free.push(handle);
    }

    /// The number of packets in flight.
    pub(crate) fn travelling(&self) -> usize {
        self.packets.len() - self.free.len() - 1
    }

    #[cold]
    fn grow(&mut self) -> Handle {
        let handle = Handle(u32::try_from(self.packets.len()).expect("fewer than 2^32 packets"));
        self.packets.push(vec![0; self.room].into());
        self.journeys.push(Journey::default());
        handle
    }
}

impl Handle {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of buffers that are allocated at the start.
const AT_FIRST: usize = 256;
