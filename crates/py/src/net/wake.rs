//! How an endpoint wakes a task of Python.
//!
//! An endpoint calls wakers while it holds its lock. A thread of Python that holds Python's lock may wait for that one. So
//! a waker takes no lock of Python's: it hands the call over to a thread that does nothing else.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Wake, Waker};
use std::{iter, thread};

use pyo3::prelude::*;

/// A waker that calls a Python function once, from another thread.
pub(crate) fn waker(call: Py<PyAny>) -> Waker {
    Waker::from(Arc::new(Call(Mutex::new(Some(call)))))
}

/// A function that is still to be called.
struct Call(Mutex<Option<Py<PyAny>>>);

/// A function that leaves its waker.
struct Order {
    call: Py<PyAny>,
    /// The waker was woken. Else nobody needs the function any more: the thread drops it, because its end may run code of
    /// Python, which must not happen under the lock of an endpoint.
    is_woken: bool,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(call) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            hand_over(Order { call, is_woken: true });
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(call) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            hand_over(Order { call, is_woken: false });
        }
    }
}

fn hand_over(order: Order) {
    static CALLER: OnceLock<Sender<Order>> = OnceLock::new();
    let caller = CALLER.get_or_init(|| {
        let (sender, receiver) = channel();
        thread::spawn(move || follow(&receiver));
        sender
    });
    // The receiver lives as long as the process
    let _ = caller.send(order);
}

/// Follows orders, all that wait at once under one hold of Python's lock. Ends when the interpreter does.
fn follow(orders: &Receiver<Order>) {
    while let Ok(first) = orders.recv() {
        let attached = Python::try_attach(|py| {
            for order in iter::once(first).chain(orders.try_iter()) {
                if order.is_woken
                    && let Err(error) = order.call.call0(py)
                {
                    error.write_unraisable(py, Some(order.call.bind(py)));
                }
            }
        });
        if attached.is_none() {
            return;
        }
    }
}
