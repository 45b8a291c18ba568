//! OLIA: opportunistic linked increases, which move windows to the paths that deliver most between losses. \[K12]
//!
//! Of n paths, the *best* have the largest ℓ/r². Here ℓ is the number of bytes that a path delivered between its last
//! two losses or since its last loss, whichever is more. The *widest* paths have the largest window. Best paths that
//! are not widest are *collected*. With w in packets, each acknowledged packet adds (w/r²)/(Σ w/r)² + α/w to its path,
//! with the round-trip time r. α is +1/(n·collected) on collected paths, −1/(n·widest) on widest paths if any path is
//! collected, and otherwise 0. Over one window the growth is (x/Σx)² + α packets with the rate x = w/r. It may be
//! negative.

use manypath_core::{PathId, Time};

use crate::{Adjustment, Algorithm, Loss, PathAck, Paths};

/// Linked increases with the term α that moves traffic between the paths.
#[derive(Clone, Debug, Default)]
pub struct Olia {
    delivered: Vec<Delivered>,
    group: Group,
}

/// Bytes that a path delivered.
#[derive(Clone, Copy, Debug, Default)]
struct Delivered {
    between_losses: u64,
    since_loss: u64,
}

/// Values over the whole group, computed once per event, before its first change of a window.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Σ wᵢ/rᵢ, with w in bytes.
    total_rate: f64,
    /// max ℓᵢ/rᵢ².
    best: f64,
    /// max wᵢ, bytes.
    widest: u64,
    /// Number of paths with the largest window.
    widest_count: u32,
    /// Number of paths that are best and not widest.
    collected_count: u32,
    /// Number of paths in the group.
    count: u32,
}

impl Olia {
    /// ℓ/r².
    fn quality(&self, path: PathId, inverse_rtt: f64) -> f64 {
        let Delivered { between_losses, since_loss } = self.delivered[path.index()];
        between_losses.max(since_loss) as f64 * inverse_rtt * inverse_rtt
    }

    /// α of a path, packets per window.
    fn alpha(&self, paths: &Paths, path: PathId) -> f64 {
        let group = &self.group;
        if group.collected_count == 0 {
            0.0
        } else if paths[path].window() >= group.widest {
            -1.0 / f64::from(group.count * group.widest_count)
        } else if self.quality(path, paths[path].inverse_rtt()) >= group.best {
            1.0 / f64::from(group.count * group.collected_count)
        } else {
            0.0
        }
    }
}

impl Algorithm for Olia {
    fn uses_acks(&self) -> bool {
        true
    }

    fn observe(&mut self, _now: Time, paths: &Paths) {
        let measured = || paths.coupled_ids().filter(|(_, path)| path.inverse_rtt() > 0.0);
        let mut group = Group::default();
        for (id, path) in measured() {
            group.count += 1;
            group.total_rate += path.window() as f64 * path.inverse_rtt();
            group.best = group.best.max(self.quality(id, path.inverse_rtt()));
            group.widest = group.widest.max(path.window());
        }
        for (id, path) in measured() {
            if path.window() == group.widest {
                group.widest_count += 1;
            } else if self.quality(id, path.inverse_rtt()) >= group.best {
                group.collected_count += 1;
            }
        }
        self.group = group;
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let rate = paths[path].window() as f64 * paths[path].inverse_rtt();
        let total = self.group.total_rate;
        // The first term is above 1 only if the window grew after the sums were computed, or if they exclude the path
        let units = if rate > 0.0 && total > 0.0 {
            (rate * rate / (total * total)).min(1.0) + self.alpha(paths, path)
        } else {
            paths.equal_share()
        };
        units * paths[path].unit() as f64
    }

    /// One unit if the group has several paths, as in draft-khalili-mptcp-congestion-control. Otherwise the profile's
    /// floor of standard congestion control: two units for TCP, four for SCTP.
    fn floor(&self, paths: &Paths, _path: PathId) -> f64 {
        if paths.coupled().nth(1).is_some() { 1.0 } else { paths.profile().floors.plain }
    }

    fn on_path_opened(&mut self, _paths: &Paths, _path: PathId) {
        self.delivered.push(Delivered::default());
    }

    fn on_acked(&mut self, _now: Time, _paths: &Paths, ack: &PathAck) -> Option<Adjustment> {
        self.delivered[ack.path.index()].since_loss += ack.bytes;
        None
    }

    fn on_loss(&mut self, _now: Time, _paths: &Paths, path: PathId, _loss: Loss) {
        let delivered = &mut self.delivered[path.index()];
        // Consecutive timeouts count as one loss: nothing was delivered between them
        if delivered.since_loss > 0 {
            *delivered = Delivered { between_losses: delivered.since_loss, since_loss: 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, Profile, WindowState};
    use manypath_core::Span;

    fn two_paths() -> Controller {
        let mut controller = Controller::new(Box::new(Olia::default()), Profile::TCP);
        for window in [20_000, 10_000] {
            let path = controller.open_path_with_unit(1000);
            controller.restore(path, WindowState { window, ssthresh: 5000, partial: 0 });
            controller.on_rtt(path, Span::from_millis(100), Span::from_millis(100));
        }
        controller
    }

    fn deliver(controller: &mut Controller, path: u8, bytes: u64) {
        let ack = PathAck {
            path: PathId(path),
            bytes,
            was_full: false,
            may_grow: true,
            in_recovery: false,
        };
        controller.on_sack(Time::ZERO, &[ack], &[]);
    }

    #[test]
    fn consecutive_timeouts_keep_the_count_of_delivered_bytes() {
        let mut controller = two_paths();
        deliver(&mut controller, 0, 400_000);
        deliver(&mut controller, 1, 900_000);
        let timed_out = WindowState { window: 10_000, ssthresh: 5000, partial: 0 };
        for _ in 0..3 {
            controller.on_timeout(Time::ZERO, PathId(1));
            controller.restore(PathId(1), timed_out);
        }
        let collected = controller.formulas(Time::ZERO, PathId(1)).growth;
        assert!((collected - 1000.0 * (1.0 / 9.0 + 0.5)).abs() < 1e-9, "{collected}");
    }

    #[test]
    fn the_widest_path_shrinks_while_another_is_better() {
        let mut controller = two_paths();
        deliver(&mut controller, 1, 900_000);
        for _ in 0..20 {
            let ack = PathAck {
                path: PathId(0),
                bytes: 1000,
                was_full: true,
                may_grow: true,
                in_recovery: false,
            };
            controller.on_sack(Time::ZERO, &[ack], &[]);
        }
        // After one window the change is 4/9 − 1/2 packets, that is −56 of 1000 bytes.
        assert_eq!(controller.window(PathId(0)), 19_944);
    }

    #[test]
    fn a_closed_path_counts_as_neither_best_nor_widest() {
        let mut controller = two_paths();
        deliver(&mut controller, 0, 400_000);
        deliver(&mut controller, 1, 900_000);
        controller.close_path(PathId(0));
        let alone = controller.formulas(Time::ZERO, PathId(1)).growth;
        assert!((alone - 1000.0).abs() < 1e-9, "{alone}");
    }
}
