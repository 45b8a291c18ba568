//! Peers whose SCTP acknowledges data while their program does nothing.

use std::time::Duration;

use manypath_net::Path;

use crate::stage::{pair, soon, transfer};

#[tokio::test]
async fn a_transfer_is_stalled_once_it_makes_no_progress_and_not_while_it_is_slow() {
    let pair = pair(|builder| builder).await;
    let received = |paths: &[Path]| paths[0].stats.bytes_received;
    let slow = async {
        for _ in 0..25 {
            transfer(&pair.client, &pair.server, 100).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::select! {
        () = slow => {}
        () = pair.server.stalled(Duration::from_secs(4), received) => panic!("it goes on"),
    }
    let stalled = pair.server.stalled(Duration::from_millis(200), received);
    soon(stalled).await;
}
