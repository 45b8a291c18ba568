//! Error numbers as the sockets of Linux give them.

use std::io;

use manypath_net::Error;
use nix::errno::Errno;

/// The error number of a failure to bind, to listen or to connect, or of the end of an association.
pub(super) fn errno(error: &Error) -> Errno {
    match error {
        Error::AddressInUse(_) | Error::PortInUse(_) | Error::NoFreePort => Errno::EADDRINUSE,
        Error::NotLocal(_) => Errno::EADDRNOTAVAIL,
        Error::NoInterface(_) => Errno::ENODEV,
        Error::NoRights(_) => Errno::EACCES,
        Error::KernelSctp => Errno::EPROTONOSUPPORT,
        Error::NoRoute(_) => Errno::ENETUNREACH,
        Error::AlreadyConnected(_) => Errno::EISCONN,
        Error::Refused(_) | Error::PortUnreachable(_) => Errno::ECONNREFUSED,
        Error::HostUnreachable(_) => Errno::EHOSTUNREACH,
        Error::TimedOut | Error::Unreachable => Errno::ETIMEDOUT,
        Error::Aborted(_) => Errno::ECONNRESET,
        Error::AbortedHere | Error::ProtocolViolation | Error::EndpointClosed => {
            Errno::ECONNABORTED
        }
        Error::Closed => Errno::EPIPE,
        Error::MessageTooLarge { .. } => Errno::EMSGSIZE,
        Error::System { error, .. } => of_system(error),
        _ => Errno::EINVAL,
    }
}

/// Names the setting of a daemon that is wrong: [`Error::Setting`] of `local` for a failure of its addresses.
pub(super) fn of_setting(error: Error) -> Error {
    let (value, expected) = match error {
        Error::NotLocal(address) => (address.to_string(), "an address of this machine"),
        Error::NotUnicast(address) => (address.to_string(), "a unicast address of this machine"),
        Error::NoInterface(name) => {
            (format!("on interface {name:?}"), "an interface of this machine")
        }
        error => return error,
    };
    Error::Setting { field: "local", value, expected: expected.to_owned() }
}

/// The error number of an error of the system.
fn of_system(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_ends_of_associations_have_the_numbers_of_linux() {
        // net/sctp/sm_statefuns.c: ABORT gives ECONNRESET, or ECONNREFUSED before the association is established
        assert_eq!(errno(&Error::Aborted(None)), Errno::ECONNRESET);
        assert_eq!(errno(&Error::Refused(None)), Errno::ECONNREFUSED);
        assert_eq!(errno(&Error::TimedOut), Errno::ETIMEDOUT);
        let busy = io::Error::from_raw_os_error(Errno::ENOBUFS as i32);
        let refused = Error::System { what: "a socket".to_owned(), error: Arc::new(busy) };
        assert_eq!(errno(&refused), Errno::ENOBUFS);
    }
}
