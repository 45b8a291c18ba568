//! Peers whose SCTP acknowledges data while their program does nothing.

use std::time::{Duration, Instant};

use manypath_net::Path;

use crate::stage::{pair, soon, transfer, undisturbed};

#[tokio::test]
async fn a_transfer_is_stalled_once_it_makes_no_progress_and_not_while_it_is_slow() {
    let pair = pair(|builder| builder).await;
    let received = |paths: &[Path]| paths[0].stats.bytes_received;
    undisturbed(async || {
        let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
        let mut progress = || {
            longest = longest.max(last.elapsed());
            last = Instant::now();
        };
        let slow = async {
            for _ in 0..25 {
                transfer(&pair.client, &pair.server, 100).await;
                progress();
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            true
        };
        let goes_on = tokio::select! {
            done = slow => done,
            () = pair.server.stalled(LIMIT, received) => false,
        };
        progress();
        // Only if the machine stood still, no progress was made for so long
        assert!(goes_on || longest >= LIMIT, "it goes on: {longest:?}");
        if goes_on { Ok(()) } else { Err(longest) }
    })
    .await;
    let stalled = pair.server.stalled(Duration::from_millis(200), received);
    soon(stalled).await;
}

/// Shorter than the slow transfer.
const LIMIT: Duration = Duration::from_secs(4);
