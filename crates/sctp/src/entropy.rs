//! The source of tags, sequence numbers, nonces and keys: a stream of the simulator, or a cryptographic generator.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use manypath_core::{Random, Streams};

/// A source of random numbers.
#[derive(Debug)]
pub(crate) enum Entropy {
    /// Repeatable and predictable; only for simulations.
    Simulated(Random),
    /// ChaCha20 with a secret key. RFC 8439 §2.3
    Secret(Box<ChaCha20Rng>),
}

/// How the generators of an endpoint's associations are derived.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// From a named stream of the run, by the endpoint's name and the number of the association.
    Simulated {
        /// All streams of the run.
        streams: Streams,
        /// Name of the endpoint.
        name: String,
    },
    /// From a key that the endpoint's generator draws for each association.
    Secret,
}

impl Entropy {
    /// A cryptographic generator. Its seed must stay secret.
    pub(crate) fn secret(seed: [u8; 32]) -> Self {
        Self::Secret(Box::new(ChaCha20Rng::from_seed(seed)))
    }

    /// 64 random bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        match self {
            Self::Simulated(random) => random.next_u64(),
            Self::Secret(random) => random.next_u64(),
        }
    }

    /// A number in `low..=high`. With a secret generator the bias is less than `(high - low) / 2⁶⁴`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        match self {
            Self::Simulated(random) => random.between(low, high),
            Self::Secret(random) => {
                let count = u128::from(high - low) + 1;
                low + ((u128::from(random.next_u64()) * count) >> 64) as u64
            }
        }
    }

    /// The source for a restarted association, which replaces the one with this source.
    pub(crate) fn successor(&mut self) -> Self {
        match self {
            Self::Simulated(random) => Self::Simulated(random.clone()),
            Self::Secret(_) => Self::secret(self.key()),
        }
    }

    /// 256 random bits.
    pub(crate) fn key(&mut self) -> [u8; 32] {
        let mut key = [0; 32];
        for word in key.chunks_exact_mut(8) {
            word.copy_from_slice(&self.next_u64().to_be_bytes());
        }
        key
    }
}

impl Origin {
    /// The generator of association number `number`; `own` is the endpoint's.
    pub(crate) fn child(&self, own: &mut Entropy, number: u64) -> Entropy {
        match self {
            Self::Simulated { streams, name } => {
                Entropy::Simulated(streams.stream(&format!("{name}/sctp/{number}")))
            }
            Self::Secret => Entropy::secret(own.key()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8439 appendix A.1, test vector 1: key, nonce and counter are zero.
    #[test]
    fn the_secret_generator_is_chacha20() {
        let mut random = Entropy::secret([0; 32]);
        let words = [random.next_u64(), random.next_u64()];
        let stream = [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90];
        assert_eq!(words[0], u64::from_le_bytes(stream));
        let stream = [0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28];
        assert_eq!(words[1], u64::from_le_bytes(stream));
    }

    #[test]
    fn secret_generators_of_associations_differ_from_each_other_and_from_their_origin() {
        let mut own = Entropy::secret([7; 32]);
        let mut first = Origin::Secret.child(&mut own, 0);
        let mut second = Origin::Secret.child(&mut own, 0);
        let drawn = [first.next_u64(), second.next_u64(), own.next_u64()];
        assert!(drawn[0] != drawn[1] && drawn[1] != drawn[2] && drawn[0] != drawn[2]);
    }

    #[test]
    fn a_secret_number_stays_within_its_bounds() {
        let mut random = Entropy::secret([3; 32]);
        assert!((0..1000).all(|_| (10..=12).contains(&random.between(10, 12))));
        assert_eq!(random.between(9, 9), 9);
        random.between(0, u64::MAX);
    }
}
