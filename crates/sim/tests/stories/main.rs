//! The simulator with toy protocols, one file per subject.

mod toy;

mod allocations;
mod computed;
mod damage;
mod digest;
mod network;
mod observer;
