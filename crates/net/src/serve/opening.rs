//! Binding, listening, connecting and accepting.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use manypath_posix::record::Answer;
use nix::errno::Errno;
use tokio::sync::oneshot;

use super::daemon::Shared;
use super::errors::errno;
use super::names;
use super::socket::{Inherited, Phase, Socket, State};
use crate::socket::{interface_addresses, local_addresses};
use crate::{Builder, Endpoint, Error, Peer};

/// `bind`, and `sctp_bindx` with further addresses.
pub(super) fn bind(
    shared: &Shared,
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
        if port != 0 && address.port() != 0 && address.port() != port {
            return Err(Errno::EINVAL);
        }
        port = port.max(address.port());
        let ip = names::canonical(socket.domain, address)?;
        if ip.is_unspecified() {
            continue;
        }
        if !is_local(shared, ip) {
            return Err(Errno::EADDRNOTAVAIL);
        }
        if !addresses.contains(&ip) {
            addresses.push(ip);
        }
    }
    state.port = shared.ports().bind(socket.cookie, port, &addresses)?;
    state.addresses = addresses;
    Ok(())
}

/// `sctp_bindx` that removes addresses.
pub(super) fn unbind(
    shared: &Shared,
    socket: &Socket,
    unwanted: &[SocketAddr],
) -> Result<(), Errno> {
    let mut state = socket.state();
    if !matches!(state.phase, Phase::Closed) {
        return Err(Errno::EOPNOTSUPP);
    }
    let mut addresses = state.addresses.clone();
    for address in unwanted {
        let ip = names::canonical(socket.domain, address)?;
        let place = addresses.iter().position(|known| *known == ip);
        addresses.remove(place.ok_or(Errno::EADDRNOTAVAIL)?);
    }
    if addresses.is_empty() {
        // The last address cannot be removed
        return Err(Errno::EBUSY);
    }
    shared.ports().bind(socket.cookie, state.port, &addresses)?;
    state.addresses = addresses;
    Ok(())
}

fn is_local(shared: &Shared, ip: IpAddr) -> bool {
    let local = &shared.settings.local;
    if !local.is_empty() {
        return local.contains(&ip);
    }
    interface_addresses().is_ok_and(|all| all.iter().any(|address| address.ip == ip))
}

/// `listen`. A backlog of 0 ends it, as in Linux.
pub(super) async fn listen(
    shared: &Arc<Shared>,
    socket: &Arc<Socket>,
    backlog: i32,
) -> Result<(), Errno> {
    let backlog = usize::try_from(backlog).unwrap_or(LARGEST_BACKLOG).min(LARGEST_BACKLOG);
    let (builder, addresses, port) = {
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
        let mut ports = shared.ports();
        state.port = ports.bind(socket.cookie, state.port, &state.addresses)?;
        (builder(shared, socket.domain, &state)?, state.addresses.clone(), state.port)
    };
    let builder = match shared.settings.encapsulation {
        Some(udp) => builder.encapsulation(udp),
        None => builder.without_encapsulation(),
    };
    let endpoint = listening_endpoint(shared, builder, &addresses, port, backlog).await?;
    let accepting = tokio::spawn(accept(Arc::clone(shared), Arc::clone(socket), endpoint.clone()));
    let mut state = socket.state();
    if !matches!(state.phase, Phase::Closed) {
        // Another call was faster, or the program has closed the socket
        accepting.abort();
        return Err(Errno::EINVAL);
    }
    state.phase = Phase::Listening(endpoint, accepting.abort_handle());
    Ok(())
}

/// The endpoint of a port, which may have associations of an earlier listening socket.
async fn listening_endpoint(
    shared: &Shared,
    builder: Builder,
    addresses: &[IpAddr],
    port: u16,
    backlog: usize,
) -> Result<Endpoint, Errno> {
    let idle = {
        let mut ports = shared.ports();
        let is_it = |it: &Endpoint| {
            let local = it.local_addresses();
            it.port() == port && (addresses.is_empty() || local == addresses)
        };
        if let Some(known) = ports.endpoints.iter().find(|it| is_it(it) && it.open() > 0) {
            known.admit(Some(backlog));
            return Ok(known.clone());
        }
        ports.endpoints.extract_if(.., |it| it.is_idle()).collect::<Vec<_>>()
    };
    for endpoint in idle {
        // Its UDP port becomes free
        endpoint.close().await;
    }
    let mut attempts = 0;
    let endpoint = loop {
        match builder.clone().listen(backlog).bind(port).await {
            // The driver of a closed endpoint ends with its next poll
            Err(Error::AddressInUse(_)) if attempts < ATTEMPTS => {
                attempts += 1;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            bound => break bound.map_err(|error| errno(&error))?,
        }
    };
    shared.ports().endpoints.push(endpoint.clone());
    Ok(endpoint)
}

/// Passes accepted associations to the program.
async fn accept(shared: Arc<Shared>, socket: Arc<Socket>, endpoint: Endpoint) {
    while let Ok(association) = endpoint.accept().await {
        let options = socket.state().options.clone();
        let inherited = Inherited { domain: socket.domain, user: socket.user, options };
        let Some(peer) = names::peer(socket.domain, &association) else { continue };
        // Without descriptors or a program, the association is shut down
        let Ok(program) = shared.adopt(inherited, association, endpoint.clone()).await else {
            continue;
        };
        if socket.connection.send(&Answer::Accept { peer }, Some(&program)).await.is_err() {
            return;
        }
    }
}

/// Begins to connect. The receiver gets the result.
pub(super) fn begin(
    shared: &Arc<Shared>,
    socket: &Arc<Socket>,
    peers: &[SocketAddr],
    later: bool,
) -> Result<oneshot::Receiver<Result<(), Errno>>, Errno> {
    let begun = try_to_begin(shared, socket, peers, later);
    if later && begun.is_err() {
        socket.has_not_begun();
    }
    begun
}

fn try_to_begin(
    shared: &Arc<Shared>,
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
    let port = peers.first().ok_or(Errno::EINVAL)?.port();
    if port == 0 || peers.iter().any(|peer| peer.port() != port) {
        return Err(Errno::EINVAL);
    }
    let addresses = peers.iter().map(|peer| names::canonical(socket.domain, peer));
    let addresses = addresses.collect::<Result<Vec<IpAddr>, Errno>>()?;
    let builder = builder(shared, socket.domain, &state)?;
    let peer = Peer::new(addresses, port);
    let (builder, peer) = match shared.settings.encapsulation {
        Some(udp) => {
            let udp = state.options.peer_udp_port().unwrap_or(udp);
            (builder.encapsulation(0), peer.encapsulation(udp))
        }
        None => (builder.without_encapsulation(), peer.raw()),
    };
    let own = state.port;
    let (done, result) = oneshot::channel();
    let (shared, connecting) = (Arc::clone(shared), Arc::clone(socket));
    let attempt = tokio::spawn(async move {
        let outcome = match connect(builder, own, peer).await {
            Ok((association, endpoint)) => {
                connecting.becomes_connected(&shared, association, endpoint);
                Ok(())
            }
            Err(error) => {
                let why = errno(&error);
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

async fn connect(
    builder: Builder,
    port: u16,
    peer: Peer,
) -> Result<(crate::Association, Endpoint), Error> {
    let endpoint = builder.bind(port).await?;
    Ok((endpoint.connect(peer).await?, endpoint))
}

/// The settings of an endpoint of a socket.
fn builder(shared: &Shared, domain: u16, state: &State) -> Result<Builder, Errno> {
    let State { addresses, options, .. } = state;
    let all = match (addresses.is_empty(), shared.settings.local.is_empty()) {
        (false, _) => addresses.clone(),
        (true, false) => shared.settings.local.clone(),
        // Without a restriction, the endpoint follows the routes of the system
        (true, true) if !options.only_v6 => Vec::new(),
        (true, true) => local_addresses().map_err(|error| errno(&error))?,
    };
    let local = names::of_family(domain, options.only_v6, &all);
    if local.is_empty() && !all.is_empty() {
        return Err(Errno::EADDRNOTAVAIL);
    }
    let builder = shared.settings.builder.clone().local(local);
    Ok(builder.configure(|config| options.apply(config)))
}

/// Largest backlog: `SOMAXCONN`.
const LARGEST_BACKLOG: usize = 4096;
/// Attempts to bind a UDP port that another endpoint gives up.
const ATTEMPTS: u32 = 50;
