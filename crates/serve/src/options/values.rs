//! Options of level `IPPROTO_SCTP`. RFC 6458 §8

use std::net::SocketAddr;

use manypath_core::Span;
use manypath_net::{Config, Path, PathState};
use manypath_posix::abi::address::{encode_all, in_family};
use manypath_posix::abi::constants::*;
use manypath_posix::abi::message::{InitMsg, SndInfo, SndRcvInfo};
use manypath_posix::abi::option::{
    AssocParams, AssocValue, DefaultPrInfo, Event, EventSubscribe, GetAddrs, PaddrInfo,
    PaddrParams, RtoInfo, SackInfo, SetPrim, Status, UdpEncaps,
};
use manypath_posix::abi::{Address, Layout};
use manypath_posix::record::PartialReliability;
use manypath_sctp::AssociationState;
use nix::errno::Errno;

use super::length::complete_parameters;
use super::only::is_contradictory;
use super::target::{Target, is_any};
use crate::connected::Connected;
use crate::names;
use crate::socket::Socket;
use crate::socket_names;

type Value = Result<Vec<u8>, Errno>;
type Done = Result<(), Errno>;

/// A value of a program.
fn given<T: Layout>(bytes: &[u8]) -> Result<T, Errno> {
    T::decode(bytes).ok_or(Errno::EINVAL)
}

/// Milliseconds of a value of C.
fn milliseconds(span: Span) -> u32 {
    (span.as_secs_f64() * 1000.0).round() as u32
}

pub(super) fn rto(at: &Target<'_>, _: &[u8]) -> Value {
    let rto = at.options().rto.unwrap_or_else(|| Config::for_real_networks().rto);
    let [initial, max, min] = [rto.initial, rto.max, rto.min].map(milliseconds);
    Ok(RtoInfo { assoc_id: at.number(), initial, max, min }.encode())
}

pub(super) fn set_rto(at: &Target<'_>, bytes: &[u8]) -> Done {
    let RtoInfo { initial, max, min, .. } = given(bytes)?;
    let mut rto = at.options().rto.unwrap_or_else(|| Config::for_real_networks().rto);
    for (place, value) in [(&mut rto.initial, initial), (&mut rto.max, max), (&mut rto.min, min)] {
        if value != 0 {
            *place = Span::from_millis(value.into());
        }
    }
    if rto.min > rto.max {
        return Err(Errno::EINVAL);
    }
    at.change(|options| options.rto = Some(rto));
    Ok(())
}

pub(super) fn association(at: &Target<'_>, _: &[u8]) -> Value {
    let set = at.options().association_retransmissions;
    let config = Config::for_real_networks();
    let most = set.unwrap_or(config.association_max_retransmissions);
    let peers =
        at.find_association().map_or(0, |it| names::peers(at.socket.domain, &it.association).len());
    let params = AssocParams {
        assoc_id: at.number(),
        asocmaxrxt: most as u16,
        number_peer_destinations: peers as u16,
        cookie_life: milliseconds(at.options().cookie_life.unwrap_or(config.cookie_life)),
        ..AssocParams::default()
    };
    Ok(params.encode())
}

pub(super) fn set_association(at: &Target<'_>, bytes: &[u8]) -> Done {
    let AssocParams { asocmaxrxt, cookie_life, .. } = given(bytes)?;
    at.change(|options| {
        if asocmaxrxt != 0 {
            options.association_retransmissions = Some(asocmaxrxt.into());
        }
        if cookie_life != 0 {
            options.cookie_life = Some(Span::from_millis(cookie_life.into()));
        }
    });
    Ok(())
}

pub(super) fn init(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(at.options().init.encode())
}

pub(super) fn set_init(at: &Target<'_>, bytes: &[u8]) -> Done {
    let wanted: InitMsg = given(bytes)?;
    at.change(|options| options.set_init(wanted));
    Ok(())
}

pub(super) fn nodelay(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(i32::from(at.options().nodelay).encode())
}

pub(super) fn set_nodelay(at: &Target<'_>, bytes: &[u8]) -> Done {
    let nodelay = given::<i32>(bytes)? != 0;
    at.change(|options| options.nodelay = nodelay);
    Ok(())
}

pub(super) fn primary(at: &Target<'_>, _: &[u8]) -> Value {
    let connected = at.association()?;
    let peer = names::peer(at.socket.domain, &connected.association).ok_or(Errno::EINVAL)?;
    Ok(SetPrim { assoc_id: connected.number, addr: peer.into() }.encode())
}

pub(super) fn set_primary(at: &Target<'_>, bytes: &[u8]) -> Done {
    let SetPrim { addr, .. } = given(bytes)?;
    let connected = at.association()?;
    let (place, _) = path_to(at.socket, connected, addr)?;
    connected.association.set_primary(place).map_err(|_| Errno::EINVAL)
}

/// The path to an address of the peer, and its number.
fn path_to(
    socket: &Socket,
    connected: &Connected,
    wanted: Address,
) -> Result<(usize, Path), Errno> {
    let wanted = wanted.0.ok_or(Errno::EINVAL)?;
    if wanted.port() != connected.association.peer_port() {
        return Err(Errno::EINVAL);
    }
    let ip = names::canonical(socket.domain, &wanted)?;
    let paths = connected.association.paths();
    paths.into_iter().enumerate().find(|(_, path)| path.remote == ip).ok_or(Errno::EINVAL)
}

/// Parameters whose address is one of the peer, or none.
fn given_parameters(at: &Target<'_>, bytes: &[u8]) -> Result<PaddrParams, Errno> {
    let params = complete_parameters(bytes).ok_or(Errno::EINVAL)?;
    if !is_any(at.socket.domain, &bytes[PADDR_PARAMS_ADDRESS..]) {
        path_to(at.socket, at.association()?, params.address)?;
    }
    Ok(params)
}

pub(super) fn path_parameters(at: &Target<'_>, bytes: &[u8]) -> Value {
    let PaddrParams { address, .. } = given_parameters(at, bytes)?;
    let (config, options) = (Config::for_real_networks(), at.options());
    let (every, delay) = options.sack.unwrap_or((config.sack_every, config.sack_delay));
    let delays = if every == 1 { SPP_SACKDELAY_DISABLE } else { SPP_SACKDELAY_ENABLE };
    let heartbeats = if options.has_heartbeats { SPP_HB_ENABLE } else { SPP_HB_DISABLE };
    let params = PaddrParams {
        assoc_id: at.number(),
        address,
        hbinterval: milliseconds(options.heartbeat),
        pathmaxrxt: options.path_retransmissions.unwrap_or(config.path_max_retransmissions) as u16,
        sackdelay: milliseconds(delay),
        flags: heartbeats | SPP_PMTUD_ENABLE | delays,
        ..PaddrParams::default()
    };
    Ok(params.encode())
}

/// All paths have the same parameters. An interval or delay counts only with the flag that enables it.
/// net/sctp/socket.c, sctp_apply_peer_addr_params
pub(super) fn set_path_parameters(at: &Target<'_>, bytes: &[u8]) -> Done {
    let params = given_parameters(at, bytes)?;
    let PaddrParams { hbinterval, pathmaxrxt, pathmtu, sackdelay, flags, .. } = params;
    let has = |flag| flags & flag != 0;
    if is_contradictory(flags, bytes.len())
        || sackdelay > LONGEST_SACK_DELAY
        || (1..LEAST_MTU).contains(&pathmtu)
    {
        return Err(Errno::EINVAL);
    }
    let config = Config::for_real_networks();
    at.change(|options| {
        if has(SPP_HB_ENABLE) {
            options.has_heartbeats = true;
            if has(SPP_HB_TIME_IS_ZERO) {
                options.heartbeat = Span::ZERO;
            } else if hbinterval != 0 {
                options.heartbeat = Span::from_millis(hbinterval.into());
            }
        } else if has(SPP_HB_DISABLE) {
            options.has_heartbeats = false;
        }
        if pathmaxrxt != 0 {
            options.path_retransmissions = Some(pathmaxrxt.into());
        }
        let (every, delay) = options.sack.unwrap_or((config.sack_every, config.sack_delay));
        if has(SPP_SACKDELAY_DISABLE) {
            options.sack = Some((1, delay));
        } else if has(SPP_SACKDELAY_ENABLE) {
            let delay = if sackdelay == 0 { delay } else { Span::from_millis(sackdelay.into()) };
            options.sack = Some((if every == 1 { config.sack_every } else { every }, delay));
        }
    });
    Ok(())
}

pub(super) fn send_parameters(at: &Target<'_>, _: &[u8]) -> Value {
    let options = at.options();
    let SndInfo { sid, flags, ppid, context, .. } = options.send;
    let timetolive = options.reliability.map_or(0, |it| it.value);
    let assoc_id = at.number();
    let info = SndRcvInfo {
        stream: sid,
        flags,
        ppid,
        context,
        timetolive,
        assoc_id,
        ..Default::default()
    };
    Ok(info.encode())
}

pub(super) fn set_send_parameters(at: &Target<'_>, bytes: &[u8]) -> Done {
    let SndRcvInfo { stream, flags, ppid, context, timetolive, .. } = given(bytes)?;
    if flags & !DEFAULT_FLAGS != 0 {
        return Err(Errno::EINVAL);
    }
    at.change(|options| {
        options.send = SndInfo { sid: stream, flags, ppid, context, assoc_id: 0 };
        options.reliability = (timetolive > 0)
            .then_some(PartialReliability { policy: SCTP_PR_SCTP_TTL, value: timetolive });
    });
    Ok(())
}

pub(super) fn send_info(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(SndInfo { assoc_id: at.number(), ..at.options().send }.encode())
}

pub(super) fn set_send_info(at: &Target<'_>, bytes: &[u8]) -> Done {
    let info: SndInfo = given(bytes)?;
    if info.flags & !DEFAULT_FLAGS != 0 {
        return Err(Errno::EINVAL);
    }
    at.change(|options| options.send = SndInfo { assoc_id: 0, ..info });
    Ok(())
}

pub(super) fn reliability(at: &Target<'_>, _: &[u8]) -> Value {
    let set = at.options().reliability;
    let PartialReliability { policy, value } =
        set.unwrap_or(PartialReliability { policy: SCTP_PR_SCTP_NONE, value: 0 });
    Ok(DefaultPrInfo { assoc_id: at.number(), value, policy }.encode())
}

/// Only a lifetime is supported.
pub(super) fn set_reliability(at: &Target<'_>, bytes: &[u8]) -> Done {
    let DefaultPrInfo { value, policy, .. } = given(bytes)?;
    let set = match policy {
        SCTP_PR_SCTP_NONE => None,
        SCTP_PR_SCTP_TTL => Some(PartialReliability { policy, value }),
        _ => return Err(Errno::EINVAL),
    };
    at.change(|options| options.reliability = set);
    Ok(())
}

pub(super) fn events(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(at.options().events.encode())
}

/// Programs may have a shorter structure, of an older header file.
pub(super) fn set_events(at: &Target<'_>, bytes: &[u8]) -> Done {
    if bytes.len() > EventSubscribe::SIZE {
        return Err(Errno::EINVAL);
    }
    let mut all = vec![0; EventSubscribe::SIZE];
    all[..bytes.len()].copy_from_slice(bytes);
    let events: EventSubscribe = given(&all)?;
    at.change(|options| options.events = events);
    Ok(())
}

/// The place of a notification in the subscription of all.
fn place(kind: u16) -> Result<usize, Errno> {
    let place = usize::from(kind.checked_sub(SCTP_DATA_IO_EVENT).ok_or(Errno::EINVAL)?);
    if place < EventSubscribe::SIZE { Ok(place) } else { Err(Errno::EINVAL) }
}

pub(super) fn event(at: &Target<'_>, bytes: &[u8]) -> Value {
    let event: Event = given(bytes)?;
    let on = at.options().events.encode()[place(event.type_)?];
    Ok(Event { on, ..event }.encode())
}

pub(super) fn set_event(at: &Target<'_>, bytes: &[u8]) -> Done {
    let Event { type_, on, .. } = given(bytes)?;
    let place = place(type_)?;
    at.change(|options| {
        let mut all = options.events.encode();
        all[place] = u8::from(on != 0);
        options.events = EventSubscribe::decode(&all).unwrap_or(options.events);
    });
    Ok(())
}

fn information(socket: &Socket, connected: &Connected, path: &Path) -> PaddrInfo {
    let port = connected.association.peer_port();
    let state = match (path.stats.confirmed, path.stats.state) {
        (false, _) => SCTP_UNCONFIRMED,
        (true, PathState::Active) => SCTP_ACTIVE,
        (true, PathState::PotentiallyFailed) => SCTP_PF,
        (true, _) => SCTP_INACTIVE,
    };
    PaddrInfo {
        assoc_id: connected.number,
        address: in_family(SocketAddr::new(path.remote, port), socket.domain).into(),
        state,
        cwnd: u32::try_from(path.stats.window).unwrap_or(u32::MAX),
        srtt: milliseconds(path.stats.srtt),
        rto: milliseconds(path.stats.rto),
        mtu: path.mtu.into(),
    }
}

pub(super) fn status(at: &Target<'_>, _: &[u8]) -> Value {
    let connected = at.association()?;
    let paths = connected.association.paths();
    let primary = paths.iter().find(|path| path.is_primary).or(paths.first());
    let streams = connected.association.streams();
    let now = connected.association.status().ok_or(Errno::EINVAL)?;
    let fragment = primary.map_or(0, |path| u32::from(path.mtu).saturating_sub(HEADERS));
    let status = Status {
        assoc_id: connected.number,
        state: state_number(now.state),
        rwnd: u32::try_from(now.peer_window).unwrap_or(u32::MAX),
        unackdata: u16::try_from(now.unacknowledged).unwrap_or(u16::MAX),
        penddata: u16::try_from(now.missing).unwrap_or(u16::MAX),
        instrms: streams.inbound,
        outstrms: streams.outbound,
        fragmentation_point: fragment,
        primary: primary.map(|path| information(at.socket, connected, path)).unwrap_or_default(),
    };
    Ok(status.encode())
}

fn state_number(state: AssociationState) -> i32 {
    match state {
        AssociationState::Closed => SCTP_CLOSED,
        AssociationState::CookieWait => SCTP_COOKIE_WAIT,
        AssociationState::CookieEchoed => SCTP_COOKIE_ECHOED,
        AssociationState::Established => SCTP_ESTABLISHED,
        AssociationState::ShutdownPending => SCTP_SHUTDOWN_PENDING,
        AssociationState::ShutdownSent => SCTP_SHUTDOWN_SENT,
        AssociationState::ShutdownReceived => SCTP_SHUTDOWN_RECEIVED,
        AssociationState::ShutdownAckSent => SCTP_SHUTDOWN_ACK_SENT,
    }
}

pub(super) fn path_information(at: &Target<'_>, bytes: &[u8]) -> Value {
    let PaddrInfo { address, .. } = given(bytes)?;
    let connected = at.association()?;
    let (_, path) = path_to(at.socket, connected, address)?;
    Ok(information(at.socket, connected, &path).encode())
}

pub(super) fn peer_addresses(at: &Target<'_>, _: &[u8]) -> Value {
    let connected = at.association()?;
    let addresses = names::peers(at.socket.domain, &connected.association);
    Ok(list(connected.number, &addresses))
}

pub(super) fn local_addresses(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(list(at.number(), &socket_names::locals(at.socket)))
}

fn list(assoc_id: i32, addresses: &[SocketAddr]) -> Vec<u8> {
    let head = GetAddrs { assoc_id, addr_num: addresses.len() as u32 };
    [head.encode(), encode_all(addresses)].concat()
}

pub(super) fn sack(at: &Target<'_>, _: &[u8]) -> Value {
    let config = Config::for_real_networks();
    let set = at.options().sack;
    let (freq, delay) = set.unwrap_or((config.sack_every, config.sack_delay));
    Ok(SackInfo { assoc_id: at.number(), delay: milliseconds(delay), freq }.encode())
}

pub(super) fn set_sack(at: &Target<'_>, bytes: &[u8]) -> Done {
    let SackInfo { delay, freq, .. } = match bytes.len() {
        // Of an older header file: no delay stands for no delayed SACKs
        AssocValue::SIZE => {
            let AssocValue { id, value } = given(bytes)?;
            SackInfo { assoc_id: id, delay: value, freq: u32::from(value == 0) }
        }
        _ => given(bytes)?,
    };
    if delay > LONGEST_SACK_DELAY {
        return Err(Errno::EINVAL);
    }
    let config = Config::for_real_networks();
    at.change(|options| {
        let (every, span) = options.sack.unwrap_or((config.sack_every, config.sack_delay));
        let every = if freq == 0 { every } else { freq };
        let span = if delay == 0 { span } else { Span::from_millis(delay.into()) };
        options.sack = Some((every, span));
    });
    Ok(())
}

pub(super) fn receive_info(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(i32::from(at.options().receive_info).encode())
}

pub(super) fn set_receive_info(at: &Target<'_>, bytes: &[u8]) -> Done {
    let wanted = given::<i32>(bytes)? != 0;
    at.change(|options| options.receive_info = wanted);
    Ok(())
}

/// A port whose address is one of the peer, or none.
fn given_port(at: &Target<'_>, bytes: &[u8]) -> Result<UdpEncaps, Errno> {
    let encaps: UdpEncaps = given(bytes)?;
    if !is_any(at.socket.domain, &bytes[UDP_ENCAPS_ADDRESS..]) {
        path_to(at.socket, at.association()?, encaps.address)?;
    }
    Ok(encaps)
}

pub(super) fn peer_udp(at: &Target<'_>, bytes: &[u8]) -> Value {
    let encaps = given_port(at, bytes)?;
    let port = at.options().peer_udp.unwrap_or(0).to_be();
    Ok(UdpEncaps { port, ..encaps }.encode())
}

pub(super) fn set_peer_udp(at: &Target<'_>, bytes: &[u8]) -> Done {
    let UdpEncaps { port, .. } = given_port(at, bytes)?;
    let port = Some(u16::from_be(port)).filter(|port| *port != 0);
    at.change(|options| options.peer_udp = port);
    Ok(())
}

pub(super) fn context(at: &Target<'_>, _: &[u8]) -> Value {
    Ok(AssocValue { id: at.number(), value: at.options().context }.encode())
}

pub(super) fn set_context(at: &Target<'_>, bytes: &[u8]) -> Done {
    let AssocValue { value, .. } = given(bytes)?;
    at.change(|options| options.context = value);
    Ok(())
}

/// The path MTU decides. A program may take a number alone, as older header files have it.
pub(super) fn no_value(at: &Target<'_>, bytes: &[u8]) -> Value {
    if bytes.len() == 4 {
        return Ok(0_u32.encode());
    }
    Ok(AssocValue { id: at.number(), value: 0 }.encode())
}

/// Offset of `spp_address` in `struct sctp_paddrparams`.
const PADDR_PARAMS_ADDRESS: usize = 4;
/// Offset of `sue_address` in `struct sctp_udpencaps`.
const UDP_ENCAPS_ADDRESS: usize = 8;
/// Headers of IPv4, UDP and SCTP, and of a DATA chunk, in bytes.
const HEADERS: u32 = 20 + 8 + 12 + 16;
/// Flags that messages may have by default. net/sctp/socket.c
const DEFAULT_FLAGS: u16 = SCTP_UNORDERED | SCTP_ADDR_OVER | SCTP_ABORT | SCTP_EOF;
/// Least fixed MTU of a path: `SCTP_DEFAULT_MINSEGMENT` of Linux.
const LEAST_MTU: u32 = 512;
/// Longest delay of a SACK in milliseconds. RFC 9260 §6.2
const LONGEST_SACK_DELAY: u32 = 500;
