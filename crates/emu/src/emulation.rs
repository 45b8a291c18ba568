//! A running emulation: hosts, interfaces, and the thread that routes between them.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use manypath_core::Span;
use rustix::event::{EventfdFlags, eventfd};

pub use crate::capture::CaptureConfig;
use crate::capture::{self, CaptureFile};
use crate::clock::Clock;
use crate::config::Document;
use crate::driver::Driver;
use crate::error::EmulationError;
use crate::hosts::Hosts;
use crate::lateness::Lateness;
use crate::namespace::Namespace;
use crate::plan::Plan;
use crate::realtime;
use crate::report::{Ending, Interface, InterfaceReport, Ready, Snapshot};
use crate::tun::Tun;

/// The options of an emulation in addition to its document.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the router has priority over all ordinary processes, if the system allows it.
    pub realtime: bool,
    /// The capture, if one is requested.
    pub capture: Option<CaptureConfig>,
    /// The interval of reports.
    pub interval: Span,
}

impl Default for Options {
    fn default() -> Self {
        Self { realtime: true, capture: None, interval: Span::from_secs(1) }
    }
}

/// A running emulation. It ends when it is [stopped](Self::stop) or dropped, and then removes everything that it
/// created.
#[derive(Debug)]
pub struct Emulation {
    ready: Ready,
    snapshots: Receiver<Snapshot>,
    stop: Arc<OwnedFd>,
    /// `None` after the thread was joined.
    router: Option<JoinHandle<Routed>>,
    capture: Option<CaptureFile>,
    tuns: Arc<[Tun]>,
    hosts: Hosts,
}

impl Emulation {
    /// Creates hosts and interfaces, and starts the router.
    ///
    /// # Errors
    /// If the caller lacks the rights, or if the system refuses a necessary operation.
    pub fn start(document: &Document, options: &Options) -> Result<Self, EmulationError> {
        if !rustix::process::geteuid().is_root() {
            return Err(EmulationError::Rights);
        }
        let plan = Plan::new(document);
        if let Some(config) = &options.capture {
            capture::chosen(&config.links, &plan)?;
        }
        let (hosts, tuns) = Hosts::create(document, &plan)?;
        let tuns: Arc<[Tun]> = tuns.into();
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(EmulationError::system("eventfd"))?;
        let stop = Arc::new(stop);
        let clock = Clock::start();
        let mut router = plan.router(document);
        let capture = match &options.capture {
            None => None,
            Some(config) => {
                let (watch, file) = capture::begin(config, &plan, clock.since_1970())?;
                router.watch(Box::new(watch));
                Some(file)
            }
        };
        let (to_reader, snapshots) = mpsc::sync_channel(WAITING_SNAPSHOTS);
        let driver = Driver {
            router,
            clock,
            tuns: Arc::clone(&tuns),
            stop: Arc::clone(&stop),
            lateness: Lateness::new(document.bounds),
            links: plan.links.keys().take(plan.core).cloned().collect(),
            counts: vec![InterfaceReport::default(); plan.ports.len()],
            snapshots: to_reader,
            interval: options.interval,
            spin: spin(),
        };
        let (refused, router) = spawn(driver, options.realtime)?;
        let interfaces = Interface::all(&plan, document);
        let ready = Ready { name: document.name.clone(), interfaces, refused };
        Ok(Self { ready, snapshots, stop, router: Some(router), capture, tuns, hosts })
    }

    /// The addresses of all hosts.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// The periodic snapshots, at the interval of [`Options`]. The channel closes when the emulation ends.
    #[must_use]
    pub fn snapshots(&self) -> &Receiver<Snapshot> {
        &self.snapshots
    }

    /// A host by the name of its namespace.
    ///
    /// # Panics
    /// If there is no such host.
    #[must_use]
    pub fn host(&self, namespace: &str) -> &Namespace {
        self.hosts.host(namespace)
    }

    /// Ends the emulation and returns its results.
    ///
    /// # Errors
    /// If an interface had vanished or a capture could not be written.
    pub fn stop(mut self) -> Result<Ending, EmulationError> {
        let Some(routed) = self.join() else { unreachable!("it is stopped once") };
        let (mut snapshot, late) =
            routed.map_err(EmulationError::system("an interface of the emulation"))?;
        self.count_overruns(&mut snapshot);
        let overrun: u64 = snapshot.interfaces.iter().map(|interface| interface.overrun).sum();
        let mut marks: Vec<_> = self.ready.refused.drain(..).chain(late).collect();
        if overrun > 0 {
            marks.push(format!("{overrun} packets were not fetched from their hosts in time"));
        }
        if let Some(capture) = self.capture.take()
            && let missed @ 1.. = capture.finish()?
        {
            marks.push(format!("{missed} packets are not in the capture: the disk was too slow"));
        }
        Ok(Ending { snapshot, marks })
    }

    /// Stops the router, unless it was stopped before.
    fn join(&mut self) -> Option<Routed> {
        let router = self.router.take()?;
        // The counter cannot overflow, because this is the only write.
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        Some(router.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    /// Adds the packets that the kernel dropped before they reached the router.
    fn count_overruns(&self, snapshot: &mut Snapshot) {
        for ((tun, interface), report) in
            self.tuns.iter().zip(&self.ready.interfaces).zip(&mut snapshot.interfaces)
        {
            report.overrun = self.hosts.host(&interface.namespace).dropped(tun.name());
        }
    }
}

impl Drop for Emulation {
    fn drop(&mut self) {
        let _ = self.join();
    }
}

/// The last snapshot, and the reasons for which the run is not reliable, one line each.
type Routed = Result<(Snapshot, Vec<String>), io::Error>;

/// Starts the router thread; returns the privileges that the system refused to it.
fn spawn(
    mut driver: Driver,
    realtime: bool,
) -> Result<(Vec<String>, JoinHandle<Routed>), EmulationError> {
    let (to_caller, prepared) = mpsc::channel();
    let route = move || {
        // The caller waits for it.
        let _ = to_caller.send(realtime::prepare(realtime));
        driver.run()?;
        let now = driver.clock.now();
        Ok((driver.snapshot(now), driver.lateness.marks()))
    };
    let thread = thread::Builder::new().name("router".to_owned()).spawn(route);
    let router = thread.map_err(EmulationError::system("a thread for the router"))?;
    Ok((prepared.recv().unwrap_or_default(), router))
}

/// How long before an event the router begins to poll the clock; zero if the hosts need the only processor.
fn spin() -> Span {
    match thread::available_parallelism() {
        Ok(processors) if processors.get() > 1 => SPIN,
        _ => Span::ZERO,
    }
}

/// The approximate time of a wake-up.
const SPIN: Span = Span::from_micros(20);
/// Number of snapshots that may wait for a slow reader.
const WAITING_SNAPSHOTS: usize = 8;
