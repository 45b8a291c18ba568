//! The structures and constants of `<linux/sctp.h>`, as safe encoders and decoders of bytes.
//!
//! Numbers have the byte order of the machine, as in C. The fields have the names of C without their prefix.

pub mod address;
pub mod constants;
mod layout;
pub mod message;
pub mod notification;
pub mod option;
pub mod option_names;

pub use address::Address;
pub use layout::Layout;
