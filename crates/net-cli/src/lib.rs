//! The parts of the program `manypath-net` that are a library: measurements of throughput between two endpoints.

pub mod perf;
