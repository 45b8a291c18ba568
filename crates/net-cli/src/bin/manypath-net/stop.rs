//! Graceful end of the program after Ctrl-C, SIGTERM or SIGHUP.

use std::future::Future;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::failure::Failure;
use crate::signals::{ENDING, Heard};

/// Signals tasks to end. Clones share the signal.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    /// A stop that the signals of a listener trigger.
    pub(crate) fn on(mut heard: Heard) -> Self {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            while !ENDING.contains(&heard.next().await) {}
            // Fails only if all tasks have ended
            let _ = sender.send(true);
            // The sender lives until the process ends
            std::future::pending::<()>().await;
        });
        Self(receiver)
    }

    /// Runs a task until it completes or the program must end.
    pub(crate) async fn or<T>(
        &mut self,
        task: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            done = task => done,
            () = self.requested() => Err(Failure::interrupted()),
        }
    }

    /// Like `or`, for a task that may block its thread; the thread continues if the program must end.
    pub(crate) async fn or_block<T: Send + 'static>(
        &mut self,
        task: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let task = async {
            spawn_blocking(task).await.map_err(|error| Failure::broken(error.to_string()))?
        };
        self.or(task).await
    }

    /// Runs a task. If the program must end before it completes, runs another one instead.
    pub(crate) async fn or_instead(
        &mut self,
        task: impl Future<Output = ()>,
        instead: impl Future<Output = ()>,
    ) {
        tokio::select! {
            () = task => {}
            () = self.requested() => instead.await,
        }
    }

    /// Waits for the end of an association, with a time limit if the program must end.
    pub(crate) async fn farewell<T>(&self, ending: impl Future<Output = T>) {
        // A peer that does not answer in time is ignored
        let _ = self.in_time(ending).await;
    }

    /// Like `farewell`, with the result; `None` after the time limit.
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

    /// Whether the program must end.
    pub(crate) fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the program must end.
    pub(crate) async fn requested(&mut self) {
        // The sender lives until the process ends
        let _ = self.0.wait_for(|stops| *stops).await;
    }
}

const LONG: Duration = Duration::from_secs(20);
/// Long enough for a peer, or for this process, that stands still for a moment.
const SHORT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_signal_replaces_a_task_that_has_not_completed() {
        let (sender, receiver) = watch::channel(false);
        let (mut stop, mut ended) = (Stop(receiver), Vec::new());
        stop.or_instead(async { ended.push("task") }, pending()).await;
        sender.send(true).expect("it is heard");
        stop.or_instead(pending(), async { ended.push("instead") }).await;
        assert_eq!(ended, ["task", "instead"]);
    }

    #[tokio::test]
    async fn a_signal_limits_the_time_of_a_started_shutdown() {
        let (sender, receiver) = watch::channel(false);
        let begun = Instant::now();
        let signal = async {
            sleep(Duration::from_millis(20)).await;
            sender.send(true).expect("it is heard");
        };
        let stop = Stop(receiver);
        let (ended, ()) = tokio::join!(stop.in_time(pending::<()>()), signal);
        assert!(ended.is_none());
        assert!((SHORT..LONG).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }
}
