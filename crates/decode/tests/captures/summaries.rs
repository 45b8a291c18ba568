//! Summaries: associations, paths, losses and round trips.

use manypath_core::Tsn;
use manypath_sctp::{Control, Init};
use serde_json::{Value, json};

use crate::bytes::*;

/// A capture with times in milliseconds.
fn story(frames: Vec<(u64, Vec<u8>)>) -> Value {
    let frames: Vec<_> = frames.into_iter().map(|(at, frame)| (at * 1000, frame)).collect();
    summary(pcap(101, &frames))
}

fn only_association(summary: &Value) -> &Value {
    assert_eq!(summary["associations"].as_array().map(Vec::len), Some(1), "{summary}");
    &summary["associations"][0]
}

/// The path from the first address of the client or the server.
fn path(association: &Value, source: [u8; 4]) -> &Value {
    let paths = association["paths"].as_array().expect("paths");
    let source = json!(address(source));
    paths.iter().find(|path| path["source"] == source).expect("the path was seen")
}

fn sends_data(tsn: u32) -> Vec<u8> {
    sctp(true, |packet| packet.data = vec![data(tsn, 100)])
}

fn sends_sack(cumulative: u32, gaps: &[(u32, u32)]) -> Vec<u8> {
    sctp(false, |packet| (packet.has_sack, packet.sack) = (true, sack(cumulative, gaps)))
}

fn control(from_client: bool, chunk: Control) -> Vec<u8> {
    sctp(from_client, |packet| packet.control = vec![chunk])
}

#[test]
fn an_association_is_followed_from_its_handshake_to_its_end() {
    let hello = sctp(true, |packet| {
        packet.tag = 0;
        let addresses = vec![address(CLIENT.0).into(), address(CLIENT.1).into()];
        packet.control = vec![Control::Init(Box::new(Init { addresses, ..init(CLIENT.3) }))];
    });
    let answer = Init { cookie: Some(vec![1; 40].into()), ..init(SERVER.3) };
    let seen = story(vec![
        (0, on_first_path(true, &hello)),
        (1, on_first_path(true, &hello)),
        (10, on_first_path(false, &control(false, Control::InitAck(Box::new(answer))))),
        (20, on_first_path(true, &control(true, Control::CookieEcho(vec![1; 40].into())))),
        (30, on_first_path(false, &cookie_ack())),
        (40, on_second_path(true, &control(true, Control::Shutdown(Tsn(16))))),
        (50, on_second_path(false, &control(false, Control::ShutdownAck))),
        (60, on_first_path(true, &control(true, Control::ShutdownComplete { reflected: false }))),
    ]);
    let association = only_association(&seen);
    let sides = json!([
        {"port": 4001, "tag": 0xc1, "addresses": ["10.1.0.1", "10.2.0.1"]},
        {"port": 4002, "tag": 0x5e, "addresses": ["10.1.0.2", "10.2.0.2"]},
    ]);
    assert_eq!(association["sides"], sides);
    assert_eq!(
        (&association["with_init"], &association["established"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(association["end"], json!({"chunk": "SHUTDOWN COMPLETE", "by": 0, "causes": []}));
    assert_eq!(association["paths"].as_array().map(Vec::len), Some(4));
    assert_eq!(path(association, CLIENT.0)["packets"], 4);
}

#[test]
fn a_capture_without_handshake_joins_both_directions() {
    let seen = story(vec![
        (0, on_first_path(true, &sends_data(17))),
        (10, on_first_path(false, &sends_sack(17, &[]))),
        (20, on_second_path(true, &sends_data(18))),
        (30, on_second_path(false, &sends_sack(18, &[]))),
    ]);
    let association = only_association(&seen);
    assert_eq!(association["with_init"], false);
    assert_eq!(association["end"], Value::Null);
    let tags: Vec<_> = [0, 1].map(|side| association["sides"][side]["tag"].clone()).to_vec();
    assert_eq!(tags, [0xc1, 0x5e]);
}

#[test]
fn a_reflected_tag_belongs_to_the_association() {
    let abort = Control::Abort { reflected: true, causes: Vec::new() };
    let answer = sctp(false, |packet| {
        packet.tag = SERVER.3;
        packet.control = vec![abort];
    });
    let seen =
        story(vec![(0, on_first_path(true, &sends_data(17))), (10, on_first_path(false, &answer))]);
    assert_eq!(only_association(&seen)["end"], json!({"chunk": "ABORT", "by": 1, "causes": []}));
}

#[test]
fn a_chunk_reported_missing_and_seen_again_counts_as_lost_on_its_first_path() {
    let seen = story(vec![
        (0, on_first_path(true, &sends_data(17))),
        (1, on_second_path(true, &sends_data(18))),
        (2, on_first_path(true, &sends_data(19))),
        (10, on_first_path(false, &sends_sack(17, &[(19, 19)]))),
        (20, on_first_path(true, &sends_data(18))),
        (30, on_first_path(false, &sends_sack(19, &[]))),
    ]);
    let association = only_association(&seen);
    let (first, second) = (path(association, CLIENT.0), path(association, CLIENT.1));
    assert_eq!((&first["losses"], &second["losses"]), (&json!(0), &json!(1)));
    assert_eq!((&first["retransmissions"], &second["retransmissions"]), (&json!(1), &json!(0)));
    assert_eq!((&first["data_chunks"], &first["data_bytes"]), (&json!(3), &json!(300)));
    let back = path(association, SERVER.0);
    assert_eq!((&back["sacks"], &back["gap_blocks"]), (&json!(2), &json!(1)));
}

#[test]
fn a_chunk_that_was_lost_before_the_place_of_the_capture_is_late() {
    let seen = story(vec![
        (0, on_first_path(true, &sends_data(17))),
        (2, on_first_path(true, &sends_data(19))),
        (10, on_first_path(false, &sends_sack(17, &[(19, 19)]))),
        (20, on_first_path(true, &sends_data(18))),
    ]);
    let first = path(only_association(&seen), CLIENT.0);
    assert_eq!((&first["losses"], &first["late"]), (&json!(0), &json!(1)));
    assert_eq!(first["retransmissions"], 0);
}

#[test]
fn wrapped_tsns_are_no_retransmissions() {
    let last = u32::MAX;
    let mut frames = Vec::new();
    for (at, tsn) in [last - 1, last, 0, 1].into_iter().enumerate() {
        frames.push((20 * at as u64, on_first_path(true, &sends_data(tsn))));
        frames.push((20 * at as u64 + 10, on_first_path(false, &sends_sack(tsn, &[]))));
    }
    frames.push((90, on_first_path(true, &sends_data(last))));
    let seen = story(frames);
    assert_eq!(path(only_association(&seen), CLIENT.0)["retransmissions"], 1);
}

#[test]
fn round_trips_are_those_of_probes_and_of_data_that_was_sent_once() {
    let (probe, answer) = (Control::Heartbeat(heartbeat(1)), Control::HeartbeatAck(heartbeat(1)));
    let seen = story(vec![
        (0, on_first_path(true, &sends_data(17))),
        (10, on_first_path(false, &sends_sack(17, &[]))),
        (20, on_first_path(true, &sends_data(18))),
        (50, on_first_path(true, &sends_data(18))),
        (60, on_first_path(false, &sends_sack(18, &[]))),
        (100, on_second_path(true, &control(true, probe))),
        (140, on_second_path(false, &control(false, answer))),
    ]);
    let association = only_association(&seen);
    let one = |milliseconds: u64| {
        let time = milliseconds * 1_000_000;
        json!({"count": 1, "min": time, "max": time, "mean": time})
    };
    assert_eq!(path(association, CLIENT.0)["rtt_data"], one(10));
    let probed = path(association, CLIENT.1);
    assert_eq!(probed["rtt_heartbeat"], one(40));
    assert_eq!((&probed["heartbeats"], &probed["heartbeat_acks"]), (&json!(1), &json!(0)));
    assert_eq!(path(association, SERVER.1)["heartbeat_acks"], 1);
}
