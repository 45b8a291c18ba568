//! Stories between two endpoints, told by the segments on the wire; one file per subject.

mod pair;

mod close;
mod loss;
mod reset;
mod setup;
mod transfer;
