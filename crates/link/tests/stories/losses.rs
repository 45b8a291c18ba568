//! Losses and damage have the probabilities of their formulas.

use manypath_core::{Random, Streams, Time};
use manypath_link::LossConfig;
use manypath_link::loss::{BitErrorConfig, Fate, GilbertElliottConfig, Loss};

/// The fates of `count` packets of `size` bytes.
fn fates(config: &LossConfig, size: u32, count: usize) -> Vec<Fate> {
    let (mut loss, mut random) = (config.build(), random());
    (0..count).map(|_| loss.fate(Time::ZERO, size, &mut random)).collect()
}

fn random() -> Random {
    Streams::new(1, 0).stream("link/any/loss")
}

/// The tolerance of a share of `n` independent events of probability `p`: four standard deviations.
fn tolerance(p: f64, n: usize) -> f64 {
    4.0 * (p * (1.0 - p) / n as f64).sqrt()
}

fn noise(rate: f64) -> LossConfig {
    LossConfig::BitError(BitErrorConfig { rate, spared: 0 })
}

#[test]
fn five_wrong_bits_in_a_million_damage_5_82_percent_of_the_packets_of_1500_bytes() {
    assert!((noise(5e-6).harm(1500) - 0.0582).abs() < 5e-5);
    // 1 - (1 - 1/2)^8 for one byte.
    assert!((noise(0.5).harm(1) - 255.0 / 256.0).abs() < 1e-15);
    assert_eq!((noise(0.0).harm(1500), noise(1.0).harm(1500)), (0.0, 1.0));
    // A rate so low that the power of (1 - ε) would round to 1.
    assert!((noise(1e-18).harm(1500) / 12_000e-18 - 1.0).abs() < 1e-12);
}

#[test]
fn the_bit_error_rate_is_independent_of_the_packet_size() {
    const PACKETS: usize = 200_000;
    for (rate, size) in [(5e-6, 1500), (5e-6, 40), (1e-4, 1500), (1e-3, 9000), (0.1, 1)] {
        let fates = fates(&noise(rate), size, PACKETS);
        let damaged = fates.iter().filter(|fate| matches!(fate, Fate::Damaged { .. })).count();
        let (share, expected) = (damaged as f64 / PACKETS as f64, noise(rate).harm(size));
        assert!((share - expected).abs() <= tolerance(expected, PACKETS), "{share} for {expected}");
        assert!(!fates.contains(&Fate::Lost), "damage is no loss");
    }
}

#[test]
fn damaged_bytes_are_uniformly_distributed() {
    const SIZE: u32 = 20;
    for rate in [1e-4, 1e-2, 1.0] {
        let mut hits = [0_u32; SIZE as usize];
        for fate in fates(&noise(rate), SIZE, 400_000) {
            if let Fate::Damaged { byte } = fate {
                hits[byte as usize] += 1;
            }
        }
        let mean = f64::from(hits.iter().sum::<u32>()) / f64::from(SIZE);
        // Chi-squared with 19 degrees of freedom exceeds 43.8 once in a thousand seeds.
        let chi: f64 = hits.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
        assert!(chi < 43.8, "ε = {rate}: {hits:?}");
    }
}

#[test]
fn spared_headers_move_the_damage_further_back() {
    let spared = |bytes| LossConfig::BitError(BitErrorConfig { rate: 1e-4, spared: bytes });
    for (size, bytes) in [(1500, 48), (60, 48), (40, 48), (1, 48)] {
        for (plain, moved) in
            fates(&noise(1e-4), size, 20_000).into_iter().zip(fates(&spared(bytes), size, 20_000))
        {
            match (plain, moved) {
                (Fate::Damaged { .. }, Fate::Damaged { byte }) => {
                    assert!(byte < size && byte >= bytes.min(size - 1), "byte {byte} of {size}");
                }
                _ => assert_eq!(plain, moved),
            }
        }
    }
}

#[test]
fn each_packet_draws_one_random_number() {
    // So two runs with different packet sizes use the same random numbers for the same packet.
    let (mut noisy, mut random, mut twin) = (noise(1e-4).build(), random(), random());
    for size in [40, 1500, 9000].repeat(1000) {
        let draw = twin.unit();
        let is_damaged = noisy.fate(Time::ZERO, size, &mut random) != Fate::Intact;
        assert_eq!(is_damaged, draw < noise(1e-4).harm(size));
    }
}

/// A channel that is bad for one packet in eleven, ten packets at a time.
fn bursts(loss_bad: f64, loss_good: f64) -> LossConfig {
    let (to_bad, to_good) = (0.01, 0.1);
    LossConfig::GilbertElliott(GilbertElliottConfig { to_bad, to_good, loss_bad, loss_good })
}

/// Lengths of the runs of lost packets.
fn runs(fates: &[Fate]) -> Vec<usize> {
    let chunks = fates.chunk_by(|a, b| a == b);
    chunks.filter(|run| run[0] == Fate::Lost).map(<[Fate]>::len).collect()
}

#[test]
fn the_mean_loss_of_a_bursty_link_follows_from_its_states() {
    // π = 0.01 / (0.01 + 0.1) = 1/11. The share of n packets in the bad state scatters by the square root of
    // π (1 - π) / n * (2 - 0.11) / 0.11: because of correlation, n packets count as n / 17.2.
    const PACKETS: usize = 2_000_000;
    for (loss_bad, loss_good) in [(1.0, 0.0), (0.5, 0.0), (0.8, 0.01), (0.0, 0.3)] {
        let fates = fates(&bursts(loss_bad, loss_good), 1500, PACKETS);
        let lost = fates.iter().filter(|&&fate| fate == Fate::Lost).count();
        let expected = loss_bad / 11.0 + loss_good * 10.0 / 11.0;
        let share = lost as f64 / PACKETS as f64;
        let tolerance = tolerance(1.0 / 11.0, PACKETS / 18) + tolerance(expected, PACKETS);
        assert!((share - expected).abs() < tolerance, "{share} for {expected}");
    }
}

#[test]
fn with_certain_loss_bursts_have_the_length_of_the_bad_state() {
    // With certain loss in the bad state a burst ends with probability 0.1 at each packet: geometric, mean 10.
    let bursts = runs(&fates(&bursts(1.0, 0.0), 1500, 2_000_000));
    assert!(bursts.len() > 15_000);
    let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
    // The standard deviation of one burst is the square root of 0.9 / 0.1²: 9.5.
    assert!((mean - 10.0).abs() < 4.0 * 9.5 / (bursts.len() as f64).sqrt(), "a mean of {mean}");
    for length in [1, 2, 5, 10] {
        let share = bursts.iter().filter(|&&n| n == length).count() as f64 / bursts.len() as f64;
        let expected = 0.1 * 0.9_f64.powi(length as i32 - 1);
        assert!((share - expected).abs() < tolerance(expected, bursts.len()), "length {length}");
    }
}

#[test]
fn a_loss_probability_of_one_half_in_the_bad_state_makes_shorter_bursts() {
    // A run of losses continues if the state stays bad and the next packet is lost: 0.9 * 0.5, so the mean is 1 / 0.55.
    let bursts = runs(&fates(&bursts(0.5, 0.0), 1500, 2_000_000));
    let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
    assert!((mean - 1.0 / 0.55).abs() < 0.03, "a mean of {mean}");
}

#[test]
fn a_bursty_link_begins_in_the_good_state_and_never_leaves_a_state_with_probability_0() {
    let stays =
        |to_bad, to_good| GilbertElliottConfig { to_bad, to_good, loss_bad: 1.0, loss_good: 0.0 };
    let never = LossConfig::GilbertElliott(stays(0.0, 0.0));
    assert!(!fates(&never, 1500, 1000).contains(&Fate::Lost));
    assert_eq!(never.harm(1500), 0.0);
    let trap = LossConfig::GilbertElliott(stays(1.0, 0.0));
    let fates = fates(&trap, 1500, 1000);
    assert_eq!((fates[0], runs(&fates)), (Fate::Intact, vec![999]));
    assert_eq!(trap.harm(1500), 1.0);
}
