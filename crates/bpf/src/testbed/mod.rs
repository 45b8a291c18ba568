//! Networks of sender, router and receiver in namespaces, which disappear with the process.
//!
//! ```no_run
//! use std::time::Duration;
//! use manypath_bpf::testbed::{Family, Network, Transfer};
//!
//! // Two paths that share one link of 10 Mbit/s with a queue of 40 packets.
//! let network = Network::shared(2, Family::V4, Some("rate 10mbit burst 3000 limit 60000"))?;
//! let transfer = Transfer::new("mp_lia").for_time(Duration::from_secs(5));
//! println!("{} bytes", transfer.run(&network)?.received);
//! # Ok::<(), manypath_bpf::Error>(())
//! ```

pub use counters::{counter, subflows};
pub use manypath_namespace::Namespace;
pub use network::{Family, Network};
pub use transfer::{Outcome, Running, Transfer};

mod counters;
mod network;
mod transfer;
