//! An endpoint: one SCTP port on local addresses.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::Poll;

use manypath_core::{Address, Via};
use manypath_sctp as sctp;
use manypath_sctp::Config;

use crate::counters::Counters;
use crate::driver::{self, Shared, State};
use crate::metrics::Snapshot;
use crate::socket::{Carrier, routes};
use crate::{Association, Error, Peer, options};

/// One SCTP port on some local addresses, with all its associations. Clones are handles of the same endpoint.
///
/// It ends after [`close`](Self::close) or after the last handle is dropped, as soon as all associations have ended.
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

/// The constant properties of an endpoint.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) config: Config,
    /// The local UDP port, if there is one.
    pub(crate) encapsulation: Option<u16>,
    /// Packets can travel directly in IP.
    pub(crate) has_raw: bool,
    /// Peers can open associations.
    pub(crate) listens: bool,
    /// The application named no local addresses: use the source addresses that the system's routes select.
    pub(crate) follows_routes: bool,
}

impl Endpoint {
    /// Largest number of addresses that an endpoint announces, and of paths of an association.
    pub const MOST_ADDRESSES: usize = sctp::Endpoint::MOST_PATHS;

    /// A handle, which the state counts already.
    pub(crate) fn new(shared: Arc<Shared>, setting: Setting) -> Self {
        Self { handle: Arc::new(Handle { shared, setting }) }
    }

    /// Opens an association with a peer and waits until it is established. If the future is dropped before, the attempt
    /// ends.
    ///
    /// Every address of the peer is tried at least once, also if that takes more attempts than
    /// [`Config::init_max_retransmissions`] allows.
    ///
    /// The association may have ended by the time that this task runs again. It can be read as any other: the peer's
    /// messages first, then how it ended.
    ///
    /// # Errors
    /// If no local address reaches the peer, an association with it is open, or the peer refuses or does not answer.
    pub async fn connect(&self, peer: Peer) -> Result<Association, Error> {
        self.connect_with(peer, |_| ()).await
    }

    /// Like [`connect`](Self::connect), with the endpoint's settings modified by `change`.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and if a setting is invalid.
    pub async fn connect_with(
        &self,
        peer: Peer,
        change: impl FnOnce(&mut Config),
    ) -> Result<Association, Error> {
        let association = self.begin(&peer, change)?;
        association.connected().await?;
        Ok(association)
    }

    /// Begins to open an association. Messages can be sent at once; they wait until it is established.
    ///
    /// # Errors
    /// As [`connect_with`](Self::connect_with), except those of the peer.
    pub fn begin(
        &self,
        peer: &Peer,
        change: impl FnOnce(&mut Config),
    ) -> Result<Association, Error> {
        let Handle { shared, setting } = &*self.handle;
        let mut config = setting.config.clone();
        change(&mut config);
        options::check(&config)?;
        let mut vias = self.paths_to(peer)?;
        // The state machine would omit further ones, and the carriers of their addresses would never be removed
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
        state.entry(id).named = vias.iter().map(|via| via.remote).collect();
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

    /// The next association that a peer opened, in order. Cancel-safe.
    ///
    /// # Errors
    /// If the endpoint does not listen ([`crate::Builder::listen`]), or is closed.
    pub async fn accept(&self) -> Result<Association, Error> {
        if !self.handle.setting.listens {
            return Err(Error::NotListening);
        }
        let shared = &self.handle.shared;
        let id = driver::wait(
            shared,
            |state| &mut state.accepting,
            |state| {
                if state.is_closing {
                    return Poll::Ready(Err(Error::EndpointClosed));
                }
                let Some(id) = state.core.accept() else { return Poll::Pending };
                state.entry(id).connected = true;
                Poll::Ready(Ok(id))
            },
        );
        Ok(Association::new(Arc::clone(shared), id.await?))
    }

    /// Admits associations until `backlog` of them wait to be accepted, or none if it is `None`. Those that wait then
    /// are shut down.
    pub fn admit(&self, backlog: Option<usize>) {
        let mut state = self.handle.shared.lock();
        match backlog {
            Some(backlog) => state.core.listen(backlog),
            None => state.stop_listening(),
        }
    }

    /// The SCTP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.handle.setting.config.port
    }

    /// The UDP port of the encapsulation, the same on all addresses; 0 without encapsulation.
    #[must_use]
    pub fn encapsulation_port(&self) -> u16 {
        self.handle.setting.encapsulation.unwrap_or(0)
    }

    /// The local addresses of the endpoint. The first [`MOST_ADDRESSES`](Self::MOST_ADDRESSES) of them are announced to
    /// peers; there can be more only if the application named none.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        self.handle.setting.config.local.iter().map(|&address| address.into()).collect()
    }

    /// The counters of the endpoint.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.handle.shared.lock().counters()
    }

    /// Packets received for SCTP ports without an endpoint, counted by the host for all of its endpoints: answered with
    /// ABORT inside UDP, ignored in raw IP. RFC 9260 §8.4
    #[must_use]
    pub fn foreign_packets(&self) -> u64 {
        self.handle.shared.lock().foreign_packets()
    }

    /// The counters of the endpoint and of all established associations.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.handle.shared.lock().snapshot()
    }

    /// Shuts down all associations and waits until they have ended. Data that has not been received is discarded, as by
    /// [`Association::close`]. This takes minutes if a peer does not answer; if the future is dropped, the shutdowns
    /// continue as long as the runtime runs.
    pub async fn close(&self) {
        self.handle.shared.lock().begin_closing(true);
        driver::wait(
            &self.handle.shared,
            |state| &mut state.stopping,
            |state| if state.has_stopped { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.handles -= 1;
        if state.handles == 0 {
            state.begin_closing(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::{Context, Poll, Wake, Waker};

    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    use super::*;
    use crate::Message;

    /// Each of its wakers is distinct.
    #[derive(Default)]
    struct Task(AtomicBool);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn waker() -> Waker {
        Waker::from(Arc::new(Task::default()))
    }

    /// Polls futures that have to wait, each with its own task, and drops them.
    fn cancel<F: Future>(times: usize, mut begin: impl FnMut() -> F) {
        for _ in 0..times {
            let waiting = pin!(begin());
            assert!(waiting.poll(&mut Context::from_waker(&waker())).is_pending());
        }
    }

    /// A listening endpoint, and both ends of an association with it; neither task of the endpoints runs while the test
    /// does not await.
    async fn pair() -> (Endpoint, [Association; 2]) {
        let builder = Endpoint::builder().local([[127, 0, 0, 1]]).encapsulation(0);
        let server = builder.clone().listen(4).buffers(20_000, 20_000).bind(0).await.unwrap();
        let client = builder.buffers(20_000, 20_000).bind(0).await.unwrap();
        let peer = Peer::new(server.local_addresses(), server.port())
            .encapsulation(server.encapsulation_port());
        let opened = client.connect(peer).await.unwrap();
        let accepted = server.accept().await.unwrap();
        (server, [opened, accepted])
    }

    #[tokio::test]
    async fn an_association_that_ends_before_connect_returns_can_be_read() {
        for is_aborted in [false, true] {
            let builder = Endpoint::builder().local([[127, 0, 0, 1]]).encapsulation(0);
            let server = builder.clone().listen(1).bind(0).await.unwrap();
            let client = builder.bind(0).await.unwrap();
            let peer = Peer::new(server.local_addresses(), server.port())
                .encapsulation(server.encapsulation_port());
            let mut connecting = pin!(client.connect(peer));
            assert!(connecting.as_mut().poll(&mut Context::from_waker(&waker())).is_pending());
            // The client's driver runs, the task that connects does not
            let accepted = server.accept().await.unwrap();
            accepted.send(Message::new("hello")).await.unwrap();
            if is_aborted {
                while accepted.stats().sacks_received == 0 {
                    tokio::task::yield_now().await;
                }
                accepted.abort("enough");
            } else {
                accepted.shutdown().await.unwrap();
            }
            let open = || client.handle.shared.lock().open();
            while open() > 0 {
                tokio::task::yield_now().await;
            }
            let association = connecting.await.expect("it was established");
            assert_ne!(association.streams().inbound, 0);
            assert_eq!(association.receive().await.unwrap().unwrap().payload, "hello");
            let end = association.receive().await;
            match end {
                Ok(None) => assert!(!is_aborted),
                Err(Error::Aborted(reason)) => assert!(is_aborted, "{reason:?}"),
                end => panic!("{end:?}"),
            }
        }
    }

    /// Lets the tasks that are ready run; the runtime does not look at its sockets.
    async fn others_run() {
        for _ in 0..4 {
            let mut has_waited = false;
            poll_fn(|cx| {
                cx.waker().wake_by_ref();
                if std::mem::replace(&mut has_waited, true) {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        }
    }

    #[tokio::test]
    async fn an_abort_that_has_arrived_explains_why_later_packets_are_refused() {
        let story = async {
            let builder = Endpoint::builder().local([[127, 0, 0, 1]]).encapsulation(0);
            let builder = builder.nodelay(true).configure(|config| config.mtu_discovery = None);
            let server = builder.clone().listen(1).bind(0).await.unwrap();
            let client = builder.bind(0).await.unwrap();
            let peer = Peer::new(server.local_addresses(), server.port())
                .encapsulation(server.encapsulation_port());
            let opened = client.connect(peer).await.unwrap();
            let accepted = server.accept().await.unwrap();
            opened.send(Message::new("hello")).await.unwrap();
            assert_eq!(accepted.receive().await.unwrap().unwrap().payload, "hello");
            opened.abort("enough");
            let port = client.encapsulation_port();
            drop(client);
            others_run().await;
            assert!(std::net::UdpSocket::bind(("127.0.0.1", port)).is_ok(), "it is closed");
            // Two packets: the system refuses the second one, because the port of the first one is closed
            for length in [100, 1210] {
                accepted.send(Message::new(vec![0; length])).await.unwrap();
            }
            accepted.receive().await
        };
        let end = tokio::spawn(story).await.unwrap();
        assert!(matches!(end, Err(Error::Aborted(_))), "{end:?}");
    }

    /// The numbers of tasks that wait until the association is readable, is writable, or has changed.
    fn waiting(association: &Association) -> [usize; 3] {
        association.with_state(|state, id| {
            let entry = state.entry(id);
            [&entry.readable, &entry.writable, &entry.changed].map(driver::Wakers::len)
        })
    }

    #[tokio::test]
    async fn a_message_may_choose_the_path_of_its_first_transmission() {
        let builder = Endpoint::builder().encapsulation(0);
        let places = |ends: [u8; 2]| ends.map(|end| [127, 0, 0, end]);
        let server = builder.clone().local(places([1, 2])).listen(1).bind(0).await.unwrap();
        let client = builder.local(places([3, 4])).bind(0).await.unwrap();
        let peer = Peer::new(server.local_addresses(), server.port())
            .encapsulation(server.encapsulation_port());
        let opened = client.connect(peer).await.unwrap();
        let accepted = server.accept().await.unwrap();
        while !opened.paths()[1].stats.confirmed {
            tokio::task::yield_now().await;
        }
        let chosen = Message { path: Some(manypath_core::PathId(1)), ..Message::new("hello") };
        opened.send(chosen).await.unwrap();
        assert_eq!(accepted.receive().await.unwrap().unwrap().payload, "hello");
        let sent = |path: usize| opened.paths()[path].stats.data_chunks_sent;
        assert_eq!([sent(0), sent(1)], [0, 1]);
    }

    #[tokio::test]
    async fn waits_that_were_cancelled_leave_no_waker() {
        const TIMES: usize = 100_000;
        let (endpoint, [opened, accepted]) = pair().await;
        while tokio::select! {
            biased;
            sent = opened.send(Message::new(vec![1; 5000])) => sent.is_ok(),
            () = std::future::ready(()) => false,
        } {}
        let others = pin!(opened.receive());
        assert!(others.poll(&mut Context::from_waker(&waker())).is_pending());
        cancel(TIMES, || opened.receive());
        cancel(TIMES, || opened.send(Message::new(vec![1; 20_000])));
        cancel(TIMES, || accepted.closed());
        cancel(TIMES, || accepted.shutdown());
        cancel(TIMES, || endpoint.accept());
        assert_eq!(waiting(&opened), [1, 0, 0], "one is still waiting");
        assert_eq!(waiting(&accepted), [0; 3]);
        cancel(TIMES, || endpoint.close());
        let state = endpoint.handle.shared.lock();
        assert_eq!([state.accepting.len(), state.stopping.len()], [0; 2]);
    }

    #[tokio::test]
    async fn a_stream_waits_once_in_each_direction_and_not_after_it_is_dropped() {
        let (_endpoint, [opened, _accepted]) = pair().await;
        let mut stream = Box::pin(opened.stream(1).unwrap());
        for _ in 0..10 {
            let (read, written) = (waker(), waker());
            let mut bytes = [0; 10];
            let mut buffer = ReadBuf::new(&mut bytes);
            let reading = stream.as_mut().poll_read(&mut Context::from_waker(&read), &mut buffer);
            assert!(reading.is_pending());
            let mut cx = Context::from_waker(&written);
            while stream.as_mut().poll_write(&mut cx, &[1; 5000]).is_ready() {}
        }
        assert_eq!(waiting(&opened), [1, 1, 0]);
        for _ in 0..10 {
            let ending = stream.as_mut().poll_shutdown(&mut Context::from_waker(&waker()));
            assert!(matches!(ending, Poll::Pending));
        }
        assert_eq!(waiting(&opened), [1, 1, 1]);
        drop(stream);
        assert_eq!(waiting(&opened), [0; 3]);
    }
}
