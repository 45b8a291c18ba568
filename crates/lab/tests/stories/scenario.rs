//! Documents: the form of a scenario, and the errors for invalid ones.

use manypath_core::Span;
use manypath_lab::scenario::{Flow, SctpFlow};
use manypath_lab::{DocumentError, Job, Scenario, Watch, run};
use serde_json::{Value, json};

/// A flow over the southern path against one over two paths.
const DOCUMENT: &str = r#"{
    "network": {
        "links": {
            "south": {"rate": 10000000, "delay": 1000000, "queue": {"kind": "drop-tail", "packets": 100}, "overhead": 7},
            "north": {"rate": 10000000, "delay": 1000000, "queue": {"kind": "drop-tail", "packets": 100}, "overhead": 7},
            "back": {"rate": 10000000, "delay": 1000000, "queue": {"kind": "drop-tail", "packets": 100}, "overhead": 7}
        },
        "paths": {
            "south": {"forward": ["south"], "reverse": ["back"]},
            "north": {"forward": ["north"], "reverse": ["back"]}
        },
        "access": {"rate": 1000000000, "delay": 0, "queue": {"kind": "drop-tail", "packets": 10000}, "overhead": 7}
    },
    "flows": {"single": {"paths": ["south"]}, "cmt": {"paths": ["south", "north"], "cc": "cmt-rpv2"}},
    "measure": 60000000000
}"#;

/// The document with another value at `place`; `null` removes the field.
fn with(place: &str, value: Value) -> Value {
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let (parent, leaf) = place.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Value::Null => parent.remove(leaf),
        value => parent.insert(leaf.to_owned(), value),
    };
    document
}

fn complaint(document: &Value) -> String {
    let error = Scenario::parse(&document.to_string()).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn missing_fields_have_the_values_of_the_authors() {
    let scenario = Scenario::parse(DOCUMENT).unwrap();
    let Flow::Sctp(cmt) = &scenario.flows["cmt"] else { panic!("it has no transport") };
    assert_eq!(
        (cmt.profile.as_str(), cmt.send_buffer, cmt.receive_buffer),
        ("inet", 1_000_000, 500_000)
    );
    assert_eq!(scenario.warmup.as_secs_f64(), 20.0);
}

#[test]
fn without_access_links_hosts_sit_at_the_core() {
    let access = |place, value| {
        let document = with(place, value).to_string();
        Scenario::parse(&document).unwrap().network.access
    };
    assert!(access("/measure", json!(60_000_000_000_u64)).is_some());
    assert_eq!(access("/network/access", Value::Null), None);
}

#[test]
fn flows_keep_their_order_and_a_document_written_again_is_the_same_scenario() {
    let scenario = Scenario::parse(DOCUMENT).unwrap();
    assert_eq!(scenario.flows.keys().collect::<Vec<_>>(), ["single", "cmt"]);
    let again = serde_json::to_string(&scenario).unwrap();
    assert_eq!(Scenario::parse(&again).unwrap(), scenario);
}

#[test]
fn every_mistake_is_reported_in_one_line_with_field_value_and_remedy() {
    let mistakes = [
        ("/flows/cmt/recieve_buffer", json!(1)),
        ("/flows/cmt/cc", json!("cmt-rp2")),
        ("/flows/cmt/profile", json!("papers")),
        ("/flows/cmt/transport", json!("scpt")),
        ("/flows/cmt/burst", json!("max-bursts")),
        ("/flows/cmt/paths", json!([])),
        ("/flows/cmt/paths", json!(["south", "nort"])),
        ("/flows/cmt/paths", json!(["south", "south"])),
        ("/flows/cmt/send_buffer", json!(-1)),
        ("/flows/cmt/send_buffer", json!("1 MB")),
        ("/flows/cmt/receive_buffer", json!(1_000)),
        ("/flows/cmt/mtu", json!(100)),
        ("/flows/cmt/rto", json!({"min": 5_000_000_000_u64})),
        ("/flows/cmt/start", json!({"latest": 500_000_000_000_u64})),
        ("/flows/cmt/app", json!({"kind": "saturated", "message": {"min": 900, "max": 500}})),
        ("/flows/cmt/app", json!({"kind": "saturated", "message": {"min": 500, "max": 600_000}})),
        ("/flows/cmt/app", json!({"kind": "cbr"})),
        ("/flows/cmt/app", json!({"kind": "cbr", "rate": 0})),
        ("/flows/cmt/app", json!({"kind": "cbrr", "rate": 1})),
        ("/flows/cmt/app", json!({"kind": "on-off", "rate": 1_000_000, "on": 1_000, "off": 0})),
        ("/flows", json!({})),
        ("/network/links/south/rate", json!(0)),
        (
            "/network/links/south/queue",
            json!({"kind": "red", "weight": 0.002, "min": 90, "max": 30, "max_p": 0.1}),
        ),
        ("/network/links/south/queue", json!({"kind": "drop-tails", "packets": 100})),
        ("/network/links/south/loss", json!({"kind": "bernoulli", "p": 1.5})),
        ("/network/paths/south/forward", json!(["sooth"])),
        ("/network/paths/south/reverse", json!([])),
        ("/network/paths/south/forward", json!(["south", "north", "south"])),
        ("/network/links/south/trace", json!("1 x")),
        ("/network/links/south/trace", json!("1")),
        ("/flows/cmt/rto", json!({"min": 0})),
        ("/flows/cmt/heartbeat_interval", json!(0)),
        ("/network/paths", json!({})),
        ("/measure", json!(0)),
        ("/measure", json!(u64::MAX)),
        ("/measure", Value::Null),
    ];
    let told: Vec<_> =
        mistakes.into_iter().map(|(place, value)| complaint(&with(place, value))).collect();
    insta::assert_snapshot!(told.join("\n"));
}

/// A field of a flow over TCP or Multipath TCP, set in an otherwise valid document.
fn tcp_with(transport: &str, field: &str, value: Value) -> Value {
    let mut flow = json!({"transport": transport, "paths": ["south"], "cc": "newreno"});
    flow[field] = value;
    with("/flows/cmt", flow)
}

#[test]
fn mistakes_in_tcp_flows_are_reported_in_one_line_too() {
    let tcp = |field, value| complaint(&tcp_with("tcp", field, value));
    let mptcp = |field, value| complaint(&tcp_with("mptcp", field, value));
    let told = [
        tcp("transport", json!("tpc")),
        tcp("transport", json!(6)),
        tcp("paths", json!(["south", "north"])),
        tcp("sack_every", json!(2)),
        tcp("scheduler", json!("redundant")),
        tcp("cc", json!("newrenos")),
        tcp("mss", json!(60)),
        tcp("mss", json!("1460 B")),
        tcp("initial_window", json!(0)),
        tcp("initial_threshold", json!(1)),
        tcp("smallest_window", json!(11)),
        tcp("ack_every", json!(3)),
        tcp("ack_delay", json!(600_000_000)),
        tcp("receive_buffer", json!(2_000_000_000)),
        tcp("option_bytes", json!(44)),
        tcp("option_bytes", json!(10)),
        tcp("abc_limit", json!(0)),
        tcp("rto", json!({"initial": 100_000_000})),
        tcp("rto", json!({"minimum": 100_000_000})),
        tcp("rto", json!({"rule": "rfc6289"})),
        mptcp("scheduler", json!("lowest-rrt")),
        mptcp("penalisation", json!("yes")),
        mptcp("paths", json!([])),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_congestion_control_that_resembles_none_is_answered_with_all() {
    let told = complaint(&with("/flows/cmt/cc", json!("quantum-on-ice")));
    let names: Vec<_> = manypath_cc::algorithms().iter().map(|entry| entry.name).collect();
    let known = names.join(", ");
    assert_eq!(
        told,
        format!(
            "`flows.cmt.cc` is \"quantum-on-ice\", expected an existing congestion control; known: {known}"
        )
    );
}

#[test]
fn acknowledgements_wait_no_longer_than_half_a_second() {
    let delay = |nanoseconds: u64| with("/flows/single/sack_delay", json!(nanoseconds));
    assert!(Scenario::parse(&delay(500_000_000).to_string()).is_ok());
    let complaint = complaint(&delay(500_000_001));
    assert!(
        complaint.contains("single.sack_delay")
            && complaint.contains("500000001 ns, expected at most 500 ms"),
        "{complaint}"
    );
}

#[test]
fn invalid_json_is_reported_with_its_position() {
    let error = Scenario::parse("{\"network\": ").unwrap_err();
    assert!(
        matches!(&error, DocumentError::Form { message, .. } if message.contains("line 1 column 12")),
        "{error}"
    );
}

#[test]
fn more_memory_than_there_is_names_the_largest_asker() {
    let greedy = with("/flows/cmt/send_buffer", json!(1_000_000_000_000_u64));
    let greedy = Scenario::parse(&greedy.to_string()).unwrap();
    let error = greedy.check_memory(8 << 30, 1).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "`flows.cmt.send_buffer` is 1 TB, expected less, here and in the other flows: a run could need 184 GB of memory, and there are 8.59 GB"
        ),
        "{error}"
    );

    let mut crowded = Scenario::parse(DOCUMENT).unwrap();
    crowded.network.access = None;
    let tiny = SctpFlow {
        paths: crowded.flows["single"].paths().to_vec(),
        send_buffer: 2_000,
        receive_buffer: 2_000,
        ..SctpFlow::default()
    };
    crowded.flows = (0..20_000).map(|number| (number.to_string(), tiny.clone().into())).collect();
    let error = crowded.check_memory(1 << 30, 1).unwrap_err().to_string();
    assert!(error.starts_with("`flows` is 20000 flows, expected less"), "{error}");

    let mut long = with("/flows/cmt/send_buffer", json!(100_000_000_000_u64));
    long["flows"]["cmt"]["app"] =
        json!({"kind": "saturated", "message": {"min": 1452, "max": 1452}});
    let queue = json!({"kind": "drop-tail", "packets": 1_000_000_000_000_000_000_u64});
    long["network"]["links"]["south"]["queue"] = queue;
    let long = Scenario::parse(&long.to_string()).unwrap();
    let error = long.check_memory(8 << 30, 1).unwrap_err().to_string();
    let said = "`network.links.south.queue.packets` is 1000000000000000000, expected less";
    assert!(error.starts_with(said), "{error}");

    let modest = Scenario::parse(DOCUMENT).unwrap();
    assert_eq!(modest.check_memory(64 << 20, 1), Ok(()));
    assert!(modest.check_memory(64 << 20, 100).is_err());
}

#[test]
fn samples_that_need_too_much_memory_are_refused_with_an_interval_that_fits() {
    let scenario = Scenario::parse(DOCUMENT).unwrap();
    let error = scenario.check_series(Span::from_nanos(1), 8 << 30).unwrap_err().to_string();
    let start =
        "`series` is 1 ns, expected 50 us or more: 80000000001 samples of 2720 bytes need 218 TB";
    assert!(error.starts_with(start), "{error}");
    assert_eq!(scenario.check_series(Span::from_micros(50), 8 << 30), Ok(()));
    // The proposed interval fits, and half of it does not, whatever the memory.
    for memory in [1 << 20, 1 << 30, 1 << 40] {
        let error = scenario.check_series(Span::from_nanos(1), memory).unwrap_err().to_string();
        let fitting =
            error.split("expected ").nth(1).and_then(|rest| rest.split(" or more").next());
        let fitting = fitting.and_then(Span::from_text).unwrap();
        assert_eq!(scenario.check_series(fitting, memory), Ok(()));
        assert!(scenario.check_series(fitting / 3, memory).is_err());
    }
}

#[test]
fn a_run_ends_before_its_series_fills_the_memory() {
    let scenario = Scenario::parse(DOCUMENT).unwrap();
    let told = |watch: Watch| run(&scenario, Job { seed: 1, replication: 0 }, &watch).unwrap_err();
    let (memory, series) = (Some(1_000_000), Some(Span::from_millis(1)));
    let error = told(Watch { series, memory, ..Watch::default() }).cause.to_string();
    assert!(error.starts_with("`series` is 1 ms, expected 500 ms or more"), "{error}");
    let memory = Some(10_000_000);
    let error = told(Watch { changes: true, memory, ..Watch::default() }).cause.to_string();
    let said =
        "`series` is \"event\", expected an interval such as \"100 ms\", or a shorter run: after ";
    assert!(error.starts_with(said) && error.contains("of 80 s the changes fill"), "{error}");
}

#[test]
fn changes_that_can_have_no_room_are_refused_before_the_run() {
    let mut document = with("/measure", json!(3_600_000_000_000_000_u64));
    for link in ["south", "north", "back"] {
        document["network"]["links"][link]["rate"] = json!(10_000_000_000_u64);
    }
    let scenario = Scenario::parse(&document.to_string()).unwrap();
    let watch = Watch { changes: true, memory: Some(8 << 30), ..Watch::default() };
    let error = run(&scenario, Job { seed: 1, replication: 0 }, &watch).unwrap_err().cause;
    // 1 Gbit/s on the access links, 1600 bytes in a packet; a quarter of these packets, 400 bytes each
    let said = "`series` is \"event\", expected an interval such as \"100 ms\", or a shorter run: the changes of \
                70312871093 packets or more need 28.1 TB, and there are 8.59 GB";
    assert_eq!(error.to_string(), said);
    // Changes whose number is unknown before the run are not refused before it
    let sparse = json!({"kind": "cbr", "rate": 1000});
    let loss = json!({"kind": "bernoulli", "p": 0.1});
    for (place, value) in [("/flows/F/app", sparse), ("/network/links/back/loss", loss)] {
        let mut document = document.clone();
        for flow in ["single", "cmt"] {
            let place = place.replace('F', flow);
            let (parent, leaf) = place.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap()[leaf] = value.clone();
        }
        let scenario = Scenario::parse(&document.to_string()).unwrap();
        assert_eq!(scenario.check_changes(8 << 30), Ok(()), "{place}");
    }
}

/// `UPDATE_SCHEMA=1 cargo test -p manypath-lab --test stories the_published_schema` rewrites the file.
#[test]
fn the_published_schema_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/scenario.schema.json");
    let current = format!("{:#}\n", Scenario::schema());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &current).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == current,
        "spec/scenario.schema.json is not current: run with UPDATE_SCHEMA=1"
    );
}
