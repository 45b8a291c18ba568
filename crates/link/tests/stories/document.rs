//! A link as a document, and errors of wrong documents.

use manypath_core::{Rate, Span, Time};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig, GilbertElliottConfig};
use manypath_link::queue::{Capacity, CoDelConfig, FqCoDelConfig, PieConfig, RedConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig, QueueConfig};

const RED_LINK: &str = r#"{
    "rate": 10000000, "delay": 1000000, "jitter": 200000, "overhead": 7,
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
fn a_document_has_all_fields_of_a_link() {
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
        jitter: Span::from_micros(200),
        queue: QueueConfig::Red(RedConfig::new(0.002, 30.0, 90.0, 0.1)),
        loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.01 }),
        overhead: 7,
        events: changes
            .into_iter()
            .enumerate()
            .map(|(index, change)| LinkEvent { at: at(index + 1), change })
            .collect(),
        trace: None,
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
fn a_queue_without_parameters_has_the_defaults_of_its_rfc() {
    let queue = |text: &str| serde_json::from_str::<QueueConfig>(text).unwrap();
    assert_eq!(queue(r#"{"kind": "codel"}"#), QueueConfig::CoDel(CoDelConfig::default()));
    assert_eq!(queue(r#"{"kind": "pie"}"#), QueueConfig::Pie(PieConfig::default()));
    assert_eq!(queue(r#"{"kind": "fq-codel"}"#), QueueConfig::FqCoDel(FqCoDelConfig::default()));
    for kind in ["codel", "pie", "fq-codel"] {
        let queue = queue(&format!(r#"{{"kind": "{kind}"}}"#));
        assert_eq!(queue.validate(), Ok(()));
        let written = serde_json::to_string(&queue).unwrap();
        assert_eq!(serde_json::from_str::<QueueConfig>(&written).unwrap(), queue);
    }
}

#[test]
fn a_loss_model_has_defaults() {
    let loss = |text: &str| serde_json::from_str::<LossConfig>(text).unwrap();
    let bursts = loss(r#"{"kind": "gilbert-elliott", "to_bad": 0.001, "to_good": 0.1}"#);
    let (to_bad, to_good, loss_bad, loss_good) = (0.001, 0.1, 1.0, 0.0);
    let expected = GilbertElliottConfig { to_bad, to_good, loss_bad, loss_good };
    assert_eq!(bursts, LossConfig::GilbertElliott(expected));
    let noise = loss(r#"{"kind": "bit-error", "rate": 5e-6}"#);
    assert_eq!(noise, LossConfig::BitError(BitErrorConfig { rate: 5e-6, spared: 0 }));
}

#[test]
fn an_unknown_field_is_refused_at_any_level() {
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
fn an_invalid_number_is_reported_with_the_valid_range() {
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
        ("\"p\": 0.5", "\"p\": 2", "`events.4.loss.p` is 2, expected a probability from 0 to 1"),
        (
            "3000000000",
            "1",
            "`events.2.at` is 1 ns, expected not before the event ahead of it (2 s)",
        ),
    ] {
        let document = RED_LINK.replacen(right, wrong, 1);
        let link: LinkConfig = serde_json::from_str(&document).unwrap();
        assert_eq!(link.validate().unwrap_err().to_string(), message);
    }
}

#[test]
fn invalid_numbers_of_queues_and_loss_models_are_refused_in_one_line() {
    for (kind, wrong, message) in [
        ("codel", r#""target": 0"#, "`queue.target` is 0 ns, expected more than 0 ns"),
        ("codel", r#""interval": 0"#, "`queue.interval` is 0 ns, expected more than 0 ns"),
        ("codel", r#""mtu": 0"#, "`queue.mtu` is 0, expected at least 1"),
        ("codel", r#""bytes": 0"#, "`queue.bytes` is 0, expected at least 1"),
        ("pie", r#""target": 0"#, "`queue.target` is 0 ns, expected more than 0 ns"),
        ("pie", r#""update": 999"#, "`queue.update` is 999 ns, expected at least 1 us"),
        ("pie", r#""alpha": -1"#, "`queue.alpha` is -1, expected a gain per second, 0 or more"),
        ("pie", r#""beta": -1"#, "`queue.beta` is -1, expected a gain per second, 0 or more"),
        ("pie", r#""packets": 0"#, "`queue.packets` is 0, expected at least 1"),
        ("fq-codel", r#""quantum": 0"#, "`queue.quantum` is 0, expected at least 1"),
        ("fq-codel", r#""buckets": 0"#, "`queue.buckets` is 0, expected 1 to 65536"),
        ("fq-codel", r#""buckets": 65537"#, "`queue.buckets` is 65537, expected 1 to 65536"),
    ] {
        let queue = format!(r#"{{"kind": "{kind}", {wrong}}}"#);
        let queue: QueueConfig = serde_json::from_str(&queue).unwrap();
        assert_eq!(queue.validate().unwrap_err().to_string(), message);
    }
    for (loss, message) in [
        (
            r#"{"kind": "bit-error", "rate": 2}"#,
            "`loss.rate` is 2, expected a probability from 0 to 1",
        ),
        (
            r#"{"kind": "gilbert-elliott", "to_bad": 0.1, "to_good": -1}"#,
            "`loss.to_good` is -1, expected a probability from 0 to 1",
        ),
        (
            r#"{"kind": "gilbert-elliott", "to_bad": 0.1, "to_good": 1, "loss_bad": 7}"#,
            "`loss.loss_bad` is 7, expected a probability from 0 to 1",
        ),
    ] {
        let loss: LossConfig = serde_json::from_str(loss).unwrap();
        assert_eq!(loss.validate().unwrap_err().to_string(), message);
    }
}
