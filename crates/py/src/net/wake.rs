//! Wakes Python tasks from endpoints.
//!
//! An endpoint calls wakers while it holds its lock. A Python thread that holds the GIL may wait for this lock. A waker
//! therefore never takes the GIL: it passes the call to a dedicated thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Wake, Waker};
use std::thread::{self, JoinHandle};
use std::{iter, process};

use pyo3::prelude::*;

/// The queue of calls. `None` ends the thread.
static ORDERS: OnceLock<Sender<Option<Order>>> = OnceLock::new();

/// The thread that makes the calls, and the process that it belongs to.
static CALLER: Mutex<Option<(u32, JoinHandle<()>)>> = Mutex::new(None);

/// Starts the thread that makes the calls, once.
///
/// The thread must end before the interpreter does: a thread that waits for the GIL of an interpreter that shuts down
/// crashes the process.
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

/// Whether calls are still made.
pub(crate) fn is_running() -> bool {
    caller().is_some()
}

/// Ends the thread that makes the calls.
#[pyfunction]
fn stop_sctp_calls(py: Python<'_>) {
    let Some((owner, thread)) = caller().take() else {
        return;
    };
    // A fork has no such thread
    if owner == process::id() {
        hand_over(None);
        // A panic of the thread was printed already
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

/// A function that has not been called yet.
struct Call(Mutex<Option<Py<PyAny>>>);

/// A function that was removed from its waker.
struct Order {
    call: Py<PyAny>,
    /// Whether the waker was woken. If not, the thread only drops the function: dropping it may run Python code, which
    /// must not happen under the lock of an endpoint.
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
        // Fails only if the thread has ended; then no task is left
        let _ = orders.send(order);
    }
}

/// Makes the calls; all waiting calls at once while the GIL is held.
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
