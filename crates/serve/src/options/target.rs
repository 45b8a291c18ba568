//! The target of an option: a socket, or some of its associations. RFC 6458 §7.1

use manypath_posix::abi::constants::{SCTP_ALL_ASSOC, SCTP_CURRENT_ASSOC, SCTP_FUTURE_ASSOC};
use manypath_posix::abi::{Address, Layout, address};
use nix::errno::Errno;

use crate::connected::Connected;
use crate::names;
use crate::option_values::Options;
use crate::socket::{Phase, Socket};

/// The part of an option's value that names an association of a one-to-many socket. A one-to-one socket ignores it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Scope {
    /// None: the option is one of the socket.
    Socket,
    /// The number of the association at this offset. `SCTP_FUTURE_ASSOC` names the socket.
    Association(usize),
    /// The same at offset 0, but a value of 4 bytes names none, as older header files have it.
    Optional,
    /// The same as `Association`, and options are set also for `SCTP_CURRENT_ASSOC` and `SCTP_ALL_ASSOC`.
    Associations(usize),
    /// The number of the association at offset 0; else the address of a peer at this offset.
    Peer(usize),
}

/// The socket and the associations whose option is read or set.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) socket: &'a Socket,
    /// The association that is named, or that of a one-to-one socket.
    one: Option<Connected>,
    reach: Reach,
}

/// The associations to which a new value applies.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reach {
    /// The association that is named.
    One,
    /// Later associations.
    Later,
    /// The associations that are there.
    Current,
    /// The associations that are there, and later ones.
    All,
}

/// Whether a `struct sockaddr_storage` names no address. An address without a family has that of the socket. No peer
/// has an address of another family. net/sctp/socket.c, sctp_is_any
pub(super) fn is_any(domain: u16, bytes: &[u8]) -> bool {
    let ip = match u16::decode(bytes) {
        Some(0) => {
            let filled = [&domain.to_ne_bytes(), bytes.get(2..).unwrap_or_default()].concat();
            address::decode(&filled)
        }
        _ => address::decode(bytes),
    };
    ip.is_some_and(|(address, _)| address.ip().is_unspecified())
}

impl<'a> Target<'a> {
    /// The target of a value.
    pub(super) fn of(
        socket: &'a Socket,
        scope: Scope,
        bytes: &[u8],
        sets: bool,
    ) -> Result<Self, Errno> {
        let whole = |reach| Self { socket, one: socket.connected(), reach };
        let offset = match scope {
            _ if !socket.is_many() => return Ok(whole(Reach::All)),
            Scope::Socket => return Ok(whole(Reach::All)),
            Scope::Optional if bytes.len() == u32::SIZE => return Ok(whole(Reach::Later)),
            Scope::Peer(_) | Scope::Optional => 0,
            Scope::Association(offset) | Scope::Associations(offset) => offset,
        };
        let number = bytes.get(offset..).and_then(i32::decode).ok_or(Errno::EINVAL)?;
        match (number, scope) {
            (SCTP_CURRENT_ASSOC, Scope::Associations(_)) if sets => Ok(whole(Reach::Current)),
            (SCTP_ALL_ASSOC, Scope::Associations(_)) if sets => Ok(whole(Reach::All)),
            (SCTP_FUTURE_ASSOC, Scope::Peer(at)) => Self::of_peer(socket, bytes, at),
            (SCTP_FUTURE_ASSOC, _) => Ok(whole(Reach::Later)),
            _ => Self::of_one(socket, socket.association(number)),
        }
    }

    fn of_one(socket: &'a Socket, one: Option<Connected>) -> Result<Self, Errno> {
        let one = Some(one.ok_or(Errno::EINVAL)?);
        Ok(Self { socket, one, reach: Reach::One })
    }

    /// The association with the peer of an address; the socket if there is no address.
    fn of_peer(socket: &'a Socket, bytes: &[u8], at: usize) -> Result<Self, Errno> {
        let bytes = bytes.get(at..).ok_or(Errno::EINVAL)?;
        let address: Address = Address::decode(bytes).ok_or(Errno::EINVAL)?;
        if is_any(socket.domain, bytes) {
            return Ok(Self { socket, one: None, reach: Reach::Later });
        }
        let address = address.0.ok_or(Errno::EINVAL)?;
        let ip = names::canonical(socket.domain, &address)?;
        let connected = match &socket.state().phase {
            Phase::Many(many) => many.with_peer(ip, address.port()),
            _ => None,
        };
        Self::of_one(socket, connected)
    }

    /// The options.
    pub(super) fn options(&self) -> Options {
        match &self.one {
            Some(connected) if self.reach == Reach::One => connected.options().clone(),
            _ => self.socket.state().options.clone(),
        }
    }

    /// Changes the options, and applies them to the associations.
    pub(super) fn change(&self, change: impl Fn(&mut Options)) {
        if matches!(self.reach, Reach::Later | Reach::All) {
            change(&mut self.socket.state().options);
        }
        match self.reach {
            Reach::One => self.one.iter().for_each(|connected| connected.change(&change)),
            Reach::Later => {}
            Reach::Current | Reach::All => {
                for connected in self.socket.associations() {
                    connected.change(&change);
                }
            }
        }
    }

    /// The association, where there is one.
    pub(super) fn find_association(&self) -> Option<&Connected> {
        self.one.as_ref()
    }

    /// The association.
    pub(super) fn association(&self) -> Result<&Connected, Errno> {
        self.find_association().ok_or(Errno::EINVAL)
    }

    /// The number of the association, 0 for that of the socket.
    pub(super) fn number(&self) -> i32 {
        self.find_association().map_or(0, |connected| connected.number)
    }
}
