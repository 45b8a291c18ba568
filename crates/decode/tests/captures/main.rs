//! Captures built byte by byte, and what is read in them.

mod bytes;
mod files;
mod hostile;
mod summaries;
