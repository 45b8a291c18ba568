//! Congestion control for one path and for several paths, as formulas.
//!
//! Published algorithms differ in three places: growth in slow start, growth in congestion avoidance, and the cut after
//! a loss. An [`Algorithm`] consists of these formulas and of the state that it keeps about acknowledgements and
//! losses. Everything that is common (byte counting, recovery, timeouts, floors, rounding) is in [`Controller`]. Rules
//! on which the sources disagree are fields of [`Profile`]. The same algorithms serve SCTP, whose windows grow once per
//! acknowledged window, and TCP, whose windows grow with every acknowledgement.
//!
//! [`algorithm`] creates an algorithm from its name, which may contain parameters: `weighted-aimd:weight=1/2`.
//!
//! ```
//! use manypath_cc::{Controller, PathAck, Profile, algorithm};
//! use manypath_core::{Span, Time};
//!
//! let mut controller = Controller::new(algorithm("cmt-rpv2")?, Profile::INET);
//! let north = controller.open_path(1500);
//! let south = controller.open_path(1500);
//! controller.start(1_000_000);
//! controller.on_rtt(north, Span::from_millis(25), Span::from_millis(25));
//! controller.on_rtt(south, Span::from_millis(50), Span::from_millis(50));
//!
//! // One SACK acknowledges two packets of the northern path, whose window was full: two thirds of one unit.
//! let ack = PathAck { path: north, bytes: 2904, was_full: true, may_grow: true, in_recovery: false };
//! controller.on_sack(Time::ZERO, &[ack], &[]);
//! assert_eq!(controller.window(north), 3000 + 1000);
//! # Ok::<(), manypath_cc::AlgorithmError>(())
//! ```

pub use algorithm::{Adjustment, Algorithm, Loss, PathAck};
pub use controller::{Controller, Formulas, UNSET_THRESHOLD};
pub use cut::Cut;
pub use error::{AlgorithmError, UnknownName};
pub use paths::{Path, Paths, WindowState};
pub use profile::{
    Counting, Floors, HalfRounding, Idle, InitialWindow, IpVersion, PartialAfterStep, PartialBytes,
    Profile, RttUnit, Segment, Stepping, Unit,
};
pub use registry::{Entry, algorithm, algorithms};
pub use settings::Parameter;

pub mod algorithms;

mod algorithm;
mod controller;
mod cut;
mod error;
mod paths;
mod profile;
mod registry;
mod rounding;
mod settings;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
