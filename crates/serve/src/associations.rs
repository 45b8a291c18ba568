//! What all associations of the daemon share: their numbers, and the count of those that are shut down after their
//! program has closed them.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use manypath_net::{Association, Endpoint, Message};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};

/// Numbers associations, and ends them in the background.
#[derive(Debug)]
pub(super) struct Associations {
    next: AtomicI32,
    /// The number of associations that are shut down in the background.
    draining: Mutex<usize>,
    changed: Notify,
    /// They must be aborted, also those that are added later.
    hurry: watch::Sender<bool>,
}

impl Default for Associations {
    fn default() -> Self {
        Self {
            // The first numbers have a meaning of their own: SCTP_FUTURE_ASSOC and others
            next: AtomicI32::new(3),
            draining: Mutex::default(),
            changed: Notify::default(),
            hurry: watch::Sender::default(),
        }
    }
}

impl Associations {
    /// A number for a new association.
    pub(super) fn number(&self) -> i32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Shuts an association down in the background after its last messages, or aborts it when the daemon must end.
    pub(super) fn drain(
        self: &Arc<Self>,
        association: Association,
        endpoint: Endpoint,
        rest: Vec<Message>,
    ) {
        self.change(|count| *count += 1);
        let associations = Arc::clone(self);
        tokio::spawn(async move {
            let mut hurry = associations.hurry.subscribe();
            // The result is dropped inside, since it holds the channel
            let hurry = async { drop(hurry.wait_for(|hurry| *hurry).await) };
            let end = async {
                for message in rest {
                    association.send(message).await?;
                }
                association.close().await
            };
            tokio::select! {
                // Data may not have reached the peer, but there is no program to notify
                _ = end => {}
                () = hurry => {
                    association.abort("");
                    let _ = association.closed().await;
                }
            }
            drop((association, endpoint));
            associations.change(|count| *count -= 1);
        });
    }

    /// Aborts all associations that are shut down, also those that are added later.
    pub(super) fn hurry(&self) {
        self.hurry.send_replace(true);
    }

    /// The number of associations that are shut down.
    pub(super) fn draining(&self) -> usize {
        *self.draining.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut usize)) {
        change(&mut self.draining.lock().unwrap_or_else(PoisonError::into_inner));
        self.notify();
    }

    /// Wakes the tasks that wait for a [change](Self::changed): a socket was closed.
    pub(super) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Completes when the number of these associations changes, or a socket is closed, from the time of this call.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Waits until no association is shut down.
    pub(super) async fn drained(&self) {
        loop {
            let changed = self.changed();
            if self.draining() == 0 {
                return;
            }
            changed.await;
        }
    }
}
