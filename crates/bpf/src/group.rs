//! A group of processes whose sockets use a given congestion control.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder, OpenObject};

use crate::{Error, messages};

/// A control group (version 2). It is removed when the value is dropped, if no process is in it.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
    _link: Link,
    _object: Object,
}

impl Group {
    /// A group whose sockets get `congestion_control` when they connect or are accepted.
    ///
    /// # Errors
    /// If this machine has no control groups of version 2, or the kernel refuses.
    pub fn new(congestion_control: &str) -> Result<Self, Error> {
        let path = mount_point()?.join(format!("manypath-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| {
            Error::failed(format!("{} cannot be made: {error}", path.display()))
        })?;
        let attached = attach(&path, congestion_control).inspect_err(|_| {
            let _ = fs::remove_dir(&path);
        });
        let (link, object) = attached?;
        Ok(Self { path, _link: link, _object: object })
    }

    /// A command that will run in the group.
    #[must_use]
    pub fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new("sh");
        let script = r#"echo $$ > "$0" && exec "$@""#;
        command.arg("-c").arg(script).arg(self.path.join("cgroup.procs")).args(words);
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}

fn attach(path: &Path, name: &str) -> Result<(Link, Object), Error> {
    let refused = |error: libbpf_rs::Error| {
        let why = messages::reason().unwrap_or_else(|| error.to_string());
        Error::failed(format!("the kernel did not take the hook of a group: {why}"))
    };
    messages::begin();
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/choose.bpf.o")).to_vec();
    let object =
        ObjectBuilder::default().open_memory(&bytes).and_then(OpenObject::load).map_err(refused)?;
    let file = File::open(path)
        .map_err(|error| Error::failed(format!("{} cannot be opened: {error}", path.display())))?;
    for map in object.maps().filter(|map| map.name().to_string_lossy().ends_with(".bss")) {
        let mut value = vec![0; map.value_size() as usize];
        value[..name.len()].copy_from_slice(name.as_bytes());
        map.update(&0_u32.to_ne_bytes(), &value, MapFlags::ANY).map_err(refused)?;
    }
    let program = object.progs_mut().next().expect("the program of choose.bpf.c");
    let link = program.attach_cgroup(file.as_raw_fd()).map_err(refused)?;
    Ok((link, object))
}

/// The mount point of version 2 control groups.
pub(crate) fn mount_point() -> Result<PathBuf, Error> {
    let mounts = fs::read_to_string("/proc/self/mounts")
        .map_err(|error| Error::failed(format!("/proc/self/mounts cannot be read: {error}")))?;
    let mut words = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let found = words.find(|words| words.get(2) == Some(&"cgroup2"));
    found.map(|words| PathBuf::from(words[1])).ok_or_else(|| {
        Error::failed(format!("there is no control group of version 2 here; {REMEDY}"))
    })
}

/// What to do without a mount point.
pub(crate) const REMEDY: &str = "mount it: mount -t cgroup2 none /sys/fs/cgroup/unified";
