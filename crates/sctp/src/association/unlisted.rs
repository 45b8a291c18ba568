//! Addresses that the application named and that the peer does not have. RFC 9260 §5.1.2

use manypath_core::{Address, PathId, Via};

use super::Association;
use super::opportunity::Opportunity;
use super::setup::controller;
use crate::path::Path;

impl Association {
    /// Removes the paths to addresses that the peer does not list. The address that it has answered from counts as
    /// listed.
    ///
    /// Such an address may belong to another host, whose ABORT would end the association. Its path has carried INITs
    /// only. The paths after it get lower numbers, so messages that name a path may use any path.
    pub(super) fn keep_listed(&mut self, source: Via, listed: &[Address]) {
        let is_of_peer =
            |path: &Path| path.via.remote == source.remote || listed.contains(&path.via.remote);
        if self.paths.iter().all(is_of_peer) {
            return;
        }
        self.control = controller(&self.config);
        self.sender.forget_paths();
        let mut numbers = Vec::new();
        for path in self.paths.take() {
            let stays = is_of_peer(&path);
            numbers.push(stays.then_some(PathId(self.paths.len() as u8)));
            if stays {
                self.add_path(path);
            }
        }
        if self.paths.len() == 0 {
            // The peer has several addresses, and has answered from one that the application did not name
            self.add_path(Path::new(source, &self.config, true));
        }
        self.renumber(&numbers);
        self.couple_usable_paths();
    }

    /// Gives the chunks and events that wait the new numbers of their paths. Those of removed paths are dropped.
    fn renumber(&mut self, numbers: &[Option<PathId>]) {
        let renew = |path: &mut PathId| {
            let number = numbers[path.index()];
            *path = number.unwrap_or(*path);
            number.is_some()
        };
        self.outbox.retain_paths(renew);
        self.notices.retain_paths(renew);
        if !renew(&mut self.paths.primary) {
            self.paths.primary = PathId(0);
        }
        self.opportunity = Opportunity::default();
    }
}
