//! A file that several endpoints write into.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that its clones share: `U` before an endpoint writes into it, then `O` until it is finished.
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

    /// An endpoint will write: the first one opens the file, which is finished if `open` returns nothing.
    pub(crate) fn begin(&self, open: impl FnOnce(U) -> Option<O>) {
        let mut state = self.lock();
        *state = match std::mem::replace(&mut *state, State::Finished) {
            State::Unused(unused) => open(unused).map_or(State::Finished, State::Open),
            begun => begun,
        };
    }

    /// Does something with the file while it is open.
    pub(crate) fn while_open<R>(&self, act: impl FnOnce(&mut O) -> R) -> Option<R> {
        match &mut *self.lock() {
            State::Open(open) => Some(act(open)),
            State::Unused(_) | State::Finished => None,
        }
    }

    /// Returns the file, if it is open. No endpoint can write into it any more.
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
