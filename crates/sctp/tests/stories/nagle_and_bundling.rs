//! Bundling of chunks, and packets that wait until they are full. RFC 9260 §6.1, §6.10

use manypath_core::Span;
use manypath_sctp::{Config, SackPath};

use crate::pair::{A, FIRST, Pair, Z, message as bytes};
use crate::send::peer::{Peer, alone, message};

#[test]
fn chunks_share_a_packet_as_long_as_they_fit() {
    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    // 12 chunks of 116 bytes fit into 1468, 13 do not
    let packets: Vec<usize> = peer.submit(30, 100).iter().map(Vec::len).collect();
    assert_eq!(packets, [12, 12, 6]);
}

#[test]
fn padding_takes_its_place_in_the_packet() {
    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    // 12 chunks of 121 bytes would fit, but each takes 124
    let packets: Vec<usize> = peer.submit(20, 105).iter().map(Vec::len).collect();
    assert_eq!(packets, [11, 9]);
}

#[test]
fn packets_fit_an_mtu_that_is_no_multiple_of_four() {
    let mut pair = Pair::configured(1, |_, config| config.mtu = 1429);
    pair.connect();
    // Seven chunks of 200 bytes would leave room for 17 bytes of an eighth, but none for its padding
    pair.send_all(A, [181, 181, 181, 181, 181, 181, 181, 1].map(bytes));
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.read(Z), 7 * 181 + 1);
    assert!(pair.data_packets(A).all(|sent| sent.size <= 1429));
}

#[test]
fn a_packet_leaves_as_soon_as_it_is_full_headers_of_chunks_included() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(1, 1452), [[1]]);
    assert_eq!(peer.submit(12, 100), [[0; 0]; 0], "a thirteenth chunk might follow");
    assert_eq!(peer.submit(1, 100), [(2..14).collect::<Vec<u32>>()]);
    assert_eq!(peer.sack(13, &[]), [[14]]);
}

#[test]
fn without_nagle_packets_are_not_held() {
    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    for chunk in 1..10 {
        assert_eq!(peer.submit(1, 100), [[chunk]]);
    }
}

#[test]
fn no_packet_is_held_after_shutdown() {
    let mut peer = Peer::of(alone());
    peer.submit(1, 1452);
    assert_eq!(peer.submit(1, 100), [[0; 0]; 0]);
    peer.endpoint.shutdown(peer.now, FIRST);
    assert_eq!(peer.submit(0, 100), [[2]]);
}

#[test]
fn retransmissions_are_bundled() {
    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    for _ in 0..12 {
        peer.submit(1, 100);
    }
    // Twelve packets become one
    assert_eq!(peer.advance(Span::from_secs(1)), [(1..13).collect::<Vec<u32>>()]);
}

#[test]
fn lost_chunks_precede_new_ones_in_a_common_packet() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(1, 1000), [[1]]);
    assert_eq!(peer.submit(2, 300), [[0; 0]; 0], "Nagle holds them");
    assert_eq!(
        peer.advance(Span::from_secs(1)),
        [[1, 2]],
        "both would not fit, so the packet is full"
    );
    assert_eq!(peer.sack(2, &[]), [[3]]);

    let mut peer = Peer::of(Config { nagle: false, ..alone() });
    assert_eq!(peer.submit(5, 1000).len(), 5);
    peer.endpoint.send(peer.now, FIRST, message(300)).unwrap();
    assert_eq!(peer.advance(Span::from_secs(1)), [[1, 6]]);
}

#[test]
fn a_sack_and_data_share_a_packet() {
    let mut pair = Pair::configured(1, |_, config| config.nagle = false);
    pair.connect();
    for side in [A, Z, A, A, Z] {
        pair.send(side, 500);
        pair.drive(Span::from_millis(11));
    }
    pair.settle();
    assert_eq!(
        pair.arrows(),
        [
            "A -> DATA -> Z",
            "Z -> SACK -> A",
            "Z -> DATA -> A",
            "A -> SACK -> Z",
            "A -> DATA -> Z",
            "A -> DATA -> Z",
            "Z -> SACK -> A",
            "Z -> DATA -> A",
        ]
    );
}

#[test]
fn a_sack_takes_its_place_in_the_packet() {
    let mut pair = Pair::new(1);
    pair.connect();
    for side in [A, Z] {
        pair.send(side, 1452);
        pair.settle();
    }
    pair.send(Z, 1452);
    // Twelve chunks of 121 bytes wait, which fill a packet only if a SACK takes 16 bytes of it
    pair.send_many(Z, 12, 105);
    pair.network.log.clear();
    pair.send_many(A, 2, 1452);
    pair.settle();
    let shared = pair.data_packets(Z).next().expect("DATA comes with the SACK");
    assert!(shared.sack.is_some());
    assert_eq!((shared.data.len(), shared.size), (11, 20 + 12 + 16 + 11 * 124));
}

#[test]
fn a_due_sack_is_bundled_after_control_chunks_and_before_data() {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.send(A, 100);
    pair.settle();
    let arrows = pair.arrows();
    assert!(arrows.contains(&"A -> COOKIE ECHO + DATA -> Z".to_owned()), "{arrows:?}");
    assert!(arrows.contains(&"Z -> COOKIE ACK + SACK -> A".to_owned()), "{arrows:?}");
}

#[test]
fn a_sack_that_could_wait_joins_data_if_there_is_room() {
    for (answer, expected) in [(1432, "Z -> SACK + DATA -> A"), (1440, "Z -> DATA -> A")] {
        let mut pair = Pair::configured(1, |_, config| config.nagle = false);
        pair.connect();
        for _ in 0..2 {
            pair.send(A, 100);
            pair.settle();
        }
        pair.arrows();
        pair.send(Z, answer);
        assert_eq!(pair.arrows(), [expected]);
        pair.drive(Span::from_millis(500));
        let sacks = pair.sacks(Z).count();
        assert_eq!(sacks, usize::from(answer == 1440), "the other SACK comes when its time is up");
    }
}

#[test]
fn a_sack_that_could_wait_does_not_join_data_on_another_path() {
    let mut pair = Pair::configured(2, |_, config| {
        (config.nagle, config.sack_path) = (false, SackPath::LastData);
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.send(A, 100);
    pair.settle();
    pair.network.cut(0);
    pair.send(A, 100);
    // A's second chunk uses path 1 after the timeout; Z answers on its primary path
    pair.drive_until(|pair| pair.data_packets(A).any(|sent| sent.path == 1));
    pair.settle();
    pair.network.log.clear();
    pair.send(Z, 100);
    assert_eq!(pair.arrows(), ["Z -> DATA -> lost"]);
}
