//! Access to the daemon: the Unix socket, and the permissions of each program that connects.
//!
//! A program that has changed to another user can still use its sockets, so all users may connect. A connection can
//! open a socket only if its user has the permission.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use manypath_posix::peer;
use rustix::fs::{FlockOperation, Mode, OFlags, chmod, flock, fstat, open};
use rustix::io::Errno;
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

    fn is_in_place(&self) -> bool {
        identity(&self.path).is_ok_and(|found| found == self.identity)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if !self.is_in_place() {
            return;
        }
        // Its folder may have been removed meanwhile
        let lock = LockFile::beside(&self.path);
        if lock.is_ok() && self.is_in_place() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let file = path.symlink_metadata()?;
    Ok((file.dev(), file.ino()))
}

/// A locked file beside the Unix socket, `PATH.lock`, which is removed with this value. A daemon creates and removes its
/// socket only with the lock: of two daemons that find an abandoned socket, the second one would remove that of the
/// first.
#[derive(Debug)]
struct LockFile {
    path: PathBuf,
    file: OwnedFd,
}

impl LockFile {
    /// Waits while another daemon creates or removes its socket.
    fn beside(socket: &Path) -> io::Result<Self> {
        let mut name = socket.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = match open(&path, flags, Mode::RUSR | Mode::WUSR) {
                // The message is about the socket, unless this file belongs to another user
                Err(Errno::ACCESS) if path.exists() => {
                    let why = io::Error::from(Errno::ACCESS);
                    return Err(io::Error::other(format!("{}: {why}", path.display())));
                }
                opened => opened?,
            };
            if fstat(&file)?.st_size != 0 {
                let error = format!("{} is another file: remove it", path.display());
                return Err(io::Error::other(error));
            }
            while let Err(error) = flock(&file, FlockOperation::LockExclusive) {
                if error != Errno::INTR {
                    return Err(error.into());
                }
            }
            let lock = Self { path: path.clone(), file };
            // The daemon that had the lock has removed the file
            if lock.is_in_place() {
                return Ok(lock);
            }
        }
    }

    fn is_in_place(&self) -> bool {
        let own = fstat(&self.file).map(|file| (file.st_dev, file.st_ino)).ok();
        own.is_some() && identity(&self.path).ok() == own
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.is_in_place() {
            // Its folder may have been removed meanwhile
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Creates the Unix socket.
pub(super) fn listener(path: &Path) -> io::Result<(OwnedFd, SocketFile)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let listener = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    // Programs recognise their sockets by the bound text, which should be the same in all folders
    let absolute = std::path::absolute(path).and_then(|path| Ok(SocketAddrUnix::new(&path)?));
    let address = absolute.or_else(|_| SocketAddrUnix::new(path))?;
    let lock = LockFile::beside(path)?;
    match bind(&listener, &address) {
        Err(Errno::ADDRINUSE) if is_abandoned(path, &address) => {
            std::fs::remove_file(path)?;
            bind(&listener, &address)?;
        }
        Err(Errno::ADDRINUSE) if !is_socket(path) => {
            return Err(io::Error::other("another file has this name: choose another one"));
        }
        bound => bound?,
    }
    let file = SocketFile::at(path)?;
    // A socket that does not listen looks abandoned
    let opened = chmod(path, ALL_USERS).and_then(|()| listen(&listener, BACKLOG));
    // `file` takes the lock when it is dropped
    drop(lock);
    opened?;
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
    probe.is_ok_and(|probe| connect(&probe, address) == Err(Errno::CONNREFUSED))
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use rustix::net::accept;

    use super::*;

    /// Leaves the file of a socket that belongs to no process.
    fn abandon(path: &Path) {
        let socket =
            socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
        bind(socket.expect("a socket"), &SocketAddrUnix::new(path).expect("short")).expect("free");
    }

    /// The error of a second daemon at a path.
    fn refusal(path: &Path) -> io::ErrorKind {
        listener(path).expect_err("another daemon has it").kind()
    }

    #[test]
    fn of_daemons_that_find_an_abandoned_socket_one_has_it() {
        const DAEMONS: usize = 8;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        for _ in 0..100 {
            abandon(&path);
            let start = Barrier::new(DAEMONS);
            let begin = || {
                start.wait();
                listener(&path)
            };
            let begun: Vec<_> = thread::scope(|scope| {
                let all: Vec<_> = (0..DAEMONS).map(|_| scope.spawn(begin)).collect();
                all.into_iter().map(|one| one.join().expect("no panic")).collect()
            });
            let (having, others): (Vec<_>, Vec<_>) = begun.into_iter().partition(Result::is_ok);
            assert_eq!(having.len(), 1);
            for other in others {
                assert_eq!(other.expect_err("it has none").kind(), io::ErrorKind::AddrInUse);
            }
            // Programs reach that one
            let program =
                socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                    .expect("a socket");
            connect(&program, &SocketAddrUnix::new(&path).expect("short")).expect("it listens");
            let (socket, _file) = having.into_iter().next().expect("one").expect("partitioned");
            accept(&socket).expect("the connection");
        }
        let left: Vec<_> = folder.path().read_dir().expect("it is there").collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_daemon_keeps_its_socket_until_it_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let first = listener(&path).expect("a free path");
        assert_eq!(refusal(&path), io::ErrorKind::AddrInUse);
        // The lock of a daemon that was killed while it began
        std::fs::write(folder.path().join("socket.lock"), "").expect("there is room");
        assert_eq!(refusal(&path), io::ErrorKind::AddrInUse);
        drop(first);
        // Another file with the name of the lock is kept
        let other = folder.path().join("socket.lock");
        std::fs::write(&other, "notes").expect("there is room");
        assert_eq!(refusal(&path), io::ErrorKind::Other);
        assert_eq!(std::fs::read_to_string(&other).expect("it is there"), "notes");
        std::fs::remove_file(&other).expect("it is ours");
        let next = listener(&path).expect("it is free again");
        assert_eq!(refusal(&path), io::ErrorKind::AddrInUse);
        drop(next);
        assert!(!path.exists());
    }
}
