//! Who may use the daemon: the rights of its Unix socket, and the check of each program that connects.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use manypath_posix::peer;
use rustix::fs::{Gid, Mode, chmod, chown, fchmod};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
    sockopt,
};

/// Creates the Unix socket, for its user and for a group.
pub(super) fn listener(path: &Path, group: Option<u32>) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let listener = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    // The file has these rights from its creation
    fchmod(&listener, Mode::RUSR | Mode::WUSR)?;
    let address = SocketAddrUnix::new(path)?;
    match bind(&listener, &address) {
        Err(rustix::io::Errno::ADDRINUSE) if is_abandoned(path, &address) => {
            std::fs::remove_file(path)?;
            bind(&listener, &address)?;
        }
        bound => bound?,
    }
    if let Some(group) = group {
        let opened = chown(path, None, Some(Gid::from_raw(group)))
            .and_then(|()| chmod(path, Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP));
        if let Err(error) = opened {
            // The error matters more
            let _ = std::fs::remove_file(path);
            let error = io::Error::from(error);
            return Err(io::Error::new(error.kind(), format!("its group cannot be set: {error}")));
        }
    }
    listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// Whether there is a socket that belongs to no process, such as after a daemon was killed. Connecting to any other file
/// is refused, too.
fn is_abandoned(path: &Path, address: &SocketAddrUnix) -> bool {
    if !path.symlink_metadata().is_ok_and(|it| it.file_type().is_socket()) {
        return false;
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let probe = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None);
    probe.is_ok_and(|probe| connect(&probe, address) == Err(rustix::io::Errno::CONNREFUSED))
}

/// The user at the other end of a connection, if it may use the daemon.
pub(super) fn permitted(program: &OwnedFd, group: Option<u32>) -> Option<u32> {
    let credentials = sockopt::socket_peercred(program).ok()?;
    let user = credentials.uid;
    let is_member = |group: u32| {
        credentials.gid.as_raw() == group
            || peer::groups(program.as_fd()).is_ok_and(|groups| groups.contains(&group))
    };
    let may = user.is_root() || user == rustix::process::geteuid() || group.is_some_and(is_member);
    may.then_some(user.as_raw())
}

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
