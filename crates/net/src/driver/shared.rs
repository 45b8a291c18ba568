//! The state of an endpoint under its lock, and tasks that wait for a condition of it.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use super::state::State;
use super::wakers::{Ticket, Wakers};

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

/// Calls `look` with the state whenever the wakers of `condition` are woken, until it returns a value. If the future is
/// dropped, its waker is removed.
pub(crate) async fn wait<T>(
    shared: &Shared,
    condition: impl Fn(&mut State) -> &mut Wakers,
    mut look: impl FnMut(&mut State) -> Poll<T>,
) -> T {
    let mut wait = Wait { shared, condition, ticket: Ticket::default() };
    poll_fn(|cx| {
        let mut state = wait.shared.lock();
        let result = look(&mut state);
        if !wait.ticket.is_registered() && result.is_ready() {
            return result;
        }
        (wait.condition)(&mut state).settle(&mut wait.ticket, cx, result)
    })
    .await
}

/// A future that waits for a condition.
struct Wait<'a, C: Fn(&mut State) -> &mut Wakers> {
    shared: &'a Shared,
    condition: C,
    ticket: Ticket,
}

impl<C: Fn(&mut State) -> &mut Wakers> Drop for Wait<'_, C> {
    fn drop(&mut self) {
        if self.ticket.is_registered() {
            let mut state = self.shared.lock();
            let waker = (self.condition)(&mut state).remove(&mut self.ticket);
            drop(state);
            drop(waker);
        }
    }
}
