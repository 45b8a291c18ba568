//! Emulations with real packets. They need Linux and root rights; without them each test prints this and passes.

mod hosts;
mod links;
mod mistakes;
mod program;
mod stage;
