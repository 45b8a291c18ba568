//! Programs with the preloaded library, and a daemon that connects sockets in its memory.

mod calls;
mod daemon;
mod descriptors;
mod ending;
mod faults;
mod many;
mod messages;
mod program;
mod waiting;
mod wire;
