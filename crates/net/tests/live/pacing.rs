//! Pacing of packets over the round trip.

use std::fs::File;

use manypath_core::Span;
use manypath_decode::{Decoder, Form, Options};
use manypath_net::Capture;
use manypath_sctp::Burst;

use crate::relay::relayed;
use crate::stage::{soon, transfer, undisturbed, until};

/// Departure times of the client's packets with DATA, in nanoseconds from the first one, while it sends 60 kB after an
/// idle time over a round trip of 80 ms. All of them are sent once.
async fn departures(pacing: bool) -> Vec<u64> {
    // Timers of a machine that stands still expire
    undisturbed(async || {
        let (times, retransmitted) = departures_with_repetitions(pacing).await;
        if retransmitted == 0 { Ok(times) } else { Err(retransmitted) }
    })
    .await
}

/// The same, with the number of chunks that were sent again.
async fn departures_with_repetitions(pacing: bool) -> (Vec<u64>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("burst.pcapng");
    let capture = Capture::create(&file).unwrap();
    let (pair, relays) = relayed(|builder| {
        let builder = builder.capture(capture.clone()).buffers(64 << 10, 256 << 10);
        builder.pacing(pacing).configure(|config| {
            // Without pacing the whole window is sent at once
            config.burst = Burst::None;
            config.mtu_discovery = None;
            config.sack_delay = Span::from_millis(10);
        })
    })
    .await;
    relays.iter().for_each(|relay| relay.delay(40));
    // The smoothed round-trip time begins at that of an idle relay
    while pair.client.paths()[0].stats.srtt < Span::from_millis(70) {
        transfer(&pair.client, &pair.server, 60_000).await;
    }
    for _ in 0..3 {
        let outstanding = || pair.client.paths()[0].stats.outstanding;
        until("everything is acknowledged", || outstanding() == 0).await;
        transfer(&pair.client, &pair.server, 60_000).await;
    }
    let [client, server] = &pair.endpoints;
    let (port, address) = (client.encapsulation_port(), client.local_addresses()[0].to_string());
    pair.client.shutdown().await.unwrap();
    let retransmitted = pair.client.stats().retransmitted_chunks;
    soon(client.close()).await;
    soon(server.close()).await;
    capture.finish().unwrap();
    let options = Options { form: Form::Json, port, any_checksum: false, interface: None };
    let mut decoder = Decoder::new(File::open(&file).unwrap(), options).expect("a capture");
    let mut lines = String::new();
    while decoder.read(&mut lines).expect("a whole capture") {}
    let mut times = Vec::new();
    for line in lines.lines() {
        let packet: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let chunks = packet["chunks"].as_array().unwrap();
        let data: Vec<_> = chunks.iter().filter(|chunk| chunk["type"] == "DATA").collect();
        let is_sent = packet["interface"] == *address && packet["source"] == *address;
        if data.is_empty() || !is_sent {
            continue;
        }
        if data.iter().any(|chunk| chunk["flags"].as_str().unwrap().contains('B')) {
            // Another message begins
            times.clear();
        }
        times.push(packet["time"].as_u64().expect("nanoseconds"));
    }
    (times.iter().map(|at| at - times[0]).collect(), retransmitted)
}

/// The largest number of packets within one millisecond.
fn largest_burst(times: &[u64]) -> usize {
    let within = |first: &u64| {
        times.iter().filter(|at| (0..1_000_000).contains(&at.wrapping_sub(*first))).count()
    };
    times.iter().map(within).max().expect("packets with data")
}

/// In slow start the rate is two windows of 64 KiB per round trip of 80 ms, in which 60 kB take 37 ms. Late timers and a
/// longer round trip make it longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_paced_window_does_not_leave_faster_than_its_rate() {
    let paced = departures(true).await;
    assert!(paced.len() > 30, "{paced:?}");
    assert!(paced.last().is_some_and(|last| *last > 25_000_000), "{paced:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: needs a quiet machine, because bursts are counted within a millisecond"]
async fn a_paced_window_leaves_in_small_bursts_before_it_is_acknowledged() {
    let (sudden, paced) = (departures(false).await, departures(true).await);
    assert!(largest_burst(&sudden) >= 30, "{sudden:?}");
    // In slow start the rate is two windows of 64 KiB per round trip of 80 ms, which is four packets in 3 ms. If a
    // timer is late by 2 ms, these four leave in the same millisecond
    assert!(largest_burst(&paced) <= 12, "{paced:?}");
    // No acknowledgement can arrive within 70 ms, so timers have sent these packets
    let early = paced.iter().filter(|at| **at < 70_000_000).count();
    assert!(early > paced.len() / 2, "{early} within 70 ms: {paced:?}");
}
