//! A link as a document, and what is said about one that is wrong.
#![cfg(feature = "serde")]

use manypath_core::{Rate, Span, Time};
use manypath_link::loss::BernoulliConfig;
use manypath_link::queue::{Capacity, RedConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig, QueueConfig};

const RED_LINK: &str = r#"{
    "rate": 10000000, "delay": 1000000, "overhead": 7,
    "queue": {"kind": "red", "weight": 0.002, "min": 30, "max": 90, "max_p": 0.1},
    "loss": {"kind": "bernoulli", "p": 0.01},
    "events": [
        {"at": 1000000000, "change": "down"},
        {"at": 2000000000, "change": "up"},
        {"at": 3000000000, "change": {"rate": 5000000}},
        {"at": 4000000000, "change": {"delay": 2000000}},
        {"at": 5000000000, "change": {"loss": {"kind": "bernoulli", "p": 0.5}}}
    ]
}"#;

#[test]
fn a_document_says_everything_about_a_link() {
    let link: LinkConfig = serde_json::from_str(RED_LINK).unwrap();
    let changes = [
        Change::Down,
        Change::Up,
        Change::Rate(Rate::from_bits_per_second(5_000_000)),
        Change::Delay(Span::from_millis(2)),
        Change::Loss(LossConfig::Bernoulli(BernoulliConfig { p: 0.5 })),
    ];
    let at = |second: usize| Time::from_nanos(second as u64 * 1_000_000_000);
    let expected = LinkConfig {
        rate: Rate::from_bits_per_second(10_000_000),
        delay: Span::from_millis(1),
        queue: QueueConfig::Red(RedConfig::new(0.002, 30.0, 90.0, 0.1)),
        loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.01 }),
        overhead: 7,
        events: changes
            .into_iter()
            .enumerate()
            .map(|(index, change)| LinkEvent { at: at(index + 1), change })
            .collect(),
    };
    assert_eq!(link, expected);
    assert_eq!(link.validate(), Ok(()));
    let written = serde_json::to_string(&link).unwrap();
    assert_eq!(serde_json::from_str::<LinkConfig>(&written).unwrap(), link);
}

#[test]
fn a_drop_tail_queue_is_limited_in_packets_or_bytes() {
    let queue = |text: &str| serde_json::from_str::<QueueConfig>(text);
    let packets = queue(r#"{"kind": "drop-tail", "packets": 100}"#).unwrap();
    assert_eq!(packets, QueueConfig::DropTail(Capacity::Packets(100)));
    let bytes = queue(r#"{"kind": "drop-tail", "bytes": 150000}"#).unwrap();
    assert_eq!(bytes, QueueConfig::DropTail(Capacity::Bytes(150_000)));
    assert_eq!(queue(&serde_json::to_string(&bytes).unwrap()).unwrap(), bytes);
    assert!(queue(r#"{"kind": "drop-tail"}"#).is_err());
    assert!(queue(r#"{"kind": "drop-tail", "packets": 1, "bytes": 1}"#).is_err());
}

#[test]
fn an_unknown_field_is_refused_wherever_it_stands() {
    for (right, wrong) in [
        ("\"rate\"", "\"speed\": 1, \"rate\""),
        ("\"weight\"", "\"friendly\": true, \"weight\""),
        ("\"p\"", "\"q\": 1, \"p\""),
        ("\"at\": 1000000000", "\"at\": 1, \"why\": 2"),
        ("\"down\"", "\"sideways\""),
        ("\"red\"", "\"blue\""),
    ] {
        let document = RED_LINK.replacen(right, wrong, 1);
        assert_ne!(document, RED_LINK);
        assert!(serde_json::from_str::<LinkConfig>(&document).is_err(), "{wrong} was accepted");
    }
}

#[test]
fn a_number_that_makes_no_sense_is_named_with_what_would_be_right() {
    for (right, wrong, message) in [
        ("\"rate\": 10000000", "\"rate\": 0", "`rate` is 0 bit/s, expected more than 0 bit/s"),
        ("0.01", "1.5", "`loss.p` is 1.5, expected a probability from 0 to 1"),
        (
            "\"weight\": 0.002",
            "\"weight\": 0",
            "`queue.weight` is 0, expected more than 0 and at most 1",
        ),
        ("\"max\": 90", "\"max\": 30", "`queue.max` is 30, expected more than `min` (30)"),
        (
            "\"max_p\": 0.1",
            "\"max_p\": -1",
            "`queue.max_p` is -1, expected a probability from 0 to 1",
        ),
        ("\"max_p\"", "\"packets\": 0, \"max_p\"", "`queue.packets` is 0, expected at least 1"),
        ("\"p\": 0.5", "\"p\": 2", "`events[4].loss.p` is 2, expected a probability from 0 to 1"),
        (
            "3000000000",
            "1",
            "`events[2].at` is 1, expected not before the event ahead of it (2000000000 ns)",
        ),
    ] {
        let document = RED_LINK.replacen(right, wrong, 1);
        let link: LinkConfig = serde_json::from_str(&document).unwrap();
        assert_eq!(link.validate().unwrap_err().to_string(), message);
    }
}
