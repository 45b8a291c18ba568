//! One `u64` that names a whole run.

use manypath_core::Time;

use crate::routes::LinkId;

/// A running hash of everything that happened to packets on links: when, where, how many bytes, with which fate.
///
/// Two runs with the same digest did the same; the first difference changes it. It is no defence against forgery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(u64);

/// What happened to a packet at a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A byte of it was damaged; the place of the byte stands for the size. Then it was delivered.
    Damaged = 0,
    /// It came out at the far end.
    Delivered = 1,
    /// It was refused at the near end.
    Dropped = 2,
    /// It was lost inside.
    Lost = 3,
}

impl Default for Digest {
    fn default() -> Self {
        Self(SEED)
    }
}

impl Digest {
    /// Something happened to a packet of `bytes` bytes: one multiplication of 64 by 64 bits, both halves of the
    /// product kept.
    #[inline]
    pub fn mix(&mut self, now: Time, link: LinkId, bytes: u32, fate: Fate) {
        let place = u64::from(link.0) << 34 | u64::from(bytes) << 2 | fate as u64;
        let product = u128::from(self.0 ^ now.as_nanos()) * u128::from(place ^ MULTIPLIER);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    /// The digest so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Fractions of pi: numbers with nothing up their sleeve.
const SEED: u64 = 0x243f_6a88_85a3_08d3;
const MULTIPLIER: u64 = 0x1319_8a2e_0370_7344;
