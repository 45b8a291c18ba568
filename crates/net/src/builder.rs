//! How an endpoint is set up.

use std::net::IpAddr;

use manypath_sctp as sctp;
use manypath_sctp::Config;

use crate::capture::Tap;
use crate::driver::{Carriers, Clock, Shared, State};
use crate::endpoint::Setting;
use crate::event_log::Recorder;
use crate::socket::{Carrier, Place, Sockets, local_addresses, raw, udp};
use crate::{Capture, Endpoint, Error, EventLog, Peer, options};

/// The settings of an [`Endpoint`] that is about to be made: see [`Endpoint::builder`].
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
        }
    }

    /// The local addresses, IPv4 and IPv6, in the order in which peers learn them. Without any, the endpoint has all
    /// addresses of the machine but link-local ones. Peers learn 16 of them at most, and no more can be named here.
    pub fn local<I>(mut self, addresses: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<IpAddr>,
    {
        self.local = addresses.into_iter().map(Into::into).collect();
        self
    }

    /// Binds a local address to an interface: its packets leave and arrive by that one alone, whatever the routes say. So
    /// each path has an interface of its own where two are in the same subnet, or where only one has a route to the peer.
    /// The address is one more of [`local`](Self::local) if it is not among them. Linux 5.7 and later need no rights for it.
    pub fn interface(mut self, address: impl Into<IpAddr>, name: impl Into<String>) -> Self {
        let address = address.into();
        if !self.local.contains(&address) {
            self.local.push(address);
        }
        self.interfaces.push((address, name.into()));
        self
    }

    /// The local UDP port of the encapsulation; 0 takes a free one. The default is 9899, the port that SCTP has of its own
    /// (RFC 6951 §4.1), which one endpoint of a machine can have for each address.
    pub fn encapsulation(mut self, udp_port: u16) -> Self {
        self.encapsulation = Some(udp_port);
        self
    }

    /// Carries packets directly in IP as well, as protocol 132, for peers that do so. It needs root or `CAP_NET_RAW`, and
    /// the kernel's own SCTP must not be loaded.
    pub fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    /// Opens no UDP port: packets travel directly in IP only, as with [`raw`](Self::raw).
    pub fn without_encapsulation(mut self) -> Self {
        self.encapsulation = None;
        self.raw()
    }

    /// Lets peers open associations. Up to `backlog` associations, and no more than 4,096, may wait for
    /// [`Endpoint::accept`]; further ones are refused. Without this call, all peers are refused.
    ///
    /// Where many peers call at once, accept them in a task of its own: a runtime with one thread polls the main future
    /// less often than tasks.
    pub fn listen(mut self, backlog: usize) -> Self {
        self.backlog = Some(backlog);
        self
    }

    /// Streams that associations ask for in each direction; both sides agree on the smaller number. The default is 16.
    pub fn streams(mut self, streams: u16) -> Self {
        self.config.outbound_streams = streams;
        self.config.inbound_streams = streams;
        self
    }

    /// Bytes of user data that an association keeps at most in each direction. The default is 4 MiB.
    pub fn buffers(mut self, send: usize, receive: usize) -> Self {
        self.config.send_buffer = send;
        self.config.receive_buffer = receive;
        self
    }

    /// Lets all paths carry data at once, with a congestion control of [`manypath_cc`], for example `cmt-rpv2`. Without it,
    /// one path carries data and the others stand by. A path whose retransmission timer expires gets no new data until a
    /// probe is answered (RFC 7829).
    ///
    /// [`manypath_cc`]: ../manypath_cc/index.html
    pub fn concurrent(mut self, congestion: impl Into<String>) -> Self {
        options::use_all_paths(&mut self.config);
        self.congestion(congestion)
    }

    /// The congestion control by name. The default is `newreno`.
    pub fn congestion(mut self, name: impl Into<String>) -> Self {
        self.config.congestion = name.into();
        self
    }

    /// Spreads the packets with data of each path over its round trip, instead of sending what the window allows at once:
    /// fewer are lost in short queues. The default is off. RFC 9002 section 7.7
    pub fn pacing(mut self, pacing: bool) -> Self {
        self.config.pacing = pacing;
        self
    }

    /// Sends a message at once even if it does not fill a packet and earlier data is not acknowledged yet. The default is off:
    /// such a message waits (Nagle's algorithm) for an acknowledgement, which the peer may delay by 200 ms, or for more data.
    /// RFC 6458 section 8.1.5
    pub fn nodelay(mut self, nodelay: bool) -> Self {
        self.config.nagle = !nodelay;
        self
    }

    /// Writes every packet of the endpoint into a capture, which several endpoints may share.
    pub fn capture(mut self, capture: Capture) -> Self {
        self.capture = Some(capture);
        self
    }

    /// Writes what happens to the endpoint's associations into a file of events.
    pub fn events(mut self, log: EventLog) -> Self {
        self.events = Some(log);
        self
    }

    /// Changes any other setting of the state machine. Ports, addresses, encapsulation and backlog are the builder's own.
    pub fn configure(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Makes the endpoint on an SCTP port. 0 takes the number of the UDP port if the system chose that, so that two endpoints
    /// of one machine never look alike to a peer, and else a random one of the dynamic range. Its task runs on the current tokio
    /// runtime, which needs time and I/O enabled.
    ///
    /// # Errors
    /// If a setting cannot be, an address is none of this machine, or a UDP port is in use or needs rights.
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
        // A peer that opens an association may come over either: the larger header counts
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
        Ok(Endpoint::start(shared, Sockets::new(udp, raw), setting))
    }
}

/// Secrets of the operating system, from which the state machine draws its own.
fn seed() -> Result<[u8; 32], Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(Error::system("random numbers of the system"))?;
    Ok(seed)
}

/// A port of the dynamic range. RFC 6335 §6
fn random_port() -> Result<u16, Error> {
    let [high, low, ..] = seed()?;
    Ok(FIRST_DYNAMIC | u16::from_be_bytes([high, low]))
}

const FIRST_DYNAMIC: u16 = 49_152;
