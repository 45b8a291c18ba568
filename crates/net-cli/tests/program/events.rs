//! `--events`: the files of both ends of a measurement.

use serde_json::Value;
use tempfile::tempdir;

use crate::events_file::{data, number, read};
use crate::perf::{client, server};
use crate::process::run;

/// The highest cumulative TSN that the peer has acknowledged.
fn acknowledged(lines: &[Value]) -> u64 {
    let packets = lines.iter().filter(|line| line["name"] == "transport:packet_received");
    let chunks = packets.flat_map(crate::events_file::chunks);
    let sacks = chunks.filter(|chunk| chunk["type"] == "sack" || chunk["type"] == "nr_sack");
    sacks.map(|sack| number(sack, "cumulative")).last().expect("SACKs")
}

#[test]
fn both_ends_of_a_test_write_what_was_sent_received_and_acknowledged() {
    let folder = tempdir().unwrap();
    let [here, there] = ["client.jsonl", "server.jsonl"].map(|name| folder.path().join(name));
    let (server, port) = server(&["--once", "--json", "--events", there.to_str().unwrap()]);
    let events = here.to_str().unwrap();
    let words = ["--json", "--bytes", "3000001", "--streams", "2", "--events", events];
    let said = run(client(&port, &words));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(server.wait().code, Some(0));
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(document["end"]["sum_received"]["bytes"], 3_000_001);
    let [here, there] = [read(&here), read(&there)];
    let sent = data(&here, "transport:packet_sent");
    assert_eq!(data(&there, "transport:packet_received"), sent);
    // Stream 0 has the control messages of the test
    let payload = |up_to: u64| -> u64 {
        let sent = sent.iter().filter(|(tsn, stream, _)| *stream != 0 && *tsn <= up_to);
        sent.map(|(.., payload)| payload).sum()
    };
    assert_eq!([payload(u64::MAX), payload(acknowledged(&here))], [3_000_001; 2]);
    for (lines, host) in [(&here, "source"), (&there, "sink")] {
        let mut flows: Vec<_> = lines.iter().map(|line| line["flow"].as_str().unwrap()).collect();
        flows.retain(|flow| flow.ends_with("#1"));
        flows.dedup();
        assert_eq!(flows.len(), 1, "{flows:?}");
        let last = lines.last().expect("lines");
        assert_eq!(last["name"], "connectivity:connection_closed");
        assert_eq!((&last["host"], &last["data"]["reason"]), (&host.into(), &"shutdown".into()));
    }
}

#[test]
fn only_the_chosen_events_are_written() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("client.jsonl");
    let (server, port) = server(&["--once"]);
    let more = ["--only", "connectivity:connection_started", "--only", "recovery"];
    let mut words = vec!["--bytes", "100000", "--events", file.to_str().unwrap()];
    words.extend(more);
    assert_eq!(run(client(&port, &words)).code, Some(0));
    assert_eq!(server.wait().code, Some(0));
    let names: Vec<_> = read(&file).iter().map(|line| line["name"].to_string()).collect();
    assert_eq!(names[0], "\"connectivity:connection_started\"");
    assert!(names.len() > 1 && names[1..].iter().all(|name| name.starts_with("\"recovery:")));
}

#[test]
fn no_file_is_replaced_that_manypath_did_not_write() {
    let folder = tempdir().unwrap();
    let note = folder.path().join("note.txt");
    std::fs::write(&note, "keep me").unwrap();
    let path = note.to_str().unwrap();
    let both = folder.path().join("both");
    let both = both.to_str().unwrap();
    let refusals: &[(&[&str], &str)] = &[
        (&["perf", "--listen", "--events", path], "`--events` is"),
        (&["perf", "--listen", "--pcapng", path], "did not write it as a capture"),
        (&["listen", "--events", both, "--pcapng", both], "it is the file of `--pcapng`, too"),
        (&["send", path, "--to", "127.0.0.11", "--events", path], "it is a file that is read"),
        (&["receive", "--only", "recovery"], "--events"),
        (&["receive", "--events", both, "--only", "recovery:cut"], "invalid value"),
    ];
    for (words, text) in refusals {
        let said = run(*words);
        assert_eq!(said.code, Some(2), "{words:?}: {said:?}");
        assert!(said.err.contains(text), "{words:?}: {said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{words:?}: {said:?}");
    }
    assert_eq!(std::fs::read_to_string(note).unwrap(), "keep me");
    assert!(std::fs::metadata(both).is_err());
}
