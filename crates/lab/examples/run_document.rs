//! Runs a scenario document for a profiler: `perf record target/release/examples/run_document scenario.json`.
//!
//! The document is what Python's `Scenario.document()` returns. With a second argument `bytes`, packets of SCTP are
//! encoded and decoded on their way.

use manypath_lab::{Job, Scenario, Watch, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("give the file of a scenario document")?;
    let scenario = Scenario::parse(&std::fs::read_to_string(file)?)?;
    let by_bytes = std::env::args().nth(2).is_some_and(|form| form == "bytes");
    let watch = Watch { by_bytes, ..Watch::default() };
    let (outcome, _) = run(&scenario, Job { seed: 1, replication: 0 }, &watch)?;
    for (name, flow) in &outcome.flows {
        println!("{name}: {:.3} Mbit/s", flow.goodput / 1e6);
    }
    println!("digest {}", outcome.digest);
    println!("{} data packets", outcome.data_packets);
    println!("{:.2} M packet-hops/s", outcome.packet_hops as f64 / outcome.cpu_seconds / 1e6);
    println!("{:.0} ns per data packet", outcome.cpu_seconds / outcome.data_packets as f64 * 1e9);
    println!("{:.1} simulated s / CPU s", outcome.simulated_seconds / outcome.cpu_seconds);
    Ok(())
}
