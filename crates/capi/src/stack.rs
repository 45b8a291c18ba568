//! Starting and stopping the stack of the process, or attaching to the one of another process.

use crate::failure::{Failure, told};
use crate::pointer::text;
use crate::settings::{Plan, Settings, refused};
use crate::worker::{StopRequest, Worker};
use libc::{c_char, c_int, c_uint, pid_t};
use manypath_posix::guest;
use manypath_serve::Daemon;
use std::ffi::OsStr;
use std::io;
use std::mem;
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, Once, TryLockError};
use std::time::Duration;
use tempfile::TempDir;

/// What the process has started.
struct State {
    /// The process that it belongs to. The threads of a process do not exist in its children.
    process: pid_t,
    stack: Stack,
    /// The folder of the daemon's Unix socket.
    folder: Option<TempDir>,
}

#[derive(Default)]
enum Stack {
    #[default]
    None,
    /// That of another process.
    Attached,
    /// That in a thread of this process.
    Own(Worker),
}

static STATE: Mutex<State> = Mutex::new(State::new(0));

/// Starts the stack in a thread of this process. NULL stands for the default settings. Sockets that are created from
/// then on belong to it.
///
/// The thread has descriptors of its own, which `fork` does not copy, and blocks all signals. A child of `fork` uses
/// the stack of its parent until it starts one itself; a program that becomes a daemon starts the stack after that.
/// When the process ends by `exit` or by the return from `main`, associations that still exist are aborted.
///
/// Returns 0. Fails with `EALREADY` if the process has a stack, with `EINVAL` for a setting that is not valid, with
/// `EACCES` if it needs more rights, with `EBUSY` if another thread starts or stops the stack, or with an error of the
/// system. `manypath_sctp_error` says what is wrong.
///
/// # Safety
/// The settings and their texts are valid, or the pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_start(settings: *const Settings) -> c_int {
    // SAFETY: the caller's promise
    told(unsafe { Plan::read(settings) }.and_then(|plan| with_state(|state| state.start(plan))))
}

/// Attaches the process to `manypath-net serve`, whose Unix socket is at `path`. Sockets that are created from then on
/// belong to it. A process that neither starts a stack nor attaches itself uses the daemon that the environment variable
/// `MANYPATH_SCTP_SOCKET` names.
///
/// Returns 0. Fails with `EALREADY` if the process has a stack or is attached, with `EBUSY` if another thread starts or
/// stops the stack, or with the error of `connect`.
///
/// # Safety
/// The text ends with a zero, or the pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_attach(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise
    let path = unsafe { text(path) }.ok_or_else(|| Failure::new(libc::EFAULT, "`path` is NULL"));
    told(path.and_then(|path| with_state(|state| state.attach(path.to_bytes()))))
}

/// Stops the stack, or detaches the process. New sockets are refused at once. Waits at most `limit` milliseconds until
/// all sockets are closed and their associations are shut down, then aborts the remaining associations. On sockets of a
/// stack of this process that are still open, receiving returns 0 or fails with `ECONNRESET`; the program must close
/// them. The stack can be started again.
///
/// Returns 0. Fails with `ENOTCONN` if there is no stack, also in a child of `fork` that uses the stack of its parent,
/// with `EIO` if the stack had ended by an error before, with `EBUSY` if another thread starts or stops the stack, or
/// with `ETIMEDOUT` if its thread does not end.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_stop(limit: c_uint) -> c_int {
    told(with_state(|state| state.stop(Duration::from_millis(limit.into()))))
}

/// A new descriptor that becomes readable, and remains so, when the stack of this process has ended: by
/// `manypath_sctp_stop`, or by an error that `manypath_sctp_stop` returns. The caller closes it.
///
/// Fails with `ENOTCONN` if there is no stack, with `EOPNOTSUPP` if it is that of another process, and with `EBUSY` if
/// another thread starts or stops the stack.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_event_fd() -> c_int {
    told(with_state(|state| match &state.stack {
        Stack::None => Err(none()),
        Stack::Attached => {
            Err(Failure::new(libc::EOPNOTSUPP, "the stack is that of another process"))
        }
        Stack::Own(worker) => match worker.event() {
            Ok(event) => Ok(event.into_raw_fd()),
            Err(error) => Err(Failure::system("the event descriptor", &error)),
        },
    }))
}

/// Calls a function with the state of this process. It never waits: a child of `fork` may have a lock that a thread of
/// its parent held.
fn with_state<T>(act: impl FnOnce(&mut State) -> Result<T, Failure>) -> Result<T, Failure> {
    let mut state = match STATE.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(state)) => state.into_inner(),
        Err(TryLockError::WouldBlock) => {
            return Err(Failure::new(libc::EBUSY, "another thread starts or stops the stack"));
        }
    };
    // SAFETY: no pointers
    let process = unsafe { libc::getpid() };
    if state.process != process {
        // Thread and folder belong to the parent
        mem::forget(mem::replace(&mut *state, State::new(process)));
    }
    act(&mut state)
}

fn none() -> Failure {
    Failure::new(libc::ENOTCONN, "this process has neither started a stack nor attached itself")
}

impl State {
    const fn new(process: pid_t) -> Self {
        Self { process, stack: Stack::None, folder: None }
    }

    fn start(&mut self, plan: Plan) -> Result<c_int, Failure> {
        self.check_unused()?;
        let path = self.path()?;
        let (ready, started) = sync_channel(1);
        let place = path.clone();
        let worker = Worker::spawn(move |stop| serve(&plan, &place, &ready, stop))?;
        if started.recv().is_err() {
            let done = worker.join(Duration::MAX).unwrap_or(Ok(()));
            return done.and(Err(Failure::new(libc::EIO, "the stack has ended")));
        }
        self.stack = Stack::Own(worker);
        let attached = guest::attach(path.as_os_str().as_bytes());
        if let Err(errno) = attached {
            self.stop(Duration::ZERO)?;
            return Err(of_path(&path, errno));
        }
        stop_at_exit();
        Ok(0)
    }

    fn attach(&mut self, path: &[u8]) -> Result<c_int, Failure> {
        self.check_unused()?;
        let done = guest::attach(path);
        done.map_err(|errno| of_path(Path::new(OsStr::from_bytes(path)), errno))?;
        self.stack = Stack::Attached;
        Ok(0)
    }

    fn check_unused(&self) -> Result<(), Failure> {
        let has = match self.stack {
            Stack::None => return Ok(()),
            Stack::Attached => "is attached to a stack",
            Stack::Own(_) => "has started a stack",
        };
        let remedy = "call manypath_sctp_stop first";
        Err(Failure::new(libc::EALREADY, format_args!("the process {has}: {remedy}")))
    }

    /// The path of the daemon's Unix socket. It is the same for all stacks of a process.
    fn path(&mut self) -> Result<PathBuf, Failure> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => {
                let place = std::env::temp_dir();
                let made = tempfile::Builder::new().prefix("manypath-sctp-").tempdir_in(&place);
                made.map_err(|error| {
                    Failure::system(format_args!("a folder in {}", place.display()), &error)
                })?
            }
        };
        Ok(self.folder.insert(folder).path().join("socket"))
    }

    fn stop(&mut self, limit: Duration) -> Result<c_int, Failure> {
        match mem::take(&mut self.stack) {
            Stack::None => Err(none()),
            Stack::Attached => {
                guest::detach();
                Ok(0)
            }
            Stack::Own(worker) => {
                guest::detach();
                worker.request_stop(limit);
                match worker.join(limit + FAREWELL) {
                    Some(done) => done.map(|()| 0),
                    None => Err(Failure::new(libc::ETIMEDOUT, "the stack's thread does not end")),
                }
            }
        }
    }
}

/// The failure to use a Unix socket.
fn of_path(path: &Path, errno: c_int) -> Failure {
    let error = io::Error::from_raw_os_error(errno);
    Failure::system(format_args!("the Unix socket {}", path.display()), &error)
}

/// The thread of the stack.
fn serve(
    plan: &Plan,
    path: &Path,
    ready: &SyncSender<()>,
    stop: StopRequest,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::system("the stack's runtime", &error))?;
    runtime.block_on(async {
        let (capture, file) = plan.open_capture()?;
        let daemon = Daemon::start(plan.settings(path, capture.as_ref())).map_err(refused)?;
        if let Some(file) = file {
            file.keep();
        }
        // The starting thread waits for it
        let _ = ready.send(());
        let limit = stop.arrived().await;
        let limit = limit.map_err(|error| Failure::system("the request to stop", &error))?;
        daemon.drain(limit).await;
        match capture.map(|capture| capture.finish()) {
            Some(Err(error)) => Err(Failure::system("`capture`", &error)),
            _ => Ok(()),
        }
    })
}

/// Ends associations when the process ends, and removes the folder.
fn stop_at_exit() {
    extern "C" fn stop() {
        // Without a stack there is nothing to do; a failure has no caller to report to
        let _ = with_state(|state| {
            let stopped = match state.stack {
                Stack::Own(_) => state.stop(Duration::ZERO),
                _ => Ok(0),
            };
            drop(state.folder.take());
            stopped
        });
    }
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the linker keeps the function in memory until the process ends
        unsafe { libc::atexit(stop) };
    });
}

/// Time in which the thread ends after the time limit of associations. The daemon in it needs less for its last packets.
const FAREWELL: Duration = Duration::from_secs(20);
