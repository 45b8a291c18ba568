//! The congestion controls of this crate that are registered in the kernel, by any process.

use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::str::Split;

use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfo, MapInfoIter};
use libbpf_rs::{MapHandle, MapType};
use nix::mount::{MsFlags, mount, umount};
use nix::sys::statfs::{BPF_FS_MAGIC, statfs};

use crate::holders;
use crate::{Connection, Error};

/// The folder of links that outlive their process.
pub(crate) const PINS: &str = "/sys/fs/bpf/manypath";

/// A congestion control that is registered in the kernel: sockets can choose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Its name in the kernel.
    pub name: String,
    /// Its pin in `/sys/fs/bpf/manypath`; `None` if it has no pin there.
    pub pin: Option<PathBuf>,
    link: u32,
    connections: Option<u32>,
}

/// All registered algorithms, sorted by name.
///
/// # Errors
/// If the kernel does not report them; this needs root.
pub fn registered() -> Result<Vec<Registered>, Error> {
    if !nix::unistd::geteuid().is_root() {
        return Err(Error::failed(
            "the kernel tells only root what is loaded: try again with sudo",
        ));
    }
    let maps: Vec<MapInfo> = MapInfoIter::default().collect();
    let mut list = Vec::new();
    for link in LinkInfoIter::default() {
        let LinkTypeInfo::StructOps(of) = &link.info else { continue };
        let Some(map) = maps.iter().find(|map| map.id == of.map_id) else { continue };
        let name = map.name.to_string_lossy().into_owned();
        if name.starts_with("mp_") {
            list.push(Registered::new(name, link.id, &maps));
        }
    }
    list.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(list)
}

impl Registered {
    fn new(name: String, link: u32, maps: &[MapInfo]) -> Self {
        let pin = Path::new(PINS).join(&name);
        let of_it = format!("{name}_c");
        let is_its =
            |map: &&MapInfo| map.ty == MapType::Hash && map.name.to_bytes() == of_it.as_bytes();
        // If several maps have this name, the newest one counts. Older ones belong to connections from an earlier load.
        let connections = maps.iter().filter(is_its).map(|map| map.id).max();
        let pin = pin.exists().then_some(pin);
        Self { name, pin, link, connections }
    }

    /// The pin and the processes that keep it in the kernel: `/sys/fs/bpf/manypath/mp_lia, process 77
    /// (manypath-kernel)`. This reads every descriptor of every process.
    #[must_use]
    pub fn kept_by(&self) -> String {
        let pin = self.pin.iter().map(|pin| pin.display().to_string());
        let keeps: Vec<_> = pin.chain(holders::of_link(self.link)).collect();
        if keeps.is_empty() { "a pin elsewhere".to_owned() } else { keeps.join(", ") }
    }

    /// Its current connections.
    ///
    /// # Errors
    /// If the kernel does not return them.
    pub fn connections(&self) -> Result<Vec<Connection>, Error> {
        let Some(id) = self.connections else { return Ok(Vec::new()) };
        let map = MapHandle::from_map_id(id).map_err(|error| {
            Error::failed(format!("the connections of {} cannot be read: {error}", self.name))
        })?;
        Connection::read_all(&map)
    }

    /// Unloads it: new sockets cannot choose it; existing ones keep it until they close.
    ///
    /// # Errors
    /// If its pin cannot be removed. Without a pin: if the kernel cannot detach its link (Linux before 6.11).
    pub fn unload(self) -> Result<(), Error> {
        let detached = detach(self.link);
        if let Some(pin) = &self.pin {
            fs::remove_file(pin).map_err(|error| {
                Error::failed(format!("{} cannot be removed: {error}", pin.display()))
            })?;
            remove_empty_pins();
            return Ok(());
        }
        detached.map_err(|error| {
            let remedy = "end the process that loaded it (manypath-kernel load)";
            Error::failed(format!("{} cannot be detached: {error}; {remedy}", self.name))
        })
    }
}

#[expect(unsafe_code, reason = "libbpf-rs has no safe call for a link that another process holds")]
fn detach(link: u32) -> std::io::Result<()> {
    // SAFETY: the system call takes only a number. A result that is not negative is a new descriptor, without another
    // owner.
    let fd = unsafe {
        let fd = libbpf_rs::libbpf_sys::bpf_link_get_fd_by_id(link);
        if fd < 0 {
            return Err(std::io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(fd)
    };
    // SAFETY: the system call takes only a number, and this descriptor is open.
    match unsafe { libbpf_rs::libbpf_sys::bpf_link_detach(fd.as_raw_fd()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Mounts a bpf file system at the parent of the folder for pins, unless it is mounted, and creates the folder.
pub(crate) fn mount_pins() -> Result<(), Error> {
    let root = Path::new(PINS).parent().expect("a folder above");
    let is_mounted = statfs(root).is_ok_and(|fs| fs.filesystem_type() == BPF_FS_MAGIC);
    if !is_mounted {
        let none: Option<&str> = None;
        mount(Some(OURS), root, Some("bpf"), MsFlags::empty(), none).map_err(|error| {
            Error::failed(format!(
                "a bpf file system cannot be mounted to {}: {error}",
                root.display()
            ))
        })?;
    }
    fs::create_dir_all(PINS)
        .map_err(|error| Error::failed(format!("{PINS} cannot be made: {error}")))
}

/// Removes the folder for pins if it is empty. Then unmounts the bpf file system at its parent, if this program mounted
/// it and it has no other pins. Failures are ignored: what remains is empty.
pub(crate) fn remove_empty_pins() {
    let root = Path::new(PINS).parent().expect("a folder above");
    if fs::remove_dir(PINS).is_err() || has_pins(root) {
        return;
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut mounts = mounts.lines().map(|line| line.split(' '));
    let of_root = |words: &Split<'_, char>| words.clone().nth(1).map(Path::new) == Some(root);
    // Of several mounts on one path the last one is visible.
    let seen = mounts.rfind(of_root).and_then(|mut words| words.next());
    if seen == Some(OURS) {
        let _ = umount(root);
    }
}

/// Whether the bpf file system at `root` has entries other than those of the kernel.
fn has_pins(root: &Path) -> bool {
    let of_the_kernel = |name: OsString| name == "maps.debug" || name == "progs.debug";
    fs::read_dir(root).is_ok_and(|it| !it.flatten().all(|it| of_the_kernel(it.file_name())))
}

/// The mount source of a bpf file system that this program mounted: the first field of its line in `/proc/self/mounts`.
const OURS: &str = "manypath";
