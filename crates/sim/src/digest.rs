//! A hash of a whole run as one `u64`.

use manypath_core::Time;

use crate::routes::LinkId;

/// A hash of every event of a packet on a link: time, link, size in bytes, and fate.
///
/// It is a sum over the events, so it does not depend on the order in which they are computed. Two runs with the same
/// events have the same digest; a different event changes it. The hash is not cryptographic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest(u64);

/// What happened to a packet at a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A byte of the packet was damaged; the offset of the byte replaces the size. A delivery follows.
    Damaged = 0,
    /// The packet left the link at the far end.
    Delivered = 1,
    /// The link refused the packet.
    Dropped = 2,
    /// The link lost the packet after it had accepted it.
    Lost = 3,
}

impl Digest {
    /// Adds an event of a packet of `bytes` bytes.
    #[inline]
    pub fn add(&mut self, at: Time, link: LinkId, bytes: u32, fate: Fate) {
        self.0 = self.0.wrapping_add(hash(at, link, bytes, fate));
    }

    /// Removes an event that was added before.
    #[inline]
    pub fn remove(&mut self, at: Time, link: LinkId, bytes: u32, fate: Fate) {
        self.0 = self.0.wrapping_sub(hash(at, link, bytes, fate));
    }

    /// The digest so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// One multiplication of 64 by 64 bits; both halves of the product are used.
#[inline]
fn hash(at: Time, link: LinkId, bytes: u32, fate: Fate) -> u64 {
    let place = u64::from(link.0) << 34 | u64::from(bytes) << 2 | fate as u64;
    let product = u128::from(at.as_nanos() ^ SEED) * u128::from(place ^ MULTIPLIER);
    (product >> 64) as u64 ^ product as u64
}

/// Fractional digits of pi, as an arbitrary constant.
const SEED: u64 = 0x243f_6a88_85a3_08d3;
const MULTIPLIER: u64 = 0x1319_8a2e_0370_7344;
