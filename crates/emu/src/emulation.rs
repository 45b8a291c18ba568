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

/// How an emulation runs, beside what it emulates.
#[derive(Clone, Debug)]
pub struct Options {
    /// The router goes before every ordinary process, where the system lets it.
    pub realtime: bool,
    /// Where packets are written down, if anywhere.
    pub capture: Option<CaptureConfig>,
    /// How often it says how it is going.
    pub interval: Span,
}

impl Default for Options {
    fn default() -> Self {
        Self { realtime: true, capture: None, interval: Span::from_secs(1) }
    }
}

/// An emulation that runs until it is [stopped](Self::stop) or dropped; then everything that it made is gone.
#[derive(Debug)]
pub struct Emulation {
    ready: Ready,
    snapshots: Receiver<Snapshot>,
    stop: Arc<OwnedFd>,
    /// None once it was waited for.
    router: Option<JoinHandle<Routed>>,
    capture: Option<CaptureFile>,
    tuns: Arc<[Tun]>,
    hosts: Hosts,
}

impl Emulation {
    /// Makes hosts and interfaces, and begins to route.
    ///
    /// # Errors
    /// If there is no right to do so, or if the system refuses something that is needed.
    pub fn start(document: &Document, options: &Options) -> Result<Self, EmulationError> {
        if !rustix::process::geteuid().is_root() {
            return Err(EmulationError::Rights);
        }
        let plan = Plan::new(document);
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

    /// Who can be reached how.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// How it is going, as often as the [`Options`] say; it ends when the emulation does.
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

    /// Ends it and says how it went.
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

    /// Stops the router, if that was not done.
    fn join(&mut self) -> Option<Routed> {
        let router = self.router.take()?;
        // It cannot be full: this is written once.
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        Some(router.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    /// What the kernel dropped in front of the router.
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

/// How it went, and why it is not to be trusted, one line each.
type Routed = Result<(Snapshot, Vec<String>), io::Error>;

/// Begins to route; returns what the system refused to the thread that does.
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

/// How long before an instant the router begins to look at the clock: not at all where the hosts need the only
/// processor.
fn spin() -> Span {
    match thread::available_parallelism() {
        Ok(processors) if processors.get() > 1 => SPIN,
        _ => Span::ZERO,
    }
}

/// About what it takes to wake up.
const SPIN: Span = Span::from_micros(20);
/// Snapshots that a slow reader may be behind.
const WAITING_SNAPSHOTS: usize = 8;
