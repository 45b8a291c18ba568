//! How long a peer may keep the program waiting.

use std::future::Future;
use std::time::Duration;

use manypath_net::{Association, Message, Path};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::failure::Failure;
use crate::protocol::Word;

/// Waits for the first word of the peer.
pub(crate) async fn first<T>(word: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(FIRST, word).await.unwrap_or_else(|_| {
        Err(Failure::silence(format!("the peer said nothing for {} s", FIRST.as_secs())))
    })
}

/// Waits for what the peer has to do while anything arrives from it. Acknowledgements prove nothing: its SCTP sends them
/// without its program, also for the probes of a full receive window.
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

/// Does something, and tells the peer meanwhile that it goes on.
pub(crate) async fn telling<T>(association: &Association, task: impl Future<Output = T>) -> T {
    let mut ticks = interval_at(Instant::now() + TELLS_EVERY, TELLS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(task);
    loop {
        tokio::select! {
            biased;
            done = &mut task => return done,
            _ = ticks.tick() => {
                // The task learns what becomes of the association
                let _ = association.send(Message::new(Word::Busy.encode())).await;
            }
        }
    }
}

/// A program says its first word at once.
const FIRST: Duration = Duration::from_secs(20);
/// A receiver that has nothing else to say tells every [`TELLS_EVERY`] that it is there.
const SILENCE: Duration = Duration::from_secs(60);
/// Several words may be lost with a path.
const TELLS_EVERY: Duration = Duration::from_secs(10);
