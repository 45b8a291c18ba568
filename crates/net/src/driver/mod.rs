//! The task that moves packets between the sockets of an endpoint and its state machine.

mod carriers;
mod clock;
mod entry;
#[cfg(test)]
pub(crate) mod pair;
mod slab;
mod state;
mod wakers;

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use manypath_core::{SansIo, Time};
use tokio::time::{Sleep, sleep_until};

pub(crate) use carriers::Carriers;
pub(crate) use clock::Clock;
pub(crate) use entry::{Entry, outcome};
pub(crate) use state::{State, slot};
pub(crate) use wakers::{Ticket, Wakers, wait};

use crate::Error;
use crate::paths::interfaces::Watch;
use crate::socket::error_watch::ErrorWatch;
use crate::socket::errors::Trouble;
use crate::socket::{Buffers, Sockets};

/// The state of an endpoint with its lock.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
}

impl Shared {
    pub(crate) fn new(state: State) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// The state. If the driver panicked while it held the lock, the endpoint counts as closed.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs an endpoint until it is closed and its last association has ended.
pub(crate) async fn run(shared: Arc<Shared>, sockets: Sockets) {
    let mut driver = Driver {
        alarm: None,
        sleep: Box::pin(sleep_until(tokio::time::Instant::now())),
        buffers: Buffers::new(),
        watch: Watch::new(&sockets.local_addresses()),
        errors: sockets.watch_errors(),
        unreachable: Vec::new(),
        shared,
        sockets,
    };
    poll_fn(|cx| driver.poll(cx)).await;
}

/// The driver's own data. It accesses the state under the lock, and the sockets without it.
struct Driver {
    shared: Arc<Shared>,
    sockets: Sockets,
    buffers: Buffers,
    /// Watches the local addresses.
    watch: Watch,
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
            let (has_received, had_errors) = self.receive(cx);
            self.listen_to_system(cx, !has_received && !had_errors);
            let (alarm, is_done) = self.act(cx);
            self.sockets.flush(cx);
            if is_done && self.sockets.is_flushed() {
                return Poll::Ready(());
            }
            let is_due = self.set_alarm(cx, alarm);
            // A packet that the system refused may be sent again at once with a smaller size
            let may_have_more = has_received || (had_errors && round < MOST_ROUNDS);
            if !may_have_more && !is_due && !self.sockets.has_trouble() {
                return Poll::Pending;
            }
        }
        // Let other tasks run
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Receives what every socket has available; returns whether a socket had packets, and whether a socket had an
    /// error instead.
    fn receive(&mut self, cx: &mut Context<'_>) -> (bool, bool) {
        let (mut has_received, mut had_errors) = (false, false);
        for index in 0..self.sockets.len() {
            match self.sockets.poll_receive(index, cx, &mut self.buffers) {
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

    /// Passes received packets to the state machine. If there are many answers, they are sent in between.
    fn handle_arrivals(&mut self, cx: &mut Context<'_>) {
        let mut arrivals = self.buffers.arrivals().peekable();
        while arrivals.peek().is_some() {
            let mut state = self.shared.lock();
            let now = state.clock.now();
            // Data of applications is sent first
            state.transmit(now, &mut self.sockets);
            for arrival in arrivals.by_ref() {
                state.receive(now, arrival, &mut self.sockets);
                if self.sockets.waiting() >= ENOUGH {
                    break;
                }
            }
            drop(state);
            if self.sockets.waiting() >= ENOUGH {
                self.sockets.flush(cx);
            }
        }
    }

    /// Handles changes of local addresses and errors of sent packets. `is_up_to_date` is set if all received packets
    /// have been read.
    fn listen_to_system(&mut self, cx: &mut Context<'_>, is_up_to_date: bool) {
        let changes = self.watch.poll(cx);
        // An error may explain why a timer expires
        let is_due = self.alarm.is_some() && self.sleep.is_elapsed();
        let has_error = self.errors.poll(cx);
        let mut troubles = self.sockets.troubles(is_due || has_error);
        if is_up_to_date {
            troubles.append(&mut self.unreachable);
        } else {
            let room = MOST_UNREACHABLE.saturating_sub(self.unreachable.len());
            let waits = |trouble: &mut Trouble| trouble.is_about_reachability();
            self.unreachable.extend(troubles.extract_if(.., waits).take(room));
        }
        if changes.is_empty() && troubles.is_empty() {
            return;
        }
        let mut state = self.shared.lock();
        let now = state.clock.now();
        state.transmit(now, &mut self.sockets);
        for change in changes {
            state.change_address(now, change);
            state.transmit(now, &mut self.sockets);
        }
        for trouble in troubles {
            state.hear(trouble);
        }
    }

    /// Handles timers and notifies applications; returns the time of the next timer, and whether the endpoint has
    /// ended.
    fn act(&mut self, cx: &mut Context<'_>) -> (Time, bool) {
        let mut state = self.shared.lock();
        let now = state.clock.now();
        state.transmit(now, &mut self.sockets);
        state.act(now, &mut self.sockets);
        while state.tell(now) {
            state.transmit(now, &mut self.sockets);
        }
        state.counters.dropped_packets = self.sockets.dropped;
        state.alarm = state.core.poll_timeout();
        if !state.driver.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.driver = Some(cx.waker().clone());
        }
        (state.alarm, state.is_closing && state.open() == 0)
    }

    /// Sets the timer; returns whether it has expired already.
    fn set_alarm(&mut self, cx: &mut Context<'_>, alarm: Time) -> bool {
        let timer = self.shared.lock().clock.instant(alarm);
        let alarm = [timer, self.watch.due(), self.sockets.due()];
        let earliest = alarm.into_iter().flatten().min();
        let is_another = std::mem::replace(&mut self.alarm, earliest) != earliest;
        let Some(alarm) = earliest else { return false };
        if is_another {
            self.sleep.as_mut().reset(alarm.into());
        }
        self.sleep.as_mut().poll(cx).is_ready()
    }
}

/// Wakes all waiting tasks with an error when the driver ends, also by a panic.
impl Drop for Driver {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closing = true;
        state.has_stopped = true;
        for id in state.open_ids(|_| true) {
            state.entry(id).end(Error::EndpointClosed);
        }
        state.accepting.wake();
        state.stopping.wake();
    }
}

/// Largest number of waiting reports of unreachable peers.
const MOST_UNREACHABLE: usize = 64;
/// Number of waiting bytes at which the sockets are flushed before all work is done.
const ENOUGH: usize = 128 * 1024;
/// Rounds of receiving and sending before other tasks run.
const MOST_ROUNDS: usize = 16;
