//! Bytes that travel, without losses: order, speed, sequence numbers. RFC 9293 §3.4

use manypath_core::Span;

use crate::pair::{A, Pair, Z};

#[test]
fn a_stream_arrives_in_order_and_fills_the_link() {
    let mut pair = Pair::new();
    pair.connect();
    pair.write(A, 1_000_000);
    let took = pair.drive_until_read(Z, 1_000_000);
    // 685 segments of 1500 bytes take 822 ms; slow start leaves the link idle for some round trips of 20 ms
    assert!(took > Span::from_millis(830) && took < Span::from_millis(950), "{took}");
    assert_eq!(pair.stats(A).timeouts, 0);
}
