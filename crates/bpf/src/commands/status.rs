//! `status`: the current state of the subflows.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use manypath_bpf::{Connection, Error, Slot, inventory};
use manypath_program::time;
use serde_json::{Value, json};

/// Shows each connection with its subflows: window, threshold, round-trip time, rate, losses
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Print one JSON document for each update
    #[arg(long)]
    json: bool,
    /// Update after this time, in seconds without a unit, until Ctrl-C
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = every)]
    every: Option<Duration>,
}

fn every(text: &str) -> Result<Duration, String> {
    time(text, 0.01..=3600.0, ["10 ms", "3600 s"])
}

impl Status {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        loop {
            let mut list = Vec::new();
            for algorithm in inventory::registered()? {
                list.push((algorithm.connections()?, algorithm.name));
            }
            let text = if self.json { format!("{}\n", document(&list)) } else { table(&list) };
            let mut out = std::io::stdout();
            let clear = if self.every.is_some() && !self.json && out.is_terminal() {
                "\x1b[2J\x1b[H"
            } else {
                ""
            };
            // Ignore a closed pipe.
            if write!(out, "{clear}{text}").and_then(|()| out.flush()).is_err() {
                return Ok(ExitCode::SUCCESS);
            }
            let Some(pause) = self.every else { return Ok(ExitCode::SUCCESS) };
            thread::sleep(pause);
        }
    }
}

type Algorithms = [(Vec<Connection>, String)];

fn document(list: &Algorithms) -> Value {
    let algorithms = list.iter().map(|(connections, name)| {
        let connections: Vec<_> = connections.iter().map(connection).collect();
        json!({"name": name, "connections": connections})
    });
    json!({"algorithms": algorithms.collect::<Vec<_>>()})
}

fn connection(connection: &Connection) -> Value {
    let subflows: Vec<_> = connection.slots.iter().map(|(_, slot)| subflow(slot)).collect();
    json!({"token": connection.token, "alpha": connection.alpha(), "subflows": subflows})
}

fn subflow(slot: &Slot) -> Value {
    json!({
        "local": slot.local.to_string(),
        "remote": slot.remote.to_string(),
        "window_packets": slot.window,
        "ssthresh_packets": slot.threshold,
        "srtt_us": slot.srtt.as_micros() as u64,
        "rate_bit_per_s": slot.rate(),
        "losses": slot.losses,
        "timeouts": slot.timeouts,
        "weight": (slot.weight > 0).then(|| f64::from(slot.weight) / f64::from(1 << 24)),
    })
}

fn table(list: &Algorithms) -> String {
    let mut lines = vec![format!(
        "{:<14} {:<8} {:>6}  {:<46} {:>6} {:>8} {:>9} {:>12} {:>6} {:>8}",
        "algorithm",
        "token",
        "alpha",
        "subflow",
        "cwnd",
        "ssthresh",
        "srtt",
        "rate",
        "losses",
        "timeouts"
    )];
    for (connections, name) in list {
        for connection in connections {
            let alpha = connection.alpha().map_or("-".to_owned(), |alpha| format!("{alpha:.3}"));
            for (_, slot) in &connection.slots {
                lines.push(line(name, connection.token, &alpha, slot));
            }
        }
    }
    if lines.len() == 1 {
        lines = vec!["no connection has an algorithm of ours now".to_owned()];
    }
    lines.join("\n") + "\n"
}

fn line(name: &str, token: u32, alpha: &str, slot: &Slot) -> String {
    let rate = slot.rate().map_or("-".to_owned(), |rate| format!("{:.2} Mbit/s", rate / 1e6));
    format!(
        "{name:<14} {token:08x} {alpha:>6}  {:<46} {:>6} {:>8} {:>6.1} ms {rate:>12} {:>6} {:>8}",
        format!("{} > {}", slot.local, slot.remote),
        slot.window,
        slot.threshold,
        slot.srtt.as_secs_f64() * 1e3,
        slot.losses,
        slot.timeouts,
    )
}
