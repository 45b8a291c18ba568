//! Ctrl-C, SIGTERM and SIGHUP end the program in order.

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::failure::Failure;

/// Tells tasks that they are to end. Clones tell the same.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    /// One that signals to this process set off.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        let mut signals = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ];
        tokio::spawn(async move {
            let [interrupt, terminate, hangup] = &mut signals;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            // Without a receiver, all tasks have ended
            let _ = sender.send(true);
            // The signals stay caught until the process ends
            std::future::pending::<()>().await;
        });
        Ok(Self(receiver))
    }

    /// Does something until it is done or the program is to end.
    pub(crate) async fn or<T>(
        &mut self,
        task: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            done = task => done,
            () = self.requested() => Err(Failure::interrupted()),
        }
    }

    /// The same for something that may block its thread, which goes on if the program is to end.
    pub(crate) async fn or_block<T: Send + 'static>(
        &mut self,
        task: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let task = async {
            spawn_blocking(task).await.map_err(|error| Failure::broken(error.to_string()))?
        };
        self.or(task).await
    }

    /// Waits for the end of a conversation, not long if the program is to end.
    pub(crate) async fn farewell<T>(&self, ending: impl Future<Output = T>) {
        // Who does not answer in time is left alone
        let _ = self.in_time(ending).await;
    }

    /// The same for an end that matters; none if it did not come in time.
    pub(crate) async fn in_time<T>(&self, ending: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.clone();
        let hurry = async {
            stop.requested().await;
            sleep(SHORT).await;
        };
        tokio::select! {
            ended = ending => Some(ended),
            () = hurry => None,
            () = sleep(LONG) => None,
        }
    }

    /// Whether the program is to end.
    pub(crate) fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the program is to end.
    pub(crate) async fn requested(&mut self) {
        // The signals are watched until the process ends
        let _ = self.0.wait_for(|stops| *stops).await;
    }
}

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_signal_shortens_a_farewell_that_has_begun() {
        let (sender, receiver) = watch::channel(false);
        let begun = Instant::now();
        let signal = async {
            sleep(Duration::from_millis(20)).await;
            sender.send(true).expect("it is heard");
        };
        let stop = Stop(receiver);
        let (ended, ()) = tokio::join!(stop.in_time(pending::<()>()), signal);
        assert!(ended.is_none());
        assert!((SHORT..LONG / 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }
}
