//! The program `manypath-net`: files and measurements between two processes on loopback addresses.

#![cfg(feature = "program")]

mod files;
mod mistakes;
mod perf;
mod process;
