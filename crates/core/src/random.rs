//! Random numbers from named streams, so that a new component does not change the numbers of another.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// The random streams of one run.
///
/// Two runs with the same seed and replication get the same numbers from streams of the same name, independently of the
/// other streams that they use. Two algorithms can therefore be compared under the same losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    replication: u64,
}

/// One random stream: PCG XSL RR 128/64. Its crate guarantees that the raw output stays the same in all versions.
///
/// This type converts the raw output to other types itself, because the conversions of other crates may change between
/// releases.
#[derive(Clone, Debug)]
pub struct Random(Pcg64);

impl Streams {
    /// The streams of replication `replication` of an experiment with the seed `seed`.
    #[must_use]
    pub const fn new(seed: u64, replication: u64) -> Self {
        Self { seed, replication }
    }

    /// The stream of the component called `name`, from its first number.
    #[must_use]
    pub fn stream(&self, name: &str) -> Random {
        let mut mixed = mix(self.seed);
        mixed = mix(mixed ^ self.replication);
        mixed = mix(mixed ^ fnv1a(name));
        let mut word = || {
            mixed = mix(mixed);
            u128::from(mixed)
        };
        let state = word() << 64 | word();
        let sequence = word() << 64 | word();
        Random(Pcg64::new(state, sequence))
    }
}

impl Random {
    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number in `0..n` without bias (Lemire 2019).
    ///
    /// # Panics
    /// If `n` is zero: there is no such number.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a random number below 0 does not exist");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            // The lowest `2^64 mod n` fractions occur once too often: such a draw is repeated.
            let surplus = n.wrapping_neg() % n;
            while (product as u64) < surplus {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// A number in `low..=high` without bias.
    ///
    /// # Panics
    /// If `low > high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        assert!(low <= high, "a random number between {low} and {high} does not exist");
        match (high - low).checked_add(1) {
            Some(count) => low + self.below(count),
            None => self.next_u64(),
        }
    }

    /// True with probability `p`. Takes one number from the stream for every value of `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

/// FNV-1a, 64 bits.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One step of SplitMix64: neighbouring seeds give unrelated words.
const fn mix(word: u64) -> u64 {
    let z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first_numbers(streams: Streams, name: &str) -> [u64; 3] {
        let mut random = streams.stream(name);
        [random.next_u64(), random.next_u64(), random.next_u64()]
    }

    /// These numbers must never change, because every published result depends on them.
    ///
    /// A second, independent implementation of the three published algorithms computed them.
    #[test]
    fn the_streams_have_fixed_numbers() {
        let pinned = [
            (0, 0, "", [0x5bb5_2e09_9c66_5043, 0x2099_05ba_d362_f11c, 0x1379_c7a8_c568_fd22]),
            (
                1,
                0,
                "link/north/loss",
                [0x00fb_091e_2fc6_7596, 0xb669_13cc_e242_7a46, 0xb449_7b85_b9b0_22b7],
            ),
            (
                1,
                1,
                "link/north/loss",
                [0x7694_0ac1_bf76_c390, 0x3a38_3d87_46f8_fd20, 0x7c97_5f92_2530_db14],
            ),
            (
                1,
                0,
                "link/south/loss",
                [0xd8ce_ba78_21f4_6a94, 0x9936_3d3a_7775_c467, 0x1464_cf97_80ef_4a75],
            ),
        ];
        for (seed, replication, name, numbers) in pinned {
            assert_eq!(
                first_numbers(Streams::new(seed, replication), name),
                numbers,
                "stream {name:?}"
            );
        }
    }

    #[test]
    fn the_hash_of_a_name_is_fnv_1a() {
        // From the test vectors of the authors of FNV.
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn mix_is_splitmix64() {
        // The first output for the seed 1234567 in the published reference code.
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a tolerance does not depend on the last bit")]
    fn below_is_uniform() {
        let mut random = Streams::new(5, 0).stream("die");
        let mut faces = [0_u32; 6];
        for _ in 0..60_000 {
            faces[random.between(1, 6) as usize - 1] += 1;
        }
        // Chi-squared with 5 degrees of freedom exceeds 20.5 once in a thousand seeds.
        let chi: f64 = faces.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 20.5, "{faces:?}");
    }

    #[test]
    fn probabilities_0_and_1_are_certain() {
        let mut random = Streams::new(6, 0).stream("ends");
        assert!((0..1000).all(|_| random.chance(1.0) && !random.chance(0.0)));
        assert_eq!(random.between(9, 9), 9);
        assert_eq!(random.below(1), 0);
        random.between(0, u64::MAX);
    }

    proptest! {
        #[test]
        fn numbers_stay_within_their_bounds(seed: u64, n in 1_u64..) {
            let mut random = Streams::new(seed, 0).stream("bounds");
            prop_assert!(random.below(n) < n);
            prop_assert!((0.0..1.0).contains(&random.unit()));
        }
    }
}
