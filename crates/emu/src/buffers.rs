//! Where packets live while they travel: recycled, named by handles.

/// The packets of a router, each with room for the largest one.
#[derive(Debug)]
pub(crate) struct Buffers {
    packets: Vec<Box<[u8]>>,
    journeys: Vec<Journey>,
    /// The last one released is the first one used: its memory is still in the cache.
    free: Vec<Handle>,
    /// The one that is filled next. It stays apart: packets may be released while it is being filled.
    blank: Handle,
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
        let (packets, journeys, free) = (Vec::new(), Vec::new(), Vec::new());
        let mut buffers = Self { packets, journeys, free, blank: Handle(0), room };
        buffers.blank = buffers.grow();
        for _ in 0..AT_FIRST {
            let handle = buffers.grow();
            buffers.free.push(handle);
        }
        buffers
    }

    /// A packet to be filled; [`take`](Self::take) makes it travel.
    pub(crate) fn blank(&mut self) -> &mut [u8] {
        &mut self.packets[self.blank.index()]
    }

    /// The packet that was blank begins its journey, and another one is blank.
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

    /// Packets on a journey.
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

/// Packets for which memory is taken before the first one comes.
const AT_FIRST: usize = 256;
