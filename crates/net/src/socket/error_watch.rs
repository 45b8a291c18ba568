//! Wakes the driver when the system queues an error of a packet, even if no packet arrives or is sent.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Waits for errors of all sockets of a host.
#[derive(Default)]
pub(crate) struct ErrorWatch(Vec<Watched>);

struct Watched {
    socket: Source,
    wait: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// A socket whose errors are watched.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Udp(Arc<tokio::net::UdpSocket>),
    Raw(Arc<AsyncFd<socket2::Socket>>),
}

impl ErrorWatch {
    pub(super) fn new(sockets: impl Iterator<Item = Source>) -> Self {
        let watched = |socket: Source| Watched { wait: Box::pin(socket.clone().error()), socket };
        Self(sockets.map(watched).collect())
    }

    /// Watches further sockets.
    pub(super) fn extend(&mut self, further: Self) {
        self.0.extend(further.0);
    }

    /// Whether an error was queued since the last call. The next error wakes the task.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_error = false;
        for Watched { socket, wait } in &mut self.0 {
            if wait.as_mut().poll(cx).is_ready() {
                has_error = true;
                *wait = Box::pin(socket.clone().error());
                if let Poll::Ready(()) = wait.as_mut().poll(cx) {
                    // The future has completed and must be replaced
                    *wait = Box::pin(socket.clone().error());
                    cx.waker().wake_by_ref();
                }
            }
        }
        has_error
    }
}

impl Source {
    /// Completes at the next error.
    async fn error(self) {
        let is_told = match &self {
            Self::Udp(socket) => socket.ready(Interest::ERROR).await.map(|_| {
                // Clears the readiness, because the error has been seen
                let blocks = || Err::<(), _>(io::Error::from(ErrorKind::WouldBlock));
                let _ = socket.try_io(Interest::ERROR, blocks);
            }),
            Self::Raw(socket) => {
                socket.ready(Interest::ERROR).await.map(|mut guard| guard.clear_ready())
            }
        };
        if is_told.is_err() {
            // The runtime is shutting down, and the driver with it
            std::future::pending::<()>().await;
        }
    }
}
