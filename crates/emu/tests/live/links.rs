//! Effects of links on real packets: delay, rate, loss, damage, events.

use manypath_core::{Span, Streams, Time};
use manypath_emu::traffic::{Arrivals, Stream};
use manypath_link::{Entry, LinkConfig, Pipe, Popped};
use serde_json::{Value, json};

use crate::stage::{SILENCE, Stage, document, found, link};

#[test]
fn packets_have_the_delay_of_each_link() {
    let mut wanted = document("emu-delay", &link(&json!({"delay": 10_000_000})));
    wanted["network"]["links"]["back"]["delay"] = json!(30_000_000);
    let Some(stage) = Stage::set(&wanted) else { return };
    let back = Stream {
        from: [10, 0, 0, 2].into(),
        to: [10, 0, 0, 1].into(),
        packets: 100,
        size: 100,
        gap: Span::from_millis(2),
        silence: SILENCE,
    };
    let there = || stage.send(100, Span::from_millis(2));
    let back = || back.measure(stage.host("right"), stage.host("left")).expect("a stream");
    for (send, millis) in [(&there as &dyn Fn() -> Arrivals, 10), (&back, 30)] {
        found("a stream with half of its packets nearly in time", || {
            let arrivals = send();
            assert_eq!(arrivals.count(), 100);
            let shortest = arrivals.quantile(0.0);
            assert!(shortest >= millis * 1_000_000, "nothing is early: {shortest} ns");
            let median = arrivals.quantile(0.5);
            if median < (millis + BUSY) * 1_000_000 { Ok(()) } else { Err(median) }
        });
    }
}

#[test]
fn a_stream_waits_for_packets_that_are_on_the_link_when_a_wait_ends() {
    // The receiver waits for a tenth of a second at a time, and the sender is ready within the first waits
    let slow = link(&json!({"delay": 700_000_000}));
    let Some(stage) = Stage::set(&document("emu-slow", &slow)) else { return };
    assert_eq!(stage.send(5, Span::from_millis(1)).count(), 5);
}

#[test]
fn packets_of_ipv6_are_carried() {
    let Some(stage) = Stage::set(&document("emu-ipv6", &link(&json!({})))) else { return };
    let [from, to] =
        ["fd6d:70::1", "fd6d:70::2"].map(|address| address.parse().expect("an address"));
    assert_eq!(stage.send_between(from, to, 20, Span::from_millis(1)).count(), 20);
}

#[test]
fn an_overloaded_link_delivers_its_rate() {
    let wanted = document("emu-rate", &link(&json!({"rate": 10_000_000})));
    let Some(stage) = Stage::set(&wanted) else { return };
    let stream = Stream {
        from: [10, 0, 0, 1].into(),
        to: [10, 0, 0, 2].into(),
        packets: 3_000,
        size: 1500,
        gap: Span::from_micros(800),
        silence: SILENCE,
    };
    let expected = 10e6 / (8.0 * 1500.0);
    let (mut sent, mut arrived) = (0, 0);
    found("a stream at the link's rate", || {
        let arrivals = stream.measure(stage.host("left"), stage.host("right")).expect("a stream");
        (sent, arrived) = (sent + stream.packets, arrived + arrivals.count() as u64);
        let ratio = arrivals.rate() / expected;
        // A receiver that was late for the first packets measures a higher rate
        if (0.9..1.1).contains(&ratio) { Ok(()) } else { Err(ratio) }
    });
    let ending = stage.emulation.stop().expect("an end");
    let there = &ending.snapshot.links["there"];
    assert_eq!((there.arrived, there.delivered), (sent, arrived));
}

/// The number of packets that pass the link called `there`, if they are sent one after another.
fn decided(link: &Value, packets: u64) -> u64 {
    let config: LinkConfig = serde_json::from_value(link.clone()).expect("a link");
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "there");
    (0..packets)
        .filter(|&packet| {
            let now = Time::from_nanos(packet * 1_000_000);
            let _ = pipe.push(now, Entry::new(packet, 100));
            matches!(pipe.pop(pipe.poll_timeout()), Some(Popped::Delivered(_)))
        })
        .count() as u64
}

#[test]
fn a_link_loses_the_same_packets_as_in_a_simulation() {
    let losing = link(&json!({"loss": {"kind": "bernoulli", "p": 0.1}}));
    let Some(stage) = Stage::set(&document("emu-loss", &losing)) else { return };
    let arrivals = stage.send(2_000, Span::from_micros(500));
    let expected = decided(&losing, 2_000);
    assert_eq!(arrivals.count() as u64, expected);
    // Four standard deviations around 90 % of 2,000.
    assert!((1_746..=1_854).contains(&expected), "{expected}");
}

#[test]
fn the_host_refuses_damaged_packets() {
    let loss = json!({"kind": "bit-error", "rate": 1.0, "spared": 28});
    let damaging = link(&json!({"loss": loss}));
    let Some(stage) = Stage::set(&document("emu-damage", &damaging)) else { return };
    assert_eq!(stage.send(50, Span::from_millis(1)).count(), 0, "no checksum fits");
    let ending = stage.emulation.stop().expect("an end");
    let there = &ending.snapshot.links["there"];
    assert_eq!((there.delivered, there.damaged, there.lost), (50, 50, 0));
    assert_eq!(ending.snapshot.interfaces[1].received, 50);
}

#[test]
fn a_link_goes_down_and_comes_up_again() {
    let events = json!([
        {"at": 1_000_000_000, "change": "down"},
        {"at": 2_000_000_000, "change": "up"},
    ]);
    let wanted = document("emu-events", &link(&json!({"events": events})));
    // On a busy machine the stream may begin or continue too late to meet both events
    found("a silence of half a second or more in a stream of three seconds", || {
        let Some(stage) = Stage::set(&wanted) else { return Ok(()) };
        let arrivals = stage.send(300, Span::from_millis(10));
        let ending = stage.emulation.stop().expect("an end");
        let there = &ending.snapshot.links["there"];
        assert_eq!(there.delivered + there.dropped + there.lost, 300);
        assert_eq!(there.delivered, arrivals.count() as u64);
        let gaps = arrivals.instants.windows(2).map(|pair| pair[1] - pair[0]);
        let longest = gaps.max().unwrap_or(0);
        let (first, last) = (arrivals.instants.first(), arrivals.instants.last());
        let is_met = (500_000_000..3_000_000_000).contains(&longest)
            && (20..=250).contains(&(there.dropped + there.lost));
        if is_met { Ok(()) } else { Err((longest, first.copied(), last.copied(), *there)) }
    });
}

/// Milliseconds by which a busy machine may delay sender and receiver, which are ordinary processes.
const BUSY: u64 = 50;
