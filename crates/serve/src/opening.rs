//! Binding, listening, connecting and accepting.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;

use manypath_net::socket::{LocalAddress, interface_addresses, local_addresses};
use manypath_net::{Builder, Endpoint, Error, Host, Peer};
use manypath_posix::record::Answer;
use nix::errno::Errno;
use tokio::sync::oneshot;

use super::associations::Associations;
use super::errors::errno;
use super::limits::{Refusal, Usage};
use super::names;
use super::option_values::Options;
use super::ports::Ports;
use super::socket::{Phase, Socket, State, Style};
use super::table::Table;

/// `bind`, and `sctp_bindx` with further addresses.
pub(super) fn bind(
    ports: &Ports,
    socket: &Socket,
    wanted: &[SocketAddr],
    adds: bool,
) -> Result<(), Errno> {
    let mut state = socket.state();
    if !matches!(state.phase, Phase::Closed) {
        // ASCONF is missing, so an association or a listening endpoint keeps its addresses
        return Err(if adds { Errno::EOPNOTSUPP } else { Errno::EINVAL });
    }
    if !adds && state.port != 0 {
        return Err(Errno::EINVAL);
    }
    let mut addresses = if adds { state.addresses.clone() } else { Vec::new() };
    let mut port = state.port;
    for address in wanted {
        let ip = names::canonical(socket.domain, address)?;
        if !ip.is_unspecified() && !is_local(ports, ip) {
            return Err(Errno::EADDRNOTAVAIL);
        }
        if port != 0 && address.port() != 0 {
            // net/sctp/bind_addr.c, sctp_bind_addr_match: all addresses match each one
            let is_bound = ip.is_unspecified() || addresses.is_empty() || addresses.contains(&ip);
            if address.port() != port || is_bound {
                return Err(Errno::EINVAL);
            }
        }
        port = port.max(address.port());
        if !ip.is_unspecified() && !addresses.contains(&ip) {
            addresses.push(ip);
        }
    }
    state.port = ports.bind(socket.cookie, port, &addresses)?;
    state.addresses = addresses;
    Ok(())
}

/// `sctp_bindx` that removes addresses.
pub(super) fn unbind(ports: &Ports, socket: &Socket, unwanted: &[SocketAddr]) -> Result<(), Errno> {
    let mut state = socket.state();
    if !matches!(state.phase, Phase::Closed) {
        return Err(Errno::EOPNOTSUPP);
    }
    let mut addresses = state.addresses.clone();
    for address in unwanted {
        if addresses.len() < 2 {
            // The last address cannot be removed. net/sctp/socket.c, sctp_bindx_rem
            return Err(Errno::EBUSY);
        }
        if address.port() != 0 && address.port() != state.port {
            return Err(Errno::EINVAL);
        }
        let ip = names::canonical(socket.domain, address)?;
        let place = addresses.iter().position(|known| *known == ip);
        addresses.remove(place.ok_or(Errno::EINVAL)?);
    }
    ports.bind(socket.cookie, state.port, &addresses)?;
    state.addresses = addresses;
    Ok(())
}

fn is_local(ports: &Ports, ip: IpAddr) -> bool {
    let local = ports.local();
    if !local.is_empty() {
        return local.contains(&ip);
    }
    // 127.0.0.2, for example, belongs to the loopback interface, which does not list it
    let can_be_bound = || UdpSocket::bind((ip, 0)).is_ok();
    let is_listed = |all: Vec<LocalAddress>| all.iter().any(|address| address.ip == ip);
    can_be_bound() || interface_addresses().is_ok_and(is_listed)
}

/// `listen`. A backlog of 0 ends it, as in Linux.
pub(super) async fn listen(
    table: &Arc<Table>,
    ports: &Ports,
    usage: &Arc<Usage>,
    socket: &Arc<Socket>,
    backlog: i32,
) -> Result<(), Errno> {
    let backlog = waiting(backlog);
    let (builder, port) = {
        let mut state = socket.state();
        match (&state.phase, backlog) {
            (Phase::Closed, 0) => return Ok(()),
            (Phase::Closed, _) => {}
            (Phase::Listening(endpoint, accepting), 0) => {
                accepting.abort();
                endpoint.admit(None);
                state.phase = Phase::Closed;
                return Ok(());
            }
            (Phase::Listening(endpoint, _), backlog) => {
                endpoint.admit(Some(backlog));
                return Ok(());
            }
            _ => return Err(Errno::EINVAL),
        }
        (claim(ports, socket, &mut state, Use::Listen)?, state.port)
    };
    let endpoint = builder.listen(backlog).bind(port).await.map_err(|error| errno(&error))?;
    let accepting =
        accept(Arc::clone(table), Arc::clone(usage), Arc::clone(socket), endpoint.clone());
    let accepting = tokio::spawn(accepting);
    let mut state = socket.state();
    if !matches!(state.phase, Phase::Closed) {
        // Another call was faster, or the program has closed the socket
        accepting.abort();
        return Err(Errno::EINVAL);
    }
    state.phase = Phase::Listening(endpoint, accepting.abort_handle());
    Ok(())
}

/// How many associations may wait to be accepted.
pub(super) fn waiting(backlog: i32) -> usize {
    usize::try_from(backlog).unwrap_or(LARGEST_BACKLOG).min(LARGEST_BACKLOG)
}

/// Passes accepted associations to the program.
async fn accept(table: Arc<Table>, usage: Arc<Usage>, socket: Arc<Socket>, endpoint: Endpoint) {
    while let Ok(association) = endpoint.accept().await {
        let inherited = socket.passes_on(Style::One);
        let Some(peer) = names::peer(socket.domain, &association) else { continue };
        let streams = association.streams().outbound;
        // Without a place, descriptors or a program, the association is shut down
        let Ok(place) = usage.socket(socket.user) else { continue };
        let adopted = table.adopt(inherited, place, Some((association, endpoint.clone()))).await;
        let Ok((program, _)) = adopted else { continue };
        let answer = Answer::Accept { peer, streams };
        // It fails also while the user has too many descriptors on the way: the association is shut down. unix(7)
        let _ = socket.connection.send(&answer, Some(&program)).await;
    }
}

/// Begins to connect. The receiver gets the result.
pub(super) fn begin(
    ports: &Ports,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    peers: &[SocketAddr],
    later: bool,
) -> Result<oneshot::Receiver<Result<(), Errno>>, Errno> {
    let begun = try_to_begin(ports, associations, socket, peers, later);
    if later && begun.is_err() {
        socket.has_not_begun();
    }
    begun
}

fn try_to_begin(
    ports: &Ports,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    peers: &[SocketAddr],
    later: bool,
) -> Result<oneshot::Receiver<Result<(), Errno>>, Errno> {
    let mut state = socket.state();
    match state.phase {
        Phase::Closed => {}
        Phase::Connecting(_) => return Err(Errno::EALREADY),
        _ => return Err(Errno::EISCONN),
    }
    let peer = peer(ports, socket.domain, &state.options, peers)?;
    let builder = claim(ports, socket, &mut state, Use::Connect)?;
    let own = state.port;
    let (done, result) = oneshot::channel();
    let (associations, connecting) = (Arc::clone(associations), Arc::clone(socket));
    let attempt = tokio::spawn(async move {
        let outcome = match connect(builder, own, peer).await {
            Ok((association, endpoint)) => {
                connecting.becomes_connected(&associations, association, endpoint);
                Ok(())
            }
            Err(error) => {
                let why = match error {
                    // An association of an earlier socket with this port has not ended
                    Error::AlreadyConnected(_) => Errno::EADDRNOTAVAIL,
                    error => errno(&error),
                };
                connecting.has_failed(why, later);
                Err(why)
            }
        };
        // The program need not wait for it
        let _ = done.send(outcome);
    });
    state.phase = Phase::Connecting(attempt.abort_handle());
    Ok(result)
}

/// The peer with these addresses, whose ports must be equal.
pub(super) fn peer(
    ports: &Ports,
    domain: u16,
    options: &Options,
    peers: &[SocketAddr],
) -> Result<Peer, Errno> {
    let port = peers.first().ok_or(Errno::EINVAL)?.port();
    if port == 0 || peers.iter().any(|peer| peer.port() != port) {
        return Err(Errno::EINVAL);
    }
    let addresses = peers.iter().map(|peer| names::canonical(domain, peer));
    let peer = Peer::new(addresses.collect::<Result<Vec<IpAddr>, Errno>>()?, port);
    Ok(match ports.encapsulation() {
        Some(udp) => peer.encapsulation(options.peer_udp_port().unwrap_or(udp)),
        None => peer.raw(),
    })
}

async fn connect(
    builder: Builder,
    port: u16,
    peer: Peer,
) -> Result<(manypath_net::Association, Endpoint), Error> {
    let endpoint = builder.bind(port).await?;
    Ok((endpoint.connect(peer).await?, endpoint))
}

/// The use of an endpoint by a socket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Use {
    /// It must have the wanted UDP port.
    Listen,
    Connect,
}

/// Binds the port of a socket, whose state the caller holds, and returns the settings of its endpoint.
pub(super) fn claim(
    ports: &Ports,
    socket: &Socket,
    state: &mut State,
    wanted: Use,
) -> Result<Builder, Errno> {
    state.port = ports.bind(socket.cookie, state.port, &state.addresses)?;
    let host = match wanted {
        Use::Listen => ports.listening_host().map_err(|error| errno(&error))?,
        Use::Connect => ports.host(),
    };
    builder(ports, &host, socket.domain, state)
}

/// The settings of an endpoint of a socket; `ENETDOWN` if the daemon ends.
fn builder(ports: &Ports, host: &Host, domain: u16, state: &State) -> Result<Builder, Errno> {
    if ports.ends() {
        return Err(Refusal::Ending.errno_of_association());
    }
    let State { addresses, options, .. } = state;
    let is_bound = !addresses.is_empty();
    // Without a restriction, the endpoint follows the routes of the system
    let is_free = !is_bound && ports.local().is_empty();
    let all = match (is_bound, is_free) {
        (true, _) => addresses.clone(),
        (false, true) => local_addresses().map_err(|error| errno(&error))?,
        (false, false) => ports.local().to_vec(),
    };
    let local = names::of_family(domain, options.only_v6, &all);
    if local.is_empty() && !all.is_empty() {
        return Err(Errno::EADDRNOTAVAIL);
    }
    // Associations of an earlier socket may still have the port
    let builder = host.endpoint().take_over().local(local);
    let builder = if is_free { builder.follow_routes() } else { builder };
    Ok(builder.configure(|config| options.apply(config)))
}

/// Largest backlog: `SOMAXCONN`.
const LARGEST_BACKLOG: usize = 4096;
