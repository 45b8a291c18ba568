//! Calls of the observer.

use manypath_core::SansIo;
use manypath_link::queue::Queue as _;
use manypath_link::{Popped, Verdict};

use super::World;
use super::link::Link;
use crate::host::HostId;
use crate::observer::{Observer, PacketEvent, Sight};
use crate::routes::LinkId;
use crate::slab::{Handle, Journey};

impl<N: SansIo> World<N> {
    #[cold]
    pub(super) fn show_host(&self, id: HostId, observer: &mut dyn Observer<N>) {
        observer.see_host(self.now, id, &self.hosts[id.index()].protocol);
    }

    #[cold]
    pub(super) fn show(
        &mut self,
        event: PacketEvent,
        handle: Handle,
        observer: &mut dyn Observer<N>,
    ) {
        let Journey { step, size, damaged_byte } = *self.packets.journey_mut(handle);
        let via = self.routes.end_after(step).via.reversed();
        let packet = self.packets.packet_mut(handle);
        observer.see_packet(&Sight { now: self.now, event, via, packet, size, damaged_byte });
    }

    #[cold]
    pub(super) fn show_offered(
        &mut self,
        link: LinkId,
        handle: Handle,
        verdict: Verdict,
        observer: &mut dyn Observer<N>,
    ) {
        let waiting = self.waiting(link);
        let event = match verdict {
            Verdict::Queued => PacketEvent::Queued { link, waiting },
            Verdict::Dropped(reason) => PacketEvent::Dropped { link, reason, waiting },
        };
        self.show(event, handle, observer);
    }

    #[cold]
    pub(super) fn show_popped(
        &mut self,
        link: LinkId,
        popped: Popped<Handle>,
        observer: &mut dyn Observer<N>,
    ) {
        let waiting = self.waiting(link);
        let (handle, event) = match popped {
            Popped::Delivered(handle) => {
                (handle, PacketEvent::Delivered { link, damage: None, waiting })
            }
            Popped::Damaged { item, byte } => {
                (item, PacketEvent::Delivered { link, damage: Some(byte), waiting })
            }
            Popped::Lost { item, cause } => (item, PacketEvent::Lost { link, cause, waiting }),
        };
        self.show(event, handle, observer);
    }

    /// Packets that wait at a link after its last event.
    fn waiting(&self, link: LinkId) -> usize {
        match &self.links[link.index()] {
            Link::Piped(link) => link.pipe.queue().len(),
            Link::Computed(_) => unreachable!("an observed world has no computed links"),
        }
    }
}
