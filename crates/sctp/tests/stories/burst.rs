//! Limits of bursts, and the decay of unused windows. RFC 9260 §6.1 D, §7.2.1, §7.2.2

use manypath_cc::Profile;
use manypath_core::Span;
use manypath_sctp::{Burst, Config};

use crate::cmt::concurrent;
use crate::send::peer::{Peer, Report, alone};

/// A window of at least 30 kB, all of whose chunks were acknowledged; no data waits.
fn drained(config: Config) -> Peer {
    let mut peer = Peer::of(config);
    peer.submit(60, 1452);
    let mut acked = 0;
    while acked < 60 {
        peer.advance(Span::from_millis(5));
        acked += 1;
        peer.sack(acked, &[]);
    }
    assert_eq!(peer.stats(0).outstanding, 0);
    assert!(peer.stats(0).window > 30_000, "{}", peer.stats(0).window);
    peer
}

#[test]
fn the_burst_rule_limits_what_one_event_admits() {
    let window = drained(alone()).stats(0).window as usize;
    for (burst, packets) in [(Burst::None, window.div_ceil(1468)), (Burst::MaxBurst, 4)] {
        let mut peer = drained(alone());
        let mut limited = drained(Config { burst, max_burst: 4, ..alone() });
        assert_eq!(peer.submit(60, 1452).len(), window.div_ceil(1468));
        assert_eq!(limited.submit(60, 1452).len(), packets, "{burst:?}");
        assert_eq!(limited.stats(0).window as usize, window, "{burst:?}");
        // The next SACK admits as many again
        let highest = limited.highest;
        if burst == Burst::MaxBurst {
            assert_eq!(limited.sack(highest - 3, &[]).len(), 4);
        }
    }
}

#[test]
fn max_burst_counts_each_path_by_itself() {
    let config = Config { burst: Burst::MaxBurst, max_burst: 2, ..concurrent() };
    let mut peer = Peer::on(2, 100_000, config);
    let paths: Vec<usize> =
        peer.submit_by_path(60, 1452).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [0, 0, 1, 1]);
}

#[test]
fn use_it_or_lose_it_cuts_the_window_to_one_burst() {
    let mut peer = Peer::of(Config { burst: Burst::UseItOrLoseIt, max_burst: 2, ..alone() });
    // Nothing is in flight: the window of 4404 bytes is cut to two packets of 1500, which a third packet exceeds
    assert_eq!(peer.submit(60, 1452), [[1], [2], [3]]);
    assert_eq!(peer.stats(0).window, 3000);
    // With two chunks in flight there is room for the growth
    assert_eq!(peer.sack(1, &[]), [[4], [5]]);
    assert_eq!(peer.stats(0).window, 3000 + 1468);
    // Everything arrives at once: the window was not kept in use
    assert_eq!(peer.sack(5, &[]), [[6], [7], [8]]);
    assert_eq!(peer.stats(0).window, 3000);
}

#[test]
fn a_window_that_is_not_full_does_not_grow() {
    let mut peer = Peer::of(alone());
    for round in 1..50 {
        assert_eq!(peer.submit(1, 1452), [[round]]);
        peer.advance(Span::from_millis(10));
        peer.sack(round, &[]);
    }
    assert_eq!(peer.stats(0).window, 4404);
}

#[test]
fn partial_bytes_acked_is_reset_when_nothing_is_outstanding() {
    let mut peer = Peer::grown();
    peer.lose_first(&[2, 3, 4]);
    // Above the threshold, the application has no more data: the last chunks do not fill the window
    while peer.stats(0).outstanding > 0 {
        peer.sack(peer.highest, &[]);
    }
    let (before, acked) = (peer.stats(0), peer.highest);
    assert!(before.window > before.ssthresh);
    peer.submit(60, 1452);
    let mut chunks = 0;
    while peer.stats(0).window == before.window {
        chunks += 1;
        peer.sack(acked + chunks, &[]);
    }
    assert_eq!(u64::from(chunks), before.window.div_ceil(1468), "a whole window must arrive");
}

#[test]
fn a_window_that_is_not_used_is_lost_step_by_step() {
    let rest = |profile, idle: u64| {
        let mut peer = drained(Config { profile, ..alone() });
        let before = peer.stats(0);
        peer.advance(Span::from_millis(idle));
        peer.submit(1, 1452);
        (before.window, peer.stats(0).window, peer.stats(0).ssthresh)
    };
    let (window, after, _) = rest(Profile::RFC9260, 700);
    assert_eq!(after, window, "within one RTO nothing is lost");
    let (window, after, ssthresh) = rest(Profile::RFC9260, 1500);
    assert_eq!(
        (after, ssthresh),
        (window / 2, window),
        "slow start leads back to the earlier window"
    );
    let (window, after, _) = rest(Profile::RFC9260, 2500);
    assert_eq!(after, window / 4);
    let (_, after, _) = rest(Profile::RFC9260, 3_600_000 - 1);
    assert_eq!(after, 4 * 1468, "down to four chunks");
    let (_, after, _) = rest(Profile::INET, 1500);
    assert_eq!(after, 4380, "the papers' simulator resets the window");
}

#[test]
fn idleness_reduces_the_window_once() {
    let mut peer = drained(Config { nagle: false, ..alone() });
    let window = peer.stats(0).window;
    peer.advance(Span::from_millis(1500));
    for _ in 0..5 {
        peer.submit(1, 100);
    }
    assert_eq!(peer.stats(0).window, window / 2);
    let reported = Report { cumulative: peer.highest, ..Report::default() };
    peer.sack_by_path(reported);
    peer.submit(1, 100);
    assert_eq!(peer.stats(0).window, window / 2);
}
