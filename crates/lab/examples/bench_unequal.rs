//! Runs one association over two unequal paths, for a profiler or to look at a switch:
//! `target/release/examples/bench_unequal south=100 north=10 buffer_split='"none"'`.
//!
//! The scenario is \[D10]'s figure 4, with FIFO queues of 100 packets and unordered messages of 1452 bytes. `south` and
//! `north` are rates in Mbit/s, `delay` milliseconds of the northern link, `warmup` and `measure` seconds, `ordered` a
//! property of the application; any other KEY=JSON is a field of the flow.

use manypath_lab::{FlowOutcome, Job, Outcome, Scenario, Watch, run};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut setting = Setting::default();
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').ok_or("a setting is KEY=JSON")?;
        setting.take(key, serde_json::from_str(value)?)?;
    }
    let scenario = Scenario::parse(&setting.document().to_string())?;
    let (outcome, _) = run(&scenario, Job { seed: 1, replication: 0 }, &Watch::default())?;
    outcome.flows.values().for_each(print_flow);
    print_speed(&outcome);
    Ok(())
}

struct Setting {
    south: f64,
    north: f64,
    delay: f64,
    warmup: f64,
    measure: f64,
    ordered: Value,
    flow: Value,
}

impl Default for Setting {
    fn default() -> Self {
        let flow = json!({
            "paths": ["south", "north"],
            "cc": "newreno",
            "send_buffer": 250_000,
            "receive_buffer": 125_000,
        });
        let ordered = Value::Bool(false);
        Self { south: 100.0, north: 10.0, delay: 1.0, warmup: 5.0, measure: 20.0, ordered, flow }
    }
}

impl Setting {
    fn take(&mut self, key: &str, value: Value) -> Result<(), String> {
        let number = || value.as_f64().ok_or(format!("{key}: {value} is not a number"));
        match key {
            "south" => self.south = number()?,
            "north" => self.north = number()?,
            "delay" => self.delay = number()?,
            "warmup" => self.warmup = number()?,
            "measure" => self.measure = number()?,
            "ordered" => self.ordered = value,
            _ => self.flow[key] = value,
        }
        Ok(())
    }

    fn document(mut self) -> Value {
        let queue = |packets: u32| json!({"kind": "drop-tail", "packets": packets});
        let link = |megabits: f64, milliseconds: f64| {
            let (rate, delay) = ((megabits * 1e6) as u64, (milliseconds * 1e6) as u64);
            json!({"rate": rate, "delay": delay, "queue": queue(100), "overhead": 7})
        };
        let (south, north) = (link(self.south, 1.0), link(self.north, self.delay));
        let access =
            json!({"rate": 1_000_000_000, "delay": 0, "queue": queue(10_000), "overhead": 7});
        let message = json!({"min": 1452, "max": 1452});
        self.flow["app"] =
            json!({"kind": "saturated", "message": message, "ordered": self.ordered});
        json!({
            "network": {
                "links": {"south": south, "south/back": south, "north": north, "north/back": north},
                "paths": {
                    "south": {"forward": ["south"], "reverse": ["south/back"]},
                    "north": {"forward": ["north"], "reverse": ["north/back"]},
                },
                "access": access,
            },
            "flows": {"cmt": self.flow},
            "warmup": (self.warmup * 1e9) as u64,
            "measure": (self.measure * 1e9) as u64,
        })
    }
}

fn print_flow(flow: &FlowOutcome) {
    println!(
        "{:.2} Mbit/s, {} timeouts, {} chunks again, {} twice",
        flow.goodput / 1e6,
        flow.timeouts,
        flow.retransmitted_chunks,
        flow.duplicate_chunks
    );
    for (name, path) in &flow.paths {
        println!(
            "  {name}: {:.2} Mbit/s, window {:.0}, {:.0} outstanding, srtt {:.1} ms, {} cuts, {} timeouts",
            path.goodput / 1e6,
            path.cwnd,
            path.outstanding,
            path.srtt * 1e3,
            path.fast_retransmissions,
            path.timeouts
        );
    }
}

fn print_speed(outcome: &Outcome) {
    println!("digest {}", outcome.digest);
    println!(
        "{:.0} data packets/s, {:.1} simulated s / CPU s",
        outcome.data_packets as f64 / outcome.cpu_seconds,
        outcome.simulated_seconds / outcome.cpu_seconds
    );
}
