//! The share of two subflows at a bottleneck with one TCP, once uncoupled and once with a coupled algorithm.
//!
//! As root: `cargo run --release --package manypath-bpf --example share -- lia 30`. The bottleneck is a drop-tail queue
//! without a delay, where shares vary a lot; figures use links with RED and delays (`manypath emulate`).

use std::time::Duration;

use manypath_bpf::testbed::{Family, Network, Transfer, counter};
use manypath_bpf::{Error, Loaded, Object};

/// 10 Mbit/s with a queue of 60 packets.
const BOTTLENECK: &str = "rate 10mbit burst 3100 limit 90000";

/// Bytes of the connection over bytes of the TCP.
fn share(congestion_control: &str, time: Duration) -> Result<f64, Error> {
    let network = Network::shared(2, Family::V4, Some(BOTTLENECK))?;
    let multipath = Transfer::new(congestion_control).start(&network)?;
    let single = Transfer::new("reno").over_tcp().to_port(5002).start(&network)?;
    // The first fifth is slow start and is not counted.
    std::thread::sleep(time / 5);
    let before = (multipath.received(), single.received());
    std::thread::sleep(time);
    let after = (multipath.received(), single.received());
    multipath.stop()?;
    single.stop()?;
    let joined = counter(&network.sender, "MPTcpExt", "MPJoinSynAckRx")?;
    if joined != 1 {
        return Err(Error::failed(format!("{joined} subflows joined, not one")));
    }
    Ok((after.0 - before.0) as f64 / (after.1 - before.1).max(1) as f64)
}

fn main() -> Result<(), Error> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let algorithm = arguments.first().map_or("lia", String::as_str);
    let seconds = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(30);
    let loaded =
        Loaded::load_as(&Object::named(algorithm)?, &format!("share_{}", std::process::id()))?;
    for (name, called) in [("reno", "reno"), (algorithm, loaded.name())] {
        println!("{name}: {:.2} times a TCP", share(called, Duration::from_secs(seconds))?);
    }
    Ok(())
}
