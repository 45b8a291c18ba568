//! A file into which several endpoints write.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that its clones share: in state `U` before the first endpoint writes into it, then in state `O` until it is
/// finished.
#[derive(Debug)]
pub(crate) struct SharedFile<U, O>(Arc<Mutex<State<U, O>>>);

#[derive(Debug)]
enum State<U, O> {
    Unused(U),
    Open(O),
    Finished,
}

impl<U, O> SharedFile<U, O> {
    pub(crate) fn new(unused: U) -> Self {
        Self(Arc::new(Mutex::new(State::Unused(unused))))
    }

    /// Called by each endpoint that will write: the first call opens the file. If `open` returns `None`, the file is
    /// finished.
    pub(crate) fn begin(&self, open: impl FnOnce(U) -> Option<O>) {
        let mut state = self.lock();
        *state = match std::mem::replace(&mut *state, State::Finished) {
            State::Unused(unused) => open(unused).map_or(State::Finished, State::Open),
            begun => begun,
        };
    }

    /// Runs a function on the file while it is open.
    pub(crate) fn while_open<R>(&self, act: impl FnOnce(&mut O) -> R) -> Option<R> {
        match &mut *self.lock() {
            State::Open(open) => Some(act(open)),
            State::Unused(_) | State::Finished => None,
        }
    }

    /// Returns the file if it is open. No endpoint can write into it afterwards.
    pub(crate) fn finish(&self) -> Option<O> {
        match std::mem::replace(&mut *self.lock(), State::Finished) {
            State::Open(open) => Some(open),
            State::Unused(_) | State::Finished => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<U, O>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<U, O> Clone for SharedFile<U, O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
