//! The house rules, checked by a program.
fn main() {}
