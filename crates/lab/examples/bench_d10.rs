//! Runs a row of the benchmark for a profiler: `perf record target/release/examples/bench_d10 D100/newreno`.
//!
//! The scenario is \[D11]'s disjoint one with messages of 1452 bytes: one CMT association on both paths, one
//! single-path association on the southern one. Rows: `D10/newreno`, `D10/cmt-rpv2`, `D100/newreno`, `D100/cmt-rpv2`.

use manypath_lab::{Job, Scenario, Watch, run};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let row = std::env::args().nth(1).unwrap_or_else(|| "D10/newreno".to_owned());
    let (size, cc) = row.split_once('/').ok_or("a row is SIZE/CC, such as D10/newreno")?;
    let rate = match size {
        "D10" => 10_000_000,
        "D100" => 100_000_000,
        _ => return Err(format!("there is no {size}, only D10 and D100").into()),
    };
    let scenario = Scenario::parse(&disjoint(rate, cc).to_string())?;
    let (outcome, _) = run(&scenario, Job { seed: 1, replication: 0 }, &Watch::default())?;
    for (name, flow) in &outcome.flows {
        println!("{name}: {:.3} Mbit/s", flow.goodput / 1e6);
    }
    println!("digest {}", outcome.digest);
    println!("{:.2} M packet-hops/s", outcome.packet_hops as f64 / outcome.cpu_seconds / 1e6);
    println!("{:.0} data packets/s", outcome.data_packets as f64 / outcome.cpu_seconds);
    println!("{:.1} simulated s / CPU s", outcome.simulated_seconds / outcome.cpu_seconds);
    Ok(())
}

fn disjoint(rate: u64, cc: &str) -> Value {
    let queue = json!({"kind": "drop-tail", "packets": 100});
    let link = json!({"rate": rate, "delay": 1_000_000, "queue": queue, "overhead": 7});
    let roomy = json!({"kind": "drop-tail", "packets": 10_000});
    let access = json!({"rate": 1_000_000_000, "delay": 0, "queue": roomy, "overhead": 7});
    let app = json!({"kind": "saturated", "message": {"min": 1452, "max": 1452}});
    json!({
        "network": {
            "links": {"south": link, "south/back": link, "north": link, "north/back": link},
            "paths": {
                "south": {"forward": ["south"], "reverse": ["south/back"]},
                "north": {"forward": ["north"], "reverse": ["north/back"]},
            },
            "access": access,
        },
        "flows": {
            "cmt": {"paths": ["south", "north"], "cc": cc, "app": app},
            "single": {"paths": ["south"], "app": app},
        },
        "warmup": 10_000_000_000_u64,
        "measure": 3_000_000_000_000_000 / rate * 1_000,
    })
}
