//! A congestion control of one's own, outside of the registry: docs/tutorials/own-congestion-control.md goes through
//! it.

use manypath_cc::{Algorithm, Controller, Path, PathAck, Paths, Profile, algorithm};
use manypath_core::{PathId, Span, Time};

/// All paths together grow by one unit per window; a loss halves its own path, as in standard TCP.
#[derive(Clone, Copy, Debug, Default)]
struct Shared {
    /// Sum of the windows of all paths, bytes.
    total_window: u64,
}

impl Algorithm for Shared {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        self.total_window = paths.coupled().map(Path::window).sum();
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let share = paths.share(paths[path].window() as f64, self.total_window as f64);
        share * paths[path].unit() as f64
    }
}

/// Two paths of equal round-trip times; the northern one loses a packet every 20 rounds, the southern one every 40.
fn windows_after(algorithm: Box<dyn Algorithm>, rounds: u64) -> (u64, u64) {
    let mut controller = Controller::new(algorithm, Profile::TCP);
    let paths = [controller.open_path(1500), controller.open_path(1500)];
    controller.start(1_000_000);
    for round in 1..=rounds {
        let now = Time::ZERO + Span::from_millis(20) * round;
        for (path, loses_every) in paths.into_iter().zip([20, 40]) {
            controller.on_rtt(path, Span::from_millis(20), Span::from_millis(20));
            if round.is_multiple_of(loses_every) {
                controller.on_sack(now, &[], &[path]);
            } else {
                let bytes = controller.window(path);
                let ack =
                    PathAck { path, bytes, was_full: true, may_grow: true, in_recovery: false };
                controller.on_sack(now, &[ack], &[]);
            }
        }
    }
    (controller.window(paths[0]), controller.window(paths[1]))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contestants: [(&str, Box<dyn Algorithm>); 3] = [
        ("newreno", algorithm("newreno")?),
        ("lia", algorithm("lia")?),
        ("shared", Box::new(Shared::default())),
    ];
    println!("windows in bytes after 990 rounds");
    for (name, algorithm) in contestants {
        let (north, south) = windows_after(algorithm, 990);
        println!("{name:8} north {north:6} south {south:6}");
    }
    Ok(())
}
