//! Runs that the caller stops.

use std::cell::RefCell;

use crate::networks::{disjoint, flow, link, scenario};
use manypath_core::{Span, Time};
use manypath_lab::{Cause, Job, Scenario, Watch, run_unless};

const JOB: Job = Job { seed: 1, replication: 0 };

fn lasting(seconds: u64) -> Scenario {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 50))]);
    scenario(network, [("single", flow(&["south"], "newreno"))], 1, seconds)
}

#[test]
fn a_run_of_years_can_be_stopped() {
    let stopped = run_unless(&lasting(100_000_000), JOB, &Watch::default(), &|_| true).unwrap_err();
    assert_eq!((stopped.job, stopped.cause), (JOB, Cause::Stopped));
}

#[test]
fn a_run_reports_its_progress_until_it_is_stopped() {
    let reached = RefCell::new(Vec::new());
    let is_stopped = |now: Time| {
        reached.borrow_mut().push(now);
        reached.borrow().len() == 3
    };
    let stopped = run_unless(&lasting(100_000_000), JOB, &Watch::default(), &is_stopped);
    assert_eq!(stopped.unwrap_err().cause, Cause::Stopped);
    let reached = reached.into_inner();
    assert!(reached[0] > Time::ZERO && reached.is_sorted_by(|a, b| a < b), "{reached:?}");
}
