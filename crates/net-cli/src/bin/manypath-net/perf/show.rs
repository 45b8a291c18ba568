//! The display of a test: a table that is updated every interval, lines if the output is a file or a pipe, or JSON.

use std::io::{IsTerminal, stdout};

use manypath_net::Association;
use manypath_net_cli::perf::{
    Interval, Outcome, PathInterval, Results, TestDocument, Total, failed,
};
use serde_json::{Value, json};

use crate::output::{print, say};
use crate::progress::{rate, size};
use std::time::Duration;

/// How results are printed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Form {
    /// A table as text.
    Text,
    /// One document at the end.
    Json,
    /// A line per event, in the format of iperf3's `--json-stream`.
    JsonStream,
}

/// Shows a test.
#[derive(Debug)]
pub(crate) struct Show {
    form: Form,
    is_terminal: bool,
    /// Number of lines of the table on the terminal.
    lines: usize,
}

impl Show {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, is_terminal: stdout().is_terminal(), lines: 0 }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// Shows the start of a test, as text the addresses of each path of the table.
    pub(crate) fn start(&mut self, record: &TestDocument, association: &Association) {
        match self.form {
            Form::Text => {
                for (number, path) in association.paths().iter().enumerate() {
                    say(&format!("path {number}: {} -> {}", path.local, path.remote));
                }
            }
            Form::Json => {}
            Form::JsonStream => event("start", record.start()),
        }
    }

    /// Shows an interval, and keeps it for a later document.
    pub(crate) fn interval(&mut self, record: &mut TestDocument, interval: &Interval) {
        match self.form {
            Form::Text => self.table(interval),
            Form::Json => record.add(interval),
            Form::JsonStream => event("interval", &record.interval(interval)),
        }
    }

    /// Shows the results of both sides.
    pub(crate) fn outcome(&mut self, record: Option<TestDocument>, outcome: &Outcome) {
        match (self.form, record) {
            (Form::Json, Some(record)) => print_json(&record.finish(outcome)),
            (Form::JsonStream, Some(record)) => event("end", &record.finish(outcome)["end"]),
            _ => sums(outcome),
        }
    }

    /// Writes a failure into the JSON document. As text, failures go to standard error.
    pub(crate) fn failure(&mut self, record: Option<TestDocument>, text: &str) {
        match self.form {
            Form::Text => {}
            Form::Json => {
                print_json(&record.map_or_else(|| failed(text), |record| record.fail(text)));
            }
            Form::JsonStream => event("error", &json!(text)),
        }
    }

    /// The heading before the first interval, a line for each path, and their sum.
    fn table(&mut self, interval: &Interval) {
        let mut out = String::new();
        if self.lines == 0 {
            out.push_str(HEADING);
            out.push('\n');
        } else if self.is_terminal {
            // Move the cursor to the first line of the table
            out.push_str(&format!("\x1b[{}A", self.lines));
        }
        let end = if self.is_terminal { "\x1b[K\n" } else { "\n" };
        let rows = rows(interval);
        self.lines = rows.len();
        for row in rows {
            out.push_str(&row);
            out.push_str(end);
        }
        print(&out);
    }
}

/// Prints the sums of each direction as text.
fn sums(outcome: &Outcome) {
    let Outcome { is_client, local, remote, .. } = outcome;
    let names = if *is_client { ["client", "server"] } else { ["server", "client"] };
    for (sender, receiver, name) in [(local, remote, names[0]), (remote, local, names[1])] {
        if let (Some(sent), Some(received)) = (&sender.sent, &receiver.received) {
            say(&direction(name, sender, sent, received));
        }
    }
}

/// Prints a JSON document.
fn print_json(document: &Value) {
    say(&format!("{document:#}"));
}

/// Prints a line of a stream.
fn event(name: &str, data: &Value) {
    say(&json!({ "event": name, "data": data }).to_string());
}

/// The sums of one direction as text.
fn direction(name: &str, sender: &Results, sent: &Total, received: &Total) -> String {
    let told = |total: &Total| {
        let rate = rate(total.bytes, Duration::from_secs_f64(total.seconds));
        format!("{} in {:.2} s, {rate}", size(total.bytes), total.seconds)
    };
    let Results { retransmits, congestion, .. } = sender;
    // The peer may have sent this name
    let congestion = congestion.escape_debug();
    format!(
        "{name} sent {}; {retransmits} chunks sent again ({congestion}); received {}",
        told(sent),
        told(received)
    )
}

fn rows(interval: &Interval) -> Vec<String> {
    let paths = interval.paths.iter().enumerate();
    let mut rows: Vec<_> = paths.map(|(number, path)| row(interval, number, path)).collect();
    let total = |bytes: fn(&PathInterval) -> u64| {
        interval.paths.iter().map(bytes).sum::<u64>() as f64 * 8e-6 / interval.seconds().max(1e-9)
    };
    rows.push(format!(
        "{}  {:>4}  {:>9.1}  {:>9.1}",
        times(interval),
        "sum",
        total(|path| path.carried.counters.bytes_acked),
        total(|path| path.carried.counters.bytes_received)
    ));
    rows
}

fn times(interval: &Interval) -> String {
    format!("{:>7.2}-{:<7.2}", interval.start, interval.end)
}

fn row(interval: &Interval, number: usize, path: &PathInterval) -> String {
    let counters = &path.carried.counters;
    let rate = |bytes: u64| bytes as f64 * 8e-6 / interval.seconds().max(1e-9);
    format!(
        "{}  {number:>4}  {:>9.1}  {:>9.1}  {:>9}  {:>8.3}  {:>8}  {:>6}  {:>5}  {:>5.0}  {}",
        times(interval),
        rate(counters.bytes_acked),
        rate(counters.bytes_received),
        size(path.window),
        path.rtt * 1e3,
        counters.data_packets + counters.data_packets_received,
        counters.retransmitted_chunks,
        counters.timeouts,
        path.share * 100.0,
        wait(interval, path)
    )
    .trim_end()
    .to_owned()
}

/// The limit for which the path waited longest, with its part of the interval in percent.
fn wait(interval: &Interval, path: &PathInterval) -> String {
    let longest = path.carried.blocked.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let part = |seconds: f64| seconds * 100.0 / interval.seconds().max(1e-9);
    match longest {
        Some((limit, seconds)) if part(*seconds) >= 1.0 => {
            format!("{} {:.0}", limit.replace('_', " "), part(*seconds))
        }
        _ => String::new(),
    }
}

const HEADING: &str = "interval, s      path  out,Mbit/s  in,Mbit/s     window  RTT, ms   packets  resent  \
                       T3  share, %  waits for, %";

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use manypath_net::PathState;
    use manypath_net_cli::perf::{PathCounters, PathTotal};

    use super::*;

    #[test]
    fn a_row_has_rate_window_losses_and_the_limit_of_the_path() {
        let carried = PathTotal {
            local: Ipv4Addr::LOCALHOST.into(),
            remote: Ipv4Addr::LOCALHOST.into(),
            counters: PathCounters {
                bytes_acked: 12_500_000,
                data_packets: 9000,
                retransmitted_chunks: 7,
                fast_retransmissions: 7,
                timeouts: 1,
                ..PathCounters::default()
            },
            blocked: vec![("path".to_owned(), 0.0), ("send_buffer".to_owned(), 0.8)],
        };
        let path = PathInterval {
            carried,
            share: 0.25,
            window: 65_536,
            rtt: 0.0125,
            state: PathState::Active,
        };
        let interval = Interval {
            start: 1.0,
            end: 2.0,
            sent: None,
            received: None,
            retransmits: 7,
            paths: vec![path],
        };
        let told = rows(&interval);
        let words: Vec<_> = told[0].split_whitespace().collect();
        let expected = "1.00-2.00 0 100.0 0.0 65.5 kB 12.500 9000 7 1 25 send buffer 80";
        assert_eq!(words.join(" "), expected);
        assert!(told[1].trim_start().starts_with("1.00-2.00"), "{}", told[1]);
        assert!(told[1].contains("sum      100.0        0.0"), "{}", told[1]);
    }
}
