//! How connections begin. RFC 9293 §3.5

use manypath_tcp::Event;

use crate::pair::{A, FIRST, Pair, Z};

#[test]
fn three_segments_open_a_connection() {
    let mut pair = Pair::new();
    pair.open(A);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> SYN -> Z", "Z -> SYN ACK -> A", "A -> ACK -> Z"]);
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
}
