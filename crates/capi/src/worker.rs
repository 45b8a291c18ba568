//! A thread with its own table of descriptors, separate from that of the process.
//!
//! If the daemon's descriptors were in the table of the process, a child of `fork` would have copies of them: UDP ports
//! would stay in use, and sockets would not read the end of a daemon. A program that closes all descriptors above a
//! number would break the daemon. So the thread unshares its table and closes the program's descriptors in its copy.
//!
//! All signals are blocked in the thread. In this thread, the descriptor numbers of a signal handler of the program
//! would mean other descriptors.

use crate::failure::Failure;
use libc::{c_int, c_long, c_uint, sigset_t};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A running thread. Only descriptors that both tables have pass news to it: what wakes a tokio runtime writes to a
/// descriptor of the runtime's own thread.
pub(crate) struct Worker {
    thread: JoinHandle<Result<(), Failure>>,
    /// Disconnected when the thread's task has ended.
    ended: Receiver<()>,
    /// Readable from then on.
    event: OwnedFd,
    /// The request to end.
    stop: OwnedFd,
}

/// The request to end, in the thread.
pub(crate) struct StopRequest(OwnedFd);

impl StopRequest {
    /// Waits for the request; returns its time limit. Needs a tokio runtime.
    pub(crate) async fn arrived(self) -> io::Result<Duration> {
        // SAFETY: the descriptor is owned and not replaced
        let stop = unsafe { AsyncFd::register_with_interest(self.0, Interest::READABLE) }?;
        loop {
            let mut guard = stop.readable().await?;
            let mut value = 0_u64;
            let read = guard.try_io(|stop| {
                // SAFETY: the kernel writes eight bytes
                let length = unsafe {
                    libc::read(stop.as_raw_fd(), (&raw mut value).cast(), size_of::<u64>())
                };
                check(length as c_long).map(drop)
            });
            if let Ok(read) = read {
                return read.map(|()| Duration::from_millis(value - 1));
            }
        }
    }
}

impl Worker {
    /// Runs `task` in a thread of its own.
    ///
    /// # Errors
    /// If the system refuses a descriptor or a thread. Other failures are those of [`join`](Self::join).
    pub(crate) fn spawn(
        task: impl FnOnce(StopRequest) -> Result<(), Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        let event = new_event()?;
        let stop = new_event()?;
        let (number, request) = (event.as_raw_fd(), stop.as_raw_fd());
        let (alive, ended) = mpsc::channel::<()>();
        let body = move || {
            let alive = alive;
            // SAFETY: this is a new thread, whose code has used no descriptor
            let done = unsafe { own_descriptors([number, request]) }
                .map_err(|error| Failure::system(OWN_DESCRIPTORS, &error))
                .and_then(|()| {
                    let signal = Signal(number);
                    // SAFETY: the thread's table has this descriptor, which nothing else there owns
                    let done = task(StopRequest(unsafe { OwnedFd::from_raw_fd(request) }));
                    drop(signal);
                    done
                });
            drop(alive);
            done
        };
        let mask = block_signals();
        let thread = thread::Builder::new().name("manypath-sctp".into()).spawn(body);
        restore_signals(&mask);
        let thread = thread.map_err(|error| Failure::system("the thread of the stack", &error))?;
        Ok(Self { thread, ended, event, stop })
    }

    /// A new descriptor that becomes readable when the task has ended.
    pub(crate) fn event(&self) -> io::Result<OwnedFd> {
        self.event.try_clone()
    }

    /// Requests the task to end within a time limit.
    pub(crate) fn request_stop(&self, limit: Duration) {
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX / 2);
        // A value of 0 is no request
        add(self.stop.as_raw_fd(), milliseconds + 1);
    }

    /// Waits until the task has ended, at most for `limit`. Returns its result, or none if it has not ended.
    pub(crate) fn join(self, limit: Duration) -> Option<Result<(), Failure>> {
        if self.ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            return None;
        }
        Some(self.thread.join().unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
            Err(Failure::new(libc::EIO, format_args!("the thread of the stack panicked: {said}")))
        }))
    }
}

/// Makes the event descriptor readable when it is dropped, also by a panic.
struct Signal(c_int);

impl Drop for Signal {
    fn drop(&mut self) {
        add(self.0, 1);
    }
}

fn new_event() -> Result<OwnedFd, Failure> {
    // SAFETY: no pointers
    let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }.into());
    let fd = fd.map_err(|error| Failure::system("the event descriptor", &error))?;
    // SAFETY: the descriptor is new
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Adds to the number of an event descriptor.
fn add(event: c_int, number: u64) {
    // SAFETY: the kernel reads eight bytes
    unsafe { libc::write(event, (&raw const number).cast(), size_of::<u64>()) };
}

/// Gives the thread a table of descriptors of its own, with those to keep and three that read and write nothing: what
/// the standard library prints must not reach a socket.
///
/// # Safety
/// No code of the thread uses other descriptors.
unsafe fn own_descriptors(kept: [c_int; 2]) -> io::Result<()> {
    let mut kept = kept.map(c_int::cast_unsigned);
    kept.sort_unstable();
    let [low, high] = kept;
    close_range(high + 1, c_uint::MAX, libc::CLOSE_RANGE_UNSHARE)?;
    if high > low + 1 {
        close_range(low + 1, high - 1, 0)?;
    }
    if low > 0 {
        close_range(0, low - 1, 0)?;
    }
    loop {
        // SAFETY: the path ends with a zero
        let fd = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        if check(fd.into())? > libc::STDERR_FILENO {
            // SAFETY: the descriptor was made here
            unsafe { libc::close(fd) };
            return Ok(());
        }
    }
}

/// `close_range`, which the libc of older systems lacks.
fn close_range(first: c_uint, last: c_uint, flags: c_uint) -> io::Result<()> {
    // SAFETY: no pointers; whose descriptors are closed is the caller's decision
    check(unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) }).map(drop)
}

fn check(result: c_long) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as c_int) }
}

/// Blocks all signals of the calling thread, and so of the threads that it creates. Returns the earlier mask.
fn block_signals() -> sigset_t {
    let mut all = MaybeUninit::uninit();
    let mut earlier = MaybeUninit::uninit();
    // SAFETY: the functions fill both sets
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), earlier.as_mut_ptr());
        earlier.assume_init()
    }
}

fn restore_signals(mask: &sigset_t) {
    // SAFETY: the mask is valid
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

const OWN_DESCRIPTORS: &str = "a table of descriptors for the stack, which needs Linux 5.9";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::sync::mpsc::channel;

    /// The longest wait of a test. It bounds failures only.
    const LONG: Duration = Duration::from_secs(300);

    fn is_readable(fd: &OwnedFd, milliseconds: c_int) -> bool {
        let mut one = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the array has one element
        unsafe { libc::poll(&raw mut one, 1, milliseconds) == 1 }
    }

    #[test]
    fn the_thread_has_no_descriptor_of_the_program_and_the_program_none_of_it() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let (opened, number) = channel();
        let (finish, finished) = channel::<()>();
        let worker = Worker::spawn(move |_| {
            let file = File::open("/proc/self/maps").expect("a file");
            opened.send(file.as_raw_fd()).expect("the test waits");
            let _ = finished.recv();
            Ok(())
        });
        let worker = worker.expect("a thread");
        let number = number.recv_timeout(LONG).expect("it runs");
        // After 0, 1, 2 and the event descriptor, in a process that has many more
        assert!(number <= worker.stop.as_raw_fd(), "{number}");
        drop(writer);
        // The thread has no copy of the other end
        assert_eq!(reader.read(&mut [0]).expect("the end"), 0);
        assert!(!is_readable(&worker.event().expect("a copy"), 0));
        drop(finish);
        assert_eq!(worker.join(LONG), Some(Ok(())));
    }

    #[test]
    fn a_request_to_stop_arrives_with_its_limit() {
        let worker = Worker::spawn(|stop| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let limit = runtime.expect("a runtime").block_on(stop.arrived());
            assert_eq!(limit.expect("it arrives"), Duration::from_millis(70));
            Ok(())
        });
        let worker = worker.expect("a thread");
        worker.request_stop(Duration::from_millis(70));
        assert_eq!(worker.join(LONG), Some(Ok(())));
    }

    #[test]
    fn output_of_the_thread_is_discarded() {
        let worker = Worker::spawn(|_| {
            let file = File::open("/dev/null").expect("it is there");
            assert!(file.as_raw_fd() > 2);
            io::stderr().write_all(b"lost\n").expect("no error");
            Ok(())
        });
        assert_eq!(worker.expect("a thread").join(LONG), Some(Ok(())));
    }

    #[test]
    fn a_panic_ends_the_thread_and_is_told() {
        let worker = Worker::spawn(|_| panic!("out of luck")).expect("a thread");
        let event = worker.event().expect("a copy");
        assert!(is_readable(&event, 300_000));
        let failure = worker.join(LONG).expect("it has ended").expect_err("it panicked");
        assert_eq!(failure.text, "the thread of the stack panicked: out of luck");
    }

    #[test]
    fn a_thread_that_does_not_end_is_given_up() {
        let (finish, finished) = channel::<()>();
        let worker = Worker::spawn(move |_| {
            let _ = finished.recv();
            Ok(())
        });
        assert_eq!(worker.expect("a thread").join(Duration::from_millis(20)), None);
        drop(finish);
    }

    #[test]
    fn signals_stay_blocked_in_the_thread_alone() {
        fn blocks_usr1() -> bool {
            let mut mask = MaybeUninit::uninit();
            // SAFETY: the function fills the set
            unsafe {
                libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), mask.as_mut_ptr());
                libc::sigismember(mask.as_ptr(), libc::SIGUSR1) == 1
            }
        }
        let worker = Worker::spawn(|_| {
            assert!(blocks_usr1());
            Ok(())
        });
        assert!(!blocks_usr1());
        assert_eq!(worker.expect("a thread").join(LONG), Some(Ok(())));
    }
}
