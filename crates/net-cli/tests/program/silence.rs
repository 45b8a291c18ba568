//! Peers that accept an association and then do nothing. Their SCTP still acknowledges data.

use std::time::{Duration, Instant};

use manypath_net::{Association, Message};
use tempfile::tempdir;

use crate::peer::{Called, builder, call};
use crate::perf::server;
use crate::process::{Process, Said, receiver};

/// Waits for the end of a program while other tasks run.
async fn end(program: Process) -> Said {
    tokio::task::spawn_blocking(move || program.wait()).await.unwrap()
}

/// Checks that a program gives up a silent peer, with code 1 and one line.
async fn gives_up(program: Process, line: &str) {
    let said = end(program).await;
    assert_eq!((said.code, said.err.as_str()), (Some(1), line));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_accepts_and_does_not_answer_is_given_up() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![7; 2000]).unwrap();
    let sender = Called::by(&["send", file.to_str().unwrap()], |builder| builder).await;
    let client = Called::by(&["perf"], |builder| builder).await;
    tokio::join!(
        gives_up(sender.program, "error: the peer said nothing for 20 s\n"),
        gives_up(client.program, "error: the server did not answer within 20 seconds\n"),
    );
}

/// Reads until the peer ends the association; returns its messages.
async fn words(association: &Association) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    while let Ok(Some(message)) = association.receive().await {
        words.push(message.payload.to_vec());
    }
    words
}

/// The messages are defined in `src/bin/manypath-net/protocol.rs` and `src/perf/word.rs`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: waits for limits of a minute"]
async fn a_peer_that_stops_in_the_middle_is_given_up() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let file = from.path().join("file");
    std::fs::write(&file, vec![7; 20_000_000]).unwrap();
    let send = ["send", file.to_str().unwrap()];
    // One peer reads nothing of the file, the other one reads everything and does not answer
    let (full, mute) =
        tokio::join!(Called::by(&send, |builder| builder), Called::by(&send, |builder| builder));
    full.says("R").await;
    mute.says("R").await;
    let client = Called::by(&["perf", "--bytes", "20000000"], |builder| builder).await;
    client.says("\"ready\"").await;
    let (receiving, udp) = receiver(into.path(), &[]);
    let (_sender, hello) = call(builder(0), 11, udp.parse().unwrap()).await;
    let word = [&b"H\x02"[..], &11_u64.to_be_bytes(), b"name"].concat();
    hello.send(Message::new(word)).await.unwrap();
    let (serving, udp) = server(&["--once"]);
    let (_client, request) = call(builder(0), 11, udp.parse().unwrap()).await;
    let test = r#"{"bytes":1000,"streams":1,"size":10,"unordered":false,"direction":"send"}"#;
    let word = format!(r#"{{"request":{{"version":2,"test":{test}}}}}"#);
    request.send(Message::new(word)).await.unwrap();
    let heard = async {
        let heard = words(&hello).await;
        assert!(heard.first().is_some_and(|word| word == b"R"), "{heard:?}");
        let text = "nothing came from the peer for 60 s";
        assert_eq!(heard.last().map(Vec::as_slice), Some(format!("F{text}").as_bytes()));
        // For the sender this looks like a long write and verification
        let busy = &heard[1..heard.len() - 1];
        assert!(!busy.is_empty() && busy.iter().all(|word| word == b"B"), "{heard:?}");
    };
    let line = "error: nothing came from the peer for 60 s\n";
    let begun = Instant::now();
    tokio::join!(
        gives_up(full.program, line),
        gives_up(mute.program, line),
        words(&mute.association),
        gives_up(client.program, "error: nothing came from the peer for 60 seconds\n"),
        gives_up(receiving, line),
        heard,
        async {
            let said = end(serving).await;
            let line = "error: nothing came from the peer for 60 seconds\n";
            assert!(said.code == Some(1) && said.err.ends_with(line), "{said:?}");
        },
    );
    // None of them waits for the end of the association
    assert!(begun.elapsed() < Duration::from_secs(75), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_is_busy_is_waited_for() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![7; 2000]).unwrap();
    let sender = Called::by(&["send", file.to_str().unwrap()], |builder| builder).await;
    assert!(sender.hears().await.starts_with(b"H"));
    for word in ["R", "B", "B"] {
        sender.says(word).await;
    }
    assert!(sender.hears().await.starts_with(b"D"));
    assert!(sender.hears().await.starts_with(b"E"));
    for word in ["B", "B", "V"] {
        sender.says(word).await;
    }
    let said = end(sender.program).await;
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
}
