//! The endpoints of a host, for their handles: the ports in use, and changes for the driver.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use manypath_core::Address;
use tokio::sync::Notify;

use super::link::{Link, Work};
use super::shared::Shared;
use crate::socket::raw::RawSocket;
use crate::socket::udp::UdpSocket;

/// State that the handles of a host and of its endpoints share with the driver.
///
/// Its lock is taken while the lock of an endpoint is held, never the other way round.
#[derive(Debug, Default)]
pub(crate) struct Membership {
    inner: Mutex<Inner>,
    /// Received packets for ports without an endpoint.
    foreign: AtomicU64,
    /// The driver has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    members: Vec<Member>,
    /// Slots of endpoints that have ended.
    free: Vec<usize>,
    /// Number of slots so far.
    slots: usize,
    changes: Changes,
    /// Wakes the driver.
    driver: Option<Waker>,
    /// The host is closed or has no handle, so it opens no more endpoints.
    is_closing: bool,
    /// The driver is ending and accepts no more endpoints.
    is_ending: bool,
    /// The driver has ended, and the sockets are closed.
    has_stopped: bool,
}

/// Changes that the driver has not processed yet.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Slots of endpoints with work.
    pub(crate) woken: Vec<usize>,
    /// Endpoints that were opened.
    pub(crate) opened: Vec<Member>,
    /// Sockets of further local addresses.
    pub(crate) sockets: Vec<NewSockets>,
}

/// The sockets of a local address.
#[derive(Debug)]
pub(crate) struct NewSockets {
    pub(crate) udp: Vec<UdpSocket>,
    pub(crate) raw: Vec<RawSocket>,
}

/// An endpoint of a host.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) slot: usize,
    /// The SCTP port.
    pub(crate) port: u16,
    /// Its local addresses.
    pub(crate) addresses: Arc<[Address]>,
    pub(crate) shared: Arc<Shared>,
}

impl Member {
    /// Whether an endpoint on this port and these addresses would get packets of this one.
    pub(crate) fn overlaps(&self, port: u16, addresses: &[Address]) -> bool {
        self.port == port && self.addresses.iter().any(|own| addresses.contains(own))
    }
}

impl Work for Membership {
    fn is_there(&self, slot: usize) {
        self.tell(|changes| changes.woken.push(slot));
    }

    fn foreign_packets(&self) -> u64 {
        self.foreign()
    }
}

impl Membership {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an endpoint, whose port must be free; `None` if the driver has ended.
    pub(crate) fn join(
        self: &Arc<Self>,
        port: u16,
        addresses: Arc<[Address]>,
        make: impl FnOnce(Link) -> Arc<Shared>,
    ) -> Option<Arc<Shared>> {
        let mut inner = self.lock();
        if inner.is_ending {
            return None;
        }
        let slot = inner.free.pop().unwrap_or(inner.slots);
        inner.slots = inner.slots.max(slot + 1);
        let shared = make(Link::new(Arc::clone(self) as Arc<dyn Work>, slot));
        let member = Member { slot, port, addresses, shared: Arc::clone(&shared) };
        inner.members.push(member.clone());
        inner.changes.opened.push(member);
        inner.wake();
        Some(shared)
    }

    /// The endpoints that an endpoint on this port and these addresses would share packets with.
    pub(crate) fn overlapping(&self, port: u16, addresses: &[Address]) -> Vec<Member> {
        let inner = self.lock();
        let found = inner.members.iter().filter(|member| member.overlaps(port, addresses));
        found.cloned().collect()
    }

    /// Whether an endpoint on any address has this port.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        self.lock().members.iter().any(|member| member.port == port)
    }

    /// All endpoints, in the order in which they were opened.
    pub(crate) fn members(&self) -> Vec<Member> {
        self.lock().members.clone()
    }

    /// Makes the port of an endpoint available to others.
    pub(crate) fn release(&self, shared: &Arc<Shared>) {
        self.lock().members.retain(|member| !Arc::ptr_eq(&member.shared, shared));
    }

    /// Makes the slot of an endpoint available to others, which the driver has removed and whose port is released.
    pub(crate) fn vacate(&self, slot: usize) {
        self.lock().free.push(slot);
    }

    /// Passes sockets of further local addresses to the driver.
    pub(crate) fn add_sockets(&self, sockets: NewSockets) {
        self.tell(|changes| changes.sockets.push(sockets));
    }

    /// Whether the host opens no more endpoints.
    pub(crate) fn is_closing(&self) -> bool {
        self.lock().is_closing
    }

    /// Opens no more endpoints: the driver ends with the last one.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.is_closing = true;
        inner.wake();
    }

    /// Moves the changes since the last call into `changes`, which must be empty. Later changes wake the task of `waker`.
    pub(crate) fn listen(&self, changes: &mut Changes, waker: &Waker) {
        let mut inner = self.lock();
        std::mem::swap(&mut inner.changes, changes);
        if !inner.driver.as_ref().is_some_and(|known| known.will_wake(waker)) {
            inner.driver = Some(waker.clone());
        }
    }

    /// Ends the host if no handle of it and at most `left` endpoints exist; returns whether it has ended.
    pub(crate) fn end(&self, left: usize) -> bool {
        let mut inner = self.lock();
        let is_over = inner.is_closing && inner.members.len() <= left && inner.changes.is_empty();
        inner.is_ending |= is_over;
        is_over
    }

    /// Removes all endpoints, because the driver ends, and returns them.
    pub(crate) fn stop(&self) -> Vec<Member> {
        let mut inner = self.lock();
        (inner.is_ending, inner.has_stopped) = (true, true);
        let unseen = std::mem::take(&mut inner.changes);
        let members = std::mem::take(&mut inner.members);
        drop(inner);
        drop(unseen);
        self.ended.notify_waiters();
        members
    }

    /// Waits until the driver has ended.
    pub(crate) async fn ended(&self) {
        let ended = self.ended.notified();
        if !self.lock().has_stopped {
            ended.await;
        }
    }

    /// Received packets for ports of the host without an endpoint.
    pub(crate) fn foreign(&self) -> u64 {
        self.foreign.load(Ordering::Relaxed)
    }

    /// Counts a received packet for a port without an endpoint.
    pub(crate) fn count_foreign(&self) {
        self.foreign.fetch_add(1, Ordering::Relaxed);
    }

    fn tell(&self, add: impl FnOnce(&mut Changes)) {
        let mut inner = self.lock();
        add(&mut inner.changes);
        inner.wake();
    }
}

impl Inner {
    fn wake(&self) {
        if let Some(driver) = &self.driver {
            driver.wake_by_ref();
        }
    }
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.opened.is_empty() && self.sockets.is_empty()
    }
}
