//! From a compiled program to an algorithm that sockets can choose.

use std::path::{Path, PathBuf};

use libbpf_rs::{Link, MapCore, MapType, ObjectBuilder};

use crate::{Connection, Error, Object, messages};

/// Where links are kept that outlive their process.
pub(crate) const PINS: &str = "/sys/fs/bpf/manypath";

/// An algorithm in the kernel. Dropped without being pinned, no new socket finds it; sockets that have it keep it.
#[derive(Debug)]
pub struct Loaded {
    name: String,
    // Before the object: the kernel forgets the algorithm first.
    link: Link,
    object: libbpf_rs::Object,
}

impl Loaded {
    /// Loads a program and registers its algorithm.
    ///
    /// # Errors
    /// If the kernel refuses; the error says why as far as the kernel said it.
    pub fn load(program: &Object) -> Result<Self, Error> {
        messages::begin();
        let mut object = ObjectBuilder::default()
            .open_memory(&program.bytes)
            .and_then(libbpf_rs::OpenObject::load)
            .map_err(|error| refused(program, &error))?;
        let mut registered = None;
        for mut map in object.maps_mut() {
            if map.map_type() == MapType::StructOps {
                let name = map.name().to_string_lossy().into_owned();
                let link = map.attach_struct_ops().map_err(|error| taken(&name, &error))?;
                registered = Some((name, link));
            }
        }
        let (name, link) = registered.ok_or_else(|| {
            Error::usage(format!("{} has no struct tcp_congestion_ops to register", program.origin))
        })?;
        Ok(Self { name, link, object })
    }

    /// What the kernel calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keeps the algorithm after the end of this process.
    ///
    /// # Errors
    /// If there is no file system for it and none can be mounted.
    pub fn pin(&mut self) -> Result<PathBuf, Error> {
        crate::inventory::mount_pins()?;
        let path = Path::new(PINS).join(&self.name);
        self.link.pin(&path).map_err(|error| {
            Error::failed(format!("{} cannot be pinned to {}: {error}", self.name, path.display()))
        })?;
        Ok(path)
    }

    /// The connections that have it now.
    ///
    /// # Errors
    /// If the kernel does not give them.
    pub fn connections(&self) -> Result<Vec<Connection>, Error> {
        let name = format!("{}_c", self.name);
        match self.object.maps().find(|map| map.name() == name.as_str()) {
            Some(map) => Connection::read_all(&map),
            None => Ok(Vec::new()),
        }
    }

    /// The programs and maps, for those who count instructions or nanoseconds.
    #[must_use]
    pub const fn object(&self) -> &libbpf_rs::Object {
        &self.object
    }
}

fn refused(program: &Object, error: &libbpf_rs::Error) -> Error {
    let why = messages::reason().unwrap_or_else(|| error.to_string());
    let remedy = match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => "; it takes root, or CAP_BPF and CAP_NET_ADMIN",
        _ => "; see manypath-kernel check",
    };
    Error::failed(format!("the kernel did not take {}: {why}{remedy}", program.origin))
}

fn taken(name: &str, error: &libbpf_rs::Error) -> Error {
    if error.kind() == libbpf_rs::ErrorKind::AlreadyExists {
        return Error::failed(format!(
            "{name} is loaded already; manypath-kernel unload removes it"
        ));
    }
    let why = messages::reason().unwrap_or_else(|| error.to_string());
    Error::failed(format!("{name} could not be registered: {why}"))
}
