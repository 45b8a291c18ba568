//! Where packets live while they travel: recycled, named by handles.

/// The packets of a router, each with room for the largest one.
#[derive(Debug)]
pub(crate) struct Buffers {
    packets: Vec<Box<[u8]>>,
    journeys: Vec<Journey>,
    /// The last one released is the first one used: its memory is still in the cache.
    free: Vec<Handle>,
    /// Bytes that each packet has room for.
    room: usize,
}

/// Names a packet among the buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(u32);

/// What a packet knows of its way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Journey {
    /// Index of the step of its route that it takes at present.
    pub(crate) step: u32,
    /// Its bytes, IP header included.
    pub(crate) size: u32,
    /// Which packets it keeps together with, for queues that tell flows apart.
    pub(crate) flow: u32,
}

impl Buffers {
    /// Free packets of `room` bytes each, some to begin with.
    pub(crate) fn new(room: usize) -> Self {
        let mut buffers =
            Self { packets: Vec::new(), journeys: Vec::new(), free: Vec::new(), room };
        for _ in 0..AT_FIRST {
            buffers.grow();
        }
        buffers
    }

    /// A packet that is free, to be filled; [`take`](Self::take) makes it travel.
    pub(crate) fn blank(&mut self) -> &mut [u8] {
        if self.free.is_empty() {
            self.grow();
        }
        let handle = self.free[self.free.len() - 1];
        &mut self.packets[handle.index()]
    }

    /// The packet that was blank begins its journey.
    pub(crate) fn take(&mut self, journey: Journey) -> Option<Handle> {
        let handle = self.free.pop()?;
        self.journeys[handle.index()] = journey;
        Some(handle)
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

    /// Packets on a journey.
    pub(crate) fn travelling(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    #[cold]
    fn grow(&mut self) {
        let handle = Handle(u32::try_from(self.packets.len()).expect("fewer than 2^32 packets"));
        self.packets.push(vec![0; self.room].into());
        self.journeys.push(Journey::default());
        self.free.push(handle);
    }
}

impl Handle {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Packets for which memory is taken before the first one comes.
const AT_FIRST: usize = 256;
