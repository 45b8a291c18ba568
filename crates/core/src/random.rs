//! Random numbers from streams with names, so that a new component never shifts the numbers of another.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// The random streams of one run.
///
/// Two runs with the same seed and replication see the same numbers in streams of the same name, whatever other
/// streams they use: two algorithms can be compared under the same losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    replication: u64,
}

/// One random stream: PCG XSL RR 128/64, whose raw output is stable by the promise of its crate.
///
/// The conversions to other types are made here, since those of other crates may change between releases.
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
            // The lowest `2^64 mod n` fractions occur once too often: draw again.
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

    /// True with probability `p`; takes one number from the stream whatever `p` is.
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

/// One step of SplitMix64: neighbouring seeds become unrelated words.
const fn mix(word: u64) -> u64 {
    let z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
