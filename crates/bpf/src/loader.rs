//! Loads a compiled program and registers its algorithm for sockets.

use std::path::{Path, PathBuf};

use libbpf_rs::{Link, MapCore, MapFlags, MapType, ObjectBuilder};

use crate::inventory::PINS;
use crate::{Connection, Error, Object, messages};

/// Length of a name in bytes, with the zero at its end.
const NAME: usize = 16;

/// An algorithm in the kernel. If it is dropped without a pin, new sockets cannot choose it; existing sockets keep it.
#[derive(Debug)]
pub struct Loaded {
    name: String,
    /// The name of its map, which is the same unless it was loaded under another name.
    map: String,
    // Dropped before the object, so that the kernel removes the algorithm first.
    link: Link,
    object: libbpf_rs::Object,
}

impl Loaded {
    /// Loads a program and registers its algorithm.
    ///
    /// # Errors
    /// If the kernel refuses; the error contains the kernel's reason if there is one.
    pub fn load(program: &Object) -> Result<Self, Error> {
        Self::register(program, open(program, None)?)
    }

    /// Like [`load`](Self::load), under another name for sockets, which avoids conflicts with other users of the
    /// algorithm. [`registered`](crate::inventory::registered) does not list this name, and no pin has it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    ///
    /// # Panics
    /// If `name` has more than 15 letters.
    pub fn load_as(program: &Object, name: &str) -> Result<Self, Error> {
        assert!(name.len() < NAME, "{name:?} has more than 15 letters");
        let loaded = Self::register(program, open(program, Some(name))?)?;
        Ok(Self { name: name.to_owned(), ..loaded })
    }

    fn register(program: &Object, mut object: libbpf_rs::Object) -> Result<Self, Error> {
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
        Ok(Self { name: name.clone(), map: name, link, object })
    }

    /// The kernel's name of it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keeps the algorithm after the end of this process.
    ///
    /// # Errors
    /// If there is no bpf file system and none can be mounted.
    pub fn pin(&mut self) -> Result<PathBuf, Error> {
        crate::inventory::mount_pins()?;
        let path = Path::new(PINS).join(&self.map);
        self.link.pin(&path).map_err(|error| {
            crate::inventory::remove_empty_pins();
            Error::failed(format!("{} cannot be pinned to {}: {error}", self.name, path.display()))
        })?;
        Ok(path)
    }

    /// Its current connections.
    ///
    /// # Errors
    /// If the kernel does not return them.
    pub fn connections(&self) -> Result<Vec<Connection>, Error> {
        let name = format!("{}_c", self.map);
        match self.object.maps().find(|map| map.name() == name.as_str()) {
            Some(map) => Connection::read_all(&map),
            None => Ok(Vec::new()),
        }
    }

    /// Checks a program with the kernel's verifier without registering it.
    ///
    /// # Errors
    /// If the verifier refuses it; the error contains its reason if there is one.
    pub fn verify(program: &Object) -> Result<(), Error> {
        open(program, None).map(drop)
    }

    /// Sets the weight of every subflow of `mp_weighted`, in standard TCPs.
    ///
    /// # Errors
    /// If the algorithm has no weight.
    pub fn set_weight(&mut self, weight: f64) -> Result<(), Error> {
        let is_data = |map: &libbpf_rs::Map<'_>| map.name().to_string_lossy().ends_with(".data");
        let of_weighted =
            (self.map == "mp_weighted").then(|| self.object.maps().find(is_data)).flatten();
        let Some(map) = of_weighted else {
            return Err(Error::usage(format!("{} takes no weight, mp_weighted does", self.name)));
        };
        let value = (weight * f64::from(1 << 24)).round() as u32;
        map.update(&0_u32.to_ne_bytes(), &value.to_ne_bytes(), MapFlags::ANY)
            .map_err(|error| Error::failed(format!("the weight cannot be set: {error}")))
    }

    pub(crate) const fn object_mut(&mut self) -> &mut libbpf_rs::Object {
        &mut self.object
    }

    /// The programs and maps, for measurements of instructions or time.
    #[must_use]
    pub const fn object(&self) -> &libbpf_rs::Object {
        &self.object
    }
}

/// Loads a program; `name` replaces the name in its `struct tcp_congestion_ops`.
fn open(program: &Object, name: Option<&str>) -> Result<libbpf_rs::Object, Error> {
    messages::begin();
    let refused = |error: libbpf_rs::Error| refused(program, &error);
    let mut object = ObjectBuilder::default().open_memory(&program.bytes).map_err(refused)?;
    for mut map in object.maps_mut().filter(|map| map.map_type() == MapType::StructOps) {
        let old = map.name().to_string_lossy().into_owned();
        if let (Some(name), Some(value)) = (name, map.initial_value_mut()) {
            let is_name = |bytes: &[u8]| bytes.starts_with(old.as_bytes()) && bytes[old.len()] == 0;
            if let Some(at) = value.windows(NAME).position(is_name) {
                value[at..at + NAME].fill(0);
                value[at..at + name.len()].copy_from_slice(name.as_bytes());
            }
        }
    }
    object.load().map_err(refused)
}

fn refused(program: &Object, error: &libbpf_rs::Error) -> Error {
    let Object { origin, .. } = program;
    if error.kind() == libbpf_rs::ErrorKind::PermissionDenied {
        let remedy = "it takes root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN";
        return Error::failed(format!("{origin} may not be loaded: {remedy}"));
    }
    let why = messages::reason().unwrap_or_else(|| error.to_string());
    Error::failed(format!("the kernel did not take {origin}: {why}; see manypath-kernel check"))
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
