//! Generators of queues, loss models, events and traces for property tests of links.

use manypath_core::{Rate, Span, Time};
use manypath_link::loss::{self, BernoulliConfig, BitErrorConfig, GilbertElliottConfig};
use manypath_link::queue::{self, Capacity, CoDelConfig, FqCoDelConfig, PieConfig, RedConfig};
use manypath_link::{Change, LinkEvent, LossConfig, QueueConfig, Trace};
use proptest::prelude::*;
use proptest::strategy::Union;

/// Any registered queue discipline, with parameters that take effect within 300 packets.
pub(crate) fn queue() -> impl Strategy<Value = QueueConfig> {
    let strategies = [
        ("drop-tail", capacity().prop_map(QueueConfig::DropTail).boxed()),
        ("red", red().boxed()),
        ("codel", codel().boxed()),
        ("pie", pie().boxed()),
        ("fq-codel", fq_codel().boxed()),
    ];
    assert!(strategies.iter().map(|kind| kind.0).eq(queue::kinds().iter().map(|kind| kind.name)));
    Union::new(strategies.map(|kind| kind.1))
}

/// Any registered loss model.
pub(crate) fn loss() -> impl Strategy<Value = LossConfig> {
    let p = 0.0..=1.0_f64;
    let gilbert_elliott = (p.clone(), p.clone(), p.clone(), p.clone());
    let strategies = [
        ("none", Just(LossConfig::default()).boxed()),
        ("bernoulli", p.clone().prop_map(|p| LossConfig::Bernoulli(BernoulliConfig { p })).boxed()),
        ("bit-error", p.prop_map(bit_error).boxed()),
        ("gilbert-elliott", gilbert_elliott.prop_map(bursts).boxed()),
    ];
    assert!(strategies.iter().map(|kind| kind.0).eq(loss::kinds().iter().map(|kind| kind.name)));
    Union::new(strategies.map(|kind| kind.1))
}

/// Up to ten events within 300 ms.
pub(crate) fn events() -> impl Strategy<Value = Vec<LinkEvent>> {
    let change = prop_oneof![
        Just(Change::Down),
        Just(Change::Up),
        (100_000_u64..100_000_000).prop_map(|rate| Change::Rate(Rate::from_bits_per_second(rate))),
        (0_u64..20_000_000).prop_map(|delay| Change::Delay(Span::from_nanos(delay))),
        loss().prop_map(Change::Loss),
    ];
    prop::collection::vec((0_u64..300_000_000, change), 0..10).prop_map(|mut events| {
        events.sort_by_key(|event| event.0);
        events
            .into_iter()
            .map(|(at, change)| LinkEvent { at: Time::from_nanos(at), change })
            .collect()
    })
}

/// Any trace of up to twenty opportunities within half a second.
pub(crate) fn trace() -> impl Strategy<Value = Trace> {
    prop::collection::vec(0_u32..25, 0..20).prop_map(|gaps| {
        let gaps: Vec<_> = gaps.into_iter().chain([1]).map(|gap| gap.to_string()).collect();
        gaps.join(" ").parse().expect("a trace")
    })
}

fn capacity() -> impl Strategy<Value = Capacity> {
    prop_oneof![(1_u64..20).prop_map(Capacity::Packets), (1_u64..20_000).prop_map(Capacity::Bytes)]
}

fn red() -> impl Strategy<Value = QueueConfig> {
    (limits(), any::<bool>()).prop_map(|((packets, bytes), gentle)| {
        QueueConfig::Red(RedConfig { gentle, packets, bytes, ..RedConfig::new(0.2, 2.0, 8.0, 0.5) })
    })
}

fn codel() -> impl Strategy<Value = QueueConfig> {
    (limits(), delays(), 1_u64..3000).prop_map(|((packets, bytes), (target, interval), mtu)| {
        QueueConfig::CoDel(CoDelConfig { target, interval, mtu, packets, bytes })
    })
}

fn pie() -> impl Strategy<Value = QueueConfig> {
    (limits(), delays(), 0_u64..100).prop_map(|((packets, bytes), (target, update), burst)| {
        let burst = Span::from_millis(burst);
        let (alpha, beta) = (10.0, 100.0);
        QueueConfig::Pie(PieConfig { target, update, alpha, beta, burst, packets, bytes })
    })
}

fn fq_codel() -> impl Strategy<Value = QueueConfig> {
    (limits(), delays(), 1_u64..3000, 1_u64..3000, 1_u64..8).prop_map(
        |((packets, bytes), (target, interval), mtu, quantum, buckets)| {
            let shared = FqCoDelConfig { packets, bytes, ..FqCoDelConfig::default() };
            QueueConfig::FqCoDel(FqCoDelConfig {
                target,
                interval,
                mtu,
                quantum,
                buckets,
                ..shared
            })
        },
    )
}

/// Limits in packets and in bytes.
fn limits() -> impl Strategy<Value = (Option<u64>, Option<u64>)> {
    (prop::option::of(1_u64..20), prop::option::of(1_u64..20_000))
}

/// Two spans of up to 20 ms. The first one is usually shorter.
fn delays() -> impl Strategy<Value = (Span, Span)> {
    (1_u64..5_000_000, 1_000_u64..20_000_000)
        .prop_map(|(short, long)| (Span::from_nanos(short), Span::from_nanos(long)))
}

/// A bit error rate that is uniform on a logarithmic scale.
fn bit_error(p: f64) -> LossConfig {
    LossConfig::BitError(BitErrorConfig { rate: p * p * p * p, spared: 0 })
}

fn bursts((to_bad, to_good, loss_bad, loss_good): (f64, f64, f64, f64)) -> LossConfig {
    LossConfig::GilbertElliott(GilbertElliottConfig { to_bad, to_good, loss_bad, loss_good })
}
