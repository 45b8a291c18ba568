//! The paths of an association, one per address of the peer.

use std::ops::{Index, IndexMut};

use manypath_cc::Controller;
use manypath_core::{Address, PathId, Time, Via};

use super::heartbeat::ProbeTurns;
use crate::config::{Config, T3Path};
use crate::path::Path;

/// The paths of an association, in the order of their numbers.
///
/// The files of the procedures have further methods that choose among them, such as reachability.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    list: Vec<Path>,
    /// The primary path. RFC 9260 §6.4
    pub(crate) primary: PathId,
    /// Consecutive errors on all paths together. RFC 9260 §8.1
    pub(super) errors: u32,
    /// Number of paths that share the buffers.
    pub(super) sharers: u64,
    /// The turns of probes of unconfirmed addresses.
    pub(super) probe_turns: ProbeTurns,
}

impl Paths {
    pub(super) fn add(&mut self, path: Path) {
        self.list.push(path);
    }

    /// Removes all paths, and returns them.
    pub(super) fn take(&mut self) -> Vec<Path> {
        std::mem::take(&mut self.list)
    }

    /// Number of paths.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The numbers of all paths.
    #[inline]
    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = PathId> + Clone + use<> {
        (0..self.list.len()).map(|index| PathId(index as u8))
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Path> {
        self.list.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Path> {
        self.list.iter_mut()
    }

    pub(super) fn get(&self, path: PathId) -> Option<&Path> {
        self.list.get(path.index())
    }

    pub(super) fn get_mut(&mut self, path: PathId) -> Option<&mut Path> {
        self.list.get_mut(path.index())
    }

    /// The first path that passes the test.
    pub(super) fn find(&self, test: impl FnMut(&Path) -> bool) -> Option<PathId> {
        self.list.iter().position(test).map(|index| PathId(index as u8))
    }

    /// The addresses of the peer.
    pub(crate) fn peer_addresses(&self) -> impl Iterator<Item = Address> {
        self.list.iter().map(|path| path.via.remote)
    }

    /// The local addresses in the order of the paths.
    pub(super) fn local_addresses(&self) -> Vec<Address> {
        distinct(self.list.iter().map(|path| path.via.local))
    }

    /// The addresses of a path.
    pub(crate) fn via(&self, path: PathId) -> Option<Via> {
        Some(self.get(path)?.via)
    }

    /// Path MTU in bytes, as far as known.
    pub(crate) fn mtu(&self, path: PathId) -> Option<u16> {
        Some(self.get(path)?.network.mtu())
    }

    /// The path to an address of the peer.
    pub(crate) fn to_remote(&self, remote: Address) -> Option<PathId> {
        self.find(|path| path.via.remote == remote)
    }

    /// Whether a path uses this local address.
    pub(crate) fn leaves_from(&self, address: Address) -> bool {
        self.list.iter().any(|path| path.via.local == address)
    }

    /// The path on which a packet with these addresses arrived.
    pub(crate) fn of(&self, via: Via) -> Option<PathId> {
        // The first two paths are compared without a branch, because the branch would be unpredictable
        let first = self.list.first()?;
        let guess = usize::from(first.via.remote != via.remote);
        if self.list.get(guess).is_some_and(|path| path.via == via) {
            return Some(PathId(guess as u8));
        }
        self.search(via)
    }

    #[cold]
    fn search(&self, via: Via) -> Option<PathId> {
        self.find(|path| path.via == via).or_else(|| self.to_remote(via.remote))
    }

    /// The path for retransmissions after a timeout, or of chunks that wait on a failed path.
    pub(super) fn for_retransmission(
        &self,
        config: &Config,
        control: &Controller,
        path: PathId,
    ) -> PathId {
        let others = (1..self.len())
            .map(|step| PathId(((path.index() + step) % self.len()) as u8))
            .filter(|other| self.usable(config, *other) && !self[*other].pauses());
        let shared = |other: PathId| self.shared_addresses(path, other);
        let fewest = match config.t3_divergent {
            true => others.clone().map(shared).min(),
            false => None,
        };
        let others = others.filter(|other| fewest.is_none_or(|fewest| shared(*other) == fewest));
        let largest = |size: &dyn Fn(PathId) -> u64| {
            others.clone().reduce(|best, other| if size(other) > size(best) { other } else { best })
        };
        let chosen = match config.t3_path {
            T3Path::Same if self.usable(config, path) => None,
            T3Path::Same | T3Path::Next => others.clone().next(),
            T3Path::LargestWindow => largest(&|path| control.window(path)),
            T3Path::LargestSsthresh => largest(&|path| control.ssthresh(path)),
        };
        chosen.unwrap_or(path)
    }

    /// Number of addresses that two paths have in common.
    fn shared_addresses(&self, one: PathId, other: PathId) -> u32 {
        let (one, other) = (self[one].via, self[other].via);
        u32::from(one.local == other.local) + u32::from(one.remote == other.remote)
    }

    /// Reserves the next turn that HB.Max.Burst allows for a probe of an unconfirmed address; returns its time. The RTO
    /// of such an address is not measured.
    pub(super) fn take_probe_turn(&mut self, now: Time, config: &Config) -> Time {
        self.probe_turns.take(now, config.heartbeat_burst, config.rto.initial)
    }
}

impl Index<PathId> for Paths {
    type Output = Path;

    #[inline]
    fn index(&self, path: PathId) -> &Path {
        &self.list[path.index()]
    }
}

impl IndexMut<PathId> for Paths {
    #[inline]
    fn index_mut(&mut self, path: PathId) -> &mut Path {
        &mut self.list[path.index()]
    }
}

/// The addresses without repetitions, in order.
pub(super) fn distinct(addresses: impl Iterator<Item = Address>) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    for address in addresses {
        if !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use manypath_cc::algorithm;

    use super::*;

    #[test]
    fn chunks_are_retransmitted_on_the_path_with_the_fewest_common_addresses() {
        let (here, there) = (|end| Address::v4(10, 0, 0, end), |end| Address::v4(10, 9, 9, end));
        let chosen = |t3_divergent| {
            let config = Config { t3_divergent, ..Config::default() };
            let control = Controller::new(algorithm(&config.cc).unwrap(), config.profile);
            let mut paths = Paths::default();
            // The second path uses the same local address as the first one
            for (local, remote) in [(1, 1), (1, 2), (2, 3), (3, 4)] {
                let via = Via { local: here(local), remote: there(remote) };
                paths.add(Path::new(via, &config, true));
            }
            paths.ids().map(|path| paths.for_retransmission(&config, &control, path).0).collect()
        };
        let (next, divergent): (Vec<_>, Vec<_>) = (chosen(false), chosen(true));
        assert_eq!(next, [1, 2, 3, 0]);
        assert_eq!(divergent, [2, 2, 3, 0]);
    }
}
