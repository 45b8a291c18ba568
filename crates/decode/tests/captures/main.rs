//! Captures that are built byte by byte, and their decoded content.

mod bytes;
mod files;
mod hostile;
mod summaries;
