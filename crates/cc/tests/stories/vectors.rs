//! Replays `spec/vectors`: numbers calculated by hand from the published formulas.

use std::fs;

use crate::replay::{After, Before, Event, Player, folder, read};
use manypath_cc::algorithm;

#[test]
fn newreno() {
    check("newreno.json", &numbered("V-CMT-", 1..=11));
}

#[test]
fn cmt_rp_v1() {
    let ids = [numbered("V-RP1-", 0..=7), texts(&["V-RP1-8a", "V-RP1-8b"])];
    check("cmt-rpv1.json", &ids.concat());
}

#[test]
fn cmt_rp_v2() {
    let ids = [numbered("V-RP2-", 0..=5), texts(&["V-RP2-6a"]), numbered("V-RP2-", 6..=8)];
    check("cmt-rpv2.json", &ids.concat());
}

#[test]
fn mptcp_like() {
    let ids = [
        texts(&["V-ML-0a", "V-ML-0b", "V-ML-0c"]),
        numbered("V-ML-", 1..=11),
        texts(&["V-ML-12a", "V-ML-12b"]),
    ];
    check("mptcp-like.json", &ids.concat());
}

#[test]
fn inet() {
    let ids = [
        numbered("V-IN-", 1..=5),
        texts(&["V-IN-6a", "V-IN-6", "V-IN-7", "V-IN-8a", "V-IN-8b", "V-IN-9"]),
    ];
    check("inet.json", &ids.concat());
}

#[test]
fn lia() {
    check("lia.json", &numbered("V-LIA-", 1..=4));
}

#[test]
fn lia_eunice() {
    check("lia-eunice.json", &["a", "b", "c", "d", "e", "f"].map(|step| format!("V-EU-1{step}")));
}

#[test]
fn weighted_aimd() {
    check("weighted-aimd.json", &texts(&["V-AIMD-1", "V-AIMD-3", "V-AIMD-4", "V-AIMD-5"]));
}

#[test]
fn olia() {
    check("olia.json", &numbered("V-OLIA-", 1..=5));
}

#[test]
fn balia() {
    check("balia.json", &numbered("V-BALIA-", 1..=4));
}

#[test]
fn every_file_has_a_test() {
    let mut files: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "balia.json",
            "cmt-rpv1.json",
            "cmt-rpv2.json",
            "inet.json",
            "lia-eunice.json",
            "lia.json",
            "mptcp-like.json",
            "newreno.json",
            "olia.json",
            "weighted-aimd.json",
        ]
    );
}

#[test]
fn unknown_names_are_refused() {
    let texts = [
        r#"{"kind": "formulas", "path": 0}"#,
        r#"{"kind": "handover"}"#,
        r#"{"kind": "idle", "path": 0, "to": 1}"#,
    ];
    for text in texts {
        assert!(serde_json::from_str::<Event>(text).is_err(), "{text}");
    }
    assert!(serde_json::from_str::<After>(r#"{"windw": 1}"#).is_err());
    assert!(serde_json::from_str::<Before>(r#"{"window": 1, "ssthresh": 1, "rtt": 1}"#).is_err());
}

/// Checks that `file` has the vectors `ids` in this order, and replays them.
fn check(file: &str, ids: &[String]) {
    let vectors = read(file);
    let found: Vec<_> = vectors.iter().map(|vector| vector.id.clone()).collect();
    assert_eq!(found, ids, "{file}: the vectors are complete");
    let make = |name: &str| Some(algorithm(name).unwrap_or_else(|error| panic!("{error}")));
    let player = Player { make: &make, tolerance: 1e-9 };
    for vector in &vectors {
        assert!(vector.check(&player));
    }
}

fn numbered(prefix: &str, numbers: impl Iterator<Item = u8>) -> Vec<String> {
    numbers.map(|number| format!("{prefix}{number}")).collect()
}

fn texts(ids: &[&str]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
