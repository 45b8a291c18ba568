//! A network namespace that exists as long as a thread in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::{fs, thread};

use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getpid, gettid};

use crate::Error;

/// A network namespace with its interfaces, addresses, routes and settings. The namespace disappears when this value is
/// dropped or the process ends for any reason.
#[derive(Debug)]
pub struct Namespace {
    path: PathBuf,
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Namespace {
    /// A new namespace with its loopback interface up.
    ///
    /// # Errors
    /// If the kernel refuses; it needs root.
    pub fn new() -> Result<Self, Error> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn(move || {
            let made = unshare(CloneFlags::CLONE_NEWNET);
            let path = format!("/proc/{}/task/{}/ns/net", getpid(), gettid());
            let is_made = made.is_ok();
            let _ = tell.send(made.map(|()| PathBuf::from(path)));
            while let Ok(job) = waiting.recv()
                && is_made
            {
                job();
            }
        });
        let path = told.recv().expect("the thread answers").map_err(|error| {
            Error::failed(format!("a network namespace cannot be made: {error}"))
        })?;
        let namespace = Self { path, jobs: Some(jobs), thread: Some(thread) };
        namespace.run("ip link set lo up")?;
        Ok(namespace)
    }

    /// Its file, for `ip link set … netns` and `setns`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `job` inside and returns its result.
    ///
    /// # Panics
    /// If `job` panics.
    pub fn inside<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> T {
        let (tell, told) = mpsc::channel();
        let job = Box::new(move || {
            let _ = tell.send(job());
        });
        self.jobs.as_ref().expect("open until dropped").send(job).expect("the thread listens");
        told.recv().expect("the job ends")
    }

    /// Starts a thread inside.
    pub fn spawn<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> JoinHandle<Result<T, Error>> {
        let path = self.path.clone();
        thread::spawn(move || {
            enter(&path)?;
            job()
        })
    }

    /// Runs a command line inside and returns its output.
    ///
    /// # Errors
    /// If it fails; the error contains the command line and its message.
    pub fn run(&self, line: &str) -> Result<String, Error> {
        let line = line.to_owned();
        self.inside(move || command(&line))
    }

    /// Writes a network setting, such as `net.ipv4.ip_forward`.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn set(&self, key: &str, value: &str) -> Result<(), Error> {
        let path = format!("/proc/sys/{}", key.replace('.', "/"));
        let written = value.to_owned();
        self.inside(move || fs::write(path, written)).map_err(|error| {
            Error::failed(format!("the setting {key} cannot be {value:?}: {error}"))
        })
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn enter(path: &Path) -> Result<(), Error> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::failed(format!("the namespace {} cannot be entered: {error}", path.display()))
    };
    let file = fs::File::open(path).map_err(|error| failed(&error))?;
    setns(file, CloneFlags::CLONE_NEWNET).map_err(|error| failed(&error))
}

fn command(line: &str) -> Result<String, Error> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    let output = Command::new(program)
        .args(words)
        .output()
        .map_err(|error| Error::failed(format!("{program} cannot be started: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::failed(format!("{line}: {said}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
