//! What an emulation made, on the disk: so that the next one finds what a killed one left behind.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::EmulationError;
use crate::namespace::Namespace;

/// The list of namespaces of one emulation: a file that is locked as long as the emulation lives.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Begins the list of the emulation called `name`, after it has removed what a dead one of that name left.
    pub(crate) fn open(name: &str) -> Result<Self, EmulationError> {
        let (mut ledger, left) = Self::lock_soon(&Path::new(FOLDER).join(name), name)?;
        remove(&left);
        ledger.begin().map_err(EmulationError::system(ledger.path.display().to_string()))?;
        Ok(ledger)
    }

    /// Notes a namespace, before it is made.
    pub(crate) fn note(&mut self, namespace: &str) -> Result<(), EmulationError> {
        writeln!(self.file, "{namespace}")
            .map_err(EmulationError::system(self.path.display().to_string()))
    }

    /// The same as `lock`, after a while if it must be: who cleans up has every list for a moment, and so have programs
    /// that an emulation had started when it was killed.
    fn lock_soon(path: &Path, name: &str) -> Result<(Self, Vec<String>), EmulationError> {
        let begin = Instant::now();
        loop {
            match Self::lock(path, name) {
                Err(EmulationError::Running { .. }) if begin.elapsed() < PATIENCE => {
                    thread::sleep(PATIENCE / 50);
                }
                locked => return locked,
            }
        }
    }

    /// The file, locked, and the namespaces that are listed in it.
    fn lock(path: &Path, name: &str) -> Result<(Self, Vec<String>), EmulationError> {
        let system = || EmulationError::system::<io::Error>(path.display().to_string());
        fs::create_dir_all(FOLDER).map_err(system())?;
        loop {
            let options = File::options().read(true).append(true).create(true).open(path);
            let mut file = options.map_err(system())?;
            let lock = file.try_lock();
            let mut text = String::new();
            file.read_to_string(&mut text).map_err(system())?;
            let mut lines = text.lines().map(str::to_owned);
            let process = lines.next().unwrap_or_default();
            match lock {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(EmulationError::Running { name: name.to_owned(), process });
                }
                Err(TryLockError::Error(error)) => return Err(system()(error)),
            }
            // Who had it before may have removed it meanwhile: then the lock is one of nothing.
            let is_same = fs::metadata(path).is_ok_and(|there| {
                file.metadata()
                    .is_ok_and(|here| (here.dev(), here.ino()) == (there.dev(), there.ino()))
            });
            if is_same {
                return Ok((Self { file, path: path.to_owned() }, lines.collect()));
            }
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        writeln!(self.file, "{}", std::process::id())
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // Without it, the next emulation finds an empty list.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes what dead emulations left behind, and returns the names of their namespaces.
///
/// # Errors
/// If the system does not let a list be read.
pub fn clean() -> Result<Vec<String>, EmulationError> {
    let mut removed = Vec::new();
    let folder = match fs::read_dir(FOLDER) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(removed),
        other => other.map_err(EmulationError::system(FOLDER))?,
    };
    for entry in folder.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match Ledger::lock_soon(&entry.path(), &name) {
            Ok((_ledger, left)) => removed.extend(remove(&left)),
            Err(EmulationError::Running { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(removed)
}

/// Removes those that are still there.
fn remove(namespaces: &[String]) -> Vec<String> {
    let left = namespaces.iter().filter(|name| Namespace::exists(name));
    left.filter(|name| Namespace::remove(name).is_ok()).cloned().collect()
}

/// Gone after a restart of the machine, as namespaces are.
const FOLDER: &str = "/run/manypath-emu";
/// How long an emulation of the same name may take to give way.
const PATIENCE: Duration = Duration::from_millis(500);
