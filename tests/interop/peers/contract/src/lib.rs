//! What the peers share: arguments, payload and events. `../CONTRACT.md` describes them.

mod events;
mod options;
mod payload;

pub use events::{fail, report};
pub use options::{Options, refuse};
pub use payload::{Ledger, Outgoing, Piece};
