//! Access to the daemon: the Unix socket, and the permissions of each program that connects.
//!
//! A program that has changed to another user can still use its sockets, so all users may connect. A connection can
//! open a socket only if its user has the permission.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use manypath_posix::peer;
use rustix::fs::{Mode, chmod};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
    sockopt,
};

/// The program at the other end of a connection, when it connected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    pub(super) user: u32,
    /// Whether it may open sockets.
    pub(super) may_open: bool,
}

/// The file of the Unix socket, which is removed with this value. The file of another daemon at the same path stays.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// Its device and inode.
    identity: (u64, u64),
}

impl SocketFile {
    fn at(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: identity(path)? })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            // Its folder may have been removed meanwhile
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let file = path.symlink_metadata()?;
    Ok((file.dev(), file.ino()))
}

/// Creates the Unix socket.
pub(super) fn listener(path: &Path) -> io::Result<(OwnedFd, SocketFile)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let listener = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    let address = SocketAddrUnix::new(path)?;
    match bind(&listener, &address) {
        Err(rustix::io::Errno::ADDRINUSE) if is_abandoned(path, &address) => {
            std::fs::remove_file(path)?;
            bind(&listener, &address)?;
        }
        Err(rustix::io::Errno::ADDRINUSE) if !is_socket(path) => {
            return Err(io::Error::other("another file has this name: choose another one"));
        }
        bound => bound?,
    }
    let file = SocketFile::at(path)?;
    chmod(path, ALL_USERS)?;
    listen(&listener, BACKLOG)?;
    Ok((listener, file))
}

/// Whether there is a socket that belongs to no process, such as after a daemon was killed. Connecting to any other file
/// is refused, too.
fn is_abandoned(path: &Path, address: &SocketAddrUnix) -> bool {
    if !is_socket(path) {
        return false;
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let probe = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None);
    probe.is_ok_and(|probe| connect(&probe, address) == Err(rustix::io::Errno::CONNREFUSED))
}

fn is_socket(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.file_type().is_socket())
}

impl Peer {
    /// The program at the other end of a connection. Root, the daemon's own user and members of the group may open
    /// sockets.
    pub(super) fn of(program: &OwnedFd, group: Option<u32>) -> io::Result<Self> {
        let credentials = sockopt::socket_peercred(program)?;
        let user = credentials.uid;
        let is_member = |group: u32| {
            credentials.gid.as_raw() == group
                || peer::groups(program.as_fd()).is_ok_and(|groups| groups.contains(&group))
        };
        let may_open =
            user.is_root() || user == rustix::process::geteuid() || group.is_some_and(is_member);
        Ok(Self { user: user.as_raw(), may_open })
    }
}

/// Rights of the Unix socket: connecting needs the right to write. unix(7)
const ALL_USERS: Mode = Mode::from_bits_truncate(0o666);
/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
