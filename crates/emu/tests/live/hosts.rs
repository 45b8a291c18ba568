//! Namespaces, interfaces and routes: the path of a packet, and removal of everything that was created.

use manypath_core::Span;
use manypath_emu::{Document, Emulation, EmulationError, Namespace, Options};
use serde_json::json;

use crate::stage::{Stage, document, found, lack, link, own, rules};

#[test]
fn a_packet_takes_the_path_of_its_left_address() {
    let mut wanted = document("emu-paths", &link(&json!({})));
    let back = wanted["network"]["links"]["back"].clone();
    wanted["network"]["links"]["second"] = back;
    wanted["network"]["paths"]["second"] = json!({"forward": ["second"], "reverse": ["back"]});
    let Some(stage) = Stage::set(&wanted) else { return };
    // From the second path's address to the first path's: only the left address matters.
    let arrivals =
        stage.send_between([10, 0, 1, 1].into(), [10, 0, 0, 2].into(), 20, Span::from_millis(1));
    assert_eq!(arrivals.count(), 20);
    let ending = stage.emulation.stop().expect("an end");
    let carried = |link: &str| ending.snapshot.links[link].delivered;
    assert_eq!((carried("there"), carried("second")), (0, 20));
}

#[test]
fn two_emulations_run_at_the_same_time_and_are_removed() {
    let slow = document("emu-beside-slow", &link(&json!({"delay": 40_000_000})));
    let fast = document("emu-beside-fast", &link(&json!({})));
    let (Some(slow), Some(fast)) = (Stage::set(&slow), Stage::set(&fast)) else { return };
    let delays = |stage: &Stage| stage.send(20, Span::from_millis(1));
    assert!(delays(&slow).quantile(0.0) >= 40_000_000);
    found("a stream with half of its packets in less than 40 ms", || {
        let median = delays(&fast).quantile(0.5);
        if median < 40_000_000 { Ok(()) } else { Err(median) }
    });
    let names = ["emu-beside-slow", "emu-beside-fast"]
        .map(|name| ["left", "right"].map(|side| format!("{}-{side}", own(name))));
    assert!(names.as_flattened().iter().all(|name| Namespace::exists(name)));
    slow.emulation.stop().expect("an end");
    drop(fast);
    assert!(!names.as_flattened().iter().any(|name| Namespace::exists(name)));
}

#[test]
fn a_name_in_use_is_refused() {
    let wanted = document("emu-taken", &link(&json!({})));
    let Some(stage) = Stage::set(&wanted) else { return };
    let document = Document::parse(&wanted.to_string()).expect("a document");
    let again = Emulation::start(&document, &Options::default()).expect_err("it runs already");
    assert!(matches!(again, EmulationError::Running { .. }), "{again}");
    assert_eq!(stage.send(5, Span::from_millis(1)).count(), 5, "the first one does not mind");
    drop(stage);

    let other = Namespace::create(&format!("{}-left", own("emu-taken"))).expect("a namespace");
    let taken = Emulation::start(&document, &Options::default()).expect_err("not ours");
    assert!(matches!(taken, EmulationError::Taken { .. }), "{taken}");
    assert!(Namespace::exists(other.name()), "it is still there");
    assert!(
        !Namespace::exists(&format!("{}-right", own("emu-taken"))),
        "what was made before is gone"
    );
}

#[test]
fn an_existing_namespace_is_used_and_left_unchanged() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let host = Namespace::create(&own("emu-own-host")).expect("a namespace");
    let mut wanted = document("emu-existing", &link(&json!({})));
    wanted["pairs"] = json!({"a": {"paths": ["path"], "left": host.name()}});
    let before = rules(&host);
    let stage = Stage::set(&wanted).expect("an emulation");
    assert_ne!(rules(&host), before);
    drop(stage);
    assert_eq!(rules(&host), before);
    assert!(Namespace::exists(host.name()));
    assert!(!Namespace::exists(&format!("{}-a-right", own("emu-existing"))));
}

#[test]
fn an_unknown_kernel_setting_is_reported_and_undone() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let mut wanted = document("emu-setting", &link(&json!({})));
    let sysctl = json!({"net.ipv4.tcp_congestion_control": "no-such-thing"});
    wanted["pairs"] = json!({"a": {"paths": ["path"], "sysctl": sysctl}});
    let document = Document::parse(&wanted.to_string()).expect("a document");
    let refused = Emulation::start(&document, &Options::default()).expect_err("no such thing");
    let said = refused.to_string();
    assert!(said.contains("tcp_congestion_control is \"no-such-thing\""), "{said}");
    assert!(refused.is_input());
    let sides = ["left", "right"].map(|side| format!("{}-a-{side}", own("emu-setting")));
    assert!(!sides.iter().any(|name| Namespace::exists(name)));
}
