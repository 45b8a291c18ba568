//! A list on disk of everything that an emulation created, so that leftovers of a killed one can be removed.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::EmulationError;
use crate::namespace::{Lines, Namespace};

/// The list of one emulation: a file that is locked as long as the emulation runs.
///
/// The first line is the process number. Each further line is the name of a namespace that the emulation created, or
/// the name of an existing namespace with an IP version and an `ip` command that undoes a change.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Begins the list of the emulation called `name`, after removing the leftovers of a killed one with this name.
    pub(crate) fn open(name: &str) -> Result<Self, EmulationError> {
        let (mut ledger, left) = Self::lock_soon(&Path::new(FOLDER).join(name), name)?;
        remove(&left);
        ledger.begin().map_err(EmulationError::system(ledger.path.display().to_string()))?;
        Ok(ledger)
    }

    /// Records a namespace before it is created.
    pub(crate) fn note(&mut self, namespace: &str) -> Result<(), EmulationError> {
        self.write(&format!("{namespace}\n"))
    }

    /// Records how to undo a change of an existing namespace, before the change.
    pub(crate) fn note_undo(
        &mut self,
        namespace: &str,
        undo: &Lines,
    ) -> Result<(), EmulationError> {
        let mut text = String::new();
        for (version, lines) in [("-4", &undo.ipv4), ("-6", &undo.ipv6)] {
            text.extend(lines.lines().map(|line| format!("{namespace} {version} {line}\n")));
        }
        self.write(&text)
    }

    /// Writes without buffering, so that no line is incomplete.
    fn write(&mut self, lines: &str) -> Result<(), EmulationError> {
        self.file
            .write_all(lines.as_bytes())
            .map_err(EmulationError::system(self.path.display().to_string()))
    }

    /// Like `lock`, with some attempts: a cleanup holds every list for a moment, and so do programs that a killed
    /// emulation had started. The list names a process that no longer runs then, or none, and is waited for longer.
    fn lock_soon(path: &Path, name: &str) -> Result<(Self, Vec<String>), EmulationError> {
        let begin = Instant::now();
        loop {
            let locked = Self::lock(path, name);
            let Err(EmulationError::Running { process, .. }) = &locked else { return locked };
            let patience = if runs(process) { PATIENCE } else { LONG_PATIENCE };
            if begin.elapsed() >= patience {
                return locked;
            }
            thread::sleep(PATIENCE / 50);
        }
    }

    /// The locked file, and its lines.
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
            // The previous owner may have removed the file meanwhile; then the lock has no effect.
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
        // If this fails, the next emulation finds an empty list.
        let _ = fs::remove_file(&self.path);
    }
}

/// A leftover of a killed emulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// A namespace that it had created.
    Namespace(String),
    /// Routing rules in a namespace that the emulation did not create.
    Rules(String),
}

impl Display for Leftover {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespace(name) => write!(formatter, "namespace {name}"),
            Self::Rules(name) => write!(formatter, "rules in namespace {name}"),
        }
    }
}

/// Removes the leftovers of killed emulations, and returns them.
///
/// # Errors
/// If the caller lacks the rights, or a list cannot be read.
pub fn clean() -> Result<Vec<Leftover>, EmulationError> {
    if !rustix::process::geteuid().is_root() {
        return Err(EmulationError::Rights);
    }
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

/// Whether there is a process with this number.
fn runs(process: &str) -> bool {
    process.parse::<u32>().is_ok_and(|process| Path::new(&format!("/proc/{process}")).exists())
}

/// Undoes the entries of a list, as far as they still exist.
fn remove(list: &[String]) -> Vec<Leftover> {
    let mut removed = Vec::new();
    let mut undo = BTreeMap::<&str, Lines>::new();
    for line in list {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        if !Namespace::exists(name) {
            continue;
        }
        match rest.split_once(' ') {
            None if Namespace::remove(name).is_ok() => {
                removed.push(Leftover::Namespace(name.to_owned()));
            }
            Some((version, line)) => undo.entry(name).or_default().add(version, line),
            None => {}
        }
    }
    for (name, lines) in undo {
        Namespace::existing(name).take_back(&lines);
        removed.push(Leftover::Rules(name.to_owned()));
    }
    removed
}

/// Removed when the machine restarts, like namespaces.
const FOLDER: &str = "/run/manypath-emu";
/// How long to wait for the lock of an emulation with the same name, if a process that runs had begun the list.
const PATIENCE: Duration = Duration::from_millis(500);
/// The same if none runs. A process that holds the lock for a moment may be stopped meanwhile.
const LONG_PATIENCE: Duration = Duration::from_secs(30);
