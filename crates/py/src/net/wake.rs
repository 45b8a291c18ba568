//! How an endpoint wakes a task of Python.
//!
//! An endpoint calls wakers while it holds its lock. A thread of Python that holds Python's lock may wait for that one. So
//! a waker takes no lock of Python's: it hands the call over to a thread that does nothing else.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Wake, Waker};
use std::thread::{self, JoinHandle};
use std::{iter, process};

use pyo3::prelude::*;

/// Where functions go. A None ends the thread.
static ORDERS: OnceLock<Sender<Option<Order>>> = OnceLock::new();

/// The thread that calls functions, and the process that it belongs to.
static CALLER: Mutex<Option<(u32, JoinHandle<()>)>> = Mutex::new(None);

/// Starts the thread that calls functions, once.
///
/// It must have ended before the interpreter does: a thread that waits for the lock of an ending interpreter takes the
/// process down with it.
pub(crate) fn start(py: Python<'_>) -> PyResult<()> {
    let (sender, receiver) = channel();
    if ORDERS.set(sender).is_err() {
        return Ok(());
    }
    let stop = wrap_pyfunction!(stop_sctp_calls, py)?;
    py.import("atexit")?.call_method1("register", (stop,))?;
    *caller() = Some((process::id(), thread::spawn(move || follow(&receiver))));
    Ok(())
}

/// Whether functions are still called.
pub(crate) fn is_running() -> bool {
    caller().is_some()
}

/// Ends the thread that calls functions.
#[pyfunction]
fn stop_sctp_calls(py: Python<'_>) {
    let Some((owner, thread)) = caller().take() else {
        return;
    };
    // A fork has no such thread
    if owner == process::id() {
        hand_over(None);
        // A panic of the thread has been printed
        py.detach(|| drop(thread.join()));
    }
}

fn caller() -> MutexGuard<'static, Option<(u32, JoinHandle<()>)>> {
    CALLER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A waker that calls a Python function once, from another thread.
pub(crate) fn waker(call: Py<PyAny>) -> Waker {
    Waker::from(Arc::new(Call(Mutex::new(Some(call)))))
}

/// A function that is still to be called.
struct Call(Mutex<Option<Py<PyAny>>>);

/// A function that leaves its waker.
struct Order {
    call: Py<PyAny>,
    /// The waker was woken. If not, the thread only drops the function: dropping may run Python code, which must not happen
    /// under the lock of an endpoint.
    is_woken: bool,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(call) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            hand_over(Some(Order { call, is_woken: true }));
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(call) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            hand_over(Some(Order { call, is_woken: false }));
        }
    }
}

fn hand_over(order: Option<Order>) {
    if let Some(orders) = ORDERS.get() {
        // Fails if the thread has ended: then no task is left to wake
        let _ = orders.send(order);
    }
}

/// Follows orders, all that wait at once under one hold of Python's lock.
fn follow(orders: &Receiver<Option<Order>>) {
    while let Ok(Some(first)) = orders.recv() {
        let goes_on = Python::try_attach(|py| {
            for order in iter::once(Some(first)).chain(orders.try_iter()) {
                let Some(order) = order else {
                    return false;
                };
                if order.is_woken
                    && let Err(error) = order.call.call0(py)
                {
                    error.write_unraisable(py, Some(order.call.bind(py)));
                }
            }
            true
        });
        if goes_on != Some(true) {
            return;
        }
    }
}
