//! Streams as byte streams.

use std::time::Duration;

use manypath_net::{Error, Message};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::stage::{pair, pattern, soon, until};

#[tokio::test(flavor = "multi_thread")]
async fn bytes_arrive_in_order_for_any_sizes_of_reads_and_writes() {
    let pair = pair(|builder| builder.buffers(100_000, 100_000)).await;
    let (mut ours, mut theirs) = (pair.client.stream(2).unwrap(), pair.server.stream(2).unwrap());
    let all = pattern(1, 3_000_000);
    let writing = tokio::spawn({
        let all = all.clone();
        async move {
            for piece in all.chunks(70_001) {
                ours.write_all(piece).await.unwrap();
            }
            ours.shutdown().await.unwrap();
        }
    });
    let mut received = Vec::new();
    soon(theirs.read_to_end(&mut received)).await.unwrap();
    assert!(received == all);
    soon(writing).await.unwrap();
}

#[tokio::test]
async fn a_stream_and_the_rest_of_its_association_do_not_mix() {
    let pair = pair(|builder| builder).await;
    let mut first = pair.server.stream(1).unwrap();
    let mut second = pair.server.stream(2).unwrap();
    for (stream, text) in [(1, "one"), (0, "zero"), (2, "two"), (1, "ONE"), (3, "three")] {
        pair.client.send(Message::new(text).stream(stream)).await.unwrap();
    }
    let mut bytes = [0; 6];
    soon(first.read_exact(&mut bytes)).await.unwrap();
    assert_eq!(&bytes, b"oneONE");
    soon(second.read_exact(&mut bytes[..3])).await.unwrap();
    assert_eq!(&bytes[..3], b"two");
    for text in ["zero", "three"] {
        assert_eq!(soon(pair.server.receive()).await.unwrap().unwrap().payload, text);
    }
    // Unread data of a stream returns to the association
    drop(first);
    pair.client.send(Message::new("again").stream(1)).await.unwrap();
    assert_eq!(soon(pair.server.receive()).await.unwrap().unwrap().payload, "again");
}

#[tokio::test]
async fn an_unread_stream_stops_the_sender_and_loses_nothing() {
    let pair = pair(|builder| builder.buffers(100_000, 100_000)).await;
    let mut idle = pair.server.stream(1).unwrap();
    let sending = tokio::spawn({
        let client = pair.client.clone();
        async move {
            for number in 0..200 {
                client.send(Message::new(pattern(number, 10_000)).stream(1)).await.unwrap();
            }
            client.send(Message::new("the end")).await.unwrap();
        }
    });
    let taken = || pair.server.stats().bytes_received;
    // Data are taken from the association while it is read
    tokio::select! {
        () = until("the buffers of the stream are full", || taken() >= 256_000) => {}
        message = pair.server.receive() => panic!("{message:?}"),
    }
    let waiting = tokio::time::timeout(Duration::from_millis(500), pair.server.receive());
    assert!(waiting.await.is_err());
    assert!(taken() < 300_000, "{}", taken());
    let read = async {
        for number in 0..200 {
            let mut bytes = vec![0; 10_000];
            idle.read_exact(&mut bytes).await.unwrap();
            assert!(bytes == pattern(number, 10_000));
        }
    };
    let (message, ()) = soon(async { tokio::join!(pair.server.receive(), read) }).await;
    assert_eq!(message.unwrap().unwrap().payload, "the end");
    soon(sending).await.unwrap();
}

/// No further data arrives that could wake the other reader.
#[tokio::test]
async fn when_a_stream_is_read_again_the_other_readers_continue() {
    let pair = pair(|builder| builder).await;
    let mut idle = pair.server.stream(1).unwrap();
    for number in 0..5 {
        pair.client.send(Message::new(pattern(number, 60_000)).stream(1)).await.unwrap();
    }
    pair.client.send(Message::new("late")).await.unwrap();
    let server = pair.server.clone();
    let waiting = tokio::spawn(async move { server.receive().await });
    until("the stream is full, and everything has arrived", || {
        pair.server.stats().bytes_received == 300_000
            && pair.client.paths().iter().all(|path| path.stats.outstanding == 0)
    })
    .await;
    let mut bytes = vec![0; 60_000];
    soon(idle.read_exact(&mut bytes)).await.unwrap();
    assert_eq!(soon(waiting).await.unwrap().unwrap().unwrap().payload, "late");
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Abort,
    Shutdown,
}

/// The readers of other streams wait for a full stream, but not beyond the end of the association.
#[tokio::test]
async fn a_full_stream_does_not_hide_the_end_from_other_readers_and_stays_readable() {
    for end in [End::Abort, End::Shutdown] {
        let pair = pair(|builder| builder).await;
        let mut idle = pair.server.stream(1).unwrap();
        let server = pair.server.clone();
        let waiting = tokio::spawn(async move { server.receive().await });
        for number in 0..6 {
            pair.client.send(Message::new(pattern(number, 60_000)).stream(1)).await.unwrap();
        }
        until("the stream is full, and everything has arrived", || {
            pair.server.stats().bytes_received == 300_000
                && pair.client.paths().iter().all(|path| path.stats.outstanding == 0)
        })
        .await;
        assert!(!waiting.is_finished());
        match end {
            End::Abort => pair.client.abort("enough"),
            End::Shutdown => soon(pair.client.shutdown()).await.unwrap(),
        }
        match soon(waiting).await.unwrap() {
            Ok(None) => assert_eq!(end, End::Shutdown),
            Err(Error::Aborted(_)) => assert_eq!(end, End::Abort),
            other => panic!("{end:?}: {other:?}"),
        }
        for number in 0..6 {
            let mut bytes = vec![0; 60_000];
            soon(idle.read_exact(&mut bytes)).await.unwrap();
            assert!(bytes == pattern(number, 60_000));
        }
        match soon(idle.read(&mut [0])).await {
            Ok(0) => assert_eq!(end, End::Shutdown),
            Err(_) => assert_eq!(end, End::Abort),
            Ok(length) => panic!("{end:?}: {length} more bytes"),
        }
    }
}

#[tokio::test]
async fn unread_data_of_a_dropped_stream_wakes_the_other_reader() {
    let pair = pair(|builder| builder).await;
    let idle = pair.server.stream(1).unwrap();
    let server = pair.server.clone();
    let waiting = tokio::spawn(async move { server.receive().await });
    pair.client.send(Message::new("kept").stream(1)).await.unwrap();
    until("it is kept", || pair.server.stats().bytes_received == 4).await;
    drop(idle);
    assert_eq!(soon(waiting).await.unwrap().unwrap().unwrap().payload, "kept");
}

#[tokio::test]
async fn a_stream_has_one_reader_and_must_exist() {
    let pair = pair(|builder| builder.streams(4)).await;
    let taken = pair.client.stream(3).unwrap();
    let error = pair.client.stream(3).unwrap_err();
    assert_eq!(error.to_string(), "stream 3 is taken by another reader");
    drop(taken);
    assert_eq!(pair.client.stream(3).unwrap().number(), 3);
    assert!(matches!(pair.client.stream(4), Err(Error::NoSuchStream { stream: 4, count: 4 })));
}

#[tokio::test]
async fn an_abort_is_an_error_of_reads_and_writes() {
    let pair = pair(|builder| builder).await;
    let mut theirs = pair.server.stream(0).unwrap();
    pair.client.abort("enough");
    let error = soon(theirs.read_u8()).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(error.to_string(), "the peer aborted the association: \"enough\"");
    let error = theirs.write_all(b"x").await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}
