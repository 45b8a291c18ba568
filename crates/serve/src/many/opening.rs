//! Listening, accepting and opening associations.

use std::net::SocketAddr;
use std::sync::Arc;

use manypath_net::{Association, Endpoint, Error};
use manypath_posix::abi::message::InitMsg;
use nix::errno::Errno;

use crate::associations::Associations;
use crate::connected::Connected;
use crate::errors::errno;
use crate::limits::{Place, Refusal, Usage};
use crate::names;
use crate::one_to_many::{Found, Many};
use crate::opening::{self, Use};
use crate::option_values::Options;
use crate::outlet::Owner;
use crate::ports::Ports;
use crate::socket::{Phase, Socket};

/// `listen`. Associations of peers are added to the socket. A backlog of 0 ends it, as in Linux.
pub(crate) async fn listen(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    backlog: i32,
) -> Result<(), Errno> {
    let _alone = socket.opening.lock().await;
    let backlog = opening::waiting(backlog);
    let known = match &mut socket.state().phase {
        Phase::Many(many) if backlog == 0 => {
            many.stop_listening();
            return Ok(());
        }
        Phase::Many(many) if many.listens() => {
            many.endpoint.admit(Some(backlog));
            return Ok(());
        }
        Phase::Many(many) => Some(many.endpoint.clone()),
        Phase::Closed if backlog == 0 => return Ok(()),
        Phase::Closed => None,
        _ => return Err(Errno::EINVAL),
    };
    let udp = ports.encapsulation();
    let suits = |endpoint: &Endpoint| udp.is_none_or(|udp| endpoint.encapsulation_port() == udp);
    let endpoint = match known.filter(suits) {
        Some(endpoint) => {
            endpoint.admit(Some(backlog));
            endpoint
        }
        None => listening_endpoint(ports, socket, backlog).await?,
    };
    let (usage, associations) = (Arc::clone(usage), Arc::clone(associations));
    let accepting = accept(usage, associations, Arc::clone(socket), endpoint.clone());
    let accepting = tokio::spawn(accepting).abort_handle();
    let mut state = socket.state();
    if matches!(state.phase, Phase::Closed) {
        state.phase = Phase::Many(Many::new(endpoint.clone()));
    }
    let Phase::Many(many) = &mut state.phase else {
        // The program has closed the socket
        accepting.abort();
        endpoint.admit(None);
        return Err(Errno::EINVAL);
    };
    many.endpoint = endpoint;
    many.accepting = Some(accepting);
    Ok(())
}

async fn listening_endpoint(
    ports: &Ports,
    socket: &Socket,
    backlog: usize,
) -> Result<Endpoint, Errno> {
    let (builder, port) = {
        let mut state = socket.state();
        (opening::claim(ports, socket, &mut state, Use::Listen)?, state.port)
    };
    builder.listen(backlog).bind(port).await.map_err(|error| errno(&error))
}

/// Adds associations of peers to the socket.
async fn accept(
    usage: Arc<Usage>,
    associations: Arc<Associations>,
    socket: Arc<Socket>,
    endpoint: Endpoint,
) {
    while let Ok(association) = endpoint.accept().await {
        let Ok(place) = usage.socket(socket.user) else {
            association.abort("");
            continue;
        };
        let options = socket.state().options.clone();
        options.apply_to(&association);
        let added = add(&associations, &socket, (association, place), &endpoint, options);
        if let Err(association) = added {
            association.abort("");
        }
    }
}

/// Adds an association, which has a place. It is returned if the socket is closed.
fn add(
    associations: &Associations,
    socket: &Arc<Socket>,
    (association, place): (Association, Place),
    endpoint: &Endpoint,
    options: Options,
) -> Result<Connected, Association> {
    let mut state = socket.state();
    let Phase::Many(many) = &mut state.phase else { return Err(association) };
    let owner = Arc::clone(socket) as Arc<dyn Owner>;
    let endpoint = endpoint.clone();
    let connected = Connected::attach(associations, owner, association, endpoint, options);
    many.insert(connected.clone(), place);
    Ok(connected)
}

/// `connect` and `sctp_connectx`; returns the number of the association.
pub(crate) async fn connect(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Associations,
    socket: &Arc<Socket>,
    peers: &[SocketAddr],
    non_blocking: bool,
) -> Result<i32, Errno> {
    let connected = open(ports, usage, associations, socket, peers, None).await?;
    if non_blocking {
        return Err(Errno::EINPROGRESS);
    }
    connected.association.connected().await.map_err(|error| errno(&error))?;
    Ok(connected.number)
}

/// Begins to open an association.
///
/// The error is `EISCONN` or `EALREADY` if there is one with an address of the peer, `ENOBUFS` if the user has no place
/// for it.
pub(super) async fn open(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Associations,
    socket: &Arc<Socket>,
    peers: &[SocketAddr],
    init: Option<InitMsg>,
) -> Result<Connected, Errno> {
    let _alone = socket.opening.lock().await;
    for peer in peers {
        refuse_known(socket, peer).await?;
    }
    let place = usage.socket(socket.user).map_err(Refusal::errno_of_association)?;
    let endpoint = endpoint(ports, socket).await?;
    let (peer, options) = {
        let state = socket.state();
        let mut options = state.options.clone();
        if let Some(init) = init {
            options.set_init(init);
        }
        (opening::peer(ports, socket.domain, &options, peers)?, options)
    };
    let association = endpoint.begin(&peer, |config| options.apply(config));
    let association = association.map_err(|error| match error {
        // The association of a socket that is closed has not ended
        Error::AlreadyConnected(_) => Errno::EADDRNOTAVAIL,
        error => errno(&error),
    })?;
    add(associations, socket, (association, place), &endpoint, options).map_err(|association| {
        association.abort("");
        Errno::ECONNABORTED
    })
}

/// Fails if the socket has an association with a peer. One that ends is waited for.
async fn refuse_known(socket: &Socket, peer: &SocketAddr) -> Result<(), Errno> {
    let ip = names::canonical(socket.domain, peer)?;
    let found = match &socket.state().phase {
        Phase::Many(many) => many.find(ip, peer.port()),
        _ => None,
    };
    match found {
        None => Ok(()),
        Some(Found::Here(connected) | Found::Peeled(connected)) if connected.is_over() => {
            let _ = connected.association.closed().await;
            socket.loses(connected.number);
            Ok(())
        }
        Some(Found::Here(connected)) if connected.is_established() => Err(Errno::EISCONN),
        Some(Found::Here(_)) => Err(Errno::EALREADY),
        // It must not be opened twice
        Some(Found::Peeled(_)) => Err(Errno::EADDRNOTAVAIL),
    }
}

/// The endpoint of a socket. The first association of a socket that does not listen creates it.
async fn endpoint(ports: &Ports, socket: &Socket) -> Result<Endpoint, Errno> {
    if let Phase::Many(many) = &socket.state().phase {
        return Ok(many.endpoint.clone());
    }
    let (builder, port) = {
        let mut state = socket.state();
        (opening::claim(ports, socket, &mut state, Use::Connect)?, state.port)
    };
    // It may listen later
    let endpoint = builder.listen(1).bind(port).await.map_err(|error| errno(&error))?;
    endpoint.admit(None);
    let mut state = socket.state();
    if !matches!(state.phase, Phase::Closed) {
        // The program has closed the socket
        return Err(Errno::ECONNABORTED);
    }
    state.port = endpoint.port();
    state.phase = Phase::Many(Many::new(endpoint.clone()));
    Ok(endpoint)
}
