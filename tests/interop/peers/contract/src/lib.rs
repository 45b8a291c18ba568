//! What the peers share: arguments, payload and events. `../CONTRACT.md` describes them.

mod events;
mod options;
mod payload;

pub use events::{fail, report, wait_for_end_of_input};
pub use options::{Options, refuse};
pub use payload::{Ledger, Outgoing, Piece};
