//! Invalid documents: an error in one line with the field, the mistake, and the valid alternative.

use manypath_core::{Rate, Span};
use manypath_emu::Document;
use serde_json::{Value, json};

fn good() -> Value {
    let link = json!({"rate": 1_000_000, "delay": 0, "queue": {"kind": "drop-tail", "packets": 9}});
    json!({
        "name": "lab",
        "network": {
            "links": {"there": link, "back": link},
            "paths": {"one": {"forward": ["there"], "reverse": ["back"]}},
        },
        "pairs": {"a": {"paths": ["one"]}},
    })
}

/// The error after the value at `pointer` is replaced.
fn said(pointer: &str, value: Value) -> String {
    let mut document = good();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer begins with a slash");
    let parent = document.pointer_mut(parent).expect("the parent is there");
    match parent {
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        parent => parent[key] = value,
    }
    Document::parse(&document.to_string()).expect_err("it is wrong").to_string()
}

#[test]
fn missing_fields_of_a_document_have_defaults() {
    let mut document = good();
    document.as_object_mut().expect("a table").remove("pairs");
    let document = Document::parse(&document.to_string()).expect("a document");
    assert_eq!((document.mtu, document.seed), (1500, 1));
    assert_eq!(document.bounds.late, Span::from_millis(2));
    assert_eq!(document.pairs[""].paths, ["one"]);
    assert_eq!(document.network.links["there"].rate, Rate::from_bits_per_second(1_000_000));
    assert_eq!(document.network.access, None);
}

#[test]
fn a_mistake_is_reported_in_one_line_with_field_value_and_remedy() {
    let cases = [
        ("/name", json!("a b"), r#"`name` is "a b", expected up to 64 letters, digits, dots"#),
        ("/name", json!("-x"), r#"`name` is "-x", expected up to 64"#),
        ("/mtu", json!(576), "`mtu` is 576, expected 1280 to 65535 bytes"),
        (
            "/network/links/there/rate",
            json!(0),
            "`network.links.there.rate` is 0 bit/s, expected more than 0 bit/s",
        ),
        ("/network/links/back/queue/packets", json!(0), "`network.links.back.queue"),
        (
            "/network/paths/one/forward/0",
            json!("ther"),
            r#"`network.paths.one.forward` is "ther", expected an existing link; did you mean "there"? (known: back, there)"#,
        ),
        (
            "/network/paths/one/reverse",
            json!([]),
            "`network.paths.one.reverse` is empty, expected at least one link",
        ),
        (
            "/network/paths/one/forward",
            json!(["there", "there"]),
            r#"`network.paths.one.forward` is "there" twice, expected each link once"#,
        ),
        ("/network/paths", json!({}), "`network.paths` is empty, expected at least one path"),
        (
            "/pairs/a/paths/0",
            json!("two"),
            r#"`pairs.a.paths` is "two", expected an existing path; known: one"#,
        ),
        (
            "/pairs/a/paths",
            json!(["one", "one"]),
            r#"`pairs.a.paths` is "one" twice, expected each path once"#,
        ),
        ("/pairs/a/paths", json!([]), "`pairs.a.paths` is 0 paths, expected 1 to 256 paths"),
        ("/pairs/a/left", json!("../x"), r#"`pairs.a.left` is "../x", expected up to 64"#),
        (
            "/pairs/a/sysctl",
            json!({"kernel.hostname": "x"}),
            "`pairs.a.sysctl` is kernel.hostname, expected settings of a namespace",
        ),
        (
            "/pairs/a/sysctl",
            json!({"net./../kernel.x": "x"}),
            "`pairs.a.sysctl` is net./../kernel.x, expected settings",
        ),
        ("/bounds", json!({"share": 2.0}), "`bounds.share` is 2, expected a share from 0 to 1"),
        (
            "/bounds",
            json!({"lat": 2}),
            "`bounds.lat`: unknown field `lat`: did you mean \"late\"? (known: late, share)",
        ),
        ("/seed", json!(-1), "`seed`: invalid value: integer `-1`, expected a whole number"),
    ];
    for (pointer, value, expected) in cases {
        let said = said(pointer, value);
        assert!(said.starts_with(expected), "{pointer}: {said}");
        assert!(!said.contains('\n'), "{said}");
    }
}

#[test]
fn a_host_cannot_be_its_own_peer() {
    let mut document = good();
    document["pairs"]["a"] = json!({"paths": ["one"], "left": "me", "right": "me"});
    let said = Document::parse(&document.to_string()).expect_err("it is wrong").to_string();
    assert!(
        said.starts_with("`pairs.a.right` is me, expected another namespace than `left`"),
        "{said}"
    );
}

#[test]
fn a_repeated_key_is_refused_at_any_depth() {
    let good = good().to_string();
    assert!(Document::parse(&good).is_ok());
    for (before, after, place) in [
        ("\"name\":", "\"name\":\"other\",\"name\":", "document"),
        ("\"one\":{", "\"one\":{},\"one\":{", "network.paths"),
        ("\"a\":{", "\"a\":{},\"a\":{", "pairs"),
    ] {
        let wrong = good.replace(before, after);
        let said = Document::parse(&wrong).expect_err("it is wrong").to_string();
        let key = before.split('"').nth(1).expect("a key");
        let expected = format!("`{place}`: key \"{key}\" is there twice, expected each key once");
        assert_eq!(said, expected);
    }
}

#[test]
fn a_document_that_is_no_object_is_refused_with_an_example() {
    for text in ["", "[]", "[\"lab\", {}, {}, 1500, 1, {}]", "1", "null", "lab"] {
        let said = Document::parse(text).expect_err("it is wrong").to_string();
        let expected = "`document`: expected an emulation as JSON: {\"name\": \"lab\", ";
        assert!(said.starts_with(expected), "{said}");
    }
    let said = Document::parse("{").expect_err("it is wrong").to_string();
    assert!(said.starts_with("`document`: EOF while parsing"), "{said}");
}

#[test]
fn an_error_of_the_parser_has_its_position() {
    let said = Document::parse("{\"name\": }").expect_err("it is wrong").to_string();
    assert!(said.starts_with("`name`: expected value at line 1 column 10"), "{said}");
}
