//! Emulations with real packets. They need Linux and the rights of root; without them each test says so and passes.

mod hosts;
mod links;
mod program;
mod stage;
