//! The task that moves packets between the sockets of an endpoint and its state machine.

mod carriers;
mod clock;
mod entry;
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
pub(crate) use entry::outcome;
pub(crate) use state::State;

use crate::Error;
use crate::paths::interfaces::Watch;
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
        was_due: false,
        sleep: Box::pin(sleep_until(tokio::time::Instant::now())),
        buffers: Buffers::new(),
        watch: Watch::new(&sockets.local_addresses()),
        shared,
        sockets,
    };
    poll_fn(|cx| driver.poll(cx)).await;
}

/// What the task owns. State is touched under the lock, sockets without it.
struct Driver {
    shared: Arc<Shared>,
    sockets: Sockets,
    buffers: Buffers,
    /// Looks after the local addresses.
    watch: Watch,
    sleep: Pin<Box<Sleep>>,
    /// When `sleep` ends, or ended.
    alarm: Option<Instant>,
    /// It has just ended.
    was_due: bool,
}

impl Driver {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        for _ in 0..MOST_ROUNDS {
            let has_received = self.receive(cx);
            self.listen_to_system(cx);
            let (alarm, is_done) = self.act(cx);
            self.sockets.flush(cx);
            if is_done && self.sockets.is_flushed() {
                return Poll::Ready(());
            }
            let is_due = self.set_alarm(cx, alarm);
            if !has_received && !is_due {
                return Poll::Pending;
            }
        }
        // Other tasks have their turn
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Takes what every socket has at hand; whether one had something.
    fn receive(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_received = false;
        for index in 0..self.sockets.len() {
            if !matches!(
                self.sockets.poll_receive(index, cx, &mut self.buffers),
                Poll::Ready(Ok(()))
            ) {
                continue;
            }
            has_received = true;
            self.handle_arrivals(cx);
        }
        has_received
    }

    /// Lets the state machine handle what was received. Its answers leave in between if they are many.
    fn handle_arrivals(&mut self, cx: &mut Context<'_>) {
        let mut arrivals = self.buffers.arrivals().peekable();
        while arrivals.peek().is_some() {
            let mut state = self.shared.lock();
            let now = state.clock.now();
            // What applications have asked for leaves first
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

    /// Hears which local addresses have changed, and what became of packets.
    fn listen_to_system(&mut self, cx: &mut Context<'_>) {
        let changes = self.watch.poll(cx);
        // A timer that runs out may have been waiting for what an error explains
        let troubles = self.sockets.troubles(std::mem::take(&mut self.was_due));
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

    /// Lets timers expire and tells applications; when the next timer is due, and whether the endpoint has ended.
    fn act(&mut self, cx: &mut Context<'_>) -> (Time, bool) {
        let mut state = self.shared.lock();
        let now = state.clock.now();
        state.transmit(now, &mut self.sockets);
        state.act(now, &mut self.sockets);
        while state.tell(now) {
            state.transmit(now, &mut self.sockets);
        }
        state.counters.dropped = self.sockets.dropped;
        state.alarm = state.core.poll_timeout();
        if !state.driver.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.driver = Some(cx.waker().clone());
        }
        (state.alarm, state.is_closing && state.open() == 0)
    }

    /// Arms the timer; whether it has run out already.
    fn set_alarm(&mut self, cx: &mut Context<'_>, alarm: Time) -> bool {
        let alarm = [self.shared.lock().clock.instant(alarm), self.watch.due()];
        let Some(alarm) = alarm.into_iter().flatten().min() else { return false };
        if Some(alarm) != self.alarm {
            self.alarm = Some(alarm);
            self.sleep.as_mut().reset(alarm.into());
        }
        self.was_due = self.sleep.as_mut().poll(cx).is_ready();
        self.was_due
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

/// Bytes that are worth a call of the system though there is more to do.
const ENOUGH: usize = 128 * 1024;
/// Rounds of receiving and sending before other tasks have their turn.
const MOST_ROUNDS: usize = 16;
