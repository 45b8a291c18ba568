//! Signals of the process, which are blocked and read from a descriptor. signalfd(2)
//!
//! A handler would run in any thread at any time, and would belong to the whole process.

use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::process::Command;

use manypath_net::socket::register;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use tokio::io::unix::AsyncFd;
use tokio::sync::broadcast;

/// Signals that end the program.
pub(crate) const ENDING: [Signal; 3] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM];
/// Signals that `run` passes to its program, and that end this one.
pub(crate) const PASSED: [Signal; 6] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// Signals that are blocked in this thread and in all that it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked {
    signals: SigSet,
    /// The blocked signals at the start of the program.
    before: SigSet,
}

impl Blocked {
    /// Blocks signals. Must be called before the process has other threads, since one of them could get the signals.
    pub(crate) fn begin(signals: &[Signal]) -> io::Result<Self> {
        let signals: SigSet = signals.iter().copied().collect();
        let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        Ok(Self { signals, before })
    }

    /// Starts a program with the signals blocked that were blocked at the start of this one.
    pub(crate) fn restore_in(self, command: &mut Command) {
        let restore = move || Ok(self.before.thread_set_mask()?);
        #[expect(
            unsafe_code,
            reason = "std asks for the promise that the function may follow fork"
        )]
        // SAFETY: pthread_sigmask is safe after fork, and the function allocates nothing. signal-safety(7)
        unsafe {
            command.pre_exec(restore);
        }
    }

    /// Reads the signals from now on, those that are pending first. Needs a tokio runtime.
    ///
    /// The first listener hears all of them. Another thread may read pending ones before a later listener begins.
    pub(crate) fn read(self) -> io::Result<(Signals, Heard)> {
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let descriptor = register(SignalFd::with_flags(&self.signals, flags)?)?;
        let (sender, first) = broadcast::channel(MOST_WAITING);
        tokio::spawn(forward(descriptor, sender.clone()));
        Ok((Signals { sender, blocked: self }, Heard(first)))
    }
}

/// The signals of the process. Clones hear the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    sender: broadcast::Sender<Signal>,
    blocked: Blocked,
}

/// The signals from some time on.
#[derive(Debug)]
pub(crate) struct Heard(broadcast::Receiver<Signal>);

impl Signals {
    /// The signals that arrive from now on.
    pub(crate) fn hear(&self) -> Heard {
        Heard(self.sender.subscribe())
    }

    pub(crate) fn blocked(&self) -> Blocked {
        self.blocked
    }
}

impl Heard {
    /// The next signal. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Signal {
        loop {
            match self.0.recv().await {
                Ok(signal) => return signal,
                // Signals of one number may be lost, as those that are pending
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                // The descriptor failed
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

/// Reads signals until the process ends.
async fn forward(descriptor: AsyncFd<SignalFd>, sender: broadcast::Sender<Signal>) {
    while let Ok(mut guard) = descriptor.readable().await {
        let read = guard.try_io(|it| match it.get_ref().read_signal()? {
            Some(read) => Ok(read),
            None => Err(ErrorKind::WouldBlock.into()),
        });
        let number = match read {
            Ok(Ok(read)) => read.ssi_signo,
            Ok(Err(_)) => return,
            Err(_) => continue,
        };
        if let Ok(signal) = Signal::try_from(number.cast_signed()) {
            // Fails if no task listens
            let _ = sender.send(signal);
        }
    }
}

/// Largest number of signals that a listener may have unread.
const MOST_WAITING: usize = 64;

#[cfg(test)]
mod tests {
    use nix::sys::signal::raise;

    use super::*;

    #[tokio::test]
    async fn a_signal_reaches_every_listener() {
        // In the thread of this test alone, so other tests are not concerned
        let blocked = Blocked::begin(&[Signal::SIGWINCH]).unwrap();
        let (signals, mut first) = blocked.read().unwrap();
        let mut second = signals.hear();
        for _ in 0..2 {
            raise(Signal::SIGWINCH).unwrap();
            assert_eq!(first.next().await, Signal::SIGWINCH);
            assert_eq!(second.next().await, Signal::SIGWINCH);
        }
        blocked.before.thread_set_mask().unwrap();
    }

    #[tokio::test]
    async fn the_first_listener_hears_a_signal_that_was_pending_and_is_already_read() {
        let blocked = Blocked::begin(&[Signal::SIGWINCH]).unwrap();
        raise(Signal::SIGWINCH).unwrap();
        let (signals, mut first) = blocked.read().unwrap();
        let mut is_read = signals.hear();
        assert_eq!(is_read.next().await, Signal::SIGWINCH);
        assert_eq!(first.next().await, Signal::SIGWINCH);
        blocked.before.thread_set_mask().unwrap();
    }
}
