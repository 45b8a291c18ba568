//! The program `manypath-net`: files between two processes on loopback addresses.

#![cfg(feature = "program")]

mod files;
mod mistakes;
mod process;
