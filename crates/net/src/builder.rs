//! The settings of an endpoint.

use std::net::IpAddr;

use manypath_sctp as sctp;
use manypath_sctp::Config;

use crate::capture::Tap;
use crate::driver::{Carriers, Clock, Shared, State};
use crate::endpoint::Setting;
use crate::event_log::Recorder;
use crate::metrics::Registry;
use crate::socket::{Carrier, Place, Sockets, local_addresses, raw, udp};
use crate::{Capture, Endpoint, Error, EventLog, Peer, options};

/// The settings of an [`Endpoint`], from [`Endpoint::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    local: Vec<IpAddr>,
    interfaces: Vec<(IpAddr, String)>,
    encapsulation: Option<u16>,
    raw: bool,
    backlog: Option<usize>,
    config: Config,
    capture: Option<Capture>,
    events: Option<EventLog>,
    registry: Option<Registry>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            local: Vec::new(),
            interfaces: Vec::new(),
            encapsulation: Some(Peer::ENCAPSULATION_PORT),
            raw: false,
            backlog: None,
            config: options::for_real_networks(),
            capture: None,
            events: None,
            registry: None,
        }
    }

    /// The local addresses, IPv4 and IPv6, in the order in which they are announced to peers. Without this call, the
    /// endpoint has all addresses of the machine except link-local ones of IPv6. At most 16 can be given, and at most 16
    /// are announced.
    pub fn local<I>(mut self, addresses: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<IpAddr>,
    {
        self.local = addresses.into_iter().map(Into::into).collect();
        self
    }

    /// Binds a local address to an interface: its packets are sent and received only by this interface, whatever the
    /// routes are. Use it if two addresses are in the same subnet, or if only one of them has a route to the peer. The
    /// address is added to [`local`](Self::local) if it is missing there. Linux 5.7 and later need no rights for this.
    pub fn interface(mut self, address: impl Into<IpAddr>, name: impl Into<String>) -> Self {
        let address = address.into();
        if !self.local.contains(&address) {
            self.local.push(address);
        }
        self.interfaces.push((address, name.into()));
        self
    }

    /// The local UDP port of the encapsulation; 0 selects a free one. The default is 9899, the assigned port
    /// (RFC 6951 §4.1), which only one endpoint per address can use.
    pub fn encapsulation(mut self, udp_port: u16) -> Self {
        self.encapsulation = Some(udp_port);
        self
    }

    /// Sends packets also directly in IP, as protocol 132, to peers that do so. This needs root or `CAP_NET_RAW`, and
    /// the kernel's own SCTP must not be loaded.
    pub fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    /// Opens no UDP port: packets are sent directly in IP only, as with [`raw`](Self::raw).
    pub fn without_encapsulation(mut self) -> Self {
        self.encapsulation = None;
        self.raw()
    }

    /// Lets peers open associations. Up to `backlog` associations, and at most 4,096, may wait for
    /// [`Endpoint::accept`]; further ones are refused. Without this call, all peers are refused.
    ///
    /// If many peers connect at once, accept them in a separate task: a runtime with one thread polls the main future
    /// less often than tasks.
    pub fn listen(mut self, backlog: usize) -> Self {
        self.backlog = Some(backlog);
        self
    }

    /// Number of streams that associations request in each direction; both sides agree on the smaller number. The
    /// default is 16.
    pub fn streams(mut self, streams: u16) -> Self {
        self.config.outbound_streams = streams;
        self.config.inbound_streams = streams;
        self
    }

    /// Sizes of the send and receive buffer of an association, in bytes of user data. The default is 4 MiB each.
    pub fn buffers(mut self, send: usize, receive: usize) -> Self {
        self.config.send_buffer = send;
        self.config.receive_buffer = receive;
        self
    }

    /// Lets all paths carry data concurrently, with a congestion control of [`manypath_cc`], such as `cmt-rpv2`.
    /// Without this call, one path carries data and the others are standby paths. A path whose retransmission timer
    /// expires gets no new data until a probe is answered (RFC 7829).
    ///
    /// [`manypath_cc`]: ../manypath_cc/index.html
    pub fn concurrent(mut self, congestion: impl Into<String>) -> Self {
        options::use_all_paths(&mut self.config);
        self.congestion(congestion)
    }

    /// The congestion control by name. The default is `newreno`.
    pub fn congestion(mut self, name: impl Into<String>) -> Self {
        self.config.cc = name.into();
        self
    }

    /// Paces the packets with data of each path over its round trip, instead of sending them at once, so that fewer are
    /// lost in short queues. The default is off. RFC 9002 section 7.7
    pub fn pacing(mut self, pacing: bool) -> Self {
        self.config.pacing = pacing;
        self
    }

    /// Sends a message at once even if it does not fill a packet and data is outstanding. The default is off: such a
    /// message waits for an acknowledgement, which the peer may delay by 200 ms, or for more data (Nagle's algorithm).
    /// RFC 6458 section 8.1.5
    pub fn nodelay(mut self, nodelay: bool) -> Self {
        self.config.nagle = !nodelay;
        self
    }

    /// Captures every packet of the endpoint; several endpoints may share a capture.
    pub fn capture(mut self, capture: Capture) -> Self {
        self.capture = Some(capture);
        self
    }

    /// Writes the events of the endpoint's associations into a file.
    pub fn events(mut self, log: EventLog) -> Self {
        self.events = Some(log);
        self
    }

    /// Enters the endpoint into a registry.
    #[cfg(feature = "serve")]
    pub(crate) fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Checks the settings of the state machine, as [`bind`](Self::bind) does.
    ///
    /// # Errors
    /// If a setting is invalid.
    pub fn check(&self) -> Result<(), Error> {
        options::check(&self.config)
    }

    /// Changes other settings of the state machine. The builder itself sets ports, addresses, encapsulation and
    /// backlog.
    pub fn configure(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Creates the endpoint on an SCTP port. With 0 it is the number of the UDP port if the system selected that one,
    /// so that two endpoints of a machine always differ for a peer; otherwise a random port of the dynamic range. The
    /// endpoint's task runs on the current tokio runtime, which needs time and I/O enabled.
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
    pub async fn bind(self, port: u16) -> Result<Endpoint, Error> {
        let mut config = self.config;
        options::check(&config)?;
        let follows_routes = self.local.is_empty();
        let mut addresses = if follows_routes { local_addresses()? } else { self.local };
        let mut known = Vec::new();
        addresses.retain(|address| {
            !known.contains(address) && {
                known.push(*address);
                true
            }
        });
        if !follows_routes {
            options::check_count("local", addresses.len())?;
        }
        let place = |&ip: &IpAddr| {
            let named = self.interfaces.iter().find(|(address, _)| *address == ip);
            Place { ip, interface: named.map(|(_, name)| name.clone()) }
        };
        let places: Vec<Place> = addresses.iter().map(place).collect();
        let raw = if self.raw { raw::bind_all(&places)? } else { Vec::new() };
        let udp = match self.encapsulation {
            Some(port) => udp::bind_all(&places, port)?,
            None => Vec::new(),
        };
        let encapsulation = udp.first().map(|socket| socket.local().port());
        config.port = match (port, self.encapsulation, encapsulation) {
            (0, Some(0), Some(udp)) => udp,
            (0, ..) => random_port()?,
            (port, ..) => port,
        };
        config.local = addresses.iter().map(|&address| address.into()).collect();
        // A peer may use either of both, so the larger header counts
        config.udp_encapsulation = encapsulation.is_some();
        let port = config.port;
        let mut core = sctp::Endpoint::with_seed(config.clone(), seed()?);
        if let Some(backlog) = self.backlog {
            core.listen(backlog);
        }
        let udp_or_raw = encapsulation.map(|_| Carrier::Udp(Peer::ENCAPSULATION_PORT));
        let carriers = Carriers::new(udp_or_raw.unwrap_or(Carrier::Raw));
        let tap = |clock: Clock| {
            self.capture.map(|capture| Tap::new(capture, encapsulation, clock.since_1970()))
        };
        let recorder = self.events.map(Recorder::new);
        let shared = Shared::new(State::new(core, carriers, port, tap, recorder));
        let setting = Setting {
            config,
            encapsulation,
            has_raw: self.raw,
            listens: self.backlog.is_some(),
            follows_routes,
        };
        let endpoint = Endpoint::start(shared, Sockets::new(udp, raw), setting);
        if let Some(registry) = &self.registry {
            registry.add(&endpoint);
        }
        Ok(endpoint)
    }
}

/// A seed from the operating system, from which the state machine derives its secrets.
fn seed() -> Result<[u8; 32], Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(Error::system("random numbers of the system"))?;
    Ok(seed)
}

/// A random port of the dynamic range. RFC 6335 §6
fn random_port() -> Result<u16, Error> {
    let [high, low, ..] = seed()?;
    Ok(FIRST_DYNAMIC | u16::from_be_bytes([high, low]))
}

const FIRST_DYNAMIC: u16 = 49_152;
