//! A TUN: an interface of a host whose packets this process reads and writes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use crate::error::EmulationError;
use crate::namespace::Namespace;
use crate::system::become_tun;

/// A TUN interface; it is removed when this value is dropped or the process ends for any reason.
#[derive(Debug)]
pub(crate) struct Tun {
    file: File,
    name: String,
}

impl Tun {
    /// Creates the interface `name` in a namespace.
    pub(crate) fn create(namespace: &Namespace, name: &str) -> Result<Self, EmulationError> {
        let open = || {
            let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
            let file = File::options().read(true).write(true).custom_flags(flags).open(DEVICE)?;
            become_tun(&file, name)?;
            Ok(file)
        };
        let what = format!("interface {name} of namespace {}: {DEVICE}", namespace.name());
        let file = namespace.within(open)?.map_err(EmulationError::system::<io::Error>(what))?;
        Ok(Self { file, name: name.to_owned() })
    }

    /// Reads the next packet of the host; returns its length, or `None` if there is none.
    pub(crate) fn receive(&self, room: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.file).read(room) {
            Ok(size) => Ok(Some(size)),
            Err(error) if is_passing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Passes a packet to the host; returns false if the host refuses it.
    pub(crate) fn send(&self, packet: &[u8]) -> bool {
        (&self.file).write(packet).is_ok()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

const DEVICE: &str = "/dev/net/tun";
