//! The associations of a one-to-many socket. RFC 6458 §3

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use manypath_net::{Association, Endpoint, Message};
use tokio::task::AbortHandle;

use super::associations::Associations;
use super::connected::Connected;
use super::limits::Place;
use super::outlet::Owner;

/// What a one-to-many socket has once it listens or has opened an association.
#[derive(Debug)]
pub(super) struct Many {
    /// Opens associations, and accepts them if the socket listens.
    pub(super) endpoint: Endpoint,
    /// The task that accepts.
    pub(super) accepting: Option<AbortHandle>,
    /// By number.
    associations: BTreeMap<i32, Own>,
    /// Associations that have sockets of their own, for messages that the program sent earlier.
    peeled: BTreeMap<i32, Connected>,
    /// Messages of a program that has closed its descriptor, by association. They wait for a full send buffer.
    pub(super) rest: BTreeMap<i32, Vec<Message>>,
    /// The numbers of associations, also of those that were peeled off, by address and port of the peer.
    peers: HashMap<(IpAddr, u16), i32>,
}

/// An association of the socket.
#[derive(Debug)]
struct Own {
    connected: Connected,
    /// The addresses of its peer, as far as known.
    addresses: Vec<IpAddr>,
    /// It counts like a socket of the user.
    _place: Place,
}

/// An association of a peer.
#[derive(Debug)]
pub(super) enum Found {
    /// It belongs to the socket.
    Here(Connected),
    /// It was peeled off.
    Peeled(Connected),
}

impl Many {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            accepting: None,
            associations: BTreeMap::new(),
            peeled: BTreeMap::new(),
            rest: BTreeMap::new(),
            peers: HashMap::new(),
        }
    }

    pub(super) fn listens(&self) -> bool {
        self.accepting.is_some()
    }

    pub(super) fn association(&self, number: i32) -> Option<Connected> {
        self.associations.get(&number).map(|own| own.connected.clone())
    }

    /// All associations, in the order of their numbers.
    pub(super) fn associations(&self) -> impl ExactSizeIterator<Item = &Connected> {
        self.associations.values().map(|own| &own.connected)
    }

    /// The association with a peer.
    pub(super) fn with_peer(&self, address: IpAddr, port: u16) -> Option<Connected> {
        match self.find(address, port) {
            Some(Found::Here(connected)) => Some(connected),
            _ => None,
        }
    }

    pub(super) fn find(&self, address: IpAddr, port: u16) -> Option<Found> {
        self.numbered(*self.peers.get(&(address, port))?)
    }

    pub(super) fn numbered(&self, number: i32) -> Option<Found> {
        let peeled = || self.peeled.get(&number).cloned().map(Found::Peeled);
        self.association(number).map(Found::Here).or_else(peeled)
    }

    pub(super) fn insert(&mut self, connected: Connected, place: Place) {
        let (number, association) = (connected.number, connected.association.clone());
        let own = Own { connected, addresses: Vec::new(), _place: place };
        self.associations.insert(number, own);
        self.learn(number, &association);
    }

    /// Records the addresses of a peer. It may lack some that the program has named.
    pub(super) fn learn(&mut self, number: i32, association: &Association) {
        let Some(own) = self.associations.get_mut(&number) else { return };
        let port = association.peer_port();
        for address in own.addresses.drain(..) {
            self.peers.remove(&(address, port));
        }
        for path in association.paths() {
            own.addresses.push(path.remote);
            self.peers.insert((path.remote, port), number);
        }
    }

    /// Removes an association that has ended; returns whether there was one.
    pub(super) fn remove(&mut self, number: i32) -> bool {
        let removed =
            self.associations.remove(&number).is_some() || self.peeled.remove(&number).is_some();
        if removed {
            self.peers.retain(|_, known| *known != number);
        }
        removed
    }

    /// Moves an association to a socket of its own.
    pub(super) fn peel_off(&mut self, number: i32, socket: Arc<dyn Owner>) -> Option<Connected> {
        let Own { connected, .. } = self.associations.remove(&number)?;
        connected.outlet.move_to(socket);
        self.peeled.insert(number, connected.clone());
        Some(connected)
    }

    pub(super) fn stop_listening(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.abort();
            self.endpoint.admit(None);
        }
    }

    /// Ends all associations as the kernel does when the last descriptor is closed.
    pub(super) fn close(mut self, associations: &Arc<Associations>, aborts: bool) {
        self.stop_listening();
        for (number, Own { connected, .. }) in self.associations {
            connected.close(associations, aborts, self.rest.remove(&number).unwrap_or_default());
        }
        for (number, messages) in self.rest {
            let Some(connected) = self.peeled.remove(&number) else { continue };
            tokio::spawn(async move {
                for message in messages {
                    // Fails if the socket of the association has shut it down
                    let _ = connected.association.send(message).await;
                }
            });
        }
    }
}
