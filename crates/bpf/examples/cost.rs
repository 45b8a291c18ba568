//! Cost of an acknowledgement: each algorithm on Multipath TCP, compared with the kernel's Reno in the same place.
//!
//! As root: `cargo run --release --package manypath-bpf --example cost`. On a plain TCP socket, our algorithms grow the
//! window by the kernel's `tcp_reno_cong_avoid`, so the first column is Reno, called from the same place. The other
//! columns are times per call by the kernel's own statistics (`kernel.bpf_stats_enabled`).

use std::fs;
use std::os::fd::AsFd;
use std::time::Duration;

use libbpf_rs::query::{ProgInfoIter, ProgramInfo};
use manypath_bpf::testbed::{Family, Network, Transfer};
use manypath_bpf::{ALGORITHMS, Algorithm, Error, Loaded, Object};

const STATISTICS: &str = "/proc/sys/kernel/bpf_stats_enabled";

/// The calls of one program.
struct Program {
    name: String,
    verified: u32,
    nanoseconds: u64,
    calls: u64,
}

fn programs(loaded: &Loaded) -> Vec<Program> {
    let id = |program: libbpf_rs::Program<'_>| libbpf_rs::Program::id_from_fd(program.as_fd());
    let ids: Vec<_> = loaded.object().progs().filter_map(|program| id(program).ok()).collect();
    let read = |info: ProgramInfo| Program {
        name: info.name.to_string_lossy().into_owned(),
        verified: info.verified_insns,
        nanoseconds: info.run_time_ns,
        calls: info.run_cnt,
    };
    loop {
        let ours = ProgInfoIter::default().filter(|it| ids.contains(&it.id));
        let found: Vec<_> = ours.map(read).collect();
        // The list ends early if another process unloads a program in the meantime.
        if found.len() == ids.len() {
            return found;
        }
    }
}

/// Nanoseconds per call of the program whose name begins with `name` during `transfer`.
fn cost(loaded: &Loaded, name: &str, transfer: &Transfer, network: &Network) -> Result<f64, Error> {
    let sum = || {
        let found = programs(loaded).into_iter().filter(|it| it.name.starts_with(name));
        found.fold((0, 0), |sum, it| (sum.0 + it.nanoseconds, sum.1 + it.calls))
    };
    let before = sum();
    transfer.run(network)?;
    let after = sum();
    Ok((after.0 - before.0) as f64 / (after.1 - before.1).max(1) as f64)
}

fn measure(algorithm: &Algorithm, network: &Network) -> Result<(), Error> {
    let name = format!("cost_{}", std::process::id());
    let loaded = Loaded::load_as(&Object::from(algorithm), &name)?;
    let transfer = Transfer::new(loaded.name()).for_time(Duration::from_secs(2));
    let plain = cost(&loaded, "avoid", &transfer.clone().over_tcp(), network)?;
    let coupled = cost(&loaded, "avoid", &transfer.clone().to_port(5002), network)?;
    let acked = cost(&loaded, "acked", &transfer.to_port(5003), network)?;
    let largest = programs(&loaded).iter().map(|it| it.verified).max().unwrap_or_default();
    println!("{:<12} {plain:>10.0} {coupled:>10.0} {acked:>10.0} {largest:>12}", algorithm.name);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let before = fs::read_to_string(STATISTICS)?;
    let network = Network::shared(2, Family::V4, Some("rate 200mbit burst 64kb limit 300000"))?;
    println!(
        "{:<12} {:>10} {:>10} {:>10} {:>12}",
        "algorithm", "reno, ns", "avoid, ns", "acked, ns", "verified"
    );
    fs::write(STATISTICS, "1")?;
    let done = ALGORITHMS.iter().try_for_each(|algorithm| measure(algorithm, &network));
    fs::write(STATISTICS, before.trim())?;
    Ok(done?)
}
