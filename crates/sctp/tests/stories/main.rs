//! Stories between two endpoints, checked by the packets on the wire; one file per subject.

mod pair;

mod admission;
mod any_interaction;
mod buffer_split;
mod burst;
mod cmt;
mod collision;
mod crowd;
mod drop_report;
mod failover;
mod fragmentation;
mod head_of_line;
mod hostile;
mod hostile_found;
mod icmp;
mod immediate_sack;
mod interface;
mod local_address;
mod loss;
mod mtu;
mod mtu_discovery;
mod nagle_and_bundling;
mod named_addresses;
mod nr_sack;
mod pacing;
mod partial_delivery;
mod path_blocking;
mod potentially_failed;
#[expect(dead_code, unused_imports, reason = "the soak uses more of it")]
mod random;
mod receive;
mod recommended;
mod renege;
mod rescheduling;
mod restart;
mod send;
mod send_options;
mod setup;
mod shutdown;
mod spurious;
mod timeout;
mod transfer;
mod unknown;
mod waiting;
mod window;
