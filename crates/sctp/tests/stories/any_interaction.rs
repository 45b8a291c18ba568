//! Random settings, networks and applications: some hundred random stories must pass; `make soak` runs 100,000.

use manypath_sctp::Config;

use crate::random::{positions, run};

#[test]
fn the_first_random_stories_pass() {
    for number in 0..600 {
        if let Err(failure) = run(number) {
            failure.narrate(|line| println!("{line}"));
            panic!("{failure}");
        }
    }
}

#[test]
fn random_stories_draw_every_setting_of_an_endpoint() {
    let shown = format!("{:#?}", Config::default());
    let fields = shown.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    let switches = positions(&Config::default());
    let is_drawn = |field: &str| {
        NUMBERS.contains(&field) || switches.iter().any(|switch| switch.name == field)
    };
    let forgotten: Vec<&str> = fields
        .map(|(field, _)| field)
        .filter(|field| !field.starts_with(' ') && !is_drawn(field))
        .collect();
    assert!(forgotten.is_empty(), "draw {forgotten:?} in tests/stories/random");
}

/// Fields of [`Config`] with many possible values, or with a deliberately fixed value.
const NUMBERS: &[&str] = &[
    // The fixture sets ports and addresses
    "port",
    "local",
    "mtu",
    "outbound_streams",
    "inbound_streams",
    // Stories send messages of any length
    "fragmentation",
    "initial_tsn",
    "send_buffer",
    "receive_buffer",
    "chunk_overhead",
    "sack_every",
    "sack_delay",
    "max_burst",
    "peer_window_threshold",
    "rto",
    "heartbeat_interval",
    "heartbeat_burst",
    "path_max_retransmissions",
    "association_max_retransmissions",
    "init_max_retransmissions",
    "cookie_life",
    // Admission has its own stories
    "listens",
    "backlog",
    "max_associations",
    // So have the detailed events, and the limit for peers with little memory
    "detailed_events",
    "max_outstanding",
];
