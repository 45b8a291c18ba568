//! Associations that are shut down after their program has closed them.

use std::sync::{Arc, Mutex, PoisonError};

use manypath_net::{Association, Endpoint, Message};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};

use super::daemon::Shared;

/// Counts the associations that are shut down in the background.
#[derive(Debug, Default)]
pub(super) struct Draining {
    count: Mutex<usize>,
    changed: Notify,
    /// They must be aborted, also those that are added later.
    hurry: watch::Sender<bool>,
}

impl Draining {
    /// Shuts an association down in the background after its last messages, or aborts it when the daemon must end.
    pub(super) fn add(
        shared: &Arc<Shared>,
        association: Association,
        endpoint: Endpoint,
        rest: Vec<Message>,
    ) {
        shared.draining.change(|count| *count += 1);
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let mut hurry = shared.draining.hurry.subscribe();
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
            shared.draining.change(|count| *count -= 1);
        });
    }

    /// Aborts all associations, also those that are added later.
    pub(super) fn hurry(&self) {
        self.hurry.send_replace(true);
    }

    /// The number of associations.
    pub(super) fn count(&self) -> usize {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut usize)) {
        change(&mut self.count.lock().unwrap_or_else(PoisonError::into_inner));
        self.notify();
    }

    /// Wakes the tasks that wait for a [change](Self::changed): a socket was closed.
    pub(super) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Completes when the number of associations changes, or a socket is closed, from the time of this call.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Waits until there is no association.
    pub(super) async fn wait(&self) {
        loop {
            let changed = self.changed();
            if self.count() == 0 {
                return;
            }
            changed.await;
        }
    }
}
