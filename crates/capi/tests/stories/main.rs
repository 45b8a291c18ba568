//! C programs that are built with the installed library.

mod calls;
mod daemon;
mod examples;
mod installed;
mod processes;
mod program;
