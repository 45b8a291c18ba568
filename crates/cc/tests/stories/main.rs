//! Tests of congestion controls without a network, one file per subject.
#![expect(clippy::disallowed_methods, reason = "vectors are files")]

mod replay;

mod bmc;
mod every_algorithm;
mod rounds;
mod rules;
mod tcp;
mod vectors;
