//! Time limits for peers.

use std::future::Future;
use std::time::Duration;

use manypath_net::{Association, Message, Path};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::failure::Failure;
use crate::protocol::Word;

/// Waits for the first message of the peer.
pub(crate) async fn first<T>(word: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(FIRST, word).await.unwrap_or_else(|_| {
        Err(Failure::silence(format!("the peer said nothing for {} s", FIRST.as_secs())))
    })
}

/// Waits for the peer as long as any data arrives from it. Acknowledgements do not count: the peer's SCTP sends them
/// even if its program has stopped, also for window probes.
pub(crate) async fn while_heard<T>(
    association: &Association,
    task: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let received = |paths: &[Path]| paths.iter().map(|path| path.stats.bytes_received).sum();
    tokio::select! {
        biased;
        done = task => done,
        () = association.stalled(SILENCE, received) => {
            let text = format!("nothing came from the peer for {} s", SILENCE.as_secs());
            Err(Failure::silence(text))
        }
    }
}

/// Runs a task, and sends `Busy` to the peer meanwhile.
pub(crate) async fn telling<T>(association: &Association, task: impl Future<Output = T>) -> T {
    let mut ticks = interval_at(Instant::now() + TELLS_EVERY, TELLS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(task);
    loop {
        tokio::select! {
            biased;
            done = &mut task => return done,
            _ = ticks.tick() => {
                // The task detects the end of the association
                let _ = association.send(Message::new(Word::Busy.encode())).await;
            }
        }
    }
}

/// Time limit for the first message, which a program sends at once.
const FIRST: Duration = Duration::from_secs(20);
/// Time limit without data; a busy receiver sends a message every [`TELLS_EVERY`].
const SILENCE: Duration = Duration::from_secs(60);
/// Interval of these messages. It is much shorter than [`SILENCE`], because several may be lost with a path.
const TELLS_EVERY: Duration = Duration::from_secs(10);
