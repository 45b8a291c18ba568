//! The progress of a transfer as a line on the terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use manypath_program::tell;

/// Shows the transferred bytes of a file, if standard error is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    name: String,
    total: u64,
    start: Instant,
    /// When the line was last written; `None` if it is never written.
    shown: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(name: &str, total: u64) -> Self {
        let start = Instant::now();
        let shown = stderr().is_terminal().then_some(start);
        Self { name: name.to_owned(), total, start, shown }
    }

    /// Updates the number of transferred bytes.
    pub(crate) fn show(&mut self, done: u64) {
        let Some(shown) = &mut self.shown else { return };
        if shown.elapsed() < INTERVAL {
            return;
        }
        *shown = Instant::now();
        let line = line(&self.name, done, self.total, self.start.elapsed());
        // Errors of the terminal are ignored
        let _ = write!(stderr(), "\r{line}\x1b[K");
    }

    /// The result as text.
    pub(crate) fn summary(&self, done: u64) -> String {
        let elapsed = self.start.elapsed();
        format!("{} in {:.1} s, {}", size(done), elapsed.as_secs_f64(), rate(done, elapsed))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            clear();
        }
    }
}

/// Tells a line above the progress of a transfer, which is written again.
pub(crate) fn tell_above(line: &str) {
    if stderr().is_terminal() {
        clear();
    }
    tell(line);
}

/// Clears the line of the terminal. Errors of the terminal are ignored.
fn clear() {
    let _ = write!(stderr(), "\r\x1b[K");
}

fn line(name: &str, done: u64, total: u64, elapsed: Duration) -> String {
    let part = if total == 0 { 1.0 } else { done as f64 / total as f64 };
    let filled = (part * BAR as f64) as usize;
    let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR.saturating_sub(filled)));
    let left = if done == 0 {
        String::new()
    } else {
        let seconds = elapsed.as_secs_f64() * (total - done.min(total)) as f64 / done as f64;
        format!(", {seconds:.0} s left")
    };
    format!(
        "{name} [{bar}] {:.0} % of {}, {}{left}",
        part * 100.0,
        size(total),
        rate(done, elapsed)
    )
}

/// Bytes in decimal units.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let fitting = units.into_iter().find(|(unit, _)| bytes as f64 >= *unit);
    fitting.map_or_else(
        || format!("{bytes} B"),
        |(unit, name)| format!("{:.1} {name}", bytes as f64 / unit),
    )
}

/// A rate in Mbit/s.
pub(crate) fn rate(bytes: u64, elapsed: Duration) -> String {
    let megabits = bytes as f64 * 8.0 / 1e6 / elapsed.as_secs_f64().max(1e-9);
    format!("{megabits:.1} Mbit/s")
}

/// Interval between two updates.
const INTERVAL: Duration = Duration::from_millis(200);
/// Width of the bar.
const BAR: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_share_rate_and_remaining_time() {
        let told = line("a.iso", 250_000_000, 1_000_000_000, Duration::from_secs(10));
        assert_eq!(told, "a.iso [#####...............] 25 % of 1.0 GB, 200.0 Mbit/s, 30 s left");
        assert_eq!(
            line("empty", 0, 0, Duration::from_secs(1)),
            "empty [####################] 100 % of 0 B, 0.0 Mbit/s"
        );
    }
}
