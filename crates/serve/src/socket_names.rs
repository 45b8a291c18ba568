//! The local addresses of a socket as its program sees them.

use std::net::{IpAddr, SocketAddr};

use manypath_posix::abi::address::{INET, in_family};

use super::socket::{Phase, Socket};

/// The local addresses of a socket.
pub(super) fn locals(socket: &Socket) -> Vec<SocketAddr> {
    let state = socket.state();
    let (addresses, port) = match &state.phase {
        Phase::Listening(endpoint, _) => (endpoint.local_addresses(), endpoint.port()),
        Phase::Connected(connected) => {
            (connected.endpoint.local_addresses(), connected.endpoint.port())
        }
        Phase::Many(many) => (many.endpoint.local_addresses(), many.endpoint.port()),
        _ => (state.addresses.clone(), state.port),
    };
    let all = addresses.into_iter().map(|ip| in_family(SocketAddr::new(ip, port), socket.domain));
    all.filter(|address| socket.domain != INET || address.is_ipv4()).collect()
}

/// What `getsockname` returns.
pub(super) fn local(socket: &Socket) -> SocketAddr {
    let unspecified: IpAddr = if socket.domain == INET { [0; 4].into() } else { [0_u16; 8].into() };
    let bound = {
        let state = socket.state();
        let port = state.port;
        match &state.phase {
            Phase::Connected(connected) => {
                let local = connected.association.primary().map(|(local, _)| local);
                SocketAddr::new(local.unwrap_or(unspecified), port)
            }
            _ => SocketAddr::new(state.addresses.first().copied().unwrap_or(unspecified), port),
        }
    };
    in_family(bound, socket.domain)
}
