//! The endpoints whose metrics are served together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Endpoint;
use crate::endpoint::WeakEndpoint;

/// The endpoints of one builder and its clones. Clones of the registry are handles of the same one. It does not keep an
/// endpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry(Arc<Mutex<Vec<WeakEndpoint>>>);

impl Registry {
    /// Adds a new endpoint.
    pub(crate) fn add(&self, endpoint: &Endpoint) {
        let mut all = self.lock();
        if all.len() == all.capacity() {
            // The list grows only if most of its endpoints exist
            all.retain(|it| !it.is_gone());
        }
        all.push(endpoint.downgrade());
    }

    /// The endpoints that exist, in the order of their creation.
    #[cfg(feature = "serve")]
    pub(crate) fn endpoints(&self) -> Vec<Endpoint> {
        self.lock().iter().filter_map(WeakEndpoint::upgrade).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WeakEndpoint>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
