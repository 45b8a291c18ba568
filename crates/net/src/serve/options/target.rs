//! What an option applies to: a socket, or associations of it. RFC 6458 §7.1

use manypath_posix::abi::constants::{SCTP_ALL_ASSOC, SCTP_CURRENT_ASSOC, SCTP_FUTURE_ASSOC};
use manypath_posix::abi::{Address, Layout, address};
use nix::errno::Errno;

use super::Options;
use crate::serve::connected::Connected;
use crate::serve::names;
use crate::serve::socket::{Phase, Socket};

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

/// What an option is read from, or set for.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) socket: &'a Socket,
    associations: Vec<Connected>,
    /// Whether it is the socket with its later associations.
    is_socket: bool,
}

/// Whether a `struct sockaddr_storage` names no address. Without a family, it counts as one of the socket's. Other families
/// are addresses that no peer has. net/sctp/socket.c, sctp_is_any
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
        let associations = socket.associations();
        let whole = |associations| Self { socket, associations, is_socket: true };
        let offset = match scope {
            _ if !socket.is_many() => return Ok(whole(associations)),
            Scope::Socket => return Ok(whole(associations)),
            Scope::Optional if bytes.len() == u32::SIZE => return Ok(whole(Vec::new())),
            Scope::Peer(_) | Scope::Optional => 0,
            Scope::Association(offset) | Scope::Associations(offset) => offset,
        };
        let number = bytes.get(offset..).and_then(i32::decode).ok_or(Errno::EINVAL)?;
        let is_special = matches!(number, SCTP_CURRENT_ASSOC | SCTP_ALL_ASSOC);
        if is_special && sets && matches!(scope, Scope::Associations(_)) {
            return Ok(Self { is_socket: number == SCTP_ALL_ASSOC, ..whole(associations) });
        }
        if number == SCTP_FUTURE_ASSOC {
            return match scope {
                Scope::Peer(at) => Self::of_peer(socket, bytes, at),
                _ => Ok(whole(Vec::new())),
            };
        }
        let mut associations = associations;
        associations.retain(|connected| connected.number == number);
        if associations.is_empty() {
            return Err(Errno::EINVAL);
        }
        Ok(Self { socket, associations, is_socket: false })
    }

    /// The association with the peer of an address; the socket if there is no address.
    fn of_peer(socket: &'a Socket, bytes: &[u8], at: usize) -> Result<Self, Errno> {
        let bytes = bytes.get(at..).ok_or(Errno::EINVAL)?;
        let address: Address = Address::decode(bytes).ok_or(Errno::EINVAL)?;
        if is_any(socket.domain, bytes) {
            return Ok(Self { socket, associations: Vec::new(), is_socket: true });
        }
        let address = address.0.ok_or(Errno::EINVAL)?;
        let ip = names::canonical(socket.domain, &address)?;
        let connected = match &socket.state().phase {
            Phase::Many(many) => many.with_peer(ip, address.port()),
            _ => None,
        };
        let associations = vec![connected.ok_or(Errno::EINVAL)?];
        Ok(Self { socket, associations, is_socket: false })
    }

    /// The options.
    pub(super) fn options(&self) -> Options {
        match &self.associations[..] {
            [connected] if !self.is_socket => connected.options().clone(),
            _ => self.socket.state().options.clone(),
        }
    }

    /// Changes the options, and applies them to the associations.
    pub(super) fn change(&self, change: impl Fn(&mut Options)) {
        if self.is_socket {
            change(&mut self.socket.state().options);
        }
        for connected in &self.associations {
            connected.change(&change);
        }
    }

    /// The association, where there is one.
    pub(super) fn find_association(&self) -> Option<&Connected> {
        match &self.associations[..] {
            [connected] if !self.is_socket || !self.socket.is_many() => Some(connected),
            _ => None,
        }
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
