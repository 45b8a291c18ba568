//! Captures do not change a run, and report in one line why they cannot be written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::networks::{disjoint, flow, link, outcome, scenario, tcp};
use manypath_core::Span;
use manypath_lab::scenario::{Flow, MptcpFlow, SctpFlow};
use manypath_lab::{CaptureConfig, Cause, Job, Outcome, RunError, Scenario, Watch, run};

/// A flow over two paths, five seconds from its beginning on.
fn two_paths() -> Scenario {
    let network = ["south", "north"].map(|name| (name, link(10.0, Span::from_millis(5), 50)));
    let flows = [("cmt", flow(&["south", "north"], "newreno"))];
    scenario(disjoint(network), flows, 0, 5)
}

fn captured(file: &Path, links: &[&str]) -> Result<Outcome, RunError> {
    let links = links.iter().map(|&link| link.to_owned()).collect();
    let capture = Some(CaptureConfig { file: file.to_owned(), links });
    let watch = Watch { capture, ..Watch::default() };
    run(&two_paths(), Job { seed: 1, replication: 0 }, &watch).map(|(outcome, _)| outcome)
}

/// The one-line error for a capture that cannot be written.
fn refusal(file: &Path, links: &[&str]) -> String {
    let error = captured(file, links).unwrap_err();
    assert!(matches!(error.cause, Cause::Capture(_)));
    error.cause.to_string()
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// How many packets the file has on each interface.
fn packets(file: &Path) -> Vec<u64> {
    traffic(file).into_iter().map(|(packets, _)| packets).collect()
}

/// Packets and their bytes on each interface.
fn traffic(file: &Path) -> Vec<(u64, u64)> {
    let bytes = fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut counts, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        match word(at) {
            1 => counts.push((0, 0)),
            6 => {
                let (packets, bytes) = &mut counts[word(at + 8) as usize];
                *packets += 1;
                *bytes += u64::from(word(at + 20));
            }
            other => assert_eq!((other, at), (0x0a0d_0d0a, 0)),
        }
        at += word(at + 4) as usize;
    }
    counts
}

#[test]
fn a_capture_has_each_packet_that_a_link_delivered_and_changes_nothing() {
    let file = temporary("all.pcapng");
    let seen = captured(&file, &[]).unwrap();
    assert_eq!(seen.digest, outcome(&two_paths(), 0).digest);
    let delivered: Vec<_> = seen.links.values().map(|link| link.delivered).collect();
    assert!(delivered.iter().all(|&packets| packets > 100), "{delivered:?}");
    assert_eq!(packets(&file), delivered);
}

#[test]
fn only_the_links_that_were_named_are_captured_each_once() {
    let file = temporary("some.pcapng");
    let seen = captured(&file, &["north/back", "south", "north/back"]).unwrap();
    assert_eq!(packets(&file), ["south", "north/back"].map(|name| seen.links[name].delivered));
}

#[test]
fn the_way_out_of_a_source_shows_what_its_bottleneck_drops() {
    let file = temporary("source.pcapng");
    let seen = captured(&file, &["access/cmt/source/south/out"]).unwrap();
    let south = &seen.links["south"];
    assert!(south.dropped > 0);
    assert_eq!(packets(&file), [south.arrived]);
}

#[test]
fn an_unknown_link_is_answered_with_the_nearest_one_before_anything_is_written() {
    let file = temporary("nothing.pcapng");
    let said = refusal(&file, &["suoth"]);
    assert_eq!(said, "links: \"suoth\" is no link: did you mean \"south\"?");
    assert!(!file.exists());
}

/// The handshake of the first subflow crosses only the first path.
#[test]
fn flows_of_every_protocol_are_captured_for_any_choice_of_links() {
    let network = ["south", "north"].map(|name| (name, link(10.0, Span::from_millis(5), 50)));
    let paths = ["south", "north"].map(str::to_owned).to_vec();
    let in_udp = SctpFlow { udp_encapsulation: true, ..flow(&["south", "north"], "newreno") };
    let flows: [(&str, Flow); 4] = [
        ("cmt", flow(&["south", "north"], "newreno").into()),
        ("udp", in_udp.into()),
        ("file", tcp("north").into()),
        ("both", MptcpFlow { paths, ..MptcpFlow::default() }.into()),
    ];
    let mixed = scenario(disjoint(network), flows, 0, 5);
    let file = temporary("mixed.pcapng");
    let capture = CaptureConfig { file: file.clone(), links: vec!["north".to_owned()] };
    let watch = Watch { capture: Some(capture), ..Watch::default() };
    let (seen, _) = run(&mixed, Job { seed: 1, replication: 0 }, &watch).unwrap();
    assert_eq!(seen.digest, outcome(&mixed, 0).digest);
    let north = &seen.links["north"];
    assert_eq!(traffic(&file), [(north.delivered, north.bytes)]);
    let bytes = fs::read(&file).unwrap();
    for protocol in [6, 17, 132] {
        let header = [0x40, 0, 64, protocol];
        assert!(bytes.windows(4).any(|window| window == header), "protocol {protocol}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let file = temporary("no such folder").join("run.pcapng");
    let said = refusal(&file, &[]);
    assert!(
        said.starts_with("capture: \"") && said.contains("run.pcapng\" cannot be written: "),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_noticed() {
    let said = refusal(Path::new("/dev/full"), &[]);
    assert!(said.starts_with("capture: \"/dev/full\" cannot be written: No space left"), "{said}");
}
