//! The network between the endpoints: one path, or several.

use super::Path;

/// The paths between the endpoints, by number.
pub(crate) trait Network {
    fn paths(&self) -> &[Path];

    fn paths_mut(&mut self) -> &mut [Path];
}

impl Network for Path {
    fn paths(&self) -> &[Path] {
        std::slice::from_ref(self)
    }

    fn paths_mut(&mut self) -> &mut [Path] {
        std::slice::from_mut(self)
    }
}

impl Network for Vec<Path> {
    fn paths(&self) -> &[Path] {
        self
    }

    fn paths_mut(&mut self) -> &mut [Path] {
        self
    }
}
