//! Laws of all registered algorithms. Exceptions are listed here.

use manypath_cc::{Controller, Entry, PathAck, Profile, WindowState, algorithms};
use manypath_core::{PathId, Span, Time};
use proptest::prelude::*;

/// Algorithms whose slow start has the growth of congestion avoidance, even on a single path.
const LINEAR_IN_SLOW_START: &[&str] = &["mptcp-like:2011"];

/// The printed equations, in which the bound of one segment always applies, so that paths are not coupled.
const NOT_COUPLED: &[&str] = &["newreno", "mptcp-like:2012", "weighted-aimd"];

/// Growth by the time since the last loss, in seconds; a loss keeps 0.7 of the window.
const BY_TIME: &[&str] = &["cubic"];

/// Growth at the end of rounds, by queueing delay.
const BY_DELAY: &[&str] = &["wvegas"];

/// Approximated sums: an acknowledgement of one path changes them for other paths in the same SACK.
const SEES_OTHER_ACKS: &[&str] = &["lia-eunice"];

/// Algorithms of TCP, which are coupled in congestion avoidance only. Slow start is that of standard TCP on every path.
const NOT_COUPLED_IN_SLOW_START: &[&str] =
    &["lia", "lia-eunice", "olia", "balia", "coupled", "ewtcp", "wvegas", "bmc"];

/// OLIA adds up to 1/n units to the growth of a collected path, and the curve of CUBIC has no bound of one unit.
const GROWS_FASTER: &[&str] = &["olia", "cubic"];

#[test]
fn exceptions_are_registered() {
    let exceptions = [
        LINEAR_IN_SLOW_START,
        NOT_COUPLED,
        BY_TIME,
        BY_DELAY,
        SEES_OTHER_ACKS,
        NOT_COUPLED_IN_SLOW_START,
        GROWS_FASTER,
    ]
    .concat();
    for name in exceptions {
        assert!(algorithms().iter().any(|entry| entry.name == name), "{name}");
    }
}

proptest! {
    /// Floors differ. Above them a loss removes half of the window; half of an odd number may be rounded either way.
    #[test]
    fn on_one_path_every_algorithm_equals_newreno(profile in profile(), path in path(), event in event(1)) {
        let path = Begin { window: path.window + 8 * UNIT, ..path };
        let mut newreno = begin(&algorithms()[0], profile, &[path]);
        event.apply(&mut newreno);
        for entry in all_but(&[LINEAR_IN_SLOW_START, BY_TIME, BY_DELAY]) {
            let mut controller = begin(entry, profile, &[path]);
            event.apply(&mut controller);
            let (state, expected) = (controller.state(PathId(0)), newreno.state(PathId(0)));
            prop_assert!(state.window.abs_diff(expected.window) <= 1, "{}: {state:?} {expected:?}", entry.name);
            prop_assert!(state.ssthresh.abs_diff(expected.ssthresh) <= 1, "{}: {state:?}", entry.name);
            prop_assert!(state.partial.abs_diff(expected.partial) <= 1, "{}: {state:?}", entry.name);
        }
    }

    #[test]
    fn no_window_falls_below_one_unit(profile in profile(), (paths, events) in connection()) {
        for entry in algorithms() {
            let mut controller = begin(entry, profile, &paths);
            for (now, event) in one_after_the_other(&events) {
                event.apply_at(now, &mut controller);
                for path in controller.paths().iter() {
                    prop_assert!(path.window() >= path.unit(), "{} after {event:?}: {path:?}", entry.name);
                }
            }
        }
    }

    #[test]
    fn an_acknowledgement_is_a_sack_of_one_path_without_a_loss(profile in profile(), (paths, events) in connection()) {
        for entry in algorithms() {
            let mut with_sacks = begin(entry, profile, &paths);
            let mut with_acks = begin(entry, profile, &paths);
            for (now, event) in one_after_the_other(&events) {
                let Event::Sack { acks, .. } = event else {
                    event.apply_at(now, &mut with_sacks);
                    event.apply_at(now, &mut with_acks);
                    continue;
                };
                for ack in acks {
                    with_sacks.on_sack(now, &[*ack], &[]);
                    with_acks.on_ack(now, ack);
                }
            }
            prop_assert_eq!(states(&with_acks), states(&with_sacks), "{}", entry.name);
        }
    }

    #[test]
    fn no_path_grows_faster_than_with_newreno(profile in profile(), paths in paths(), acked in 1..4 * UNIT) {
        let acks = acks_of_all(&paths, acked);
        let mut newreno = begin(&algorithms()[0], profile, &paths);
        newreno.on_sack(Time::ZERO, &acks, &[]);
        for entry in all_but(&[GROWS_FASTER]) {
            let mut controller = begin(entry, profile, &paths);
            controller.on_sack(Time::ZERO, &acks, &[]);
            for path in controller.paths().ids() {
                prop_assert!(controller.window(path) <= newreno.window(path), "{} on {path}", entry.name);
            }
        }
    }

    /// This is the purpose of coupling. Rounding may cost one byte per path.
    #[test]
    fn two_equal_paths_together_grow_no_faster_than_one_newreno(profile in profile(), path in path(), acked in 1..4 * UNIT) {
        let paths = [path, path];
        let acks = acks_of_all(&paths, acked);
        let mut newreno = begin(&algorithms()[0], profile, &paths);
        newreno.on_sack(Time::ZERO, &acks, &[]);
        let alone = newreno.window(PathId(0)) - path.window;
        let is_slow_start = path.window <= path.ssthresh;
        for entry in all_but(&[BY_TIME]) {
            let mut controller = begin(entry, profile, &paths);
            controller.on_sack(Time::ZERO, &acks, &[]);
            let together = controller.window(PathId(0)) + controller.window(PathId(1)) - 2 * path.window;
            let is_exempt = NOT_COUPLED.contains(&entry.name)
                || is_slow_start && NOT_COUPLED_IN_SLOW_START.contains(&entry.name);
            let most = if is_exempt { 2 * alone } else { alone + 2 };
            prop_assert!(together <= most, "{}: {together} > {most}", entry.name);
        }
    }

    #[test]
    fn the_order_of_paths_does_not_matter(profile in profile(), (paths, events) in connection(), turn in 0_usize..4) {
        let count = paths.len();
        let renamed = |path: PathId| PathId(((path.index() + turn) % count) as u8);
        let mut turned = paths.clone();
        turned.rotate_right(turn % count);
        for entry in algorithms() {
            let mut controller = begin(entry, profile, &paths);
            let mut other = begin(entry, profile, &turned);
            for event in &events {
                event.apply(&mut controller);
                event.renamed(renamed).apply(&mut other);
            }
            for path in controller.paths().ids() {
                prop_assert_eq!(controller.state(path), other.state(renamed(path)), "{} on {}", entry.name, path);
            }
        }
    }

    #[test]
    fn equal_events_give_equal_windows_with_and_without_observers(profile in profile(), (paths, events) in connection()) {
        for entry in algorithms() {
            let mut controller = begin(entry, profile, &paths);
            let mut watched = begin(entry, profile, &paths);
            for (now, event) in one_after_the_other(&events) {
                event.apply_at(now, &mut controller);
                for path in watched.paths().ids() {
                    watched.formulas(now, path);
                }
                event.apply_at(now, &mut watched);
            }
            prop_assert_eq!(states(&controller), states(&watched), "{}", entry.name);
        }
    }

    /// The sums are those before the SACK, independently of its effect on the other path.
    #[test]
    fn the_effect_of_a_sack_on_a_path_does_not_depend_on_other_paths_in_it(profile in profile(), one in path(), other in path(), acked in 1..4 * UNIT) {
        let acks = acks_of_all(&[one, other], acked);
        for entry in all_but(&[SEES_OTHER_ACKS]) {
            let mut both = begin(entry, profile, &[one, other]);
            both.on_sack(Time::ZERO, &acks, &[PathId(1)]);
            let mut first = begin(entry, profile, &[one, other]);
            first.on_sack(Time::ZERO, &acks[..1], &[]);
            let mut second = begin(entry, profile, &[one, other]);
            second.on_sack(Time::ZERO, &acks[1..], &[PathId(1)]);
            prop_assert_eq!(both.state(PathId(0)), first.state(PathId(0)), "{}", entry.name);
            prop_assert_eq!(both.state(PathId(1)), second.state(PathId(1)), "{}", entry.name);
        }
    }

    /// The unit of time cancels: a network with all times multiplied has the same windows.
    #[test]
    fn scaling_all_times_does_not_change_windows((paths, events) in connection()) {
        let slow: Vec<_> = paths.iter().map(|path| Begin { rtt_us: path.rtt_us.map(|rtt| 4 * rtt), ..*path }).collect();
        for entry in all_but(&[BY_TIME]) {
            let mut controller = begin(entry, Profile::PAPER, &paths);
            let mut in_slow_motion = begin(entry, Profile::PAPER, &slow);
            for event in &events {
                event.apply(&mut controller);
                event.slower().apply(&mut in_slow_motion);
            }
            prop_assert_eq!(states(&controller), states(&in_slow_motion), "{}", entry.name);
        }
    }

    /// Growth by c/Σc and a cut by half of the total window; `coupled` has both at any round-trip times.
    #[test]
    fn rp_v2_with_equal_round_trip_times_is_fully_coupled(paths in paths(), rtt_us in 1_000_u64..500_000) {
        let equal: Vec<_> = paths.iter().map(|path| Begin { rtt_us: Some(rtt_us), ..*path }).collect();
        let total: u64 = equal.iter().map(|path| path.window).sum();
        for name in ["cmt-rpv2", "coupled"] {
            let entry = algorithms().iter().find(|entry| entry.name == name).unwrap();
            let mut controller = begin(entry, Profile::PAPER, &equal);
            for (path, begin) in controller.paths().ids().zip(&equal) {
                let formulas = controller.formulas(Time::ZERO, path);
                let growth = controller.unit(path) as f64 * begin.window as f64 / total as f64;
                prop_assert!((formulas.growth - growth).abs() < 1e-6, "{name}: {formulas:?} {growth}");
                prop_assert!((formulas.cut - total as f64 / 2.0).abs() < 1e-6, "{name}: {formulas:?} {total}");
            }
        }
    }

    /// The literal equations of 2012 equal plain CMT in every possible state.
    #[test]
    fn the_printed_equations_of_2012_do_not_couple(one in path(), other in path(), acked in 1..4 * UNIT) {
        let paths = [one, other].map(|path| Begin { rtt_us: path.rtt_us.or(Some(20_000)), ..path });
        let acks = acks_of_all(&paths, acked);
        let run = |name: &str| {
            let entry = algorithms().iter().find(|entry| entry.name == name).unwrap();
            let mut controller = begin(entry, Profile::PAPER, &paths);
            controller.on_sack(Time::ZERO, &acks, &[]);
            states(&controller)
        };
        prop_assert_eq!(run("mptcp-like:2012"), run("newreno"));
    }
}

/// The algorithms that are in none of `lists`.
fn all_but(lists: &[&[&str]]) -> Vec<&'static Entry> {
    let is_free = |entry: &&Entry| !lists.iter().any(|list| list.contains(&entry.name));
    algorithms().iter().filter(is_free).collect()
}

/// The initial state of a path.
#[derive(Clone, Copy, Debug)]
struct Begin {
    window: u64,
    ssthresh: u64,
    partial: u64,
    rtt_us: Option<u64>,
}

/// An event of a connection.
#[derive(Clone, Debug)]
enum Event {
    Sack { acks: Vec<PathAck>, losses: Vec<PathId> },
    Timeout(PathId),
    Rtt(PathId, Span),
    Idle(PathId),
    NothingOutstanding(PathId),
    Limit(PathId, u64),
    Active(PathId, bool),
}

impl Event {
    fn apply(&self, controller: &mut Controller) {
        self.apply_at(Time::ZERO, controller);
    }

    fn apply_at(&self, now: Time, controller: &mut Controller) {
        match self {
            Self::Sack { acks, losses } => controller.on_sack(now, acks, losses),
            Self::Timeout(path) => controller.on_timeout(now, *path),
            Self::Rtt(path, srtt) => controller.on_rtt(*path, *srtt, *srtt),
            Self::Idle(path) => controller.on_idle(*path),
            Self::NothingOutstanding(path) => controller.clear_partial(*path),
            Self::Limit(path, bytes) => controller.limit_window(*path, *bytes),
            Self::Active(path, is_active) => controller.set_active(*path, *is_active),
        }
    }

    /// The same event on the paths with other names.
    fn renamed(&self, name: impl Fn(PathId) -> PathId) -> Self {
        let mut event = self.clone();
        match &mut event {
            Self::Sack { acks, losses } => {
                acks.iter_mut().for_each(|ack| ack.path = name(ack.path));
                losses.iter_mut().for_each(|path| *path = name(*path));
            }
            Self::Timeout(path)
            | Self::Rtt(path, _)
            | Self::Idle(path)
            | Self::NothingOutstanding(path)
            | Self::Limit(path, _)
            | Self::Active(path, _) => *path = name(*path),
        }
        event
    }

    fn slower(&self) -> Self {
        match self {
            Self::Rtt(path, srtt) => Self::Rtt(*path, *srtt * 4),
            other => other.clone(),
        }
    }
}

/// Events with enough time between them for growth of curves and ends of intervals.
fn one_after_the_other(events: &[Event]) -> impl Iterator<Item = (Time, &Event)> {
    let times = (0..).map(|index| Time::ZERO + Span::from_millis(700) * index);
    times.zip(events)
}

fn begin(entry: &Entry, profile: Profile, paths: &[Begin]) -> Controller {
    let mut controller = Controller::new(entry.make(), profile);
    for begin in paths {
        let path = controller.open_path(MTU);
        let &Begin { window, ssthresh, partial, rtt_us } = begin;
        controller.restore(path, WindowState { window, ssthresh, partial });
        if let Some(srtt) = rtt_us.map(Span::from_micros) {
            controller.on_rtt(path, srtt, srtt);
        }
    }
    controller
}

fn states(controller: &Controller) -> Vec<WindowState> {
    controller.paths().ids().map(|path| controller.state(path)).collect()
}

fn acks_of_all(paths: &[Begin], bytes: u64) -> Vec<PathAck> {
    let ack = |index| PathAck {
        path: PathId(index as u8),
        bytes,
        was_full: true,
        may_grow: true,
        in_recovery: false,
    };
    (0..paths.len()).map(ack).collect()
}

fn profile() -> impl Strategy<Value = Profile> {
    prop::sample::select([&Profile::ALL[..], &[Profile::TCP]].concat())
}

fn path() -> impl Strategy<Value = Begin> {
    (UNIT..100 * UNIT, 0..100 * UNIT, 0.0..1.0_f64, prop::option::weighted(0.9, 500_u64..800_000))
        .prop_map(|(window, ssthresh, filled, rtt_us)| Begin {
            window,
            ssthresh,
            partial: (filled * window as f64) as u64,
            rtt_us,
        })
}

fn paths() -> impl Strategy<Value = Vec<Begin>> {
    prop::collection::vec(path(), 1..5)
}

/// A connection and its events.
fn connection() -> impl Strategy<Value = (Vec<Begin>, Vec<Event>)> {
    paths().prop_flat_map(|paths| {
        let events = prop::collection::vec(event(paths.len() as u8), 1..40);
        (Just(paths), events)
    })
}

/// An event on some of `paths` paths.
fn event(paths: u8) -> impl Strategy<Value = Event> {
    let id = move || (0..paths).prop_map(PathId);
    let rarely = prop::bool::weighted(0.2);
    let ack = (id(), 1..4 * UNIT, rarely, rarely, rarely).prop_map(
        |(path, bytes, unused, stands, in_recovery)| PathAck {
            path,
            bytes,
            was_full: !unused,
            may_grow: !stands,
            in_recovery,
        },
    );
    prop_oneof![
        8 => (prop::collection::vec(ack, 1..3), prop::collection::vec(id(), 0..2))
            .prop_map(|(acks, losses)| Event::Sack { acks, losses }),
        1 => id().prop_map(Event::Timeout),
        1 => (id(), 500_u64..800_000).prop_map(|(path, rtt)| Event::Rtt(path, Span::from_micros(rtt))),
        1 => id().prop_map(Event::Idle),
        1 => id().prop_map(Event::NothingOutstanding),
        1 => (id(), 0..100 * UNIT).prop_map(|(path, bytes)| Event::Limit(path, bytes)),
        1 => (id(), any::<bool>()).prop_map(|(path, is_active)| Event::Active(path, is_active)),
    ]
}

const MTU: u64 = 1500;

/// The largest unit of all profiles.
const UNIT: u64 = 1500;
