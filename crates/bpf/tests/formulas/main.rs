//! The integer formulas of `bpf/`, compared with the vectors of `spec/vectors` and with `manypath-cc`.

mod laws;
#[expect(dead_code, reason = "these tests register nothing")]
#[path = "../kernel/needs.rs"]
mod needs;
#[path = "../../../cc/tests/stories/replay/mod.rs"]
mod replay;
mod twin;
mod vectors;
