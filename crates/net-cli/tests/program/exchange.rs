//! Measurements: the reports of both sides, compared with the counters of the associations.

use std::time::{Duration, Instant};

use manypath_net::{Error, Message};
use manypath_net_cli::perf::{self, Direction, Interval, Outcome, Request, Settings, TestDocument};
use serde_json::Value;

use crate::peer::{Pair, loopback, pair_on, soon};
use crate::process::PATIENCE;

fn request(direction: Direction) -> Request {
    Request {
        duration: None,
        bytes: Some(5_000_001),
        streams: 3,
        size: 10_000,
        size_min: None,
        unordered: false,
        direction,
    }
}

fn settings() -> Settings {
    Settings { interval: Duration::from_millis(50), congestion: "cmt-rpv2".to_owned() }
}

async fn two_paths() -> Pair {
    let (client, server) = ([loopback(1), loopback(2)], [loopback(11), loopback(12)]);
    pair_on(&client, &server, |builder| builder.concurrent("cmt-rpv2")).await
}

/// The results of a test on both sides, the client's first, and the client's intervals.
async fn measure(pair: &Pair, request: &Request) -> ([Outcome; 2], Vec<Interval>) {
    let (settings, mut intervals) = (settings(), Vec::new());
    let watch = |interval: &Interval| intervals.push(interval.clone());
    let client = perf::run(&pair.client, request, &settings, watch);
    let server = perf::serve(&pair.server, &settings, |_| (), |_| ());
    let (client, server) = soon(async { tokio::join!(client, server) }).await;
    ([client.expect("a test"), server.expect("a test")], intervals)
}

fn sum(values: &Value, key: &str) -> u64 {
    let values = values.as_array().expect("a list");
    values.iter().map(|value| value[key].as_u64().expect("a number")).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sides_report_what_both_sides_counted() {
    for direction in [Direction::Send, Direction::Reverse, Direction::Both] {
        let (pair, request) = (two_paths().await, request(direction));
        let before = pair.client.stats().retransmitted_chunks;
        let ([client, server], _) = measure(&pair, &request).await;
        for (is_part, sender, receiver) in [
            (direction.client_sends(), &client.local, &client.remote),
            (direction.server_sends(), &client.remote, &client.local),
        ] {
            assert_eq!((sender.sent.is_some(), receiver.received.is_some()), (is_part, is_part));
            let (Some(sent), Some(received)) = (&sender.sent, &receiver.received) else { continue };
            assert_eq!((sent.bytes, received.bytes), (5_000_001, 5_000_001));
            assert_eq!((sent.messages, received.messages), (501, 501));
            assert_eq!(sent.streams, [1_670_000, 1_670_000, 1_660_001]);
            assert_eq!(sent.streams, received.streams);
            // The control messages are counted too
            let acked: u64 = sender.paths.iter().map(|path| path.counters.bytes_acked).sum();
            assert!((5_000_001..5_010_000).contains(&acked), "{acked}");
            let arrived: u64 = receiver.paths.iter().map(|path| path.counters.bytes_received).sum();
            assert!((5_000_001..5_010_000).contains(&arrived), "{arrived}");
        }
        for (own, told) in [(&client.local, &server.remote), (&server.local, &client.remote)] {
            assert_eq!(own, told);
        }
        assert!(client.local.retransmits <= pair.client.stats().retransmitted_chunks - before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sums_of_the_document_are_those_of_the_counters() {
    let (pair, request) = (two_paths().await, request(Direction::Both));
    let before = [pair.client.stats(), pair.server.stats()];
    let ([client, _], intervals) = measure(&pair, &request).await;
    let mut record = TestDocument::new(&pair.client, [7, 8], &request, "cmt-rpv2", true);
    intervals.iter().for_each(|interval| record.add(interval));
    let document: Value = serde_json::from_str(&record.finish(&client).to_string()).expect("JSON");
    let end = &document["end"];
    for key in ["sum_sent", "sum_received", "sum_sent_bidir_reverse", "sum_received_bidir_reverse"]
    {
        assert_eq!(end[key]["bytes"], 5_000_001, "{key}");
    }
    // Counters of the associations include the control messages
    for (before, association) in before.iter().zip([&pair.client, &pair.server]) {
        let sent = association.stats().bytes_sent - before.bytes_sent;
        assert!((5_000_001..5_010_000).contains(&sent), "{sent}");
    }
    for (place, key) in [("sum", "sum_sent"), ("sum_bidir_reverse", "sum_sent_bidir_reverse")] {
        let intervals = document["intervals"].as_array().expect("a list");
        let bytes = intervals.iter().map(|interval| interval[place]["bytes"].as_u64().unwrap());
        assert_eq!(bytes.sum::<u64>(), end[key]["bytes"].as_u64().unwrap(), "{place}");
    }
    for interval in document["intervals"].as_array().unwrap() {
        let both = ["sum", "sum_bidir_reverse"].map(|key| interval[key]["bytes"].as_u64().unwrap());
        assert_eq!(sum(&interval["streams"], "bytes"), both.iter().sum::<u64>());
    }
    assert_eq!(end["streams"].as_array().unwrap().len(), 6);
    let retransmits = end["sum_sent"]["retransmits"].as_u64().unwrap();
    assert_eq!(retransmits, client.local.retransmits);
    assert_eq!(sum(&end["paths"], "retransmitted_chunks"), retransmits);
    let start = &document["start"]["test_start"];
    assert_eq!((&start["protocol"], &start["bidir"]), (&"SCTP".into(), &1.into()));
    assert_eq!(document["start"]["connected"][1]["remote_host"], "127.0.0.12");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_some_time_takes_that_time_and_reports_every_interval() {
    let request = Request { duration: Some(0.5), bytes: None, ..request(Direction::Send) };
    let begun = Instant::now();
    // If the machine stands still for most of the time, there is one interval
    let (client, intervals) = loop {
        let ([client, _], intervals) = measure(&two_paths().await, &request).await;
        if intervals.len() > 1 {
            break (client, intervals);
        }
        assert!(begun.elapsed() < PATIENCE, "{} intervals", intervals.len());
    };
    let sent = client.local.sent.expect("it sends");
    // A busy machine may be late, by less than the time that a test may take
    assert!((0.5..PATIENCE.as_secs_f64()).contains(&sent.seconds), "{}", sent.seconds);
    // There is one each 50 ms, also after the last data were sent; late ones are left out
    let most = intervals.iter().map(Interval::seconds).sum::<f64>() / 0.05 + 2.0;
    assert!((2.0..most).contains(&(intervals.len() as f64)), "{}", intervals.len());
    for (before, after) in intervals.iter().zip(&intervals[1..]) {
        assert!(before.end == after.start && after.end > after.start);
        assert_eq!(before.paths.len(), 2);
        let share: f64 = before.paths.iter().map(|path| path.share).sum();
        assert!((share - 1.0).abs() < 1e-9 || share == 0.0, "{share}");
    }
    let blocked = client.local.paths[0].blocked.iter().map(|(_, seconds)| seconds).sum::<f64>();
    assert!(blocked > 0.0 && blocked < sent.seconds + PATIENCE.as_secs_f64(), "{blocked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_of_messages_are_uniformly_distributed_in_a_range() {
    let pair = two_paths().await;
    let request = Request {
        size: 1452,
        size_min: Some(500),
        bytes: Some(2_000_000),
        ..request(Direction::Send)
    };
    let ([client, server], _) = measure(&pair, &request).await;
    let (sent, received) = (client.local.sent.unwrap(), server.local.received.unwrap());
    assert_eq!((received.bytes, received.messages), (sent.bytes, sent.messages));
    // The mean of 2050 sizes between 500 and 1452 has a standard deviation of 6 bytes
    let mean = sent.bytes as f64 / sent.messages as f64;
    assert!((mean - 976.0).abs() < 40.0, "{mean}");
}

/// The second path is a standby path from the request on, long before the test begins.
#[tokio::test(flavor = "multi_thread")]
async fn no_path_waits_longer_within_an_interval_than_it_lasts() {
    let (client, server) = ([loopback(1), loopback(2)], [loopback(11), loopback(12)]);
    let pair = pair_on(&client, &server, |builder| builder).await;
    let request = Request { duration: Some(0.3), bytes: None, ..request(Direction::Send) };
    let (settings, mut intervals) = (settings(), Vec::new());
    let client = perf::run(&pair.client, &request, &settings, |interval| {
        intervals.push(interval.clone());
    });
    let server = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let begun = Instant::now();
        perf::serve(&pair.server, &settings, |_| (), |_| ()).await.map(|_| begun.elapsed())
    };
    let (client, server) = soon(async { tokio::join!(client, server) }).await;
    let (client, took) = (client.expect("a test"), server.expect("a test").as_secs_f64());
    let waited = |blocked: &[(String, f64)]| blocked.iter().map(|(_, time)| time).sum::<f64>();
    for interval in &intervals {
        for path in &interval.paths {
            let waited = waited(&path.carried.blocked);
            assert!(waited < interval.seconds() + 1e-6, "{waited} in {interval:?}");
        }
    }
    let told: f64 = intervals.iter().map(|told| waited(&told.paths[1].carried.blocked)).sum();
    let standby = waited(&client.local.paths[1].blocked);
    // The time after the last interval with data is part of the total; the second before the test is not
    let most = took + 0.5;
    assert!((told.max(0.1)..most).contains(&(standby + 1e-6)), "{standby}, {told}, {took}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server_refuses_with_a_reason() {
    let pair = two_paths().await;
    let request = request(Direction::Send);
    let settings = settings();
    let client = perf::run(&pair.client, &request, &settings, |_| ());
    let (client, server) = tokio::join!(client, perf::refuse(&pair.server, "busy\x1b[2J"));
    server.expect("a request");
    let said = client.expect_err("it is refused").to_string();
    assert_eq!(said, "the server refused the test: busy\\u{1b}[2J");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_more_streams_than_there_are_is_refused_on_either_side() {
    let pair = two_paths().await;
    let request = Request { streams: 100, ..request(Direction::Send) };
    let settings = settings();
    let refused = perf::run(&pair.client, &request, &settings, |_| ()).await;
    let said = refused.expect_err("there are 16").to_string();
    assert_eq!(said, "`streams` is 100, expected at most 15, as both sides have agreed");
    // Another implementation of the client sends the request anyway
    let word = serde_json::json!({ "request": { "version": 2, "test": request } });
    pair.client.send(Message::new(word.to_string())).await.unwrap();
    let served = soon(perf::serve(&pair.server, &settings, |_| (), |_| ())).await;
    assert!(served.expect_err("there are 16").is_input());
    let answer = soon(pair.client.receive()).await.unwrap().unwrap();
    assert!(answer.payload.starts_with(b"{\"refused\":\"`streams` is 100"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_with_another_protocol_is_refused() {
    for word in ["hello", "{\"request\":{}}", "\"ready\"", "{\"results\":null}"] {
        let pair = two_paths().await;
        pair.client.send(Message::new(word)).await.unwrap();
        let served = soon(perf::serve(&pair.server, &settings(), |_| (), |_| ())).await;
        assert!(matches!(served, Err(perf::Failure::Protocol)), "{word}: {served:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_whose_peer_aborts_fails_on_both_sides() {
    let pair = two_paths().await;
    let request = Request { duration: Some(20.0), bytes: None, ..request(Direction::Both) };
    let settings = settings();
    let other = pair.client.clone();
    let client = perf::run(&pair.client, &request, &settings, |_| ());
    let server = perf::serve(&pair.server, &settings, |_| (), |_| ());
    let abort = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        other.abort("enough");
    };
    let (client, server, ()) = soon(async { tokio::join!(client, server, abort) }).await;
    assert!(matches!(client, Err(perf::Failure::Net(Error::AbortedHere))), "{client:?}");
    let said = server.expect_err("it is aborted").to_string();
    assert_eq!(said, "the peer aborted the association: \"enough\"");
}

/// The server's answer and its data use different streams, so a retransmitted answer may arrive later.
#[tokio::test(flavor = "multi_thread")]
async fn data_that_overtakes_the_answer_of_the_server_counts() {
    let pair = two_paths().await;
    let request = Request { bytes: Some(10_000), ..request(Direction::Reverse) };
    let (settings, server) = (settings(), &pair.server);
    let client = perf::run(&pair.client, &request, &settings, |_| ());
    let by_hand = async {
        server.receive().await.unwrap().expect("the request");
        server.send(Message::new(vec![0; 10_000]).stream(1)).await.unwrap();
        for word in ["\"ready\"", "{\"end\":{\"bytes\":10000}}"] {
            server.send(Message::new(word)).await.unwrap();
        }
        let arrived = server.receive().await.unwrap().expect("it has everything");
        assert_eq!(arrived.payload.as_ref(), b"\"arrived\"");
        let results = server.receive().await.unwrap().expect("what it counted");
        // The same counts, from the other side
        let mut results: Value = serde_json::from_slice(&results.payload).expect("JSON");
        let counted = results["results"].as_object_mut().expect("its fields");
        let received = counted.insert("received".to_owned(), Value::Null).expect("a total");
        counted.insert("sent".to_owned(), received);
        server.send(Message::new(results.to_string())).await.unwrap();
    };
    let (outcome, ()) = soon(async { tokio::join!(client, by_hand) }).await;
    let received = outcome.expect("the test is done").local.received.expect("it receives");
    assert_eq!((received.bytes, received.messages), (10_000, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn impossible_results_of_a_peer_are_refused() {
    let pair = two_paths().await;
    let request = Request { bytes: Some(1), ..request(Direction::Send) };
    let (settings, server) = (settings(), &pair.server);
    let client = perf::run(&pair.client, &request, &settings, |_| ());
    let by_hand = async {
        server.receive().await.unwrap().expect("the request");
        server.send(Message::new("\"ready\"")).await.unwrap();
        server.send(Message::new("\"arrived\"")).await.unwrap();
        let total = serde_json::json!({ "bytes": 1, "messages": 1, "seconds": -1, "streams": [1] });
        let cpu = serde_json::json!({ "user": 0.0, "system": 0.0 });
        let results = serde_json::json!({ "results": {
            "sent": null, "received": total, "retransmits": 0, "congestion": "", "cpu": cpu,
            "paths": [],
        }});
        server.send(Message::new(results.to_string())).await.unwrap();
    };
    let (outcome, ()) = soon(async { tokio::join!(client, by_hand) }).await;
    assert!(matches!(outcome, Err(perf::Failure::Protocol)), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_a_server_that_must_not_send_is_refused() {
    let pair = two_paths().await;
    let request = request(Direction::Send);
    pair.server.send(Message::new(vec![0; 10]).stream(1)).await.unwrap();
    let run = soon(perf::run(&pair.client, &request, &settings(), |_| ())).await;
    assert!(matches!(run, Err(perf::Failure::Protocol)), "{run:?}");
}
