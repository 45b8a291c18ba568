//! Small messages that are sent without waiting for acknowledgements of earlier ones.

use manypath_net::Message;

use crate::stage::{NEVER, pair, patient, soon};

/// The peer delays its acknowledgement, and retransmission timers are longer than `soon` waits, so without the option
/// the second message would be late.
#[tokio::test]
async fn a_second_small_message_does_not_wait_for_the_acknowledgement_of_the_first() {
    let pair = pair(|builder| {
        builder.nodelay(true).configure(|config| {
            patient(config);
            config.sack_every = 100;
            config.sack_delay = NEVER;
        })
    })
    .await;
    for question in ["first", "second", "third"] {
        pair.client.send(Message::new(question)).await.unwrap();
        // The driver sends each in its own packet
        let received = soon(pair.server.receive()).await.unwrap().expect("it arrives");
        assert_eq!(received.payload, question);
    }
}
