//! One SCTP port on the addresses of this machine.

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::Poll;

use manypath_core::{Address, Via};
use manypath_sctp as sctp;
use manypath_sctp::Config;

use crate::driver::{self, Shared, State};
use crate::metrics::{AssociationSnapshot, Snapshot};
use crate::socket::{Carrier, Sockets, routes};
use crate::{Association, Builder, Error, Peer, options};

/// One SCTP port on some local addresses, with all its associations. Clones are handles of the same endpoint.
///
/// Its task ends once the last handle is gone, or after [`close`](Self::close), as soon as all associations have ended.
#[derive(Clone, Debug)]
pub struct Endpoint {
    handle: Arc<Handle>,
}

/// What all clones share.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    setting: Setting,
}

/// What an endpoint is from its beginning on.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) config: Config,
    /// The UDP port, if there is one.
    pub(crate) encapsulation: Option<u16>,
    /// Packets can travel directly in IP.
    pub(crate) has_raw: bool,
    /// Peers can open associations.
    pub(crate) listens: bool,
    /// The application named no local addresses: those that the system's routes take are right.
    pub(crate) follows_routes: bool,
}

/// What an endpoint has done so far, in datagrams.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counters {
    /// Sent, of any association.
    pub sent: u64,
    /// Those among them that the system refused, or that found the queue of a blocking socket full.
    pub dropped: u64,
    /// Received for the endpoint's port.
    pub received: u64,
    /// Received for other SCTP ports: answered with ABORT inside UDP, ignored in raw IP. RFC 9260 §8.4
    pub foreign: u64,
    /// Received ones that break a rule of the wire format. RFC 9260 §3
    pub malformed: u64,
}

impl Endpoint {
    /// Addresses that peers learn of an endpoint at most, and paths that an association has at most.
    pub const MOST_ADDRESSES: usize = sctp::Endpoint::MOST_PATHS;

    /// The settings of an endpoint, to be completed by [`Builder::bind`].
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn start(shared: Arc<Shared>, sockets: Sockets, setting: Setting) -> Self {
        tokio::spawn(driver::run(Arc::clone(&shared), sockets));
        Self { handle: Arc::new(Handle { shared, setting }) }
    }

    /// Opens an association with a peer and waits until it stands. If the future is dropped before, so is the attempt.
    ///
    /// Every address of the peer is tried at least once, also if that takes more attempts than
    /// [`Config::init_max_retransmissions`] allows.
    ///
    /// # Errors
    /// If no local address reaches the peer, an association with it is open, it refuses or does not answer.
    pub async fn connect(&self, peer: Peer) -> Result<Association, Error> {
        self.connect_with(peer, |_| ()).await
    }

    /// The same with settings of its own, which `change` makes of the endpoint's.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and if a setting cannot be.
    pub async fn connect_with(
        &self,
        peer: Peer,
        change: impl FnOnce(&mut Config),
    ) -> Result<Association, Error> {
        let association = self.begin(&peer, change)?;
        association.connected().await?;
        Ok(association)
    }

    fn begin(&self, peer: &Peer, change: impl FnOnce(&mut Config)) -> Result<Association, Error> {
        let Handle { shared, setting } = &*self.handle;
        let mut config = setting.config.clone();
        change(&mut config);
        options::check(&config)?;
        let mut vias = self.paths_to(peer)?;
        // The state machine would leave them out, and the carriers of their addresses would never be forgotten
        vias.truncate(sctp::Endpoint::MOST_PATHS);
        let mut state = shared.lock();
        if state.is_closing {
            return Err(Error::EndpointClosed);
        }
        for via in &vias {
            if state.carriers.has(via.remote, peer.port) {
                let address = SocketAddr::new(via.remote.into(), peer.port);
                return Err(Error::AlreadyConnected(address));
            }
        }
        for via in &vias {
            state.carriers.set(via.remote, peer.port, peer.carrier);
        }
        config.udp_encapsulation = matches!(peer.carrier, Carrier::Udp(_));
        // Every address is tried at least once
        let others = u32::try_from(vias.len()).unwrap_or(u32::MAX).saturating_sub(1);
        config.init_max_retransmissions = config.init_max_retransmissions.max(others);
        let now = state.clock.now();
        let id = state.core.connect_with(now, &vias, peer.port, |own| *own = config);
        state.entry(id);
        let State { core, recorder, .. } = &mut *state;
        if let Some(recorder) = recorder {
            recorder.opens(now, core, id);
        }
        state.wake_driver();
        drop(state);
        Ok(Association::new(Arc::clone(shared), id))
    }

    /// The paths between the endpoint and a peer.
    fn paths_to(&self, peer: &Peer) -> Result<Vec<Via>, Error> {
        let expected = |field, value: String, expected: &str| {
            Err(Error::Setting { field, value, expected: expected.to_owned() })
        };
        if peer.addresses.is_empty() {
            return expected("addresses", "empty".to_owned(), "an address of the peer");
        }
        options::check_count("addresses", peer.addresses.len())?;
        if peer.port == 0 {
            return expected("port", "0".to_owned(), "the SCTP port of the peer");
        }
        if peer.carrier == Carrier::Udp(0) {
            return expected("encapsulation", "0".to_owned(), "the UDP port of the peer");
        }
        let Setting { encapsulation, has_raw, follows_routes, ref config, .. } =
            self.handle.setting;
        let is_possible = match peer.carrier {
            Carrier::Udp(_) => encapsulation.is_some(),
            Carrier::Raw => has_raw,
        };
        if !is_possible {
            let (value, wanted) = match peer.carrier {
                Carrier::Udp(port) => (format!("UDP to port {port}"), "raw IP: `Peer::raw`"),
                Carrier::Raw => ("raw IP".to_owned(), "UDP, or an endpoint with `Builder::raw`"),
            };
            return expected("peer", value, wanted);
        }
        if let Some(&address) = peer.addresses.iter().find(|ip| !Address::from(**ip).is_unicast()) {
            return Err(Error::NotUnicast(address));
        }
        let remotes: Vec<Address> = peer.addresses.iter().map(|&ip| ip.into()).collect();
        if follows_routes {
            return routes::pair(&routes::preferred(&config.local, &remotes), &remotes);
        }
        routes::pair(&config.local, &remotes)
    }

    /// The next association that a peer opened, in the order in which they came. Cancel-safe.
    ///
    /// # Errors
    /// If the endpoint does not listen ([`Builder::listen`]), or is closed.
    pub async fn accept(&self) -> Result<Association, Error> {
        if !self.handle.setting.listens {
            return Err(Error::NotListening);
        }
        poll_fn(|cx| {
            let mut state = self.handle.shared.lock();
            if state.is_closing {
                return Poll::Ready(Err(Error::EndpointClosed));
            }
            let Some(id) = state.core.accept() else {
                state.accepting.register(cx);
                return Poll::Pending;
            };
            state.entry(id).connected = true;
            Poll::Ready(Ok(Association::new(Arc::clone(&self.handle.shared), id)))
        })
        .await
    }

    /// The SCTP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.handle.setting.config.port
    }

    /// The UDP port of the encapsulation, the same on all addresses; 0 if packets travel directly in IP only.
    #[must_use]
    pub fn encapsulation_port(&self) -> u16 {
        self.handle.setting.encapsulation.unwrap_or(0)
    }

    /// The addresses that the endpoint sends from and receives on. Peers learn the first [`MOST_ADDRESSES`](Self::MOST_ADDRESSES)
    /// of them; more are possible only where the application named none.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        self.handle.setting.config.local.iter().map(|&address| address.into()).collect()
    }

    /// What the endpoint has sent and received.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.handle.shared.lock().counters
    }

    /// The counters of the endpoint and of all associations that stand.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let state = self.handle.shared.lock();
        let associations = state.open_ids(|entry| entry.connected).into_iter().filter_map(|id| {
            // The state machine has forgotten those that ended before they were accepted
            let port = state.core.peer_port(id)?;
            let paths = state.paths(state.clock.now(), id);
            let peer = SocketAddr::new(paths.first()?.remote, port);
            Some(AssociationSnapshot { peer, stats: *state.core.stats(id), paths })
        });
        Snapshot { counters: state.counters, associations: associations.collect() }
    }

    /// Shuts down all associations and waits until they have ended: what was handed over has arrived then, or cannot.
    /// Peers that do not answer take minutes; drop the future, and they go on ending while the runtime lives.
    pub async fn close(&self) {
        self.handle.begin_closing(true);
        poll_fn(|cx| {
            let mut state = self.handle.shared.lock();
            if state.has_stopped {
                return Poll::Ready(());
            }
            state.stopping.register(cx);
            Poll::Pending
        })
        .await;
    }
}

impl Handle {
    /// Opens no further association. Shuts down all associations, or only those that were not accepted.
    fn begin_closing(&self, all: bool) {
        let mut state = self.shared.lock();
        state.is_closing = true;
        state.core.stop_listening();
        while let Some(id) = state.core.accept() {
            state.abandon(id);
        }
        if all {
            let now = state.clock.now();
            for id in state.open_ids(|_| true) {
                state.core.shutdown(now, id);
            }
        }
        state.accepting.wake();
        state.wake_driver();
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.begin_closing(false);
    }
}
