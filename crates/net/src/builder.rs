//! The settings of an endpoint.

use std::net::IpAddr;

use manypath_sctp::Config;

use crate::settings::Settings;
use crate::{BoundAddress, Capture, Endpoint, Error, EventLog, Host, options};

/// The settings of an [`Endpoint`] or a [`Host`], from [`Endpoint::builder`] or [`Host::endpoint`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    /// The host of the endpoint; one of its own if `None`.
    pub(crate) host: Option<Host>,
    pub(crate) settings: Settings,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self { host: None, settings: Settings::new() }
    }

    /// The local addresses, IPv4 and IPv6, in the order in which they are announced to peers. Without this call, the
    /// endpoint has all addresses of the machine except link-local ones of IPv6. At most 16 can be given, and at most 16
    /// are announced.
    pub fn local<I>(mut self, addresses: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<IpAddr>,
    {
        self.settings.local = addresses.into_iter().map(Into::into).collect();
        self
    }

    /// Binds a local address to an interface: its packets are sent and received only by this interface, independently
    /// of the routes. Use it if two addresses are in the same subnet, or if only one of them has a route to the peer.
    /// The address is added to [`local`](Self::local) if it is missing there. Linux 5.7 and later need no rights for
    /// this.
    pub fn interface(mut self, address: impl Into<IpAddr>, name: impl Into<String>) -> Self {
        let address = address.into();
        if !self.settings.local.contains(&address) {
            self.settings.local.push(address);
        }
        self.settings.interfaces.push((address, name.into()));
        self
    }

    /// The local addresses as with [`local`](Self::local), and the [interfaces](Self::interface) of those that name one.
    pub fn bound(self, addresses: &[BoundAddress]) -> Self {
        let builder = self.local(addresses.iter().map(|bound| bound.address));
        addresses.iter().fold(builder, |builder, bound| match &bound.interface {
            Some(name) => builder.interface(bound.address, name),
            None => builder,
        })
    }

    /// The local UDP port of the encapsulation; 0 selects a free one. The default is 9899, the assigned port
    /// (RFC 6951 §4.1), which only one endpoint per address can use.
    pub fn encapsulation(mut self, udp_port: u16) -> Self {
        self.settings.encapsulation = Some(udp_port);
        self
    }

    /// Sends packets also directly in IP, as protocol 132, to peers that do so. This needs root or `CAP_NET_RAW`, and
    /// the kernel's own SCTP must not be loaded.
    pub fn raw(mut self) -> Self {
        self.settings.raw = true;
        self
    }

    /// Opens no UDP port: packets are sent directly in IP only, as with [`raw`](Self::raw).
    pub fn without_encapsulation(mut self) -> Self {
        self.settings.encapsulation = None;
        self.raw()
    }

    /// Lets peers open associations. Up to `backlog` associations, and at most 4,096, may wait for
    /// [`Endpoint::accept`]; further ones are refused. Without this call, all peers are refused.
    ///
    /// If many peers connect at once, accept them in a separate task: a runtime with one thread polls the main future
    /// less often than tasks.
    pub fn listen(mut self, backlog: usize) -> Self {
        self.settings.backlog = Some(backlog);
        self
    }

    /// Number of streams that associations request in each direction; both sides agree on the smaller number. The
    /// default is 16.
    pub fn streams(mut self, streams: u16) -> Self {
        self.settings.config.outbound_streams = streams;
        self.settings.config.inbound_streams = streams;
        self
    }

    /// Sizes of the send and receive buffer of an association, in bytes of user data. The default is 4 MiB each.
    pub fn buffers(mut self, send: usize, receive: usize) -> Self {
        self.settings.config.send_buffer = send;
        self.settings.config.receive_buffer = receive;
        self
    }

    /// Lets all paths carry data concurrently, with a congestion control of [`manypath_cc`], such as `cmt-rpv2`.
    /// Without this call, one path carries data and the others are standby paths. A path whose retransmission timer
    /// expires gets no new data until a probe is answered (RFC 7829).
    ///
    /// [`manypath_cc`]: ../manypath_cc/index.html
    pub fn concurrent(mut self, congestion: impl Into<String>) -> Self {
        options::use_all_paths(&mut self.settings.config);
        self.congestion(congestion)
    }

    /// The congestion control by name. The default is `newreno`.
    pub fn congestion(mut self, name: impl Into<String>) -> Self {
        self.settings.config.cc = name.into();
        self
    }

    /// Paces the packets with data of each path over its round trip, instead of sending them at once, so that fewer are
    /// lost in short queues. The default is off. RFC 9002 section 7.7
    pub fn pacing(mut self, pacing: bool) -> Self {
        self.settings.config.pacing = pacing;
        self
    }

    /// Sends a message at once even if it does not fill a packet and data is outstanding. The default is off: such a
    /// message waits for an acknowledgement, which the peer may delay by 200 ms, or for more data (Nagle's algorithm).
    /// RFC 6458 section 8.1.5
    pub fn nodelay(mut self, nodelay: bool) -> Self {
        self.settings.config.nagle = !nodelay;
        self
    }

    /// Detects a killed peer after about half a minute, also on a side that only receives. An outage of ten seconds
    /// ends no association, with any number of paths.
    pub fn notice_dead_peers(self) -> Self {
        self.configure(options::notice_dead_peers)
    }

    /// Captures every packet of the endpoint; several endpoints may share a capture.
    pub fn capture(mut self, capture: Capture) -> Self {
        self.settings.capture = Some(capture);
        self
    }

    /// Writes the events of the endpoint's associations into a file.
    pub fn events(mut self, log: EventLog) -> Self {
        self.settings.events = Some(log);
        self
    }

    /// Selects among the named addresses by the routes of the system, as if the application had named none.
    pub fn follow_routes(mut self) -> Self {
        self.settings.follows_routes = true;
        self
    }

    /// Lets the endpoint take over the port and the associations of an endpoint that does not listen, if it has the same
    /// addresses.
    pub fn take_over(mut self) -> Self {
        self.settings.takes_over = true;
        self
    }

    /// Checks the settings of the state machine, as [`bind`](Self::bind) does.
    ///
    /// # Errors
    /// If a setting is invalid.
    pub fn check(&self) -> Result<(), Error> {
        options::check(&self.settings.config)
    }

    /// The settings of the state machine.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.settings.config
    }

    /// Changes other settings of the state machine. The builder itself sets ports, addresses, encapsulation and
    /// backlog.
    pub fn configure(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.settings.config);
        self
    }

    /// Creates the endpoint on an SCTP port. With 0 it is the number of the UDP port if the system selected that one,
    /// so that two endpoints of a machine always differ for a peer; otherwise a random port of the dynamic range. An
    /// endpoint that is not made by [`Host::endpoint`] has a host of its own.
    ///
    /// # Errors
    /// If a setting is invalid, an address is not local, a UDP port is in use or needs rights, or the SCTP port is in
    /// use by another endpoint of the host. A port is in use until the associations of its endpoint have ended.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn bind(self, port: u16) -> Result<Endpoint, Error> {
        let host = match self.host.clone() {
            Some(host) => host,
            None => Host::bind(self.clone()).await?,
        };
        host.open_endpoint(self.settings, port)
    }
}

impl Endpoint {
    /// The settings of a new endpoint, completed by [`Builder::bind`].
    pub fn builder() -> Builder {
        Builder::new()
    }
}

impl Host {
    /// Opens the sockets of the settings `local`, `interface`, `encapsulation` and `raw`. The other settings are the
    /// defaults of the host's endpoints. The host's task runs on the current tokio runtime, which needs time and I/O
    /// enabled.
    ///
    /// # Errors
    /// If a setting is invalid, an address is not local, or a UDP port is in use or needs rights.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[expect(
        clippy::unused_async,
        reason = "a later carrier may have to wait; callers must not change then"
    )]
    pub async fn bind(builder: Builder) -> Result<Self, Error> {
        Self::open(builder)
    }

    /// Like [`bind`](Self::bind), without waiting.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn open(builder: Builder) -> Result<Self, Error> {
        Self::with(builder.settings)
    }

    /// The settings of a new endpoint of this host, which [`Builder::bind`] opens on its sockets. The defaults are those
    /// of the host. [`Builder::local`] selects some of the host's addresses.
    pub fn endpoint(&self) -> Builder {
        let settings = Settings { local: Vec::new(), ..self.settings().clone() };
        Builder { host: Some(self.clone()), settings }
    }
}
