//! Calibration of emulations on this machine: configured and measured rates, delays and losses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use manypath_core::{Rate, Span};
use manypath_emu::traffic::{Arrivals, Stream};
use manypath_emu::{Document, Emulation, EmulationError, Options, report::LatenessReport};
use serde::Serialize;
use serde_json::{Value, json};

/// One measurement.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Row {
    /// An overloaded link. Mbit/s of UDP payload, microseconds of lateness.
    Rate {
        load: bool,
        set: f64,
        expected: f64,
        measured: f64,
        late: f64,
        median: f64,
        p99: f64,
        p999: f64,
        max: f64,
    },
    /// A stream below the link's rate: configured delay in milliseconds, and the differences from socket to socket in
    /// microseconds.
    Delay { load: bool, set: f64, packets: usize, median: f64, p99: f64, p999: f64, max: f64 },
    /// A lossy link, in percent, with the 95 % interval of the measurement.
    Loss { load: bool, set: f64, packets: u64, measured: f64, low: f64, high: f64 },
}

/// Makes all measurements, without and with load on every CPU, and passes each row to `tell`. Ends early if `tell`
/// returns false.
pub(crate) fn calibrate(quick: bool, tell: impl Fn(&Row) -> bool) -> Result<(), EmulationError> {
    let seconds = if quick { 1.0 } else { 10.0 };
    for load in [false, true] {
        let go_on = under(load, || measure_all(load, seconds, &tell))?;
        if !go_on {
            break;
        }
    }
    Ok(())
}

fn measure_all(
    load: bool,
    seconds: f64,
    tell: impl Fn(&Row) -> bool,
) -> Result<bool, EmulationError> {
    for rate in [1_000_000, 10_000_000, 100_000_000, 1_000_000_000] {
        if !tell(&measure_rate(load, rate, seconds)?) {
            return Ok(false);
        }
    }
    for millis in [1, 10, 50] {
        if !tell(&measure_delay(load, millis, seconds)?) {
            return Ok(false);
        }
    }
    for loss in [0.001, 0.01, 0.1] {
        if !tell(&measure_loss(load, loss, seconds)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn measure_rate(load: bool, rate: u64, seconds: f64) -> Result<Row, EmulationError> {
    let offered = Rate::from_bits_per_second(rate + rate / 10);
    let stream = stream(SIZE, offered.time_for(SIZE as u64).0, seconds);
    let (arrivals, late) = measure(rate, Span::from_millis(5), &json!({"kind": "none"}), stream)?;
    let payload = |packets_per_second: f64| packets_per_second * (SIZE - HEADERS) as f64 * 8e-6;
    let micros = |seconds: f64| 1e6 * seconds;
    Ok(Row::Rate {
        load,
        set: rate as f64 / 1e6,
        expected: payload(rate as f64 / (8 * SIZE) as f64),
        measured: payload(arrivals.rate()),
        late: 100.0 * late.late as f64 / late.packets.max(1) as f64,
        median: micros(late.median),
        p99: micros(late.p99),
        p999: micros(late.p999),
        max: micros(late.max),
    })
}

fn measure_delay(load: bool, millis: u64, seconds: f64) -> Result<Row, EmulationError> {
    let stream = stream(SMALL, Span::from_millis(1), seconds);
    let delay = Span::from_millis(millis);
    let (arrivals, _) = measure(FAST, delay, &json!({"kind": "none"}), stream)?;
    let set = delay + Rate::from_bits_per_second(FAST).time_for(SMALL as u64).0;
    let error = |share| (arrivals.quantile(share) as f64 - set.as_nanos() as f64) / 1e3;
    Ok(Row::Delay {
        load,
        set: millis as f64,
        packets: arrivals.count(),
        median: error(0.5),
        p99: error(0.99),
        p999: error(0.999),
        max: error(1.0),
    })
}

fn measure_loss(load: bool, loss: f64, seconds: f64) -> Result<Row, EmulationError> {
    let stream = stream(SMALL, Span::from_micros(200), seconds);
    let model = json!({"kind": "bernoulli", "p": loss});
    let (arrivals, _) = measure(FAST, Span::from_millis(1), &model, stream)?;
    let lost = stream.packets - arrivals.count() as u64;
    let (low, high) = wilson(lost, stream.packets);
    Ok(Row::Loss {
        load,
        set: 100.0 * loss,
        packets: stream.packets,
        measured: 100.0 * lost as f64 / stream.packets as f64,
        low: 100.0 * low,
        high: 100.0 * high,
    })
}

/// A stream between the hosts of the emulation that [`measure`] starts.
fn stream(size: usize, gap: Span, seconds: f64) -> Stream {
    let packets = (seconds * 1e9 / gap.as_nanos() as f64) as u64;
    let [from, to] = [1, 2].map(|last| [10, 0, 0, last].into());
    Stream { from, to, packets, size, gap, silence: SILENCE }
}

/// The arrivals of a stream over one link, and the lateness of packets.
fn measure(
    rate: u64,
    delay: Span,
    loss: &Value,
    stream: Stream,
) -> Result<(Arrivals, LatenessReport), EmulationError> {
    let name = format!("calibration-{}", std::process::id());
    let queue = json!({"kind": "drop-tail", "packets": 100});
    let link = json!({"rate": rate, "delay": delay.as_nanos(), "queue": queue, "loss": loss});
    let document = json!({
        "name": name,
        "network": {
            "links": {"there": link, "back": link},
            "paths": {"path": {"forward": ["there"], "reverse": ["back"]}},
        },
    });
    let document = Document::parse(&document.to_string());
    let document = document.unwrap_or_else(|error| unreachable!("our own document: {error}"));
    let emulation = Emulation::start(&document, &Options::default())?;
    let hosts = ["left", "right"].map(|side| emulation.host(&format!("{name}-{side}")));
    let arrivals = stream.measure(hosts[0], hosts[1])?;
    Ok((arrivals, emulation.stop()?.snapshot.lateness))
}

/// Runs `act`, with load on every CPU if requested.
fn under<T>(load: bool, act: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(!load);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = act();
        is_over.store(true, Ordering::Relaxed);
        done
    })
}

/// The 95 % Wilson interval of a proportion: `count` of `all` trials were positive.
fn wilson(count: u64, all: u64) -> (f64, f64) {
    let (n, z) = (all as f64, 1.959_964);
    let p = count as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

/// Time without a packet after which the rest is lost: many times the delays and the queues of the links.
const SILENCE: Span = Span::from_secs(2);
/// The largest packet, in bytes.
const SIZE: usize = 1500;
/// IP and UDP headers.
const HEADERS: usize = 28;
/// A packet with negligible transmission time, in bytes.
const SMALL: usize = 100;
/// A link that such packets do not saturate, in bit/s.
const FAST: u64 = 100_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_share_is_the_wilson_interval() {
        // 10 of 100, computed by hand from the formula of 1927: 0.05523 to 0.17437.
        let (low, high) = wilson(10, 100);
        assert!((low - 0.055_229).abs() < 1e-5 && (high - 0.174_366).abs() < 1e-5, "{low} {high}");
    }
}
