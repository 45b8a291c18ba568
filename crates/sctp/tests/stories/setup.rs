//! Opening an association. RFC 9260 §5

use crate::pair::{A, FIRST, Pair, Z};

#[test]
fn four_packets_open_an_association() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    assert_eq!(
        pair.arrows(),
        ["A -> INIT -> Z", "Z -> INIT ACK -> A", "A -> COOKIE ECHO -> Z", "Z -> COOKIE ACK -> A"]
    );
    let _ = FIRST; let _ = Z;
}
