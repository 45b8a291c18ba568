//! The calls of programs.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use manypath_posix::abi::Layout;
use manypath_posix::abi::address::{decode, decode_all, encode};
use manypath_posix::abi::constants::*;
use manypath_posix::record::{ASSOCIATION_OVER, Answer, Call, Operation, Refused};
use nix::errno::Errno;
use tokio::sync::oneshot;

use super::associations::Associations;
use super::connection::Connection;
use super::limits::Usage;
use super::many;
use super::names;
use super::opening;
use super::options::{SocketOption, Support, least};
use super::parts::Parts;
use super::peeloff;
use super::ports::Ports;
use super::socket::{Phase, Socket, Style};
use super::socket_names;

/// The result of a call.
#[derive(Debug, Default)]
struct Outcome {
    value: i32,
    bytes: Vec<u8>,
    descriptor: Option<OwnedFd>,
}

type Called = Result<Outcome, Errno>;

/// Carries out a call and answers it.
pub(super) async fn answer(
    parts: &Parts,
    connection: &Connection,
    descriptor: OwnedFd,
    call: &Call<'_>,
) -> io::Result<()> {
    let socket = parts.table.find(&descriptor);
    // While a call waits, the program's own descriptors keep the socket open
    let descriptor = (call.operation == Operation::PeelOff).then_some(descriptor);
    let called = match socket {
        Some(socket) => match parts.usage.call(socket.user) {
            Ok(_place) => carry_out(parts, &socket, descriptor, call).await,
            Err(refusal) => Err(refusal.errno()),
        },
        // Its association has ended, and the program did not notice
        None => Err(Errno::ENOTCONN),
    };
    let (refused, errno, outcome) = match called {
        Ok(outcome) => (Refused::Nothing, 0, outcome),
        Err(errno) => {
            let (refused, value) = refusal(call, errno);
            (refused, errno as i32, Outcome { value, ..Outcome::default() })
        }
    };
    let Outcome { value, bytes, descriptor } = outcome;
    let reply = Answer::Reply { errno, value, refused, bytes: &bytes };
    connection.send(&reply, descriptor.as_ref()).await
}

/// Answers a call that is not carried out.
pub(super) async fn refuse(connection: &Connection, errno: Errno) -> io::Result<()> {
    let errno = errno as i32;
    connection
        .send(&Answer::Reply { errno, value: -1, refused: Refused::Nothing, bytes: &[] }, None)
        .await
}

/// The option or value for which a call failed because the daemon does not support it, and this value.
fn refusal(call: &Call<'_>, errno: Errno) -> (Refused, i32) {
    let is_about_options = matches!(call.operation, Operation::GetOption | Operation::SetOption);
    if !is_about_options || is_call(call) {
        return (Refused::Nothing, -1);
    }
    let Some(option) = SocketOption::find(call.level, call.option) else {
        return (Refused::Option, -1);
    };
    match (option.support, option.refused_value(call.bytes)) {
        (Support::Refused(..), _) => (Refused::Option, -1),
        (_, Some(value))
            if call.operation == Operation::SetOption && errno == Errno::EOPNOTSUPP =>
        {
            (Refused::Value, value)
        }
        _ => (Refused::Nothing, -1),
    }
}

/// Whether the option implements a call of libsctp, which may fail.
fn is_call(call: &Call<'_>) -> bool {
    call.level == IPPROTO_SCTP
        && matches!(
            call.option,
            SCTP_SOCKOPT_BINDX_ADD
                | SCTP_SOCKOPT_BINDX_REM
                | SCTP_SOCKOPT_CONNECTX
                | SCTP_SOCKOPT_CONNECTX_OLD
                | SCTP_SOCKOPT_CONNECTX3
        )
}

async fn carry_out(
    parts: &Parts,
    socket: &Arc<Socket>,
    descriptor: Option<OwnedFd>,
    call: &Call<'_>,
) -> Called {
    let Parts { table, ports, usage, associations } = parts;
    match call.operation {
        Operation::Bind => {
            let (address, _) = decode(call.bytes).ok_or(Errno::EINVAL)?;
            done(opening::bind(ports, socket, &[address], false))
        }
        Operation::Listen if socket.is_many() => {
            done(many::listen(ports, usage, associations, socket, call.option).await)
        }
        Operation::Listen => done(opening::listen(table, ports, usage, socket, call.option).await),
        Operation::Connect => {
            let (address, _) = decode(call.bytes).ok_or(Errno::EINVAL)?;
            connect(ports, usage, associations, socket, &[address], call).await?;
            Ok(Outcome { value: streams(socket), ..Outcome::default() })
        }
        Operation::Accept if socket.style != Style::One => Err(Errno::EOPNOTSUPP),
        Operation::Accept => match socket.state().phase {
            Phase::Listening(..) => Ok(Outcome::default()),
            _ => Err(Errno::EINVAL),
        },
        Operation::SocketName => Ok(bytes(encode(socket_names::local(socket)))),
        Operation::PeerName => {
            let connected = socket.connected().ok_or(Errno::ENOTCONN)?;
            let peer = names::peer(socket.domain, &connected.association);
            let bytes = encode(peer.ok_or(Errno::ENOTCONN)?);
            Ok(Outcome { value: streams(socket), bytes, ..Outcome::default() })
        }
        Operation::GetOption => get_option(ports, usage, associations, socket, call).await,
        Operation::SetOption => set_option(ports, usage, associations, socket, call).await,
        Operation::Send => {
            let value = many::permission(ports, usage, associations, socket, call).await?;
            Ok(Outcome { value, ..Outcome::default() })
        }
        Operation::PeelOff => {
            let descriptor = descriptor.ok_or(Errno::EBADF)?;
            let peeled = peeloff::peel_off(table, usage, socket, &descriptor, call).await?;
            Ok(Outcome { descriptor: Some(peeled), ..Outcome::default() })
        }
    }
}

fn done(result: Result<(), Errno>) -> Called {
    result.map(|()| Outcome::default())
}

fn bytes(bytes: Vec<u8>) -> Outcome {
    Outcome { bytes, ..Outcome::default() }
}

/// How many streams a one-to-one socket sends on. See [`Operation::PeerName`].
fn streams(socket: &Socket) -> i32 {
    match socket.connected() {
        Some(connected) if connected.is_over() => ASSOCIATION_OVER,
        Some(connected) if !connected.is_closing() => connected.outbound_streams().into(),
        _ => 0,
    }
}

/// The result of a connection attempt.
async fn wait(
    attempt: oneshot::Receiver<Result<(), Errno>>,
    non_blocking: bool,
) -> Result<(), Errno> {
    if non_blocking {
        return Err(Errno::EINPROGRESS);
    }
    // The attempt is dropped if the program closes the socket meanwhile
    attempt.await.unwrap_or(Err(Errno::ECONNABORTED))
}

/// Opens an association; returns its number.
async fn connect(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    peers: &[SocketAddr],
    call: &Call<'_>,
) -> Result<i32, Errno> {
    if socket.is_many() {
        let non_blocking = call.non_blocking;
        return many::connect(ports, usage, associations, socket, peers, non_blocking).await;
    }
    let attempt = opening::begin(ports, associations, socket, peers, call.non_blocking)?;
    wait(attempt, call.non_blocking).await?;
    Ok(socket.connected().map_or(0, |connected| connected.number))
}

async fn get_option(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    call: &Call<'_>,
) -> Called {
    if (call.level, call.option) == (IPPROTO_SCTP, SCTP_SOCKOPT_CONNECTX3) {
        return connect_to_all(ports, usage, associations, socket, call).await;
    }
    let option = SocketOption::find(call.level, call.option).ok_or(Errno::ENOPROTOOPT)?;
    let value = option.get(socket, call.bytes)?;
    let room = call.room as usize;
    let too_long = call.level == IPPROTO_SCTP && value.len() > room;
    match call.option {
        SCTP_GET_PEER_ADDRS | SCTP_GET_LOCAL_ADDRS if too_long => Err(Errno::ENOMEM),
        option if call.level == IPPROTO_SCTP && room < least(option, value.len(), room) => {
            Err(Errno::EINVAL)
        }
        _ => Ok(bytes(value)),
    }
}

async fn set_option(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    call: &Call<'_>,
) -> Called {
    if call.level == IPPROTO_SCTP {
        match call.option {
            SCTP_SOCKOPT_BINDX_ADD | SCTP_SOCKOPT_BINDX_REM => {
                let addresses = decode_all(call.bytes).filter(|all| !all.is_empty());
                let addresses = addresses.ok_or(Errno::EINVAL)?;
                return done(match call.option {
                    SCTP_SOCKOPT_BINDX_ADD => opening::bind(ports, socket, &addresses, true),
                    _ => opening::unbind(ports, socket, &addresses),
                });
            }
            SCTP_SOCKOPT_CONNECTX | SCTP_SOCKOPT_CONNECTX_OLD => {
                return connect_to_all(ports, usage, associations, socket, call).await;
            }
            _ => {}
        }
    }
    let option = SocketOption::find(call.level, call.option).ok_or(Errno::ENOPROTOOPT)?;
    done(option.set(socket, call.bytes))
}

/// `sctp_connectx`. Its value, or the bytes of `SCTP_SOCKOPT_CONNECTX3`, is the number of the association.
async fn connect_to_all(
    ports: &Ports,
    usage: &Arc<Usage>,
    associations: &Arc<Associations>,
    socket: &Arc<Socket>,
    call: &Call<'_>,
) -> Called {
    let addresses = decode_all(call.bytes).ok_or(Errno::EINVAL)?;
    let number = connect(ports, usage, associations, socket, &addresses, call).await?;
    match call.option {
        SCTP_SOCKOPT_CONNECTX_OLD => Ok(Outcome::default()),
        SCTP_SOCKOPT_CONNECTX3 => Ok(bytes(number.encode())),
        _ => Ok(Outcome { value: number, ..Outcome::default() }),
    }
}
