//! Senders that ask for an acknowledgement without delay. The peer delays others for longer than any test, and no timer is
//! shorter.

use manypath_net::Message;

use crate::stage::{NEVER, Pair, pair, patient, soon, transfer, until};

/// The first data of an association, which is acknowledged at once in any case, has arrived.
async fn begun() -> Pair {
    let pair = pair(|builder| {
        builder.configure(|config| {
            patient(config);
            config.sack_delay = NEVER;
        })
    })
    .await;
    transfer(&pair.client, &pair.server, 10).await;
    pair
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_a_message_whose_acknowledgement_was_asked_for() {
    let pair = begun().await;
    pair.client.send(Message::new("the last one").sack_immediately()).await.unwrap();
    // It has left before the shutdown begins
    soon(pair.server.receive()).await.unwrap().expect("it arrives");
    soon(pair.client.shutdown()).await.unwrap();
}

/// The window was made for small packets: when the path takes larger ones, it admits one at a time.
#[tokio::test]
async fn a_transfer_begins_at_once_where_a_packet_is_larger_than_the_window() {
    let pair = begun().await;
    let packet = || {
        let path = &pair.client.paths()[0];
        (u64::from(path.mtu), path.stats.window)
    };
    until("the path takes packets that fill its window", || packet().0 > packet().1).await;
    transfer(&pair.client, &pair.server, 400_000).await;
}
