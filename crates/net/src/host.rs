//! A host: sockets that several endpoints share.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manypath_core::Address;
use manypath_sctp as sctp;

use crate::capture::Tap;
use crate::driver::link::Link;
use crate::driver::membership::{Member, Membership, NewSockets};
use crate::driver::{self, Carriers, Clock, Shared, State};
use crate::endpoint::Setting;
use crate::event_log::{EventLog, Recorder};
use crate::metrics::Snapshot;
use crate::settings::Settings;
use crate::socket::{Carrier, Place, Sockets, local_addresses, raw, udp};
use crate::{Endpoint, Error, Peer, options};

/// One UDP port on some local addresses, raw IP on them, or both, for the SCTP ports of several endpoints. Clones are
/// handles of the same host.
///
/// One task moves the packets of all endpoints. It ends after the last handle of the host has been dropped, as soon as
/// all endpoints and their associations have ended.
///
/// ```
/// use manypath_net::{Endpoint, Error, Host, Peer};
/// use std::net::Ipv4Addr;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let host = Host::bind(Endpoint::builder().local([Ipv4Addr::LOCALHOST]).encapsulation(0)).await?;
/// let first = host.endpoint().listen(16).bind(5001).await?;
/// let second = host.endpoint().listen(16).bind(5002).await?;
/// assert_eq!(first.encapsulation_port(), second.encapsulation_port());
///
/// let peer = Peer::new([Ipv4Addr::LOCALHOST], 5002).encapsulation(host.encapsulation_port());
/// let (opened, accepted) = tokio::join!(first.connect(peer), second.accept());
/// assert_eq!(accepted?.peer_port(), 5001);
/// opened?.shutdown().await
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Host {
    handle: Arc<Handle>,
}

/// What all clones share.
#[derive(Debug)]
struct Handle {
    membership: Arc<Membership>,
    clock: Clock,
    /// The settings of the sockets, and the defaults of endpoints.
    settings: Settings,
    /// The local UDP port, if there is one.
    encapsulation: Option<u16>,
    /// Addresses with sockets. The lock is held while an endpoint is opened.
    addresses: Mutex<Vec<IpAddr>>,
}

impl Host {
    /// The first dynamic port. RFC 6335 §6
    pub const FIRST_DYNAMIC: u16 = 49_152;

    /// Opens the sockets of these settings.
    pub(crate) fn with(settings: Settings) -> Result<Self, Error> {
        options::check(&settings.config)?;
        let addresses = match settings.names_addresses() {
            true => settings.addresses(),
            false => local_addresses()?,
        };
        if settings.names_addresses() {
            options::check_count("local", addresses.len())?;
        }
        let NewSockets { udp, raw } = sockets(&settings, &addresses, settings.encapsulation)?;
        let encapsulation = match settings.encapsulation {
            Some(0) => udp.first().map(|socket| socket.local().port()),
            port => port,
        };
        let membership = Arc::<Membership>::default();
        let clock = settings.events.as_ref().map_or_else(Clock::new, EventLog::clock);
        driver::start(Arc::clone(&membership), Sockets::new(udp, raw), clock);
        let addresses = Mutex::new(addresses);
        let handle = Handle { membership, clock, settings, encapsulation, addresses };
        Ok(Self { handle: Arc::new(handle) })
    }

    /// The settings that the host was opened with.
    pub(crate) fn settings(&self) -> &Settings {
        &self.handle.settings
    }

    /// The UDP port of the encapsulation, the same on all addresses; 0 without encapsulation.
    #[must_use]
    pub fn encapsulation_port(&self) -> u16 {
        self.handle.encapsulation.unwrap_or(0)
    }

    /// The addresses of the host's sockets. If the application named none, addresses that the machine gets later are
    /// added when an endpoint is opened.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        self.handle.addresses().clone()
    }

    /// Shuts down the associations of all endpoints, as [`Endpoint::close`] does, and waits until they have ended and
    /// the sockets are closed. No endpoint can be opened any more. If the future is dropped, the shutdowns continue as
    /// long as the runtime runs.
    pub async fn close(&self) {
        let Handle { membership, addresses, .. } = &*self.handle;
        {
            // No endpoint is being opened
            let _held = addresses.lock();
            membership.close();
            for member in membership.members() {
                member.shared.lock().begin_closing(true);
            }
        }
        membership.ended().await;
    }

    /// Whether an endpoint of the host has this port, on any address.
    #[must_use]
    pub fn has_port(&self, port: u16) -> bool {
        self.handle.membership.has_port(port)
    }

    /// Received packets for SCTP ports without an endpoint.
    pub(crate) fn foreign(&self) -> u64 {
        self.handle.membership.foreign()
    }

    /// The counters of all endpoints, each with its first address and port.
    pub(crate) fn snapshots(&self) -> Vec<(Address, u16, Snapshot)> {
        let members = self.handle.membership.members().into_iter();
        let snapshot = |member: Member| {
            let address = *member.addresses.first()?;
            Some((address, member.port, member.shared.lock().snapshot()))
        };
        members.filter_map(snapshot).collect()
    }

    /// Opens an endpoint with these settings.
    pub(crate) fn open_endpoint(&self, settings: Settings, port: u16) -> Result<Endpoint, Error> {
        options::check(&settings.config)?;
        self.handle.check_sockets(&settings)?;
        let mut known = self.handle.addresses();
        if self.handle.membership.is_closing() {
            return Err(Error::EndpointClosed);
        }
        let addresses = self.handle.addresses_of(&settings, &mut known)?;
        let local: Arc<[Address]> = addresses.into_iter().map(Address::from).collect();
        let port = match port {
            0 => self.handle.free_port(&local)?,
            port => port,
        };
        let mut config = settings.config.clone();
        config.port = port;
        config.local = local.to_vec();
        // A peer may use either of both, so the larger header counts
        config.udp_encapsulation = self.handle.encapsulation.is_some();
        let setting = Setting {
            encapsulation: self.handle.encapsulation,
            has_raw: self.handle.settings.raw,
            listens: settings.backlog.is_some(),
            follows_routes: self.handle.follows_routes(&settings),
            config,
        };
        for member in self.handle.membership.overlapping(port, &local) {
            let may_be_shared = settings.takes_over && member.addresses == local;
            let mut state = member.shared.lock();
            if may_be_shared && state.may_be_reopened() {
                state.reopen(setting.config.clone(), settings.backlog);
                drop(state);
                return Ok(Endpoint::new(member.shared, setting));
            }
            if !state.is_unused() {
                return Err(Error::PortInUse(port));
            }
            drop(state);
            // The driver has not removed it yet
            self.handle.membership.release(&member.shared);
        }
        self.handle.start_endpoint(settings, local, setting)
    }
}

impl Handle {
    fn addresses(&self) -> MutexGuard<'_, Vec<IpAddr>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses settings of sockets other than those of the host.
    fn check_sockets(&self, settings: &Settings) -> Result<(), Error> {
        let of_host = &self.settings;
        let refuse = |field, value: String| {
            let expected = "the setting of the host, which `Host::bind` gets".to_owned();
            Err(Error::Setting { field, value, expected })
        };
        if settings.encapsulation != of_host.encapsulation {
            let value = settings.encapsulation.map_or("none".to_owned(), |port| port.to_string());
            return refuse("encapsulation", value);
        }
        if settings.raw != of_host.raw {
            return refuse("raw", settings.raw.to_string());
        }
        let mut named = settings.interfaces.iter();
        match named.find(|interface| !of_host.interfaces.contains(interface)) {
            Some((address, name)) => refuse("interface", format!("{name} for {address}")),
            None => Ok(()),
        }
    }

    /// Whether a new endpoint uses the source addresses that the system's routes select.
    fn follows_routes(&self, settings: &Settings) -> bool {
        let is_free = settings.follows_routes || !settings.names_addresses();
        is_free && !self.settings.names_addresses()
    }

    /// The addresses of a new endpoint. `known` are the addresses that have sockets.
    fn addresses_of(
        &self,
        settings: &Settings,
        known: &mut Vec<IpAddr>,
    ) -> Result<Vec<IpAddr>, Error> {
        let is_fixed = self.settings.names_addresses();
        let mut wanted = match (settings.names_addresses(), is_fixed) {
            (true, _) => settings.addresses(),
            (false, true) => known.clone(),
            (false, false) => local_addresses()?,
        };
        if self.follows_routes(settings) {
            // An address that is not usable yet, or whose UDP port is in use, is tried again with the next endpoint
            wanted.retain(|&address| {
                known.contains(&address) || self.add_sockets(address, known).is_ok()
            });
            return Ok(wanted);
        }
        options::check_count("local", wanted.len())?;
        for &address in &wanted {
            if known.contains(&address) {
                continue;
            }
            if is_fixed {
                let (value, expected) = (address.to_string(), "an address of the host".to_owned());
                return Err(Error::Setting { field: "local", value, expected });
            }
            self.add_sockets(address, known)?;
        }
        Ok(wanted)
    }

    /// Opens the sockets of another address.
    fn add_sockets(&self, address: IpAddr, known: &mut Vec<IpAddr>) -> Result<(), Error> {
        let opened = sockets(&self.settings, &[address], self.encapsulation)?;
        self.membership.add_sockets(opened);
        known.push(address);
        Ok(())
    }

    /// The number of the UDP port if the system selected it, otherwise a random port of the dynamic range. RFC 6335 §6
    fn free_port(&self, local: &[Address]) -> Result<u16, Error> {
        let is_free = |port: &u16| self.membership.overlapping(*port, local).is_empty();
        let selected = self.encapsulation.filter(|_| self.settings.encapsulation == Some(0));
        if let Some(port) = selected.filter(is_free) {
            return Ok(port);
        }
        let [high, low, ..] = seed()?;
        let start = u16::from_be_bytes([high, low]);
        let dynamic = (0..=DYNAMIC).map(|offset| Host::FIRST_DYNAMIC | start.wrapping_add(offset));
        dynamic.into_iter().find(is_free).ok_or(Error::NoFreePort)
    }

    fn start_endpoint(
        &self,
        settings: Settings,
        local: Arc<[Address]>,
        setting: Setting,
    ) -> Result<Endpoint, Error> {
        let port = setting.config.port;
        let mut core = sctp::Endpoint::with_seed(setting.config.clone(), seed()?);
        if let Some(backlog) = settings.backlog {
            core.listen(backlog);
        }
        let udp_or_raw = self.encapsulation.map(|_| Carrier::Udp(Peer::ENCAPSULATION_PORT));
        let carriers = Carriers::new(udp_or_raw.unwrap_or(Carrier::Raw));
        let clock = self.clock;
        let tap = settings
            .capture
            .map(|capture| Tap::new(capture, self.encapsulation, clock.since_1970()));
        let recorder = settings.events.map(Recorder::new);
        let make = |link: Link| {
            Shared::new(State::new(core, carriers, port, (clock, link), tap, recorder))
        };
        let shared = self.membership.join(port, local, make).ok_or(Error::EndpointClosed)?;
        Ok(Endpoint::new(shared, setting))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.membership.close();
    }
}

/// Opens the sockets of local addresses.
fn sockets(
    settings: &Settings,
    addresses: &[IpAddr],
    encapsulation: Option<u16>,
) -> Result<NewSockets, Error> {
    let place = |&ip: &IpAddr| {
        let named = settings.interfaces.iter().find(|(address, _)| *address == ip);
        Place { ip, interface: named.map(|(_, name)| name.clone()) }
    };
    let places: Vec<Place> = addresses.iter().map(place).collect();
    let raw = if settings.raw { raw::bind_all(&places)? } else { Vec::new() };
    let udp = match encapsulation {
        Some(port) => udp::bind_all(&places, port)?,
        None => Vec::new(),
    };
    Ok(NewSockets { udp, raw })
}

/// A seed from the operating system, from which the state machine derives its secrets.
fn seed() -> Result<[u8; 32], Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(Error::system("random numbers of the system"))?;
    Ok(seed)
}

/// The largest offset of a dynamic port from the first one.
const DYNAMIC: u16 = u16::MAX - Host::FIRST_DYNAMIC;
