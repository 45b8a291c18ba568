//! Non-renegably acknowledged chunks leave the send buffer at once. draft-natarajan-tsvwg-sctp-nrsack

use manypath_core::Span;
use manypath_sctp::Config;

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Z, path};
use crate::send::peer::{Peer, Report};

fn six_chunks() -> (Peer, usize) {
    let mut peer = Peer::on(2, 100_000, concurrent());
    assert_eq!(peer.submit_by_path(6, 1452).len(), 6);
    let space = peer.endpoint.send_space(FIRST);
    (peer, space)
}

#[test]
fn non_renegable_data_leaves_the_send_buffer_and_renegable_data_stays() {
    let (mut peer, space) = six_chunks();
    peer.sack_by_path(Report { gaps: &[(4, 4)], ..Report::default() });
    assert_eq!(peer.endpoint.send_space(FIRST), space);
    peer.sack_by_path(Report { gaps: &[(4, 4)], kept: &[(5, 6)], ..Report::default() });
    assert_eq!(peer.endpoint.send_space(FIRST), space + 2 * 1452);
    assert_eq!(peer.stats(1).outstanding, 0, "both kinds have left the flight");
    peer.sack_by_path(Report { cumulative: 6, ..Report::default() });
    assert_eq!(peer.endpoint.send_space(FIRST), space + 6 * 1452, "each chunk once");
}

#[test]
fn renegable_data_that_becomes_non_renegable_is_not_acknowledged_twice() {
    let (mut peer, space) = six_chunks();
    peer.sack_by_path(Report { gaps: &[(4, 6)], ..Report::default() });
    let before = peer.stats(1);
    peer.sack_by_path(Report { kept: &[(4, 6)], ..Report::default() });
    assert_eq!(peer.endpoint.send_space(FIRST), space + 3 * 1452);
    assert_eq!(peer.stats(1), before);
}

#[test]
fn non_renegable_data_stays_acknowledged_if_later_sacks_do_not_report_it() {
    let (mut peer, space) = six_chunks();
    peer.sack_by_path(Report { gaps: &[(4, 4)], kept: &[(5, 6)], ..Report::default() });
    peer.sack_by_path(Report::default());
    assert_eq!(peer.stats(1).outstanding, 1468, "4 is in flight again, 5 and 6 are not");
    assert_eq!(peer.endpoint.send_space(FIRST), space + 2 * 1452);
}

/// A SACK for data that was never sent does not acknowledge other data either.
#[test]
fn a_non_renegable_block_of_data_that_was_never_sent_is_ignored() {
    for kept in [&[(4, 4), (7, 7)][..], &[(5, 7)]] {
        let (mut peer, space) = six_chunks();
        let before = peer.stats(1);
        peer.sack_by_path(Report { kept, ..Report::default() });
        assert_eq!(peer.endpoint.send_space(FIRST), space);
        assert_eq!(peer.stats(1), before);
    }
}

#[test]
fn non_renegable_blocks_count_for_growth_and_for_losses() {
    let (mut peer, _) = six_chunks();
    peer.sack_by_path(Report { kept: &[(4, 4)], path: 1, ..Report::default() });
    assert_eq!(peer.stats(1).window, 4404 + 1468);
    let (mut peer, _) = six_chunks();
    peer.sack_by_path(Report { kept: &[(5, 6)], packets: 3, path: 1, ..Report::default() });
    assert_eq!(peer.stats(1).fast_retransmissions, 1);
}

#[test]
fn nr_sack_is_used_if_both_sides_offer_it() {
    for offers in [[true, true], [true, false], [false, true]] {
        let mut pair = Pair::configured(1, |side, config| config.nr_sack = offers[side as usize]);
        pair.connect();
        pair.send(A, 100);
        pair.settle();
        let expected = if offers == [true, true] { "Z -> NR-SACK -> A" } else { "Z -> SACK -> A" };
        assert_eq!(pair.arrows(), ["A -> DATA -> Z", expected]);
    }
}

#[test]
fn an_nr_sack_that_was_not_agreed_on_ends_its_packet() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.network.rule(|sent| if sent.data.is_empty() { Fault::None } else { Fault::Lose });
    pair.send(A, 700);
    let sent = pair.data_packets(A).next().expect("it is in flight").data[0].clone();
    let chunk = manypath_sctp::Control::Error(Vec::new());
    let mut packet = pair.forge(A, pair.tag_of(A), chunk);
    packet.has_sack = true;
    packet.sack.non_renegable_chunk = true;
    (packet.sack.cumulative, packet.sack.window) = (sent.tsn, 10_000);
    packet.data.push(sent);
    // No data is acknowledged, the chunks after it are not read, and no error is reported
    let plain = {
        let mut packet = packet.clone();
        packet.sack.non_renegable_chunk = false;
        packet.data.clear();
        packet
    };
    pair.arrows();
    pair.inject(A, 0, packet);
    assert_eq!(pair.endpoint(A).stats(FIRST).sacks_received, 0);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).data_packets_received, 0);
    assert!(pair.arrows().is_empty());
    pair.inject(A, 0, plain);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).outstanding, 0);
}

#[test]
fn with_nr_sack_a_gap_does_not_block_the_send_buffer() {
    let handed_over = |nr_sack| {
        let mut pair = Pair::configured(1, |_, config| {
            *config = Config { nr_sack, send_buffer: 14_520, ..config.clone() };
        });
        pair.connect();
        // The window grows to ten chunks and more
        for _ in 0..4 {
            pair.send_many(A, 10, 1452);
            pair.drive_until_read(Z, 14_520);
            pair.drive(Span::from_millis(300));
        }
        // Every copy of the first of ten chunks is lost
        let mut lost = None;
        pair.network.rule(move |sent| match (sent.from, sent.data.first()) {
            (A, Some(chunk)) if *lost.get_or_insert(chunk.tsn) == chunk.tsn => Fault::Lose,
            _ => Fault::None,
        });
        pair.send_many(A, 10, 1452);
        pair.drive(Span::from_millis(500));
        pair.endpoint(A).send_space(FIRST)
    };
    assert_eq!(handed_over(false), 0);
    assert_eq!(handed_over(true), 9 * 1452);
}
