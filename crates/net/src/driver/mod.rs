//! The task that moves packets between the sockets of a host and the state machines of its endpoints.

mod carriers;
mod clock;
mod entry;
mod io;
pub(crate) mod link;
pub(crate) mod membership;
#[cfg(test)]
pub(crate) mod pair;
mod shared;
mod slab;
mod slots;
mod state;
mod unowned;
mod wakers;

use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use manypath_core::{Address, SansIo};
use tokio::time::{Sleep, sleep_until};

pub(crate) use carriers::Carriers;
pub(crate) use clock::Clock;
pub(crate) use entry::{Entry, outcome, slot};
pub(crate) use shared::{Shared, wait};
pub(crate) use state::State;
pub(crate) use wakers::{Ticket, Wakers};

use crate::paths::interfaces::{Change, Watch};
use crate::socket::error_watch::ErrorWatch;
use crate::socket::errors::Trouble;
use crate::socket::{Buffers, Sockets};
use io::Io;
use membership::{Changes, Membership};
use slots::Slots;
use unowned::Unowned;

/// Starts the driver of a host. It runs until no handle of the host is left, all endpoints are closed, and their
/// associations have ended.
pub(crate) fn start(membership: Arc<Membership>, sockets: Sockets, clock: Clock) {
    let mut driver = Driver {
        alarm: None,
        sleep: Box::pin(sleep_until(tokio::time::Instant::now())),
        buffers: Buffers::new(),
        watch: Watch::new(&sockets.local_addresses()),
        errors: sockets.watch_errors(),
        unreachable: Vec::new(),
        down: Vec::new(),
        slots: Slots::default(),
        over: Vec::new(),
        changes: Changes::default(),
        unowned: Unowned::new(),
        io: Io::new(sockets),
        membership,
        clock,
    };
    tokio::spawn(async move { poll_fn(|cx| driver.poll(cx)).await });
}

/// The driver's own data. It accesses the state of an endpoint under its lock, and the sockets without a lock.
struct Driver {
    membership: Arc<Membership>,
    clock: Clock,
    io: Io,
    slots: Slots,
    /// Slots of endpoints that have ended, while their last packets wait for a socket.
    over: Vec<usize>,
    /// Kept to reuse its memory.
    changes: Changes,
    unowned: Unowned,
    buffers: Buffers,
    /// Watches the local addresses.
    watch: Watch,
    /// Local addresses that do not work.
    down: Vec<Address>,
    /// Waits for errors of sent packets.
    errors: ErrorWatch,
    /// Reports of unreachable peers. They are handled after all received packets, which may include an ABORT.
    unreachable: Vec<Trouble>,
    sleep: Pin<Box<Sleep>>,
    /// Deadline of `sleep`.
    alarm: Option<Instant>,
}

impl Driver {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        for round in 1..=MOST_ROUNDS {
            self.see_changes(cx);
            let (mut has_received, had_errors) = self.receive(cx);
            has_received |= self.listen_to_system(cx, !has_received && !had_errors);
            self.slots.expire(self.clock.now());
            self.act(cx);
            self.flush(cx);
            if self.finish_endpoints() {
                return Poll::Ready(());
            }
            let is_due = self.set_alarm(cx);
            // A packet that the system refused may be sent again at once with a smaller size
            let may_have_more = has_received || (had_errors && round < MOST_ROUNDS);
            if !may_have_more && !is_due && !self.io.sockets.has_trouble() {
                return Poll::Pending;
            }
        }
        // Let other tasks run
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Takes over new endpoints and sockets, and marks endpoints with work.
    fn see_changes(&mut self, cx: &mut Context<'_>) {
        self.membership.listen(&mut self.changes, cx.waker());
        for slot in self.changes.woken.drain(..) {
            self.slots.make_ready(slot);
        }
        if self.changes.is_empty() {
            return;
        }
        for added in self.changes.sockets.drain(..) {
            let addresses = self.io.sockets.add(added.udp, added.raw, &mut self.errors);
            addresses.iter().for_each(|address| self.watch.add(*address));
        }
        for member in self.changes.opened.drain(..) {
            let mut state = member.shared.lock();
            let now = self.clock.now();
            self.down.iter().for_each(|address| state.change_address(now, Change::Down(*address)));
            drop(state);
            self.slots.add(member);
        }
    }

    /// Receives what every socket has available; returns whether a socket had packets, and whether a socket had an
    /// error instead.
    fn receive(&mut self, cx: &mut Context<'_>) -> (bool, bool) {
        let (mut has_received, mut had_errors) = (false, false);
        for index in 0..self.io.sockets.len() {
            match self.io.sockets.poll_receive(index, cx, &mut self.buffers) {
                Poll::Ready(Ok(())) => has_received = true,
                Poll::Ready(Err(_)) => {
                    had_errors = true;
                    continue;
                }
                Poll::Pending => continue,
            }
            self.handle_arrivals(cx);
        }
        (has_received, had_errors)
    }

    /// Receives packets that the runtime does not know yet: it looks at the sockets only after this task has run.
    /// Returns whether a socket had packets or an error.
    #[cold]
    fn receive_unannounced(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_received = false;
        for index in 0..self.io.sockets.len() {
            match self.io.sockets.receive(index, &mut self.buffers) {
                Ok(()) => self.handle_arrivals(cx),
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(_) => {}
            }
            has_received = true;
        }
        has_received
    }

    /// Passes received packets to the state machines. If there are many answers, they are sent in between.
    fn handle_arrivals(&mut self, cx: &mut Context<'_>) {
        let buffers = std::mem::take(&mut self.buffers);
        // All of them are from one socket, and so have the same local address
        let mut arrivals = buffers.arrivals().peekable();
        let mut has_seen = false;
        while let Some(arrival) = arrivals.peek() {
            let (port, local) = (arrival.destination_port(), arrival.via.local);
            let mut slot = self.owner(port, local);
            if slot.is_none() && !std::mem::replace(&mut has_seen, true) {
                // It may have been opened since the beginning of the round
                self.see_changes(cx);
                slot = self.owner(port, local);
            }
            let Some(slot) = slot else {
                self.membership.count_foreign();
                if let Some(arrival) = arrivals.next() {
                    self.unowned.answer(self.clock.now(), arrival, &mut self.io);
                }
                continue;
            };
            self.slots.make_ready(slot);
            let Some(member) = self.slots.get(slot) else { continue };
            let mut state = member.shared.lock();
            let now = self.clock.now();
            // Data of applications is sent first
            state.transmit(now, &mut self.io);
            while let Some(arrival) = arrivals.next_if(|it| it.destination_port() == port) {
                state.receive(now, arrival, &mut self.io);
                if self.io.sockets.waiting() >= ENOUGH {
                    break;
                }
            }
            drop(state);
            self.flush_if_enough(cx);
        }
        drop(arrivals);
        self.buffers = buffers;
    }

    /// The endpoint of a port on a local address.
    #[inline]
    fn owner(&self, port: Option<u16>, local: Address) -> Option<usize> {
        self.slots.owner(port?, local)
    }

    /// Handles changes of local addresses and errors of sent packets. `is_up_to_date` is set if all received packets
    /// that the runtime knows have been read. Returns whether others were received.
    fn listen_to_system(&mut self, cx: &mut Context<'_>, is_up_to_date: bool) -> bool {
        let changes = self.watch.poll(cx);
        // An error may explain why a timer expires
        let is_due = self.alarm.is_some() && self.sleep.is_elapsed();
        let has_error = self.errors.poll(cx);
        let mut troubles = self.io.sockets.troubles(is_due || has_error);
        let has_reports =
            !self.unreachable.is_empty() || troubles.iter().any(Trouble::is_about_reachability);
        let has_received = is_up_to_date && has_reports && self.receive_unannounced(cx);
        if is_up_to_date && !has_received {
            troubles.append(&mut self.unreachable);
        } else {
            let room = MOST_UNREACHABLE.saturating_sub(self.unreachable.len());
            let waits = |trouble: &mut Trouble| trouble.is_about_reachability();
            self.unreachable.extend(troubles.extract_if(.., waits).take(room));
        }
        for change in changes {
            self.change_address(cx, change);
        }
        for trouble in troubles {
            // Only the sender of a packet handles its errors
            let sender = trouble.port.map(|port| self.slots.owner(port, trouble.local));
            match sender {
                Some(sender) => sender.into_iter().for_each(|slot| self.pass_on(slot, trouble)),
                None => self.all_slots().for_each(|slot| self.pass_on(slot, trouble)),
            }
        }
        has_received
    }

    fn pass_on(&mut self, slot: usize, trouble: Trouble) {
        self.slots.make_ready(slot);
        let Some(member) = self.slots.get(slot) else { return };
        let mut state = member.shared.lock();
        state.transmit(self.clock.now(), &mut self.io);
        state.hear(trouble);
    }

    fn change_address(&mut self, cx: &mut Context<'_>, change: Change) {
        match change {
            Change::Down(address) => self.down.push(address),
            Change::Up(address) => self.down.retain(|known| *known != address),
        }
        for slot in self.all_slots() {
            self.slots.make_ready(slot);
            let Some(member) = self.slots.get(slot) else { continue };
            let mut state = member.shared.lock();
            let now = self.clock.now();
            state.transmit(now, &mut self.io);
            state.change_address(now, change);
            state.transmit(now, &mut self.io);
            drop(state);
            self.flush_if_enough(cx);
        }
    }

    fn all_slots(&self) -> std::vec::IntoIter<usize> {
        self.slots.taken().collect::<Vec<_>>().into_iter()
    }

    /// Handles timers and notifies applications, for all endpoints with work.
    fn act(&mut self, cx: &mut Context<'_>) {
        while let Some(slot) = self.slots.next_ready() {
            let Some(member) = self.slots.get(slot) else { continue };
            let mut state = member.shared.lock();
            let now = self.clock.now();
            state.is_woken = false;
            state.transmit(now, &mut self.io);
            state.act(now, &mut self.io);
            while state.tell(now) {
                state.transmit(now, &mut self.io);
            }
            state.alarm = state.core.poll_timeout();
            let (alarm, is_over) = (state.alarm, state.is_over());
            drop(state);
            self.slots.set_alarm(slot, alarm);
            if is_over && !self.over.contains(&slot) {
                self.over.push(slot);
            }
            self.flush_if_enough(cx);
        }
    }

    fn flush_if_enough(&mut self, cx: &mut Context<'_>) {
        if self.io.sockets.waiting() >= ENOUGH {
            self.flush(cx);
        }
    }

    /// Sends waiting packets. Packets that the system refuses are reported to their endpoints.
    fn flush(&mut self, cx: &mut Context<'_>) {
        self.io.sockets.flush(cx);
        while let Some(refused) = self.io.sockets.refused.pop() {
            let slot = self.slots.owner(refused.port, refused.local);
            if let Some(member) = slot.and_then(|slot| self.slots.get(slot)) {
                member.shared.lock().count_refused(refused.packets);
            }
        }
    }

    /// Removes endpoints that have ended; returns whether the host has ended. The last endpoint waits until its packets
    /// have been sent, because the sockets are closed then.
    fn finish_endpoints(&mut self) -> bool {
        let left = self.slots.len();
        if self.over.len() == left && self.io.sockets.is_flushed() && self.membership.end(left) {
            // Tasks that wait for an endpoint are woken when the sockets are closed
            return true;
        }
        if self.over.is_empty() || (self.over.len() == left && !self.io.sockets.is_flushed()) {
            return false;
        }
        for slot in std::mem::take(&mut self.over) {
            let Some(member) = self.slots.get(slot).cloned() else { continue };
            let mut state = member.shared.lock();
            // Another handle may have opened the endpoint again
            if state.is_over() {
                state.stop();
                drop(state);
                self.membership.release(&member.shared);
                self.slots.remove(slot);
                self.membership.vacate(slot);
            }
        }
        false
    }

    /// Sets the timer; returns whether it has expired already.
    fn set_alarm(&mut self, cx: &mut Context<'_>) -> bool {
        let timer = self.clock.instant(self.slots.alarm());
        let alarm = [timer, self.watch.due(), self.io.sockets.due()];
        let earliest = alarm.into_iter().flatten().min();
        let is_another = std::mem::replace(&mut self.alarm, earliest) != earliest;
        let Some(alarm) = earliest else { return false };
        if is_another {
            self.sleep.as_mut().reset(alarm.into());
        }
        self.sleep.as_mut().poll(cx).is_ready()
    }
}

/// Closes the sockets, and wakes all waiting tasks with an error when the driver ends, also by a panic.
impl Drop for Driver {
    fn drop(&mut self) {
        self.io.sockets.close();
        self.errors = ErrorWatch::default();
        for member in self.membership.stop() {
            member.shared.lock().stop();
        }
    }
}

/// Largest number of waiting reports of unreachable peers.
const MOST_UNREACHABLE: usize = 64;
/// Number of waiting bytes at which the sockets are flushed before all work is done.
const ENOUGH: usize = 128 * 1024;
/// Rounds of receiving and sending before other tasks run.
const MOST_ROUNDS: usize = 16;
